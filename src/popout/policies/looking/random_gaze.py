"""Random gaze: a place at random for each fixation, but none of the last few. The control.

What a searcher gains by choosing where to look is what it gains over this one. The n-th fixation of
a trial goes to a place that depends on seed, trial and n alone (`popout.simulation.look_noise`), so
that a `Random` gaze is no function of the evidence: it is simulated, and neither solved nor drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from popout.policies.looking.gazing import Array, GazePolicy, Rows, gazes_of
from popout.task.faults import Fault, Faults, InputError


@dataclass(frozen=True)
class Random(GazePolicy):
    """Look at a place at random.

    Parameters
    ----------
    inhibition : int
        Inhibition of return: the places of this many fixations before are not taken.
    visibility : tuple of tuple of float, shape (G, M), optional
        Of the task, which fills it in.

    Examples
    --------
    >>> import popout as po
    >>> task = po.GazeTask([(0, 0), (1, 0), (2, 0)], information=20.0, falloff=0.8)
    >>> random = po.Observer(po.Random(inhibition=1), po.SPRT.for_task(task, -3.0, 3.0))
    >>> trials = po.simulate(task, random, 1000)
    >>> int(trials.fixations.refixations[trials.steps == 2].max())  # the second place is another
    0
    """

    inhibition: int = 0
    visibility: Rows = ()

    def __post_init__(self) -> None:
        """Check the number of places."""
        faults = Faults("Random")
        faults.integer("inhibition", self.inhibition, "0 is none", at_least=0)
        faults.raise_if_any()

    @property
    def label(self) -> str:
        """Name in tables."""
        return f"random but for {self.inhibition}" if self.inhibition else "random"

    @property
    def parameters(self) -> dict[str, int]:
        """The inhibition of return."""
        return {"inhibition": self.inhibition}

    @property
    def settles(self) -> float:
        """Never: every fixation is drawn anew."""
        return math.inf

    @classmethod
    def for_task(cls, task: Any) -> Random:
        """Return the policy for a task with gazes."""
        return cls().made_for(task)

    def made_for(self, task: Any) -> Random:
        """Return the policy with the gazes of a task."""
        rows = gazes_of(task).visibility
        faults = Faults("Random")
        remedy = f"one of the {len(rows)} places of gaze has to be left"
        faults.integer("inhibition", self.inhibition, remedy, at_least=0, at_most=len(rows) - 1)
        faults.raise_if_any()
        return replace(self, visibility=rows)

    def liking(self, Z: Array) -> Array:
        """Refuse: which place is taken depends on the trial, not on the evidence."""
        expected, remedy = "a policy that goes by the evidence", "simulate it"
        raise InputError([Fault("attention", (), expected, self.label, remedy)])
