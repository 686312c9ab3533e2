r"""Optimal thresholds in two dimensions against the conjecture (Figure 3 of the paper).

Panels: (a) the lower and (b) the upper boundary for equal drifts of 2/s and four costs of time,
with the Conjecture's surfaces (Equations 8 and 9); (c, d) both boundaries for drifts {8, 3}/s and
{15, 3}/s with those of the Extension (Equations 10 and 11, the lower test read as "at or below").

The scales :math:`a_\pm` are fitted to the exact boundary (`Solution.scales`). The caption of (a, b)
prints one pair for all costs. Its unit is not said; the scales are shown in nats and in decades,
and the surface drawn is that of the printed numbers in decades (see `popout.paper.conjecture`).

Notes
-----
The caption names no cost for (c, d), the text "a variety of costs": those of (a, b) are used. "/ms"
there is read as "/sec".
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
from popout.drawing.style import SHADES, key, panel, styled
from popout.exact import Evaluation, Solution, evaluate, solve
from popout.paper.conjecture import DECADE, PRINTED, conjecture, fitted_scales, read_in_decades
from popout.paper.preset import PaperPart, Preset, named_cases
from popout.progress import Progress
from popout.reports.cells import NATS, Variables, labelled, over
from popout.reports.words import percent, percent_range, ranged
from popout.task import Costs, SearchTask

Array = NDArray[np.float64]
COSTS = (0.5, 0.2, 0.1, 0.05)
CASES = tuple((drifts, cost) for drifts in ((2.0, 2.0), (8.0, 3.0), (15.0, 3.0)) for cost in COSTS)
REACH = 24.0
RTOL = 1e-6
"""Of the optimum: the excess of the conjecture is smaller than 1e-4 of the risk."""
LINES: dict[str, Any] = {
    "exact": {"linewidth": 2.6, "alpha": 0.45},
    "fitted": {"linewidth": 1.1, "linestyle": "--"},
    "printed": {"linewidth": 0.9, "linestyle": ":"},
}


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return exact and conjectured boundaries, scales, misfits and risks; nothing is random."""
    d = differences(REACH, preset.curve_points)
    plane, sides = ("side", "difference", "location"), ("side",)
    own = {"long_name": "a_minus, a_plus fitted to the boundary"}
    theirs = {"long_name": "a_minus, a_plus as the caption prints them, unit not said"}

    def cell(drifts: tuple[float, float], cost: float) -> Variables:
        task, costs, equal = SearchTask(drift=drifts), Costs(time=cost), len(set(drifts)) == 1
        solution = solve(task, costs, RTOL)
        tried = {"fitted": conjecture(solution, *fitted_scales(solution))}
        if equal:
            tried["printed"] = conjecture(solution, *read_in_decades(drifts[0]))
        curves = {name: strategy_curves(strategy, d) for name, strategy in tried.items()}
        scored: dict[str, Solution | Evaluation] = {"exact": solution}
        for name, strategy in tried.items():
            scored[name] = evaluate(task, strategy, costs, min(preset.rtol, 1e-4))
        fits = (solution.scales.minus, solution.scales.plus)
        return {
            "boundary_exact": (plane, exact_curves(solution, d)),
            **{f"boundary_{name}": (plane, Z) for name, Z in curves.items()},
            **{f"risk_{name}": each.risk for name, each in scored.items()},
            **{f"risk_error_{name}": each.risk_error for name, each in scored.items()},
            "scale": (sides, [fit.a for fit in fits], own),
            "scale_printed": (sides, PRINTED[drifts[0]] if equal else [np.nan] * 2, theirs),
            "misfit_rms": (sides, [fit.rms for fit in fits], NATS),
            "misfit_largest": (sides, [fit.largest for fit in fits], NATS),
        }

    return labelled(
        {**over({"case": CASES}, cell, progress), **named_cases(CASES)},
        {"side": SIDES, "difference": d, "location": [1, 2]},
    )


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw the four panels."""
    figure = Figure(figsize=(9.2, 8.8), layout="constrained")
    axes = figure.subplots(2, 2)
    for ax, letter, side, name in zip(axes[0], "ab", SIDES, ("lower", "upper"), strict=True):
        panel(ax, letter, f"{name} boundary, drift $\\pm 2$/s")
        _equal(ax, data, side)
    for ax, letter, (pair, cases) in zip(axes[1], "cd", _pairs(data).items(), strict=False):
        panel(ax, letter, f"both boundaries, drifts $\\pm{pair[0]:g}$, $\\pm{pair[1]:g}$/s")
        _unequal(ax, data.isel(case=cases))
    for ax in axes.flat:
        ax.set(xlabel="$Z_1$ (nats)", ylabel="$Z_2$ (nats)", aspect="equal")
    return figure


def _pairs(data: xr.Dataset, *, equal: bool = False) -> dict[tuple[float, float], list[int]]:
    """Return the cases of each pair of drifts, unequal ones or equal ones."""
    pairs: dict[tuple[float, float], list[int]] = {}
    for case, (first, second) in enumerate(data["drift"].to_numpy()):
        if (first == second) == equal:
            pairs.setdefault((float(first), float(second)), []).append(case)
    return pairs


def _equal(ax: Axes, data: xr.Dataset, side: str) -> None:
    """Draw one side of the boundary for every cost."""
    sign = "-" if side == "absent" else "+"
    handles = []
    (equal,) = _pairs(data, equal=True).values()
    for colour, case in zip(SHADES, equal, strict=False):
        curves = data.isel(case=case).sel(side=side)
        for kind, look in LINES.items():
            ax.plot(*curves[f"boundary_{kind}"].to_numpy().T, color=colour, **look)
        a = float(curves["scale"])
        words = f"cost {float(curves['time_cost']):g}/s: {a:.2f} | {DECADE * a:.2f}"
        handles.append(key(words, color=colour, linewidth=2.6, alpha=0.6))
    printed = float(data["scale_printed"].isel(case=equal[0]).sel(side=side))
    handles += [
        key("optimum (exact)", **LINES["exact"]),
        key("conjecture, fitted", **LINES["fitted"]),
        key(f"the caption's {printed:.2f}, if in decades", **LINES["printed"]),
    ]
    top = float(data["boundary_exact"].isel(case=equal).sel(side=side).max()) + 0.4
    ax.set(xlim=(top - 9.0, top), ylim=(top - 9.0, top))
    title = f"fitted $a_{sign}$ in nats | decades"
    ax.legend(handles=handles, loc="lower left", title=title, title_fontsize=8)


def _unequal(ax: Axes, cases: xr.Dataset) -> None:
    """Draw both sides of the boundary for one pair of drifts and every cost."""
    handles = []
    for k, colour in zip(range(cases.sizes["case"]), SHADES, strict=False):
        case = cases.isel(case=k)
        for side in SIDES:
            for kind in ("exact", "fitted"):
                Z = case[f"boundary_{kind}"].sel(side=side).to_numpy()
                ax.plot(*Z.T, color=colour, **LINES[kind])
        a_minus, a_plus = case["scale"].to_numpy()
        words = f"cost {float(case['time_cost']):g}/s: {a_minus:.2f}, {a_plus:.2f}"
        handles.append(key(words, color=colour, linewidth=2.6, alpha=0.6))
    handles += [
        key("optimum (exact)", **LINES["exact"]),
        key("extension, fitted", **LINES["fitted"]),
    ]
    top = float(cases["boundary_exact"].max()) + 1.0
    ax.set(xlim=(-12, top), ylim=(-12, top))
    title = "fitted $a_-$, $a_+$ in nats"
    place: Any = {"loc": "center left", "bbox_to_anchor": (0.4, 0.42), "handlelength": 1.2}
    ax.legend(handles=handles, title=title, title_fontsize=8, **place)


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
                f"The caption prints a₋ = {float(printed[0]):g} and a₊ = {float(printed[1]):g}, "
                f"{float(printed[0] / equal['scale'][:, 0].mean()):.2f} and "
                f"{float(printed[1] / equal['scale'][:, 1].mean()):.2f} times the mean of ours: it "
                "may count in decades, a factor of 2.30 (a hypothesis found after the fact). Read "
                f"so (dotted) they cost {percent_range(loss)} more risk than the optimum."
            )
    if unequal.sizes["case"]:
        pairs = [f"{{{a:g}, {b:g}}}/s" for a, b in _pairs(data)]
        costs = ranged(unequal["time_cost"].to_numpy(), 1)
        words = f"(c, d) The extension, drifts {listing(pairs)}, costs {costs}/s."
        sentences.append(f"{words} {_fit(unequal)}")
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


TITLE = "Optimal thresholds in two dimensions, and the conjecture"
OPTIMAL_THRESHOLDS = PaperPart(
    "optimal-thresholds", TITLE, compute, 25.0, draw, describe, label="Figure 3"
)
