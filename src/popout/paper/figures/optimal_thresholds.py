r"""Optimal thresholds in two dimensions against the conjecture (fig-optthresh2Ddiffsnr).

Panels: (a) the lower and (b) the upper boundary for equal drifts of 2/s and four costs of time,
with the Conjecture's surfaces (Eqs. upper-approx, lower-approx); (c, d) both boundaries for drifts
{8, 3}/s and {15, 3}/s with those of the Extension (Eqs. upper-approx-diffsnr, lower-approx-diffsnr,
the lower test read as "at or below").

The scales :math:`a_\pm` are fitted to the exact boundary (`Solution.scales`). The caption of (a, b)
prints one pair for all costs; it is stored and shown beside the fitted ones, with its risk.

Notes
-----
The caption names no cost for (c, d); 0.2/s is used. "/ms" there is read as "/sec".
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from popout.analysis.curves import SIDES, differences, exact_curves, strategy_curves
from popout.drawing.representation import listing
from popout.drawing.style import LOOKS, key, panel, styled
from popout.exact import evaluate, solve
from popout.paper.conjecture import PRINTED, conjecture
from popout.paper.preset import Preset
from popout.progress import Progress
from popout.report.words import percent, percent_range, ranged
from popout.task import Costs, SearchTask

TITLE = "Optimal thresholds in two dimensions, and the conjecture"
EFFORT = 25.0
PAPER_LABEL = "fig-optthresh2Ddiffsnr"

Array = NDArray[np.float64]
CASES = (
    ((2.0, 2.0), 0.5),
    ((2.0, 2.0), 0.2),
    ((2.0, 2.0), 0.1),
    ((2.0, 2.0), 0.05),
    ((8.0, 3.0), 0.2),
    ((15.0, 3.0), 0.2),
)
REACH = 24.0
RTOL = 1e-6
"""Of the optimum: the excess of the conjecture is smaller than 1e-4 of the risk."""
LINES: dict[str, Any] = {
    "exact": {"linewidth": 2.6, "alpha": 0.45},
    "fitted": {"linewidth": 1.1, "linestyle": "--"},
    "printed": {"linewidth": 0.9, "linestyle": ":"},
}
SHADES = ("#000000", "#0072B2", "#009E73", "#D55E00")


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return exact and conjectured boundaries, scales, misfits and risks; nothing is random."""
    d = differences(REACH, preset.curve_points)
    n = len(CASES)
    curves = {name: np.full((n, 2, d.size, 2), np.nan) for name in ("exact", "fitted", "printed")}
    scale, rms, largest = (np.full((n, 2), np.nan) for _ in range(3))
    risk = {name: np.full(n, np.nan) for name in curves}
    error = {name: np.full(n, np.nan) for name in curves}
    for k, (drifts, cost) in enumerate(CASES):
        progress(k / n, f"drifts {drifts[0]:g} and {drifts[1]:g}, cost {cost:g}")
        task, costs = SearchTask(drift=drifts), Costs(time=cost)
        solution = solve(task, costs, RTOL)
        fits = (solution.scales.minus, solution.scales.plus)
        scale[k], rms[k] = [fit.a for fit in fits], [fit.rms for fit in fits]
        largest[k] = [fit.largest for fit in fits]
        curves["exact"][k] = exact_curves(solution, d)
        risk["exact"][k], error["exact"][k] = solution.risk, solution.risk_error
        tried = {"fitted": conjecture(solution, *scale[k])}
        if drifts[0] == drifts[1]:
            tried["printed"] = conjecture(solution, *PRINTED[drifts[0]])
        for name, strategy in tried.items():
            curves[name][k] = strategy_curves(strategy, d)
            found = evaluate(task, strategy, costs, min(preset.rtol, 1e-4))
            risk[name][k], error[name][k] = found.risk, found.risk_error
    sides = ("case", "side")
    return xr.Dataset(
        {
            **{
                f"boundary_{name}": (("case", "side", "difference", "location"), Z)
                for name, Z in curves.items()
            },
            **{f"risk_{name}": (("case",), value) for name, value in risk.items()},
            **{f"risk_error_{name}": (("case",), value) for name, value in error.items()},
            "scale": (sides, scale, {"long_name": "a_minus, a_plus fitted to the boundary"}),
            "scale_printed": (
                sides,
                [PRINTED[a] if a == b else [np.nan] * 2 for (a, b), _ in CASES],
                {"long_name": "a_minus, a_plus as the caption prints them"},
            ),
            "misfit_rms": (sides, rms, {"units": "nats"}),
            "misfit_largest": (sides, largest, {"units": "nats"}),
            "drift": (("case", "location"), [drifts for drifts, _ in CASES], {"units": "1/s"}),
            "time_cost": (("case",), [cost for _, cost in CASES], {"units": "1/s"}),
        },
        coords={
            "side": ("side", list(SIDES)),
            "difference": ("difference", d, {"units": "nats", "long_name": "Z1 - Z2"}),
            "location": ("location", [1, 2]),
        },
    )


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw the four panels."""
    figure = Figure(figsize=(9.2, 8.8), layout="constrained")
    axes = figure.subplots(2, 2)
    for ax, letter, side, name in (
        (axes[0, 0], "a", "absent", "lower"),
        (axes[0, 1], "b", "present", "upper"),
    ):
        panel(ax, letter, f"{name} boundary, drift $\\pm 2$/s")
        _equal(ax, data, side)
    _, unequal = _kinds(data)
    for ax, letter, case in zip(axes[1], "cd", unequal, strict=False):
        of_case = data.isel(case=case)
        first, second = of_case["drift"].to_numpy()
        cost = float(of_case["time_cost"])
        panel(ax, letter, f"drifts $\\pm{first:g}$, $\\pm{second:g}$/s, cost {cost:g}/s")
        _unequal(ax, of_case)
    for ax in axes.flat:
        ax.set(xlabel="$Z_1$ (nats)", ylabel="$Z_2$ (nats)", aspect="equal")
    return figure


def _kinds(data: xr.Dataset) -> tuple[list[int], list[int]]:
    """Return the cases of equal and of unequal drifts."""
    same = (data["drift"].diff("location") == 0).all("location").to_numpy()
    return np.flatnonzero(same).tolist(), np.flatnonzero(~same).tolist()


def _equal(ax: Axes, data: xr.Dataset, side: str) -> None:
    """Draw one side of the boundary for every cost."""
    sign = "-" if side == "absent" else "+"
    handles = []
    equal, _ = _kinds(data)
    for colour, case in zip(SHADES, equal, strict=False):
        curves = data.isel(case=case).sel(side=side)
        for kind, look in LINES.items():
            ax.plot(*curves[f"boundary_{kind}"].to_numpy().T, color=colour, **look)
        words = f"cost {float(curves['time_cost']):g}/s: $a_{sign}$ = {float(curves['scale']):.2f}"
        handles.append(key(words, color=colour, linewidth=2.6, alpha=0.6))
    printed = float(data["scale_printed"].isel(case=equal[0]).sel(side=side))
    handles += [
        key("optimum (exact)", **LINES["exact"]),
        key("conjecture, fitted", **LINES["fitted"]),
        key(f"caption's $a_{sign}$ = {printed:.2f}", **LINES["printed"]),
    ]
    top = float(data["boundary_exact"].isel(case=equal).sel(side=side).max()) + 0.4
    ax.set(xlim=(top - 7.5, top), ylim=(top - 7.5, top))
    ax.legend(handles=handles, loc="lower left")


def _unequal(ax: Axes, case: xr.Dataset) -> None:
    """Draw both sides of the boundary for one pair of drifts."""
    for side in SIDES:
        exact, fitted = (case[f"boundary_{k}"].sel(side=side) for k in ("exact", "fitted"))
        ax.plot(*exact.to_numpy().T, color="black", **LINES["exact"])
        ax.plot(*fitted.to_numpy().T, **LOOKS["a-SPRT"].line(linewidth=1.1))
    a_minus, a_plus = case["scale"].to_numpy()
    top = float(case["boundary_exact"].max()) + 1.0
    ax.set(xlim=(-10, top), ylim=(-10, top))
    excess = float(case["risk_fitted"] / case["risk_exact"] - 1)
    error = float((case["risk_error_fitted"] + case["risk_error_exact"]) / case["risk_exact"])
    handles = [
        key("optimum (exact)", color="black", **LINES["exact"]),
        key(**LOOKS["a-SPRT"].line(linewidth=1.1, label="extension, fitted")),
    ]
    ax.legend(
        handles=handles,
        loc="center",
        bbox_to_anchor=(0.62, 0.5),
        title=f"$a_-$ = {a_minus:.2f}, $a_+$ = {a_plus:.2f}\n"
        f"excess risk {100 * excess:.4f} ± {100 * error:.4f} %",
        title_fontsize=8,
    )


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Describe the fit of the conjecture and of its extension."""
    same = (data["drift"].diff("location") == 0).all("location")
    equal, unequal = data.sel(case=same), data.sel(case=~same)
    sentences = [
        "Broad lines: exact boundaries in the plane of the two local log likelihood ratios; "
        "dashed: the conjectured surfaces with scales fitted to them."
    ]
    if equal.sizes["case"]:
        drift = float(equal["drift"][0, 0])
        a_minus, a_plus = (equal["scale"].sel(side=side).to_numpy() for side in SIDES)
        costs = ranged(equal["time_cost"].to_numpy(), 1)
        sentences.append(
            f"(a, b) Drift {drift:g}/s, costs {costs}/s: a₋ = {ranged(a_minus)} and "
            f"a₊ = {ranged(a_plus)}. {_fit(equal)}"
        )
        printed = equal["scale_printed"].isel(case=0)
        loss = (equal["risk_printed"] / equal["risk_exact"] - 1).to_numpy()
        if np.isfinite(loss).all():
            sentences.append(
                f"The scales printed in the paper's caption, a₋ = {float(printed[0]):g} and "
                f"a₊ = {float(printed[1]):g} (dotted), would cost {percent_range(loss)} more risk "
                "than the optimum."
            )
    if unequal.sizes["case"]:
        pairs = [f"{{{a:g}, {b:g}}}/s" for a, b in unequal["drift"].to_numpy()]
        sentences.append(f"(c, d) The extension, drifts {listing(pairs)}. {_fit(unequal)}")
    return tuple(sentences)


def _fit(data: xr.Dataset) -> str:
    """Say how far the fitted surfaces are from the exact boundary, and what that costs."""
    excess = (data["risk_fitted"] - data["risk_exact"]) / data["risk_exact"]
    error = (data["risk_error_fitted"] + data["risk_error_exact"]) / data["risk_exact"]
    far = float(data["misfit_largest"].max())
    worst = int(np.argmax(excess.to_numpy()))
    size, bound = float(excess[worst]), float(error[worst])
    risk = f"at most {percent(size)} (error of the computation {percent(bound)})"
    if size < bound:
        risk = f"less than the error of the computation, {percent(bound)}"
    return (
        f"They leave the exact boundary by {far:.2f} nats at most; the excess risk is {risk} of "
        "the risk."
    )
