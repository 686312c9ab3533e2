r"""Slopes, misses and false alarms over set size: three observers with the same information.

Panels: (a) mean response times, target absent (dotted) and present (solid), with their slopes in
ms per item; (b) misses; (c) false alarms. Attention is parallel (equal shares), guided (shares in
proportion to the posterior) or serial (all to the most likely location). All observers stop by SPRT
on the log posterior odds of presence, with thresholds tuned for each of them and each set size, and
are scored on the same displays (`popout.compare`).

Errors of rates and times are those of the trials. The thresholds are tuned by simulation, which
adds some scatter to times and errors, not to the risk, which is flat there; their own errors are
stored as ``tau_minus_se`` and ``tau_plus_se``.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from popout.analysis.compare import compare
from popout.drawing.style import LOOKS, class_keys, class_look, panel, styled
from popout.paper.preset import PaperPart, Preset
from popout.progress import Progress
from popout.reports.words import fixed, percent, ranged
from popout.task import Costs, LimitedSearchTask

INFORMATION, COST = 20.0, 0.1
SETS = (3, 6, 12, 18)
POLICIES = ("parallel", "guided", "serial")
SCORE_SHARE, TUNE_SHARE = 50, 50
"""One in this many of the preset's trials is used: a step costs every location."""
CLASSES = ("absent", "present")
MEASURES = tuple(
    f"{what}_{side}{end}"
    for what in ("mean_rt", "error_rate")
    for side in CLASSES
    for end in ("", "_se")
)
SLOPES = tuple(f"rt_slope_{side}{end}" for side in CLASSES for end in ("", "_se"))


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return risks, rates, response times and slopes of every observer and set size."""
    tasks = [LimitedSearchTask(n_locations=M, information=INFORMATION) for M in SETS]
    table = compare(
        tasks,
        Costs(time=COST),
        "sprt-opt",
        attention=POLICIES,
        n_trials=max(2000, preset.score_trials // SCORE_SHARE),
        tune_trials=max(1000, preset.tune_trials // TUNE_SHARE),
        seed=seed,
        progress=progress,
    )
    names = table["attention"].unique().tolist()
    shape = len(SETS), len(names)  # as the rows follow each other
    cell = ("set_size", "attention")
    taken = ("risk", "risk_se", "tau_minus", "tau_plus", *MEASURES)
    data = {name: (cell, table[name].to_numpy(np.float64).reshape(shape)) for name in taken}
    slopes = {
        name: (("attention",), table[name].to_numpy(np.float64)[: len(names)], {"units": "ms"})
        for name in SLOPES
    }
    return xr.Dataset(
        data | slopes,
        coords={"set_size": list(SETS), "attention": ("attention", names)},
        attrs={
            "information": INFORMATION,
            "time_cost": COST,
            "trials": int(table["trials"].iloc[0]),
        },
    )


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw response times, misses and false alarms over set size."""
    figure = Figure(figsize=(9.4, 3.5), layout="constrained")
    times, misses, alarms = figure.subplots(1, 3)
    panel(times, "a", "response times")
    panel(misses, "b", "misses")
    panel(alarms, "c", "false alarms")
    size = data["set_size"].to_numpy()
    for name in data["attention"].to_numpy():
        policy, look = data.sel(attention=name), LOOKS[str(name)]
        for side in CLASSES:
            style = look.points(**class_look(side), label=None)
            times.errorbar(
                size, 1e3 * policy[f"mean_rt_{side}"], 1e3 * policy[f"mean_rt_{side}_se"], **style
            )
        for ax, side in ((misses, "present"), (alarms, "absent")):
            rate, se = 100 * policy[f"error_rate_{side}"], 100 * policy[f"error_rate_{side}_se"]
            ax.errorbar(size, rate, se, capsize=2, **look.points())
    times.set(ylabel="mean response time (ms)")
    misses.set(ylabel="misses (%)")
    alarms.set(ylabel="false alarms (%)")
    top = max(misses.get_ylim()[1], alarms.get_ylim()[1])
    for ax in (times, misses, alarms):
        ax.set(xlabel="set size", xticks=size)
        ax.set_ylim(0.0, top if ax is not times else None)
    handles = [
        Line2D([], [], **LOOKS[str(name)].points(label=f"{name}: {_slopes(data, str(name))}"))
        for name in data["attention"].to_numpy()
    ]
    figure.legend(handles=handles + class_keys(), loc="outside lower center", ncols=3)
    return figure


def _slopes(data: xr.Dataset, name: str) -> str:
    policy = data.sel(attention=name)
    words = (f"{float(policy[f'rt_slope_{side}']):.0f} ({side})" for side in ("present", "absent"))
    return " and ".join(words) + " ms/item"


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Describe slopes, misses and false alarms."""
    ratio = data["rt_slope_absent"] / data["rt_slope_present"]
    least, most = (data.isel(set_size=k) for k in (0, -1))
    miss = {end: sets["error_rate_present"] for end, sets in (("least", least), ("most", most))}
    serial, parallel = "serial", "parallel"
    return (
        f"Three observers with the same information, {data.attrs['information']:g}/s, and the same "
        f"cost of time, {data.attrs['time_cost']:g}/s; {data.attrs['trials']} trials each.",
        "(a) Response times grow with the set size, without a target "
        f"{fixed(float(ratio.sel(attention=parallel)), 3)} times as steeply as with one for "
        f"parallel attention, {fixed(float(ratio.sel(attention='guided, g = 1')), 3)} times for "
        f"guided and {fixed(float(ratio.sel(attention=serial)), 3)} times for serial attention.",
        f"(b) Misses of the serial observer grow from "
        f"{percent(float(miss['least'].sel(attention=serial)))} at {int(data['set_size'][0])} to "
        f"{percent(float(miss['most'].sel(attention=serial)))} at {int(data['set_size'][-1])} "
        f"locations; (c) its false alarms stay at "
        f"{ranged(100 * data['error_rate_absent'].sel(attention=serial))} %, while those of "
        "the parallel one reach "
        f"{percent(float(most['error_rate_absent'].sel(attention=parallel)))}. At "
        f"{int(data['set_size'][-1])} locations the parallel observer risks "
        f"{fixed(float(most['risk'].sel(attention=parallel) / most['risk'].sel(attention=serial)))}"
        " times as much as the serial one.",
    )


TITLE = "With limited information: slopes and errors over set size"
SLOPES_AND_ERRORS = PaperPart("slopes-and-errors", TITLE, compute, 20.0, draw, describe)
