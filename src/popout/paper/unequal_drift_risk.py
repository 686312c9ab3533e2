r"""Risk of the strategies against the cost of time, unequal drifts (fig-comp-diffSNR).

Columns: two locations with drifts {5, 1}, {10, 1} and {20, 1}/s. First row: the risk (Eq. risk, as
the prior average). Second row: its excess over the optimum. Third row: error rate against mean
response time when the target is absent, at the easy and at the hard location; one point for each
cost.

All four strategies are evaluated on grids, so there is no sampling error. a-SPRT is that of the
Extension with scales fitted to the exact boundary. The thresholds of SPRT-opt are tuned by
simulation; whether the search converged is stored.

Notes
-----
The paper's figure shows the sum of the risks of the two classes, twice the prior average. Like the
paper we leave SPRT out: two pairs of thresholds do not condense into one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from popout.analysis.thresholds import threshold_pair
from popout.analysis.tune import Method, tune
from popout.drawing.style import LOOKS, RISK_LABEL, panel, signed_log_axis, strategy_legend, styled
from popout.exact import evaluate, solve
from popout.paper.optimal_thresholds import conjecture
from popout.paper.preset import Preset, Report
from popout.strategies import BoundaryStrategy, Hardmax, SPRTOpt
from popout.task import Costs, SearchTask

TITLE = "Risk against the cost of time, unequal drifts"
PAPER_LABEL = "fig-comp-diffSNR"

PAIRS = ((5.0, 1.0), (10.0, 1.0), (20.0, 1.0))
STRATEGIES = ("optimal", "a-SPRT", "SPRT-opt", "Hardmax")
CONDITIONS = ("absent", "easy", "hard")
DASHES: dict[str, Any] = {"absent": "-", "easy": "--", "hard": ":"}
TUNE_SHARE = 4
"""Thresholds need few trials: the risk is flat around the optimum and is then computed exactly."""


def compute(preset: Preset, seed: int, report: Report) -> xr.Dataset:
    """Return risks, error rates and response times of every strategy."""
    shape = (len(PAIRS), len(preset.drift_costs), len(STRATEGIES))
    risk, error = np.full(shape, np.nan), np.full(shape, np.nan)
    rate, rt = np.full((*shape, len(CONDITIONS)), np.nan), np.full((*shape, 3), np.nan)
    scale, bounds = np.full((*shape[:2], 2), np.nan), np.full((*shape[:2], 2), np.nan)
    converged = np.full(shape[:2], np.nan)
    for i, pair in enumerate(PAIRS):
        for j, cost in enumerate(preset.drift_costs):
            done = (i + j / shape[1]) / shape[0]
            report(done, f"drifts {pair[0]:g} and {pair[1]:g}, cost {cost:g}")
            task, costs = SearchTask(drift=pair), Costs(time=cost)
            solution = solve(task, costs, 1e-5)
            taus = threshold_pair(task, costs)
            scale[i, j] = solution.scales.a_minus, solution.scales.a_plus
            tuned = tune(
                SPRTOpt,
                task,
                costs,
                thresholds=taus,
                method=Method.MONTE_CARLO,
                n_trials=max(1000, preset.tune_trials // TUNE_SHARE),
                seed=seed,
            )
            bounds[i, j] = tuned.parameters["lower"], tuned.parameters["upper"]
            converged[i, j] = tuned.converged
            made: list[BoundaryStrategy] = [
                solution.strategy,
                conjecture(solution, *scale[i, j]),
                tuned.strategy,
                Hardmax.for_task(task, *taus),
            ]
            for k, strategy in enumerate(made):
                found = evaluate(task, strategy, costs, preset.rtol)
                risk[i, j, k], error[i, j, k] = found.risk, found.risk_error
                rate[i, j, k] = found.false_alarm, *found.miss_at
                rt[i, j, k] = found.rt_absent, *found.rt_at
            risk[i, j, 0], error[i, j, 0] = solution.risk, solution.risk_error
    axes = ("drifts", "time_cost", "strategy")
    return xr.Dataset(
        {
            "risk": (axes, risk),
            "risk_error": (axes, error),
            "error_rate": ((*axes, "condition"), rate),
            "mean_rt": ((*axes, "condition"), rt, {"units": "s"}),
            "scale": ((*axes[:2], "side"), scale),
            "sprt_opt_thresholds": ((*axes[:2], "side"), bounds, {"units": "nats"}),
            "sprt_opt_converged": (axes[:2], converged),
            "drift": (("drifts", "location"), [list(pair) for pair in PAIRS], {"units": "1/s"}),
        },
        coords={
            "time_cost": ("time_cost", list(preset.drift_costs), {"units": "1/s"}),
            "strategy": ("strategy", list(STRATEGIES)),
            "condition": ("condition", list(CONDITIONS)),
            "side": ("side", ["absent", "present"]),
        },
    )


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw risk and excess risk against cost, and error rate against response time."""
    figure = Figure(figsize=(10.0, 9.4), layout="constrained")
    axes = figure.subplots(3, data.sizes["drifts"], squeeze=False)
    for column, letter in zip(range(data.sizes["drifts"]), "abc", strict=False):
        one = data.isel(drifts=column)
        first, second = one["drift"].to_numpy()
        panel(axes[0, column], letter, f"drifts $\\pm{first:g}$, $\\pm{second:g}$/s")
        _risk(axes[0, column], one)
        _excess(axes[1, column], one)
        _tradeoff(axes[2, column], one)
        for ax in axes[:2, column]:
            ax.set(xlabel="cost of time (1/s)", xscale="log")
            ax.set_xticks([float(c) for c in data["time_cost"]])
            ax.set_xticklabels([f"{float(c):g}" for c in data["time_cost"]])
            ax.minorticks_off()
        axes[2, column].set(xlabel="mean RT (s)", xscale="log")
    axes[0, 0].set_ylabel(RISK_LABEL)
    axes[1, 0].set_ylabel("excess over the optimum (%)")
    axes[2, 0].set_ylabel("error rate (%)")
    strategy_legend(axes[0, 0], list(STRATEGIES), loc="upper left")
    words = {
        "absent": "target absent",
        "easy": "target at easy location",
        "hard": "target at hard location",
    }
    handles = [
        Line2D([], [], color="0.3", linestyle=dash, label=words[kind])
        for kind, dash in DASHES.items()
    ]
    axes[2, 0].legend(handles=handles, loc="center left", fontsize=7)
    return figure


