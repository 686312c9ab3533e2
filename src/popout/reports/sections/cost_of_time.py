"""Section: risk against the cost of time.

Every strategy is made and scored again at multiples of the task's own cost of time, on a share of
the trials of the comparison. Thresholds follow the cost. The scales of a-SPRT are fitted to the
exact boundary at each cost; where there is none they stay those of the task's own cost.

Panels: (a) the risk; (b) mean response time, averaged over the classes with the prior; (c) errors,
averaged likewise.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from popout.drawing.style import RISK_LABEL, log_axis, look_of, panel, styled
from popout.progress import Progress, stretch
from popout.reports.cells import Variables, labelled, over
from popout.reports.contest import run_contest
from popout.reports.study import Study, StudyPart
from popout.reports.words import fixed, percent

SHARE = 0.25
"""Of the trials of the comparison."""
LEAST = 1e-4
"""Share of the risk from which a distance is worth a word."""


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return risk, mean response time and error rate for each cost and strategy."""
    factors, p = study.effort.cost_factors, study.task.prior
    rows: dict[tuple[float, str], Variables] = {}
    names: list[str] = []
    for k, factor in enumerate(factors):
        words = f"{factor:g} times the cost"
        tell = stretch(progress, k / len(factors), (k + 1) / len(factors), words)
        costs = study.at_cost(factor)
        contest = run_contest(study, costs, tell, share=SHARE, scales=study.scales)
        for entry in contest.entries:
            absent, present = entry.summary.absent, entry.summary.present
            rows[factor, entry.name] = {
                "risk": entry.risk.value,
                "risk_se": entry.risk.se,
                "mean_rt": (1 - p) * absent.mean_rt + p * present.mean_rt,
                "error_rate": (1 - p) * absent.error_rate + p * present.error_rate,
            }
        names = max(names, [entry.name for entry in contest.entries], key=len)
    axes = {"time_cost": factors, "strategy": names}
    own = (1 - p) * study.costs.time_absent + p * study.costs.time_present
    about = {"units": "1/s", "long_name": "cost of time, averaged with the prior"}
    shown = xr.Variable("time_cost", [factor * own for factor in factors], about)
    table = over(axes, lambda *at: rows.get(at, {}))
    return labelled(table, axes | {"time_cost": shown}, {"own_cost": own})


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw risk, response time and errors against the cost."""
    figure = Figure(figsize=(10.0, 4.0), layout="constrained")
    axes = figure.subplots(1, 3)
    titles = ("risk", "mean response time", "errors")
    labels = (RISK_LABEL, "mean RT (s)", "error rate (%)")
    for ax, letter, title, label, what in zip(
        axes, "abc", titles, labels, ("risk", "mean_rt", "error_rate"), strict=True
    ):
        panel(ax, letter, title)
        for number, name in enumerate(data["strategy"].to_numpy()):
            value = data[what].sel(strategy=name) * (100 if what == "error_rate" else 1)
            ax.plot(data["time_cost"], value, **look_of(str(name), number).points())
        ax.axvline(data.attrs["own_cost"], color="0.6", linewidth=0.8, zorder=0)
        ax.set(xlabel="cost of time (1/s)", ylabel=label, ylim=(0, None))
        log_axis(ax, data["time_cost"].to_numpy(), digits=3)
    handles, words = axes[0].get_legend_handles_labels()
    figure.legend(handles, words, loc="outside lower center", ncols=len(words))
    return figure


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say how much the best strategy changes over the costs."""
    name = str(data["strategy"].to_numpy()[0])
    best, c = data.sel(strategy=name), data["time_cost"].to_numpy()
    first, last = best.isel(time_cost=0), best.isel(time_cost=-1)
    worst = _worst(data)
    return (
        f"From {fixed(c[0], 2)}/s to {fixed(c[-1], 2)}/s the risk of {_called(name)} goes from "
        f"{fixed(float(first['risk']))} to {fixed(float(last['risk']))}, its mean response time "
        f"from {fixed(float(first['mean_rt']))} to {fixed(float(last['mean_rt']))} s and its error "
        f"rate from {fixed(100 * float(first['error_rate']), 2)} to "
        f"{fixed(100 * float(last['error_rate']), 2)} %. The thin line marks the task's own cost.",
        worst,
    )


def _called(name: str) -> str:
    return "the exact optimum" if name == "optimal" else name


def _worst(data: xr.Dataset) -> str:
    """Name the strategy that is furthest above the first one, fixed time aside, and where."""
    base = data["risk"].isel(strategy=0)
    data = data.sel(strategy=[name for name in data["strategy"].to_numpy() if name != "fixed time"])
    share = (data["risk"] / base - 1).to_numpy()
    if data.sizes["strategy"] < 2 or not np.isfinite(share).any():
        return ""
    cost, number = np.unravel_index(int(np.nanargmax(share)), share.shape)
    name = str(data["strategy"].to_numpy()[number])
    first = str(data["strategy"].to_numpy()[0])
    if share[cost, number] < LEAST:
        return f"No strategy but the fixed time is {percent(LEAST)} above {_called(first)}."
    return (
        f"The largest distance from {_called(first)} is {fixed(100 * share[cost, number], 2)} %, "
        f"of {_called(name)} at {fixed(float(data['time_cost'][cost]), 2)}/s."
    )


COST = StudyPart("cost", "Risk against the cost of time", compute, 25.0, draw, describe)
