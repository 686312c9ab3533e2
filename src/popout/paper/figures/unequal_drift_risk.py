r"""Risk of the strategies against the cost of time, unequal drifts (Figure 6 of the paper).

Columns: two locations with drifts {5, 1}, {10, 1} and {20, 1}/s. First row: the risk (Equation 6,
as the prior average). Second row: its excess over the optimum. Third row: error rate against mean
response time when the target is absent, at the easy and at the hard location; one point for each
cost.

All strategies are evaluated on grids, so there is no sampling error. a-SPRT is that of the
Extension with scales fitted to the exact boundary; where these lose more than `WORTH` of the risk,
scales are tuned on the exact regret, and used if they lose less. The fitted ones and the risk with
them are stored beside (``scale_fitted``, ``risk_fitted``). The thresholds of SPRT-opt are tuned by
simulation, from several starts; whether the searches converged is stored. Hardmax is shown in both
readings (see `popout.policies.stopping.hardmax`): one pair of thresholds for both locations, that
of the easy one, and a pair for each.

Notes
-----
The paper's figure shows the sum of the risks of the two classes, twice the prior average. Like the
paper we leave SPRT out: two pairs of thresholds do not condense into one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from popout.analysis.making import Workshop
from popout.analysis.scoring import OptimalReference
from popout.analysis.tune import Method
from popout.drawing.representation import listing
from popout.drawing.style import (
    DASHES,
    LOOKS,
    RISK_LABEL,
    key,
    log_axis,
    panel,
    signed_log_axis,
    strategy_keys,
    styled,
)
from popout.exact import Solution, evaluate, solve
from popout.paper.conjecture import conjecture, fitted_scales
from popout.paper.preset import PaperPart, Preset
from popout.policies.stopping import (
    ASPRT,
    BoundaryStrategy,
    Hardmax,
    HardmaxPerLocation,
    SPRTOpt,
    Strategy,
)
from popout.progress import Progress
from popout.reports.cells import PER_SECOND, Variables, labelled, over
from popout.reports.words import fixed, percent_range, ranged
from popout.task import Costs, SearchTask

STEP = 0.01
PAIRS = ((5.0, 1.0), (10.0, 1.0), (20.0, 1.0))
STRATEGIES = ("optimal", "a-SPRT", "SPRT-opt", "Hardmax", "Hardmax per location")
CONDITIONS = ("absent", "easy", "hard")
SIDED = ("scale", "scale_se", "scale_fitted", "sprt_opt_thresholds", "sprt_opt_thresholds_se")
"""Stored for the absent and the present side; thresholds in nats."""
SINGLE = ("risk_fitted", "a_sprt_converged", "sprt_opt_converged")
TUNE_SHARE = 8
"""Thresholds need few trials: the risk is flat around the optimum and is then computed exactly."""
WORTH, REGRET_TRIALS = 1e-4, 1000
"""Share of the risk that fitted scales may lose, and the trials by which that is known."""
CLASS_DASHES: dict[str, Any] = {"absent": DASHES["absent"], "easy": DASHES["present"], "hard": "--"}
WORDS = {kind: f"target at {kind} location" for kind in CONDITIONS} | {"absent": "target absent"}
LEAST = 1e-5
"""Error rate below which a point is left out of the lower row."""
TICKS = (1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.99)


Three = Any
"""Absent, easy, hard."""


Scores = dict[str, Any]
"""What a strategy does, with bounds on the errors: risk, error rate and mean RT."""


def scores(
    risk: tuple[float, float], rates: Three, times: Three, errors: tuple[Any, Any]
) -> Scores:
    """Name what a strategy scored: the risk with its error, rates and times with theirs."""
    return {
        "risk": risk[0],
        "risk_error": risk[1],
        "error_rate": rates,
        "error_rate_error": errors[0],
        "mean_rt": times,
        "mean_rt_error": errors[1],
    }


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return risks, error rates and response times of every strategy."""
    return at_step(STEP, preset.drift_costs, preset, seed, progress, _on_grids)


def _on_grids(solution: Solution, strategy: Strategy, preset: Preset, seed: int) -> Scores:
    """Evaluate one strategy, without noise."""
    assert isinstance(strategy, BoundaryStrategy)
    evaluation = evaluate(solution.task, strategy, solution.costs, preset.rtol)
    best = solution if strategy is solution.strategy else evaluation
    return scores(
        (best.risk, best.risk_error),
        (evaluation.false_alarm, *evaluation.miss_at),
        (evaluation.rt_absent, *evaluation.rt_at),
        ((evaluation.rate_error,) * 3, (evaluation.rt_error,) * 3),
    )


