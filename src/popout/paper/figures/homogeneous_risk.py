r"""Risk of the strategies against set size, equal drifts (Figure 5 of the paper).

Columns: costs of time 0.2, 0.5 and 1/s at drift 12/s. Rows: the risk (Equation 6, as the prior
average) of a-SPRT and of the optimum; the excess of every strategy in percent; mean response times;
error rates.

- Up to three locations everything is computed on grids, without noise: scales of a-SPRT and
  thresholds of SPRT-opt are tuned on the exact regret, then risk, response times and error rates of
  each strategy are evaluated.
- With more locations the parameters are those that small exact problems and the simulated risk
  agree on (see `popout.analysis.tune`), and the measures come from common trials.
- The excess is over the exact optimum, by the regret, up to four locations; above, over tuned
  a-SPRT, trial by trial, with errors counted by their probability.
- The optimum is drawn as far as it is solved: its response times and error rates are evaluated or,
  at four locations, simulated on fewer trials than the others and drawn apart from the line; at
  five its risk alone is computed, and the scales fitted to its boundary.
- Where it is not solved a lower bound on the risk of every strategy stands in for it (see
  `popout.certify`): the simulated risk of a-SPRT less the most that it could lose.

Notes
-----
The paper's figure shows the sum of the risks of the two classes, twice the prior average. Error
bars are one standard error of the trials that strategies are scored on. The errors of tuned
parameters are stored beside them (``a_minus_se`` and so on); what these errors may cost is second
order, far below the differences between strategies.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from popout.analysis.making import FinishedObserver, Workshop
from popout.analysis.score import Estimate, paired_difference
from popout.analysis.scoring import OptimalReference
from popout.analysis.tune import MAX_EXACT
from popout.drawing.representation import listing
from popout.drawing.style import (
    LOOKS,
    RISK_LABEL,
    class_keys,
    class_look,
    dot,
    key,
    log_axis,
    panel,
    signed_log_axis,
    strategy_keys,
    styled,
)
from popout.exact import Evaluation, Solution, evaluate, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.paper.conjecture import certified, fitted_scales
from popout.paper.preset import PaperPart, Preset
from popout.policies.stopping import ASPRT, SPRT, Hardmax, Recipe, SPRTOpt
from popout.progress import Progress
from popout.reports.cells import Variables, labelled, over
from popout.reports.words import fixed
from popout.simulation import Summary, simulate
from popout.task import Costs, SearchTask

DRIFT, STEP = 12.0, 0.01
TIME_COSTS = (0.2, 0.5, 1.0)
RECIPES: dict[str, type[Recipe]] = {
    "a-SPRT": ASPRT,
    "SPRT-opt": SPRTOpt,
    "SPRT": SPRT,
    "Hardmax": Hardmax,
}
CLASSES = ("absent", "present")
SIMULATED: dict[str, Any] = {"color": "0.6", "marker": "_", "linestyle": "", "zorder": 1}
SIMULATED |= {"markersize": 9, "markeredgewidth": 2, "capsize": 3, "label": "optimum (simulated)"}
"""The optimum where its response times and error rates are not computed."""
PARAMETERS = ("tau_minus", "tau_plus", "a_minus", "a_plus")
MEASURES = (
    "risk",
    "excess",
    *(f"{what}_{kind}" for what in ("mean_rt", "error_rate") for kind in CLASSES),
)
SCORED = tuple(f"{key}{se}" for key in MEASURES if key != "excess" for se in ("", "_se"))
STORED = (*(f"{key}{se}" for key in (*MEASURES, *PARAMETERS) for se in ("", "_se")), "converged")
SOLVED = (*SCORED, "risk_error", "a_minus", "a_plus")
"""What is stored of every strategy, and of the optimum."""
BOUNDS = ("lower_bound", "lower_bound_se", "gap", "gap_se")
BELOW: dict[str, Any] = {"color": "black", "marker": "_", "linestyle": "", "zorder": 5}
BELOW |= {"markersize": 13, "markeredgewidth": 1.2, "label": "no strategy is below"}
"""The lower bound where the optimum is not solved."""
REGRET_SHARE, REGRET_SHARE_MANY = 4.0, 1.2
"""Trials of the excess over the optimum, for each trial of `Preset.decision_trials`: up to three
locations, and above."""
NAN = math.nan
MOST_REGRET = 4
"""Most locations at which the excess is over the optimum; the table of five takes gigabytes."""
OPTIMUM_SHARE = 8
"""The optimum is simulated on one in this many trials: it has no compiled form."""

Row = dict[str, float]


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return risks, excesses, response times and error rates with their standard errors."""
    return at_step(STEP, preset, seed, progress)


