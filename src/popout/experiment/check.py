"""`popout experiment check`: what a design will be like, before anybody takes part.

The number and balance of trials, how long it takes, sample displays drawn to scale, and what the
trials of one participant will tell (`power`).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import Affine2D

from popout.drawing.representation import Card, HasCard, count
from popout.experiment.design import ExperimentDesign
from popout.experiment.power import Power
from popout.experiment.rivals import Rivals, check_rates, tell_apart
from popout.experiment.trials import PlannedTrial, plan_trials
from popout.progress import Progress, stretch
from popout.task import Faults

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNITS = {"drift": "1/s", "time_cost": "1/s", "non_decision_time": "s"}
MOST_ROWS = 6
"""Of sample displays."""


@dataclass(frozen=True)
class DesignCheck(HasCard):
    """What a design will be like.

    Attributes
    ----------
    title : str
    trials : int
        Of one participant, practice included.
    practice : int
        Those that do not count; attention checks are among them.
    minutes : float
        How long it takes, roughly.
    conditions : tuple of dict
        ``block``, ``set_size``, ``present`` and ``trials``, of the first participant.
    imbalance : float
        The largest difference between conditions of one block and class that should be equal, in
        trials.
    expected_se : dict
        Standard errors of drift, cost of time and non-decision time from one participant.
    observer : dict
        What these are errors of: the expected observer.
    displays : str or None
        File with sample displays.
    recovery : dict or None
        What fits of synthetic participants found, where that was asked for; see `Power.recovery`.
    rivals : Rivals or None
        How many trials tell stopping rules apart, where that was asked for.
    """

    title: str
    trials: int
    practice: int
    minutes: float
    conditions: tuple[dict[str, Any], ...]
    imbalance: int
    expected_se: dict[str, float]
    observer: dict[str, float]
    displays: str | None
    recovery: dict[str, Any] | None = None
    rivals: Rivals | None = None

    def card(self) -> Card:
        """Return what is shown of it."""
        facts: list[tuple[str, object]] = [
            ("trials", f"{self.trials}, of which {self.practice} do not count"),
            ("takes", f"about {self.minutes:.0f} minutes"),
            ("balance", "even" if self.imbalance == 0 else f"uneven by {self.imbalance} trials"),
        ]
        for name, error in self.expected_se.items():
            known = f"{self.observer[name]:.4g} +- {error:.2g}"
            words = known if math.isfinite(error) else "cannot be known from this design"
            facts.append((f"{name.replace('_', ' ')} ({UNITS[name]})", words))
        note = "Errors are the smallest that a fit to one participant can have (Cramer and Rao)."
        if self.recovery is not None:
            facts += _recovered(self.recovery)
            note += " Recovered: errors that fits of synthetic participants had."
        if self.rivals is not None:
            card = self.rivals.card()
            facts, note = [*facts, *card.facts], f"{note} {card.note}"
        if self.displays is not None:
            facts.append(("displays", self.displays))
        headings = ("block", "items", "target", "trials")
        rows = [
            (row["block"], row["set_size"], "yes" if row["present"] else "no", row["trials"])
            for row in self.conditions
        ]
        return Card(self.title, facts, headings, rows, note)


def check_design(
    design: ExperimentDesign,
    out: Path | None = None,
    n_trials: int = 40_000,
    participants: int = 0,
    rivals: str | None = None,
    progress: Progress | None = None,
) -> DesignCheck:
    """Examine a design.

    Parameters
    ----------
    design : ExperimentDesign
    out : Path, optional
        Folder for ``displays.png``.
    n_trials : int
        Simulated for each table of first passages behind the power analysis.
    participants : int
        Synthetic participants to fit, which takes some ten seconds each; none for the quick bound
        alone.
    rivals : {"known", "free"}, optional
        Whether to ask how many trials tell stopping rules apart: with all parameters known, or with
        rivals that have parameters of their own.
    progress : callable, optional

    Examples
    --------
    >>> from popout.experiment import Block, ExperimentDesign
    >>> texts = ("I agree.", "We store.", "Search.")
    >>> design = ExperimentDesign("Search", [2, 4], [0], [90], *texts, [Block("All", 40)])
    >>> found = check_design(design, n_trials=4000)
    >>> found.trials, found.imbalance
    (40, 0)
    """
    faults = Faults("check_design")
    if rivals not in (None, "known", "free"):
        faults.add("rivals", "known or free", rivals, "choose one, or leave it out")
    faults.raise_if_any()
    if rivals is not None:
        check_rates(design)
    planned = [trial for trial in plan_trials(design, number=1) if not trial.is_check]
    counts = Counter((t.block, t.set_size, t.present) for t in planned)
    conditions = tuple(
        {"block": design.blocks[k].name, "set_size": size, "present": present, "trials": n}
        for (k, size, present), n in sorted(counts.items())
    )
    displays = None
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        displays = str(out / "displays.png")
        draw_samples(design).savefig(displays, dpi=150)
    power, middle = Power(design, n_trials), 0.5 if participants else 1.0
    power.tables.prepare([0.0], stretch(progress, 0.0, 0.1))
    pairs, recovery = None, None
    if rivals is not None:
        pairs = tell_apart(design, n_trials, rivals == "free", stretch(progress, 0.1, middle))
    if participants:
        recovery = power.recovery(participants, stretch(progress, middle if rivals else 0.1, 1.0))
    return DesignCheck(
        title=design.title,
        trials=design.n_trials,
        practice=sum(block.n_shown if block.practice else block.checks for block in design.blocks),
        minutes=design.minutes,
        conditions=conditions,
        imbalance=_imbalance(counts),
        expected_se=power.expected_se(),
        observer={
            "drift": design.observer.drift,
            "time_cost": power.values["time_cost"],
            "non_decision_time": design.observer.non_decision_time,
        },
        displays=displays,
        recovery=recovery,
        rivals=pairs,
    )


def _recovered(recovery: dict[str, Any]) -> list[tuple[str, str]]:
    """Return one line for each parameter that was fitted."""
    facts = [("recovered", f"from {recovery['participants']} synthetic ({recovery['model']})")]
    for row in recovery["parameters"]:
        unit = f" ({row['unit']})" if row["unit"] else ""
        words = f"{row['true']:.4g} +- {row['se']:.2g}, median error {row['median_error']:+.2g}"
        words = "never determined" if math.isnan(row["se"]) else words
        if 0.0 < row["determined"] < 1.0:
            words += f", determined in {100 * row['determined']:.0f} %"
        facts.append((f"{row['name'].replace('_', ' ')}{unit}", words))
    return facts


def _imbalance(counts: Counter[tuple[int, int, bool]]) -> int:
    """Return the largest difference between set sizes of one block and class."""
    groups: dict[tuple[int, bool], list[int]] = {}
    for (block, _, present), n in counts.items():
        groups.setdefault((block, present), []).append(n)
    return max(max(group) - min(group) for group in groups.values())


def draw_trial(ax: Axes, design: ExperimentDesign, trial: PlannedTrial) -> None:
    """Draw a display as a participant sees it, with degrees of visual angle as units."""
    layout = design.layout
    background, width, length = layout.background, layout.bar_width, layout.bar_length
    reach = 1.15 * layout.reach
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=[], yticks=[], aspect="equal")
    ax.set_facecolor(str(background))
    ax.plot(0, 0, "+", color="0.1" if background > 0.4 else "0.9", markersize=4)
    for item in trial.items:
        grey = background + item.contrast * (layout.bar - background)
        turned = Affine2D().rotate_deg(-item.orientation).translate(item.x, item.y)
        look: Any = {"color": str(grey), "linewidth": 0, "transform": turned + ax.transData}
        ax.add_patch(Rectangle((-width / 2, -length / 2), width, length, **look))
    said = "target" if trial.present else "no target"
    ax.set_title(f"{count(trial.set_size, 'item')}, {said}", fontsize=8)


def draw_samples(design: ExperimentDesign) -> Figure:
    """Draw one display of every set size with a target and without, for each block that differs.

    Parameters
    ----------
    design : ExperimentDesign
    """
    trials = plan_trials(design, number=1)
    looks: dict[tuple[Any, ...], tuple[str, list[PlannedTrial]]] = {}
    for k, block in enumerate(design.blocks):
        shown = ("set_sizes", "targets", "distractors", "tied", "contrast")
        look = tuple(design.of_block(block, name) for name in shown)
        of_block = [trial for trial in trials if trial.block == k]
        looks.setdefault(look, (block.name, _one_of_each(of_block)))
    chosen = [*looks.values()][:MOST_ROWS]
    columns = max(len(samples) for _, samples in chosen)
    figure = Figure(figsize=(1.7 * columns + 0.5, 2.0 * len(chosen) + 0.2), layout="constrained")
    axes = figure.subplots(len(chosen), columns, squeeze=False)
    for row, (name, samples) in zip(axes, chosen, strict=True):
        for k, ax in enumerate(row):
            if k < len(samples):
                draw_trial(ax, design, samples[k])
            else:
                ax.set_axis_off()
        row[0].set_ylabel(name, fontsize=8)
    return figure


def _one_of_each(trials: list[PlannedTrial]) -> list[PlannedTrial]:
    kinds = {(trial.set_size, not trial.present): trial for trial in trials}
    return [kinds[kind] for kind in sorted(kinds)][: 2 * MOST_ROWS]
