r"""With eye movements: rules for gaze on larger displays, by simulation.

Items on a triangular lattice with a distance of :math:`e_0/1.5` between neighbours, each of which
may be looked at; :math:`\Lambda` = 40/s, fixations of 0.2 s, saccades of 0.03 s, cost 0.05/s. Each
rule has thresholds that are tuned for it (SPRT-opt), and all face the same trials. Nobody knows the
optimum here: panels show (a) what the others risk above the rule of least risk, a paired difference
on common trials, and (b) how many fixations they make.
"""

from __future__ import annotations

import math

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from popout.analysis.compare import compare
from popout.drawing.style import class_keys, class_look, key, look_of, panel, styled
from popout.paper.preset import PaperPart, Preset
from popout.progress import Progress, stretch
from popout.reports.cells import labelled
from popout.reports.words import fixed, with_error
from popout.task import Costs, GazeTask

INFORMATION, FALLOFF, COST = 40.0, 1.5, 0.05
NAMES = ("map", "elm", "ideal", "random:3")
MEASURES = ("risk", "excess", *(f"fixations_{side}" for side in ("absent", "present")))
COLUMNS = tuple(f"{name}{end}" for name in MEASURES for end in ("", "_se"))


def lattice(M: int) -> list[tuple[float, float]]:
    """Return places on a triangular lattice one degree apart, from the middle outwards.

    There are 1, 7, 19, 37, 61 of them. MAP takes the first of equally likely items, the middle.

    Examples
    --------
    >>> len(lattice(19)), lattice(19)[0], lattice(19)[-1]
    (19, (0.0, 0.0), (2.0, 0.0))
    """
    R = round((math.sqrt(12 * M - 3) - 3) / 6)
    steps = range(-R, R + 1)
    every = [(q + r / 2, 0.75**0.5 * r) for q in steps for r in steps if abs(q + r) <= R]
    return sorted(every, key=lambda place: round(math.hypot(*place), 9))


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return risks, paired differences and fixations of every rule."""
    places, rows, rules = preset.gaze.places, [], []
    for number, M in enumerate(places):
        table = compare(
            GazeTask(lattice(M), information=INFORMATION, falloff=FALLOFF),
            Costs(time=COST),
            "sprt-opt",
            attention=NAMES,
            n_trials=preset.gaze.trials,
            tune_trials=preset.gaze.tune_trials,
            seed=seed,
            progress=stretch(progress, number / len(places), (number + 1) / len(places)),
        )
        rules = table["attention"].tolist()
        rows.append(table[list(COLUMNS)].to_numpy(np.float64))
    values = np.array(rows)
    cell = ("places", "rule")
    return labelled(
        {name: (cell, values[..., k]) for k, name in enumerate(COLUMNS)},
        {"places": list(places), "rule": rules},
        {"trials": preset.gaze.trials},
    )


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw what the rules lose to the best of them, and their fixations."""
    figure = Figure(figsize=(8.4, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    panel(left, "a", "risk above the best rule")
    panel(right, "b", "fixations")
    x = np.arange(data.sizes["places"])
    rules = [str(rule) for rule in data["rule"].to_numpy()]
    for number, rule in enumerate(rules):
        at, look = data.sel(rule=rule), look_of(rule, number)
        mark = {"color": look.colour, "marker": look.marker, "capsize": 2}
        where = x + 0.08 * (number - (len(rules) - 1) / 2)
        best = data["risk"].min("rule")
        excess, se = (100 * at[name] / best for name in ("excess", "excess_se"))
        left.errorbar(where, excess, se, linestyle="", **mark)
        for side in ("absent", "present"):
            mean, se = (at[f"fixations_{side}{end}"] for end in ("", "_se"))
            right.errorbar(where, mean, se, **{**mark, **class_look(side), "linestyle": ""})
    left.set_yscale("symlog", linthresh=1.0)
    left.yaxis.set_major_formatter("{x:g}")
    left.set(ylabel="risk above the best rule (%)", ylim=(-0.2, None))
    right.set(ylabel="fixations in a trial", ylim=(0.0, None))
    for ax in (left, right):
        ax.set_xticks(x, [f"{M} places" for M in data["places"].to_numpy()])
        ax.set_xlim(-0.5, len(x) - 0.5)
    right.legend(handles=class_keys(), loc="lower right")
    handles = [
        key(rule, color=look_of(rule, k).colour, marker=look_of(rule, k).marker, linestyle="")
        for k, rule in enumerate(rules)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncol=len(rules))
    return figure


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say what the rules lose to the best of them."""
    sentences = []
    for M in data["places"].to_numpy():
        at = data.sel(places=M)
        least = at.isel(rule=int(at["risk"].to_numpy().argmin()))
        best = str(least["rule"].item())
        risk = float(least["risk"])
        lost = [
            f"{rule} {with_error(float(at['excess'][k]), float(at['excess_se'][k]), 100 / risk)} %"
            for k, rule in enumerate(at["rule"].to_numpy())
            if rule != best
        ]
        sentences.append(f"At {M} places {best} risks {fixed(risk)}; more: {', '.join(lost)}.")
    return (
        f"Each rule with thresholds tuned for it, {data.attrs['trials']} common trials, bars one "
        "standard error. (a) Over the rule of least risk, which need not be optimal.",
        *sentences,
    )


MANY_PLACES = PaperPart(
    "many-places", "With eye movements: larger displays", compute, 3.0, draw, describe
)