def at_step(
    dt: float, preset: Preset, seed: int, progress: Progress, *, bounded: bool = True
) -> xr.Dataset:
    """Return the same for steps of `dt`, with lower bounds or without."""

    def cell(cost: float, M: int) -> Variables:
        task, costs = SearchTask(n_locations=M, drift=DRIFT, dt=dt), Costs(time=cost)
        solution = None
        if M in preset.exact_sizes:
            solution = solve(task, costs, 1e-4 if M <= MAX_EXACT else 1e-3)
        # On grids where that is affordable, or else by simulation.
        on_grids = solution if M <= MAX_EXACT else None
        n_trials = preset.tune_trials if on_grids is None else preset.tune_trials_exact
        workshop = Workshop(task, costs, solution=on_grids, n_trials=n_trials, seed=seed)
        made = [workshop.make(recipe) for recipe in RECIPES.values()]
        rows = _rows(made, task, costs, solution, preset, seed)
        optimum = {} if solution is None else _optimum(solution, preset, seed)
        bound: Row = {}
        if bounded and max(preset.exact_sizes) < M:
            strategy = made[0].strategy
            gap, se = certified(task, costs, strategy, seed).gaps[strategy.label]
            # The gap comes from pairs and is sharper than the bound of the same few trials.
            risk, risk_se = rows[0]["risk"], rows[0]["risk_se"]
            lower = risk * (1.0 - gap), math.hypot(risk_se * (1.0 - gap), risk * se)
            bound = dict(zip(BOUNDS, (*lower, gap, se), strict=True))
        return {
            **{name: (("strategy",), [row.get(name, NAN) for row in rows]) for name in STORED},
            **{f"optimal_{name}": optimum.get(name, NAN) for name in SOLVED},
            **{name: bound.get(name, NAN) for name in BOUNDS},
        }

    axes = {"time_cost": TIME_COSTS, "set_size": preset.set_sizes}
    attrs = {
        "drift": DRIFT,
        "largest_exact": max((M for M in preset.exact_sizes if M <= MOST_REGRET), default=0),
        "largest_evaluated": MAX_EXACT,
        "trials": preset.score_trials,
    }
    return labelled(over(axes, cell, progress), axes | {"strategy": RECIPES}, attrs)


