r"""What the experimenter sets: base rate, costs of errors, time limit, and whether items move.

Information and attention belong to the eye and the display; what is at stake belongs to the
experiment. A trial carries it as numbers in columns of its `Responses` (`FIELDS`), each with a
default where there is none. Trials with the same numbers share a situation, and with it the ideal
thresholds and the time limit.

In a *dynamic* display the items change places every so often: the target stays present, its place
does not, and what was known of it is lost (Horowitz and Wolfe, 1998).

A trial without an answer counts with the probability that none came until its time limit, not as
nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from popout.policies.stopping import Action
from popout.simulation.responses import Responses
from popout.task import Faults
from popout.task.faults import as_float

FIELDS = ("prior", "miss", "false_alarm", "deadline", "period")
"""Columns of `Responses`, and attributes of `Situation`."""


@dataclass(frozen=True, order=True)
class Situation:
    """What is at stake in a trial.

    Parameters
    ----------
    prior : float
        Probability of a target.
    miss, false_alarm : float
        Costs of the two errors.
    deadline : float
        Seconds until the display waits no longer; inf if it waits for the answer.
    period : float
        Seconds between reshuffles of the items, the first of them after one period; inf if they
        stay where they are.

    Examples
    --------
    >>> Situation(prior=0.2, miss=3.0)
    Situation(prior=0.2, miss=3.0, false_alarm=1.0, deadline=inf, period=inf)
    """

    prior: float = 0.5
    miss: float = 1.0
    false_alarm: float = 1.0
    deadline: float = math.inf
    period: float = math.inf

    def __post_init__(self) -> None:
        """Check everything at once."""
        faults = Faults("Situation")
        if not 0.0 < self.prior < 1.0:
            remedy = "search needs displays of both kinds"
            faults.add("prior", "a probability above 0 and below 1", self.prior, remedy)
        for name in ("miss", "false_alarm"):
            faults.positive(name, getattr(self, name), "in the unit of the other costs")
        for name in ("deadline", "period"):
            if not (as_float(given := getattr(self, name)) or -1.0) > 0.0:
                faults.add(name, "seconds above 0", given, "leave it out if there is none")
        faults.raise_if_any()

    @property
    def stakes(self) -> tuple[float, float, float]:
        """All that ideal thresholds depend on: prior, and costs of misses and false alarms."""
        return self.prior, self.miss, self.false_alarm


USUAL = Situation()
"""Where nothing else is said."""


def situations_of(responses: Responses) -> tuple[tuple[Situation, ...], NDArray[np.int64]]:
    """Return the situations that occur, and the number of that of each trial.

    Examples
    --------
    >>> columns = {"set_size": np.array([4, 4]), "miss": np.array([1.0, 3.0])}
    >>> answers, rt, target = np.array([1, 2]), np.array([0.5, 0.6]), np.array([-1, 0])
    >>> trials = Responses(answers, rt, target, columns=columns)
    >>> some, number = situations_of(trials)
    >>> [each.miss for each in some], number.tolist()
    ([1.0, 3.0], [0, 1])
    """
    usual = {**vars(USUAL), "prior": responses.prior}
    given = [responses.columns.get(name, usual[name]) for name in FIELDS]
    rows = np.empty((len(responses), len(FIELDS)))
    for i, values in enumerate(given):
        rows[:, i] = np.asarray(values, np.float64)
    some, number = np.unique(rows, axis=0, return_inverse=True)
    return tuple(Situation(*row) for row in some.tolist()), number.reshape(-1)


def counted_situations(responses: Responses) -> dict[Situation, int]:
    """Return the number of trials of each situation."""
    some, number = situations_of(responses)
    return dict(zip(some, np.bincount(number, minlength=len(some)).tolist(), strict=True))


def limits_of(responses: Responses) -> NDArray[np.float64]:
    """Return the time limit of each trial, inf where there is none.

    A trial without an answer and without a limit was broken off when it ended.
    """
    some, number = situations_of(responses)
    limits = np.array([each.deadline for each in some])[number]
    broken = (responses.response == Action.WAIT) & np.isinf(limits)
    return np.where(broken, responses.rt, limits)
