r"""Strategies for two locations: boundaries, and S(t) at the decision (Figure 4 of the paper).

Panels: (a) the lower and (b) the upper boundary at drift 4/s of the optimum, a-SPRT (scales fitted
to the exact boundary), a-SPRT with the scales that the caption prints, read in decades (see
`popout.paper.conjecture`), SPRT and Hardmax; (c, d) the distribution of the log likelihood ratio
:math:`S(T)` (Equation 2) when the optimum decides at drift 2/s, with those of :math:`S_-(T)`
(absent) and :math:`S_+(T)` (present) for reference. The latter would be a single value in
continuous time; what spread they have is the overshoot of one step, whose standard deviation (of
one location's Z) is drawn as a bar.

A threshold that varies in time would make S(T) unique *at each time T*. So the spread is stored as
well among trials of equal decision time, pooled over times (``spread_at_time``).

Notes
-----
The caption names no cost: 0.2/s is used. (c, d) show the trials answered correctly; the others end
at the opposite boundary, and their number is stored.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from popout.analysis.curves import SIDES, differences, exact_curves, strategy_curves
from popout.analysis.thresholds import threshold_pair
from popout.drawing.representation import listing
from popout.drawing.style import ABSENT, LOOKS, PRESENT, panel, styled
from popout.evidence import llr_step, log_likelihood_ratio_search
from popout.exact import evaluate, solve
from popout.paper.conjecture import DECADE, PRINTED, conjecture, fitted_scales, read_in_decades
from popout.paper.preset import PaperPart, Preset
from popout.policies.stopping import SPRT, BoundaryStrategy, Hardmax
from popout.progress import Progress
from popout.reports.cells import NATS, Variables, labelled, over
from popout.reports.words import fixed, percent
from popout.simulation import simulate
from popout.task import Costs, SearchTask

DRIFT, SLOW_DRIFT = 4.0, 2.0
COSTS = Costs(time=0.2)
STRATEGIES = ("optimal", "a-SPRT", "a-SPRT, printed", "SPRT", "Hardmax")
REACH = 20.0
EDGES = np.arange(-8.0, 8.0 + 1e-9, 0.05)


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return boundaries and risks at drift 4, and histograms of S at the decision at drift 2."""
    progress(0.0, "boundaries")
    task = SearchTask(n_locations=2, drift=DRIFT)
    made, surfaces = boundaries(task, preset)
    risks = [(surfaces.attrs["risk"], surfaces.attrs["risk_error"])]
    for name in STRATEGIES[1:]:
        progress(0.3, name)
        evaluation = evaluate(task, made[name], COSTS, min(preset.rtol, 1e-4))
        risks.append((evaluation.risk, evaluation.risk_error))
    progress(0.6, "S(t) at the decision")
    slow = SearchTask(n_locations=2, drift=SLOW_DRIFT)
    return xr.merge(
        [
            surfaces,
            xr.Dataset(
                {
                    "risk": (("strategy",), [value for value, _ in risks]),
                    "risk_error": (("strategy",), [error for _, error in risks]),
                }
            ),
            at_decision(slow, preset.decision_trials, preset, seed),
        ],
        combine_attrs="override",
    )


def boundaries(task: SearchTask, preset: Preset) -> tuple[dict[str, BoundaryStrategy], xr.Dataset]:
    """Return the strategies and their boundaries."""
    d = differences(REACH, preset.curve_points)
    solution = solve(task, COSTS, min(preset.rtol, 1e-4))
    pair = threshold_pair(task, COSTS)
    scales = fitted_scales(solution)
    made: dict[str, BoundaryStrategy] = {
        "optimal": solution.strategy,
        "a-SPRT": conjecture(solution, *scales),
        "a-SPRT, printed": conjecture(solution, *read_in_decades(DRIFT)),
        "SPRT": SPRT.for_task(task, *pair),
        "Hardmax": Hardmax.for_task(task, *pair),
    }
    others = (strategy_curves(made[name], d) for name in STRATEGIES[1:])
    curves = [exact_curves(solution, d), *others]
    axis = ("strategy", "side", "difference", "location")
    surfaces = labelled(
        {
            "boundary": (axis, np.stack(curves), NATS),
            "scale": (("side",), list(scales)),
            "scale_printed": (("side",), list(PRINTED[DRIFT])),
        },
        {"strategy": STRATEGIES, "side": SIDES, "difference": d, "location": [1, 2]},
        {
            "drift": DRIFT,
            "drift_decisions": SLOW_DRIFT,
            "time_cost": COSTS.time_absent,
            "risk": solution.risk,
            "risk_error": solution.risk_error,
        },
    )
    return made, surfaces


