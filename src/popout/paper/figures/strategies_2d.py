r"""Strategies for two locations: their boundaries, and S(t) at the decision (fig-optthresh2D).

Panels: (a) the lower and (b) the upper boundary at drift 4/s of the optimum, a-SPRT (scales fitted
to the exact boundary), a-SPRT with the scales that the caption prints, SPRT and Hardmax; (c, d) the
distribution of the log likelihood ratio :math:`S(T)` (Eq. homo-search) when the optimum decides at
drift 2/s, with those of :math:`S_-(T)` (absent) and :math:`S_+(T)` (present) for reference. The
latter would be a single value in continuous time; what spread they have is the overshoot of one
step, whose standard deviation (of one location's Z) is drawn as a bar.

Notes
-----
The caption names no cost: 0.2/s is used. (c, d) show the trials answered correctly; the others end
at the opposite boundary, and their number is stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from popout.analysis.curves import SIDES, differences, exact_curves, strategy_curves
from popout.analysis.thresholds import threshold_pair
from popout.drawing.representation import listing
from popout.drawing.style import ABSENT, LOOKS, PRESENT, panel, styled
from popout.evidence import llr_step, log_likelihood_ratio_search
from popout.exact import evaluate, solve
from popout.paper.conjecture import PRINTED, conjecture, fitted_scales
from popout.paper.preset import Preset
from popout.progress import Progress
from popout.report.words import fixed, percent
from popout.simulation import simulate
from popout.strategies import SPRT, Hardmax
from popout.task import Costs, SearchTask

TITLE = "Strategies for two locations"
EFFORT = 6.0
PAPER_LABEL = "fig-optthresh2D"

TASK = SearchTask(n_locations=2, drift=4.0)
SLOW_TASK = SearchTask(n_locations=2, drift=2.0)
COSTS = Costs(time=0.2)
STRATEGIES = ("optimal", "a-SPRT", "a-SPRT, caption", "SPRT", "Hardmax")
REACH = 20.0
EDGES = np.arange(-8.0, 8.0 + 1e-9, 0.05)


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return boundaries and risks at drift 4, and histograms of S at the decision at drift 2."""
    progress(0.0, "boundaries")
    d = differences(REACH, preset.curve_points)
    solution = solve(TASK, COSTS, min(preset.rtol, 1e-4))
    pair = threshold_pair(TASK, COSTS)
    scales = fitted_scales(solution)
    printed = PRINTED[TASK.drifts[0]]
    made = {
        "a-SPRT": conjecture(solution, *scales),
        "a-SPRT, caption": conjecture(solution, *printed),
        "SPRT": SPRT.for_task(TASK, *pair),
        "Hardmax": Hardmax.for_task(TASK, *pair),
    }
    curves = [exact_curves(solution, d), *(strategy_curves(s, d) for s in made.values())]
    risks = [(solution.risk, solution.risk_error)]
    for name, strategy in made.items():
        progress(0.3, name)
        found = evaluate(TASK, strategy, COSTS, min(preset.rtol, 1e-4))
        risks.append((found.risk, found.risk_error))
    progress(0.6, "S(t) at the decision")
    axis = ("strategy", "side", "difference", "location")
    return xr.Dataset(
        {
            "boundary": (axis, np.stack(curves), {"units": "nats"}),
            "risk": (("strategy",), [value for value, _ in risks]),
            "risk_error": (("strategy",), [error for _, error in risks]),
            "scale": (("side",), list(scales)),
            "scale_printed": (("side",), list(printed)),
        },
        coords={
            "strategy": ("strategy", list(STRATEGIES)),
            "side": ("side", list(SIDES)),
            "difference": ("difference", d, {"units": "nats", "long_name": "Z1 - Z2"}),
            "location": ("location", [1, 2]),
        },
        attrs={"drift": 4.0, "drift_decisions": 2.0, "time_cost": COSTS.time_absent},
    ).merge(_decisions(preset, seed), combine_attrs="override")


