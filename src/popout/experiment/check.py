"""`popout experiment check`: what a design will be like, before anybody takes part.

The number and balance of trials, how long it takes, sample displays, and how precisely the
parameters of an observer will be known from one participant.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from popout.drawing.representation import Card, HasCard
from popout.experiment.design import ExperimentDesign
from popout.experiment.observer import mean_time_cost
from popout.experiment.precision import expected_se
from popout.experiment.trials import plan_trials
from popout.progress import Progress, stretch
from popout.task import Faults

if TYPE_CHECKING:
    from popout.experiment.recovering import DesignRecovery
    from popout.experiment.rivals import Rivals

DIGITS = {"drift": "1/s", "time_cost": "1/s", "non_decision_time": "s"}


@dataclass(frozen=True)
class DesignCheck(HasCard):
    """What a design will be like.

    Attributes
    ----------
    title : str
    trials : int
        Of one participant, practice included.
    practice : int
        Those that do not count.
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
    recovery : DesignRecovery or None
        What fits of synthetic participants found, where that was asked for.
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
    recovery: DesignRecovery | None = None
    rivals: Rivals | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        for name in ("recovery", "rivals"):
            found[name] = None if found[name] is None else found[name].as_dict()
        return found

    def card(self) -> Card:
        """Return what is shown of it."""
        values = {**self.observer}
        errors = [
            (
                f"{name.replace('_', ' ')} ({unit})",
                f"{values[name]:.4g} +- {self.expected_se[name]:.2g}"
                if math.isfinite(self.expected_se[name])
                else "cannot be known from this design",
            )
            for name, unit in DIGITS.items()
        ]
        facts = [
            ("trials", f"{self.trials}, of which {self.practice} practice"),
            ("takes", f"about {self.minutes:.0f} minutes"),
            ("balance", "even" if self.imbalance == 0 else f"uneven by {self.imbalance} trials"),
            *errors,
        ]
        if self.recovery is not None:
            facts += _recovered(self.recovery)
        if self.rivals is not None:
            facts += [
                (
                    f"{rule} or {other}?",
                    f"{trials}{' trials' * trials.isdigit()} ({nats} nats each)",
                )
                for rule, other, nats, trials in self.rivals.rows()
            ]
        if self.displays is not None:
            facts.append(("displays", self.displays))
        headings = ("block", "items", "target", "trials")
        rows = [
            (row["block"], row["set_size"], "yes" if row["present"] else "no", row["trials"])
            for row in self.conditions
        ]
        note = "Errors are the smallest that a fit to one participant can have (Cramer and Rao)."
        if self.recovery is not None:
            note += " Recovered: errors that fits of synthetic participants had."
        if self.rivals is not None:
            note += f" {self.rivals.note}"
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
        Simulated for every probability of the power analysis.
    participants : int
        Synthetic participants to fit (`recovering`), which takes some ten seconds each; none for
        the quick bound alone.
    rivals : {"known", "free"}, optional
        Whether to ask how many trials tell stopping rules apart: with all parameters known, or with
        rivals that have parameters of their own (`rivals.tell_apart`).
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
    if rivals is not None:
        from popout.experiment.rivals import check_rates, tell_apart

        faults = Faults("check_design")
        if rivals not in ("known", "free"):
            faults.add("rivals", "known or free", rivals, "choose one, or leave it out")
        faults.raise_if_any()
        check_rates(design)
    planned = plan_trials(design, number=1)
    counts = Counter((trial.block, trial.set_size, trial.present) for trial in planned)
    conditions = tuple(
        {
            "block": design.blocks[block].name,
            "set_size": size,
            "present": present,
            "trials": counts[block, size, present],
        }
        for block, size, present in sorted(counts)
    )
    displays = None
    if out is not None:
        from popout.experiment.pictures import draw_samples

        out.mkdir(parents=True, exist_ok=True)
        displays = str(out / "displays.png")
        draw_samples(design).savefig(displays, dpi=150)
    share = 0.2 if participants or rivals else 1.0
    errors = expected_se(design, n_trials, stretch(progress, 0.0, share))
    recovery, told_apart = None, None
    if rivals is not None:
        told = stretch(progress, share, 0.5 if participants else 1.0)
        told_apart = tell_apart(design, n_trials, rivals == "free", told)
    if participants:
        from popout.experiment.recovering import recover_design  # loads all of `people`

        told = stretch(progress, 0.5 if rivals else share, 1.0)
        recovery = recover_design(design, participants, progress=told)
    return DesignCheck(
        title=design.title,
        trials=design.n_trials,
        practice=sum(block.trials for block in design.blocks if block.practice),
        minutes=design.minutes,
        conditions=conditions,
        imbalance=_imbalance(counts),
        expected_se=errors,
        observer={
            "drift": design.observer.drift,
            "time_cost": mean_time_cost(design),
            "non_decision_time": design.observer.non_decision_time,
        },
        displays=displays,
        recovery=recovery,
        rivals=told_apart,
    )


def _recovered(recovery: DesignRecovery) -> list[tuple[str, str]]:
    """Return one line for each parameter that was fitted."""
    facts = [("recovered", f"from {recovery.participants} synthetic ({recovery.model})")]
    for parameter in recovery.parameters:
        unit = f" ({parameter.unit})" if parameter.unit else ""
        found = f"{parameter.true:.4g} +- {parameter.se:.2g}"
        found += f", median error {parameter.median_error:+.2g}"
        known = "never determined" if math.isnan(parameter.se) else found
        if 0.0 < parameter.determined < 1.0:
            known += f", determined in {100 * parameter.determined:.0f} %"
        facts.append((f"{parameter.name.replace('_', ' ')}{unit}", known))
    return facts


def _imbalance(counts: Counter[tuple[int, int, bool]]) -> int:
    """Return the largest difference between set sizes of one block and class."""
    groups: dict[tuple[int, bool], list[int]] = {}
    for (block, _, present), n in counts.items():
        groups.setdefault((block, present), []).append(n)
    return max(max(group) - min(group) for group in groups.values())