def at_decision(task: SearchTask, n: int, preset: Preset, seed: int) -> xr.Dataset:
    """Return the distributions of S and of the scaled statistic when the optimum decides."""
    solution = solve(task, COSTS, min(preset.rtol, 1e-4))
    scaled = conjecture(solution, *fitted_scales(solution))

    def cell(side: str) -> Variables:
        trials = simulate(task, solution.strategy, n, seed, condition=side)
        right = np.flatnonzero(trials.correct)
        Z = trials.states(right)
        scaled_S = scaled.statistics(Z)[SIDES.index(side)]
        both = (log_likelihood_ratio_search(Z, task.location_prior), scaled_S)
        at_time = np.array([spread_at_equal_times(S, trials.steps[right]) for S in both])
        which = ("statistic",)
        return {
            "count": ((*which, "bin"), [np.histogram(S, EDGES)[0] for S in both]),
            "mean": (which, [S.mean() for S in both], NATS),
            "standard_deviation": (which, [S.std(ddof=1) for S in both], NATS),
            "spread_at_time": (which, at_time[:, 0], NATS),
            "spread_at_time_se": (which, at_time[:, 1], NATS),
            "correct_trials": right.size,
        }

    middles = xr.Variable("bin", (EDGES[1:] + EDGES[:-1]) / 2, NATS)
    return labelled(
        {
            **over({"side": SIDES}, cell),
            "trials": ((), float(n)),
            "step_sd": ((), float(llr_step(task).sd[0]), NATS),
            "tau": (("side",), list(solution.thresholds[0]), NATS),
        },
        {"statistic": ["S", "scaled S"], "side": SIDES, "bin": middles},
    )


def spread_at_equal_times(S: NDArray[np.float64], steps: NDArray[Any]) -> tuple[float, float]:
    """Return the standard deviation among trials of equal decision time, pooled; and its error.

    The error is that of a variance, by the fourth moment.

    Examples
    --------
    >>> spread_at_equal_times(np.array([1.0, 3.0, 9.0, 11.0]), np.array([5, 5, 7, 7]))[0] ** 2
    2.0000000000000004
    """
    _, which, number = np.unique(steps, return_inverse=True, return_counts=True)
    away = S - (np.bincount(which, S) / number)[which]
    freedom = S.size - number.size
    # Each trial counts for what its group leaves free; times that occur once tell nothing.
    variance = float((away**2).sum()) / freedom
    fourth = float((away**4).sum()) / freedom
    sd = math.sqrt(variance)
    return sd, math.sqrt(max(fourth - variance**2, 0.0) / freedom) / (2 * sd)


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw the four panels."""
    figure = Figure(figsize=(9.2, 7.6), layout="constrained")
    axes = figure.subplots(2, 2, height_ratios=(1.5, 1))
    for ax, letter, side, name in zip(axes[0], "ab", SIDES, ("lower", "upper"), strict=True):
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
        "a-SPRT": f"a-SPRT, fitted $a_{sign}$ = {fitted:.2f} (nats), "
        f"{DECADE * fitted:.2f} (decades)",
        "a-SPRT, printed": f"a-SPRT, the caption's {printed:.1f}, if in decades",
    }
    for name in STRATEGIES:
        Z = of_side["boundary"].sel(strategy=name).to_numpy()
        look = LOOKS[name.split(",")[0]].line(label=words.get(name, name))
        if name == "optimal":
            look["label"] = LOOKS[name].label
        elif name == "a-SPRT, printed":
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
    top = ax.get_ylim()[1]
    middle = float(of_class["mean"].mean())
    ax.set(xlim=(middle - 2.0, middle + 2.0), ylim=(0.0, 1.2 * top))
    label = f"one step, s.d. {sd:.2f}"  # above the histograms
    ax.errorbar(tau, 1.1 * top, xerr=sd, color="0.3", capsize=3, label=label)
    ax.set_xlabel("log likelihood ratio (nats)")
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
    step = float(data["step_sd"])
    spreads = []
    for name in ("standard_deviation", "spread_at_time"):
        by_side = zip(SIDES, data[name].to_numpy(), strict=True)  # of S and of the scaled statistic
        words = [f"{S:.2f} nats against {T:.2f} (target {side})" for side, (S, T) in by_side]
        spreads.append(listing(words))
    return (
        f"(a, b) Boundaries at drift {data.attrs['drift']:g}/s, cost of time "
        f"{data.attrs['time_cost']:g}/s. The fitted scales are a₋ = {a_minus:.2f} and "
        f"a₊ = {a_plus:.2f}, in decades {DECADE * a_minus:.2f} and {DECADE * a_plus:.2f}.",
        f"Excess risk over the optimum of {fixed(optimal)}: {'; '.join(order)} (errors of the "
        f"computation below {percent(error)}).",
        f"(c, d) Standard deviation of S(T) when the optimum decides, drift "
        f"{data.attrs['drift_decisions']:g}/s, against that of the scaled statistic: {spreads[0]}; "
        f"among trials of equal decision time {spreads[1]}. One step of one location has "
        f"{step:.2f} nats (bar).",
    )


STRATEGIES_2D = PaperPart(
    "strategies-2d", "Strategies for two locations", compute, 6.0, draw, describe, label="Figure 4"
)