def _risk(ax: Axes, one: xr.Dataset) -> None:
    cost = one["time_cost"]
    for name in STRATEGIES:
        ax.plot(cost, one["risk"].sel(strategy=name), **LOOKS[name].points())


def _excess(ax: Axes, one: xr.Dataset) -> None:
    """Draw the excess; hollow where the tuning did not converge."""
    optimal = one["risk"].sel(strategy="optimal")
    for name in STRATEGIES[1:]:
        value = 100 * (one["risk"].sel(strategy=name) / optimal - 1)
        ax.plot(one["time_cost"], value, **LOOKS[name].points())
        open_ones = one["sprt_opt_converged"].to_numpy() == 0
        if name == "SPRT-opt" and open_ones.any():
            look = LOOKS[name].points(linestyle="", mfc="white", label="search not converged")
            (points,) = ax.plot(one["time_cost"][open_ones], value[open_ones], **look)
            ax.legend(handles=[points], loc="center left")
    ax.axhline(0.0, color="black", linewidth=0.8)
    signed_log_axis(ax, 0.1)
    ax.set_ylim(bottom=-0.02)


def _tradeoff(ax: Axes, one: xr.Dataset) -> None:
    """Draw error rate against response time, a line for each condition."""
    for name in STRATEGIES:
        for kind, dash in DASHES.items():
            here = one.sel(strategy=name, condition=kind)
            width = LOOKS[name].width if name == "optimal" else 1.1
            look = LOOKS[name].points(linestyle=dash, linewidth=width)
            ax.plot(here["mean_rt"], 100 * here["error_rate"], **look)