def _optimum(solution: Solution, preset: Preset, seed: int) -> Row:
    """Return the risk of the optimum, its scales, and its measures where they are affordable."""
    task, costs = solution.task, solution.costs
    row: Row = {}
    if task.n_locations <= MAX_EXACT:
        row = _measures(evaluate(task, solution.strategy, costs, preset.rtol))
    elif task.n_locations <= MOST_REGRET:
        n = max(1000, preset.score_trials // OPTIMUM_SHARE)
        scoring = fresh_seed(seed, Purpose.RISK_FIGURE)
        row = _measures(simulate(task, solution.strategy, n, scoring, keep=False).summary(costs))
    row |= {"risk": solution.risk, "risk_se": 0.0, "risk_error": solution.risk_error}
    return row | dict(zip(("a_minus", "a_plus"), fitted_scales(solution), strict=True))


def _rows(
    made: list[FinishedObserver],
    task: SearchTask,
    costs: Costs,
    solution: Solution | None,
    preset: Preset,
    seed: int,
) -> list[Row]:
    """Return one row for each strategy: on grids where that is affordable, or else simulated."""
    M, scoring = task.n_locations, fresh_seed(seed, Purpose.RISK_FIGURE)
    on_grids = solution is not None and M <= MAX_EXACT
    runs = []
    if not on_grids:
        runs = [simulate(task, each.strategy, preset.score_trials, scoring) for each in made]
    rows = []
    for k, each in enumerate(made):
        scored = runs[k].summary(costs) if runs else evaluate(task, each, costs, preset.rtol)
        if solution is not None and M <= MOST_REGRET:
            share = REGRET_SHARE if on_grids else REGRET_SHARE_MANY
            optimum = OptimalReference(solution, round(share * preset.decision_trials), scoring)
            lost = optimum.excess(each.strategy)
            excess = Estimate(lost.value, lost.se)
        else:
            excess = paired_difference(runs[k], runs[0], costs)
        known = {f"{name}_se": 0.0 for name in PARAMETERS} | each.row()
        own = {"converged": float(each.converged), "excess": excess.value, "excess_se": excess.se}
        rows.append(known | _measures(scored) | own)
    return rows


def _measures(scored: Evaluation | Summary) -> Row:
    """Return the measures of a strategy; the errors of an evaluation are no standard errors."""
    return {name: scored.row().get(name, 0.0) for name in SCORED}


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw risk, excess, response times and error rates for each cost."""
    figure = Figure(figsize=(10.0, 10.0), layout="constrained")
    heights = (0.7, 1.1, 1, 1.1)
    axes = figure.subplots(
        4, data.sizes["time_cost"], sharex=True, squeeze=False, height_ratios=heights
    )
    for column, letter in zip(range(data.sizes["time_cost"]), "abc", strict=False):
        at_cost = data.isel(time_cost=column)
        panel(axes[0, column], letter, f"cost of time {float(at_cost['time_cost']):g}/s")
        _risk(axes[0, column], at_cost)
        draw_excess(axes[1, column], at_cost)
        _classes(axes[2, column], at_cost, "mean_rt")
        _classes(axes[3, column], at_cost, "error_rate")
        axes[3, column].set_xlabel("set size $M$")
        log_axis(axes[3, column], data["set_size"].to_numpy(), base=2)
    labels = (RISK_LABEL, "excess risk (%)", "mean RT (ms)", "error rate (%)")
    for ax, label in zip(axes[:, 0], labels, strict=True):
        ax.set_ylabel(label)
    handles = strategy_keys(["optimal", *RECIPES])
    handles.insert(1, key(**{k: v for k, v in SIMULATED.items() if k != "capsize"}))
    handles.insert(2, key(**BELOW))
    figure.legend(handles=handles, loc="outside upper center", ncol=len(handles))
    how = [dot("over the optimum"), dot("over a-SPRT", mfc="white")]
    axes[1, 0].legend(handles=how, loc="lower left", bbox_to_anchor=(0.0, 0.97), ncol=2)
    axes[2, 0].legend(handles=class_keys(), loc="upper left")
    axes[3, 0].legend(handles=class_keys("false alarms", "misses"), loc="upper left")
    return figure


def _risk(ax: Axes, at_cost: xr.Dataset) -> None:
    """Draw the risk of a-SPRT and of the optimum, from zero; the others would hide behind them."""
    M = at_cost["set_size"]
    row = at_cost.sel(strategy="a-SPRT")
    ax.errorbar(M, row["risk"], row["risk_se"], **LOOKS["a-SPRT"].points(capsize=2, linestyle="-"))
    ax.plot(M, at_cost["optimal_risk"], **LOOKS["optimal"].line(zorder=1))
    ax.errorbar(M, at_cost["lower_bound"], at_cost["lower_bound_se"], **BELOW)
    most = 100 * float((at_cost["excess"] / _base(at_cost)).max())
    words = f"all strategies shown below lie\nwithin {fixed(most, 2)} % of this line"
    ax.text(0.97, 0.06, words, ha="right", transform=ax.transAxes)
    ax.set_ylim(0.0, 1.12 * float(row["risk"].max()))


def _base(data: xr.Dataset) -> xr.DataArray:
    """Return the risk that an excess is a share of: of the optimum, or of a-SPRT above that."""
    exact = data["set_size"] <= data.attrs["largest_exact"]
    return data["optimal_risk"].where(exact, data["risk"].sel(strategy="a-SPRT"))


def draw_excess(ax: Axes, at_cost: xr.Dataset) -> None:
    """Draw the excess; hollow where it is over a-SPRT."""
    exact = at_cost["set_size"].to_numpy() <= at_cost.attrs["largest_exact"]
    base = _base(at_cost).to_numpy()
    for number, name in enumerate(RECIPES):
        row = at_cost.sel(strategy=name)
        beside = at_cost["set_size"].to_numpy() * 1.04 ** (number - 1.5)
        value, se = (100 * row[key].to_numpy() / base for key in ("excess", "excess_se"))
        for shown, face in ((exact, None), (~exact, "white")):
            if shown.any():
                look = LOOKS[name].points(capsize=2, linewidth=0.8, linestyle="-")
                look |= {"mfc": face, "linestyle": ""} if face else {}
                ax.errorbar(beside[shown], value[shown], se[shown], **look)
    ax.axhline(0.0, color="black", linewidth=0.8)
    signed_log_axis(ax, 0.1)
    bars = [
        at_cost["excess"].to_numpy() + sign * at_cost["excess_se"].to_numpy() for sign in (-1, 1)
    ]
    low, high = (100 * bar / base[:, None] for bar in bars)
    ax.set_ylim(min(-0.02, 1.6 * float(low.min())), max(0.15, 1.6 * float(high.max())))


def _classes(ax: Axes, at_cost: xr.Dataset, what: str) -> None:
    """Draw a measure for either class; hollow and dotted is absent."""
    factor = 100.0 if what == "error_rate" else 1e3
    M = at_cost["set_size"]
    for kind in CLASSES:
        for name in RECIPES:
            row = at_cost.sel(strategy=name)
            value, se = (factor * row[f"{what}_{kind}{end}"] for end in ("", "_se"))
            look = LOOKS[name].points(**class_look(kind), linewidth=1.0, capsize=2)
            ax.errorbar(M, value, se, **look)
        optimal, se = (factor * at_cost[f"optimal_{what}_{kind}{end}"] for end in ("", "_se"))
        computed = at_cost.attrs["largest_evaluated"] >= M
        ax.plot(M, optimal.where(computed), **LOOKS["optimal"].line(zorder=1))
        ax.errorbar(M, optimal.where(~computed), se, **SIMULATED)


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Describe risks against set size."""
    sizes = data["set_size"].to_numpy()
    first, last = int(sizes[0]), int(sizes[-1])
    base = data["risk"].sel(strategy="a-SPRT")
    grows = [
        f"{fixed(float(base.sel(time_cost=c, set_size=first)))} to "
        f"{fixed(float(base.sel(time_cost=c, set_size=last)))} at cost {float(c):g}/s"
        for c in data["time_cost"]
    ]
    return (
        f"Columns: costs of time; drift {data.attrs['drift']:g}/s. From M = {first} to {last} the "
        f"risk of a-SPRT goes from {listing(grows)}.",
        _largest_excess(data),
        f"Up to {data.attrs['largest_exact']} locations the excess is over the exact optimum "
        "(filled), above over tuned a-SPRT on common trials (hollow, bars one standard error). "
        f"Response times and error rates are computed up to {data.attrs['largest_evaluated']} "
        f"locations and simulated above, the optimum's up to {data.attrs['largest_exact']}.",
        *_certified(data),
    )


def _certified(data: xr.Dataset) -> tuple[str, ...]:
    """Say how much any strategy could save where the optimum is not solved."""
    gap = data["gap"].where(data["gap"].notnull(), -1.0)
    cost, size = np.unravel_index(int(np.argmax(gap.to_numpy())), gap.shape)
    if float(gap[cost, size]) < 0.0:
        return ()
    number = f"{fixed(100 * float(gap[cost, size]), 2)} ± "
    number += f"{fixed(100 * float(data['gap_se'][cost, size]), 1)} %"
    return (
        "Where the optimum is not solved, dashes are a lower bound on the risk of every strategy: "
        f"none could save more than {number} of the risk of a-SPRT "
        f"(M = {int(data['set_size'][size])}, cost {float(data['time_cost'][cost]):g}/s).",
    )


def _largest_excess(data: xr.Dataset) -> str:
    """Name the largest excess of each strategy, and where it is."""
    base = _base(data)
    share, se = data["excess"] / base, data["excess_se"] / base
    parts = []
    for name in data["strategy"].to_numpy():
        of_strategy = share.sel(strategy=name)
        cost, size = np.unravel_index(int(np.argmax(of_strategy.to_numpy())), of_strategy.shape)
        if float(of_strategy[cost, size]) <= 0:
            continue
        error = float(se.sel(strategy=name)[cost, size])
        number = f"{fixed(100 * float(of_strategy[cost, size]), 2)} ± {fixed(100 * error, 1)} %"
        parts.append(
            f"{name} {number} (M = {int(data['set_size'][size])}, "
            f"cost {float(data['time_cost'][cost]):g}/s)"
        )
    return f"Largest excess risk: {listing(parts)}."


TITLE = "Risk against set size, equal drifts"
HOMOGENEOUS_RISK = PaperPart(
    "homogeneous-risk", TITLE, compute, 45.0, draw, describe, label="Figure 5"
)