def _decisions(preset: Preset, seed: int) -> xr.Dataset:
    """Return the distributions of S and of the scaled statistic when the optimum decides."""
    solution = solve(SLOW_TASK, COSTS, min(preset.rtol, 1e-4))
    scaled = conjecture(solution, *fitted_scales(solution))
    n = preset.decision_trials
    counts = np.zeros((2, 2, EDGES.size - 1))
    mean, spread = np.zeros((2, 2)), np.zeros((2, 2))
    correct = np.zeros(2)
    for k, side in enumerate(SIDES):
        trials = simulate(SLOW_TASK, solution.strategy, n, seed, condition=side)
        right = np.flatnonzero(trials.correct)
        correct[k] = right.size
        Z = trials.states(right)
        both = (
            log_likelihood_ratio_search(Z, SLOW_TASK.location_prior),
            scaled.statistics(Z)[k],
        )
        for j, S in enumerate(both):
            counts[k, j] = np.histogram(S, EDGES)[0]
            mean[k, j], spread[k, j] = S.mean(), S.std(ddof=1)
    nats = {"units": "nats"}
    which = ("side", "statistic")
    return xr.Dataset(
        {
            "count": ((*which, "bin"), counts),
            "mean": (which, mean, nats),
            "standard_deviation": (which, spread, nats),
            "correct_trials": (("side",), correct),
            "trials": ((), float(n)),
            "step_sd": ((), float(llr_step(SLOW_TASK).sd[0]), nats),
            "tau": (("side",), list(solution.thresholds[0]), nats),
        },
        coords={
            "statistic": ("statistic", ["S", "scaled S"]),
            "side": ("side", list(SIDES)),
            "bin": ("bin", (EDGES[1:] + EDGES[:-1]) / 2, nats),
        },
    )


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw the four panels."""
    figure = Figure(figsize=(9.2, 7.6), layout="constrained")
    axes = figure.subplots(2, 2, height_ratios=(1.5, 1))
    for ax, letter, side, name in (
        (axes[0, 0], "a", "absent", "lower"),
        (axes[0, 1], "b", "present", "upper"),
    ):
        panel(ax, letter, f"{name} boundary, drift $\\pm 4$/s, cost 0.2/s")
        _boundaries(ax, data.sel(side=side), "-" if side == "absent" else "+")
    for ax, letter, side in ((axes[1, 0], "c", "absent"), (axes[1, 1], "d", "present")):
        panel(ax, letter, f"at the decision, target {side}, drift $\\pm 2$/s")
        _distribution(ax, data, side)
    return figure


def _boundaries(ax: Axes, of_side: xr.Dataset, sign: str) -> None:
    """Draw one side of the boundary of each strategy."""
    fitted, printed = float(of_side["scale"]), float(of_side["scale_printed"])
    words = {
        "a-SPRT": f"a-SPRT, fitted $a_{sign}$ = {fitted:.2f}",
        "a-SPRT, caption": f"a-SPRT, caption's $a_{sign}$ = {printed:.1f}",
    }
    for name in STRATEGIES:
        Z = of_side["boundary"].sel(strategy=name).to_numpy()
        look = LOOKS[name.split(",")[0]].line(label=words.get(name, name))
        if name == "optimal":
            look["label"] = LOOKS[name].label
        elif name == "a-SPRT, caption":
            look |= {"linewidth": 0.9, "linestyle": (0, (1, 3))}
        ax.plot(*Z.T, **look)
    top = float(of_side["boundary"].max()) + 0.5
    ax.set(xlim=(top - 6.5, top), ylim=(top - 6.5, top), aspect="equal")
    ax.set(xlabel="$Z_1$ (nats)", ylabel="$Z_2$ (nats)")
    ax.legend(loc="lower left")


def _distribution(ax: Axes, data: xr.Dataset, side: str) -> None:
    """Draw the distributions of S and of the scaled statistic."""
    of_class = data.sel(side=side)
    width = float(data["bin"][1] - data["bin"][0])
    total = float(of_class["correct_trials"])
    sign = "-" if side == "absent" else "+"
    colour = ABSENT if side == "absent" else PRESENT
    for kind, symbol, filled in (("S", "S", True), ("scaled S", f"S_{sign}", False)):
        statistic = of_class.sel(statistic=kind)
        label = f"${symbol}(T)$, s.d. {float(statistic['standard_deviation']):.2f}"
        density = statistic["count"].to_numpy() / (total * width)
        look: dict[str, Any] = {"fill": False, "edgecolor": "black"}
        if filled:
            look = {"fill": True, "alpha": 0.7, "color": colour}
        edges = np.append(data["bin"] - width / 2, data["bin"][-1] + width / 2)
        ax.stairs(density, edges, label=label, **look)
    tau, sd = float(of_class["tau"]), float(data["step_sd"])
    ax.axvline(tau, color="0.3", linewidth=0.9, linestyle=":", label=f"$\\tau_{sign}$")
    height = 0.55 * ax.get_ylim()[1]
    ax.errorbar(
        tau, height, xerr=sd, color="0.3", capsize=3, label=f"one step, s.d. {sd:.2f}", zorder=5
    )
    middle = float(of_class["mean"].mean())
    ax.set(xlim=(middle - 2.0, middle + 2.0), xlabel="log likelihood ratio (nats)")
    ax.set_ylabel("density (1/nat)")
    ax.legend(loc="upper right" if side == "present" else "upper left")


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Describe the order of the boundaries and the spread of S at the decision."""
    optimal = float(data["risk"].sel(strategy="optimal"))
    others = [name for name in data["strategy"].to_numpy() if name != "optimal"]
    order = [
        f"{percent(float(data['risk'].sel(strategy=name)) / optimal - 1)} for {name}"
        for name in others
    ]
    error = float(data["risk_error"].max()) / optimal
    a_minus, a_plus = data["scale"].to_numpy()
    spread, step = data["standard_deviation"], float(data["step_sd"])
    parts = []
    for side in SIDES:
        S, scaled = (float(spread.sel(side=side, statistic=k)) for k in ("S", "scaled S"))
        times = S / scaled
        parts.append(
            f"target {side}, {S:.2f} nats against {scaled:.2f} of the scaled statistic "
            f"({times:.1f} times)"
        )
    return (
        f"(a, b) Boundaries at drift {data.attrs['drift']:g}/s, cost of time "
        f"{data.attrs['time_cost']:g}/s. The fitted scales are a₋ = {a_minus:.2f} and "
        f"a₊ = {a_plus:.2f}. {_conservative(data)}",
        f"Excess risk over the optimum of {fixed(optimal)}: {'; '.join(order)} (errors of the "
        f"computation below {percent(error)}).",
        f"(c, d) Standard deviation of S(T) when the optimum decides, drift "
        f"{data.attrs['drift_decisions']:g}/s: {'; '.join(parts)}. One step of one location has "
        f"{step:.2f} nats (bar).",
    )


def _conservative(data: xr.Dataset) -> str:
    """Say on which side of the optimum the boundary of SPRT lies, where it differs most."""
    Z = data["boundary"].sum("location")  # one boundary is further out where the sum is larger
    parts = []
    for side, sign in (("absent", -1.0), ("present", 1.0)):
        gap = sign * (Z.sel(strategy="SPRT", side=side) - Z.sel(strategy="optimal", side=side))
        far = float(gap[int(np.argmax(np.abs(gap.to_numpy())))]) / 2
        parts.append(f"{side} {fixed(abs(far), 2)} nats {'later' if far > 0 else 'earlier'}")
    return f"Where they differ most, SPRT stops for {listing(parts)} than the optimum."