def at_step(
    dt: float,
    time_costs: tuple[float, ...],
    preset: Preset,
    seed: int,
    progress: Progress,
    score: Callable[[Solution, Strategy, Preset, int], Scores],
    rtol: float = 1e-5,
) -> xr.Dataset:
    """Return the same for steps of `dt`, scored by this function."""

    def cell(easy: float, hard: float, cost: float) -> Variables:
        task, costs = SearchTask(drift=(easy, hard), dt=dt), Costs(time=cost)
        solution = solve(task, costs, rtol)
        ours, row = _a_sprt(solution, preset, seed)
        n_trials = max(1000, preset.tune_trials // TUNE_SHARE)
        by_trials = Method.MONTE_CARLO
        workshop = Workshop(task, costs, method=by_trials, n_trials=n_trials, seed=seed)
        theirs = workshop.tune(SPRTOpt)
        row["sprt_opt_thresholds"] = list(theirs.parameters.values())
        row["sprt_opt_thresholds_se"] = list(theirs.parameters_se.values())
        row["sprt_opt_converged"] = theirs.converged
        local = (workshop.make(recipe).strategy for recipe in (Hardmax, HardmaxPerLocation))
        tried = (solution.strategy, ours, theirs.strategy, *local)
        scored = [score(solution, strategy, preset, seed) for strategy in tried]
        dims, seconds = ("strategy", "condition"), {"units": "s"}
        return {
            **{
                name: (
                    dims[: 1 if "risk" in name else 2],
                    [each[name] for each in scored],
                    seconds if "rt" in name else {},
                )
                for name in scored[0]
            },
            **{name: (("side",), row[name]) for name in SIDED},
            **{name: row[name] for name in SINGLE},
        }

    return labelled(
        {
            **over({"drifts": PAIRS, "time_cost": time_costs}, cell, progress),
            "drift": (("drifts", "location"), [list(pair) for pair in PAIRS], PER_SECOND),
        },
        {
            "time_cost": time_costs,
            "strategy": STRATEGIES,
            "condition": CONDITIONS,
            "side": ["absent", "present"],
        },
    )


def _a_sprt(
    solution: Solution, preset: Preset, seed: int
) -> tuple[BoundaryStrategy, dict[str, Any]]:
    """Return a-SPRT with fitted scales, or with tuned ones where that is worth it."""
    scales = fitted_scales(solution)
    optimum = OptimalReference(solution, REGRET_TRIALS, seed)
    chosen: BoundaryStrategy = conjecture(solution, *scales)
    least = optimum.excess(chosen).value
    row: dict[str, Any] = {
        "scale": scales,
        "scale_fitted": scales,
        "scale_se": (np.nan, np.nan),
        "risk_fitted": solution.risk + least,
        "a_sprt_converged": True,
    }
    if least > WORTH * solution.risk:
        n_trials = preset.tune_trials_exact
        task, costs = solution.task, solution.costs
        tuned = Workshop(task, costs, solution=solution, n_trials=n_trials, seed=seed).tune(ASPRT)
        row["a_sprt_converged"] = tuned.converged
        if optimum.excess(tuned.strategy).value < least:
            chosen = tuned.strategy
            row["scale"] = list(tuned.parameters.values())
            row["scale_se"] = list(tuned.parameters_se.values())
    return chosen, row


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw risk and excess risk against cost, and error rate against response time."""
    figure = Figure(figsize=(10.0, 10.4), layout="constrained")
    columns = data.sizes["drifts"]
    axes = figure.subplots(3, columns, squeeze=False, sharey="row", height_ratios=(1, 1, 1.5))
    for column, letter in zip(range(columns), "abc", strict=False):
        at_drifts = data.isel(drifts=column)
        first, second = at_drifts["drift"].to_numpy()
        panel(axes[0, column], letter, f"drifts $\\pm{first:g}$, $\\pm{second:g}$/s")
        _risk(axes[0, column], at_drifts)
        draw_excess(axes[1, column], at_drifts)
        _tradeoff(axes[2, column], at_drifts)
        for ax in axes[:2, column]:
            ax.set_xlabel("cost of time (1/s)")
            log_axis(ax, data["time_cost"].to_numpy())
        axes[2, column].set(xlabel="mean RT (ms)", xscale="log")
        axes[2, column].xaxis.set_major_formatter(FuncFormatter(lambda rt, _: f"{rt:g}"))
        axes[2, column].xaxis.set_minor_formatter(NullFormatter())
    labels = (RISK_LABEL, "excess over the optimum (%)", "error rate (%, scale of log odds)")
    for ax, label in zip(axes[:, 0], labels, strict=True):
        ax.set_ylabel(label)
    handles = strategy_keys(STRATEGIES)
    figure.legend(handles=handles, loc="outside upper center", ncol=len(handles))
    handles = [key(WORDS[kind], linestyle=dash) for kind, dash in CLASS_DASHES.items()]
    figure.legend(handles=handles, loc="outside lower center", ncol=3, title="lower row")
    _limits(axes, data)
    return figure


def _risk(ax: Axes, at_drifts: xr.Dataset) -> None:
    cost = at_drifts["time_cost"]
    for name in STRATEGIES:
        look = LOOKS[name].points(linestyle="-")
        ax.plot(cost, at_drifts["risk"].sel(strategy=name), **look)


def draw_excess(ax: Axes, at_drifts: xr.Dataset) -> None:
    """Draw the excess; hollow where the tuning did not converge."""
    optimal = at_drifts["risk"].sel(strategy="optimal")
    for name in STRATEGIES[1:]:
        value = 100 * (at_drifts["risk"].sel(strategy=name) / optimal - 1)
        ax.plot(at_drifts["time_cost"], value, **LOOKS[name].points(linestyle="-"))
        open_ones = at_drifts["sprt_opt_converged"].to_numpy() == 0
        if name == "SPRT-opt" and open_ones.any():
            look = LOOKS[name].points(linestyle="", mfc="white", label="search not converged")
            (points,) = ax.plot(at_drifts["time_cost"][open_ones], value[open_ones], **look)
            ax.legend(handles=[points], loc="center left")
    ax.axhline(0.0, color="black", linewidth=0.8)
    signed_log_axis(ax, 0.1)
    top = float((100 * (at_drifts["risk"] / optimal - 1)).max())
    ax.set_ylim(-0.02, max(0.15, 1.6 * top))


def _tradeoff(ax: Axes, at_drifts: xr.Dataset) -> None:
    """Draw error rate against response time, a line for each condition.

    On the scale of log odds rates of a hundredth of a percent and of 97 % are told apart alike.
    """
    for name in STRATEGIES:
        for kind, dash in CLASS_DASHES.items():
            points = at_drifts.sel(strategy=name, condition=kind)
            width = LOOKS[name].width if name == "optimal" else 1.1
            look = LOOKS[name].points(linestyle=dash, linewidth=width)
            shown = points["error_rate"] > LEAST
            ax.plot(1e3 * points["mean_rt"], points["error_rate"].where(shown), **look)
    ends = at_drifts.sel(strategy="optimal", condition="hard")
    for k in (0, -1):  # which end of a line is which cost
        point = ends.isel(time_cost=k)
        place = 1e3 * float(point["mean_rt"]), float(point["error_rate"])
        words = f"cost {float(point['time_cost']):g}/s"
        ax.annotate(words, place, (6, 8), textcoords="offset points", fontsize=7.5)


def _limits(axes: Any, data: xr.Dataset) -> None:
    """Give the panels of a row the same axis."""
    rates = data["error_rate"].where(data["error_rate"] > LEAST)
    odds = np.array([float(rates.min()), float(rates.max())])
    odds = odds / (1 - odds) * (0.5, 2.0)
    for ax in axes[2]:
        ax.set_yscale("logit")
        ax.set_ylim(*odds / (1 + odds))
        ax.set_yticks([tick for tick in TICKS if odds[0] < tick / (1 - tick) < odds[1]])
        ax.yaxis.set_major_formatter(FuncFormatter(lambda rate, _: f"{100 * rate:g}"))
        ax.yaxis.set_minor_locator(NullLocator())
    top = float((100 * (data["risk"] / data["risk"].sel(strategy="optimal") - 1)).max())
    for ax in axes[1]:
        ax.set_ylim(-0.02, max(0.15, 1.6 * top))


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Describe risks and trade-offs at unequal drifts."""
    optimal = data["risk"].sel(strategy="optimal")
    sentences = []
    for k in range(data.sizes["drifts"]):
        at_drifts = data.isel(drifts=k)
        a, b = at_drifts["drift"].to_numpy()
        parts = []
        for name in data["strategy"].to_numpy():
            if name == "optimal":
                continue
            lost = (at_drifts["risk"].sel(strategy=name) / optimal.isel(drifts=k) - 1).to_numpy()
            parts.append(f"{name} {percent_range(lost)}")
        sentences.append(f"{{{a:g}, {b:g}}}/s: {listing(parts)}")
    gap = []
    for name in data["strategy"].to_numpy():
        rate = data["error_rate"].sel(strategy=name)
        ratio = (rate.sel(condition="hard") - rate.sel(condition="easy")).to_numpy()
        gap.append(f"{name} by {fixed(100 * float(np.median(ratio)), 2)}")
    costs = ranged(data["time_cost"].to_numpy(), 1)
    return (
        f"Excess risk over the exact optimum for costs {costs}/s, drifts {'; '.join(sentences)}.",
        "Lower row: error rate against mean RT, one point for each cost, the highest to the left; "
        f"rates below {100 * LEAST:g} % are left out. Misses at the hard "
        f"location exceed those at the easy one, in percentage points (median): {listing(gap)}.",
    )


TITLE = "Risk against the cost of time, unequal drifts"
UNEQUAL_DRIFT_RISK = PaperPart(
    "unequal-drift-risk", TITLE, compute, 50.0, draw, describe, label="Figure 6"
)
