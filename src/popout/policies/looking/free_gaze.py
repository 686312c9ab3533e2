"""Gaze that rests as long as it likes: rules with a length of fixation, and the optimum.

Where durations are free a policy is asked before every step of evidence where gaze goes next; where
it rests already costs nothing, anywhere else takes a saccade. So the policy knows where gaze is and
how long it has been there (`FreeGaze.next_gaze`). A rule such as ELM knows neither: `Dwell` gives
its fixations a length. The optimum is a table that also says when to stop, because that depends on
where gaze rests (`FreeGazeStopping`).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.policies.looking.gazing import Array, GazePolicy, Rows, gazes_of
from popout.policies.multilinear import Tabulated
from popout.policies.stopping.exact_table import answer_preference
from popout.policies.stopping.strategy import BoundaryStrategy, Margins
from popout.task import Costs, Faults

Gaze = NDArray[np.int64]


class FreeGaze(GazePolicy):
    """Where gaze goes, and when; a policy of your own is `next_gaze` and `liking`.

    Examples
    --------
    >>> import popout as po
    >>> isinstance(po.Dwell(po.ELM, 0.1), po.FreeGaze), po.ELM.chooses_durations
    (True, False)
    """

    chooses_durations = True

    @property
    def settles(self) -> float:
        """Never: where gaze has been counts."""
        return math.inf

    @abstractmethod
    def next_gaze(self, Z: Array, here: Gaze, since: Gaze) -> Gaze:
        """Return where gaze rests during the next step, shape (n,).

        Parameters
        ----------
        Z : ndarray of shape (n, M)
        here : ndarray of int, shape (n,)
            Where it rests now.
        since : ndarray of int, shape (n,)
            Steps that it has rested there; 0 when the display comes on.
        """


@dataclass(frozen=True)
class Dwell(FreeGaze):
    """Follow a rule, with fixations of a given length.

    Parameters
    ----------
    rule : GazePolicy or a class of it
        Asked at the start, and whenever a fixation ends. If it likes the same place best, gaze
        stays for as long again, without a saccade.
    seconds : float
        How long a fixation lasts: whole steps of the task.

    Examples
    --------
    >>> import popout as po
    >>> task = po.GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.5, fixation="free")
    >>> dwell = po.Dwell(po.ELM, 0.1).made_for(task)
    >>> dwell.label, dwell.steps
    ('ELM for 0.1 s', 10)
    >>> Z, here = np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0, 0])
    >>> dwell.next_gaze(Z, here, since=np.array([4, 10]))
    array([0, 1])
    """

    rule: Any
    seconds: float
    steps: int = 0

    def __post_init__(self) -> None:
        """Check that there is a rule, and a length."""
        faults = Faults("Dwell")
        kind = self.rule if isinstance(self.rule, type) else type(self.rule)
        if not issubclass(kind, GazePolicy) or kind.chooses_durations:
            remedy = "write e.g. Dwell(ELM, 0.1)"
            faults.add("rule", "a policy of gaze without durations", self.rule, remedy)
        faults.positive("seconds", self.seconds, "give seconds, e.g. 0.2")
        faults.raise_if_any()

    @property
    def label(self) -> str:
        """Name in tables."""
        return f"{getattr(self.rule, 'label', self.rule)} for {self.seconds:g} s"

    @property
    def parameters(self) -> dict[str, Any]:
        """How long fixations last."""
        return {"seconds": self.seconds}

    @property
    def visibility(self) -> Rows:  # type: ignore[override]
        """What each gaze lets each item receive."""
        rows: Rows = getattr(self.rule, "visibility", ())
        return rows

    def made_for(self, task: Any) -> Dwell:
        """Return the policy for a task: the rule looks ahead as far as a fixation lasts."""
        if not gazes_of(task).is_free:
            return self  # which `checked_length` refuses
        faults, is_class = Faults("Dwell"), isinstance(self.rule, type)
        steps = round(self.seconds / task.dt)
        if steps < 1 or abs(self.seconds / task.dt - steps) > 1e-6:
            faults.add("seconds", f"whole steps of {task.dt:g} s", self.seconds, "change one")
        faults.raise_if_any()
        fixed = replace(task, fixation=self.seconds, saccade=0.0, step=None, start=None)
        rule = self.rule.for_task(fixed) if is_class else self.rule.made_for(fixed)
        return replace(self, rule=rule, steps=steps)

    def for_costs(self, costs: Costs) -> Dwell:
        """Return the policy with a rule that knows the costs, where they matter to it."""
        return replace(self, rule=self.rule.for_costs(costs))

    def liking(self, Z: Array) -> Array:
        """Return how much the rule likes each gaze."""
        return np.asarray(self.rule.liking(Z))

    def next_gaze(self, Z: Array, here: Gaze, since: Gaze) -> Gaze:
        """Return what the rule says where a fixation ends."""
        gaze, ends = here.copy(), since % self.steps == 0
        gaze[ends] = self.rule.gaze(Z[ends])
        return gaze


@dataclass(frozen=True, eq=False, repr=False)
class FreeGazeTable(Tabulated, FreeGaze):
    """Where the ideal observer's eyes rest, and how long, from the exact solution.

    Attributes
    ----------
    table : ndarray of float, shape (n_1, ..., n_m, G)
        Minus the value of a step under each gaze at the nodes, less that of answering.
    lower, spacing : tuple of float, length m
        First node and distance between nodes of each dimension.
    locations : tuple of int, length m
        The items that can be the target, 0-based.
    visibility : tuple of tuple of float, shape (G, M)
    saccades : ndarray of shape (G, G)
        Seconds of each move.
    start : int
    log_weight : tuple of float, length M
        log of P(l_T = l) / P(C = 0) for each item.
    costs : Costs
    names_place : bool
        Whether "present" has to name the right place.

    Examples
    --------
    >>> import popout as po
    >>> task = po.GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.3, fixation="free",
    ...                    step=0.02, saccade=0.04)
    >>> table = po.solve(task, po.Costs(time=0.2), rtol=0.01).attention
    >>> likely, here = np.array([[0.1, 0.0], [0.0, 2.0]]), np.array([1, 0])
    >>> table.next_gaze(likely, here, since=here)  # stays where it is, or moves if that pays
    array([1, 1])
    """

    table: NDArray[np.float64]
    lower: tuple[float, ...]
    spacing: tuple[float, ...]
    locations: tuple[int, ...]
    visibility: Rows
    saccades: NDArray[np.float64]
    start: int
    log_weight: tuple[float, ...]
    costs: Costs
    label: str = "optimal"
    names_place: bool = False

    @property
    def n_locations(self) -> int:
        """Number of items M."""
        return len(self.visibility[0])

    def charged(self, Z: Array, here: ArrayLike) -> Array:
        """Return minus the value of each gaze less that of answering, with the way to it."""
        odds = np.exp(np.minimum(Z + np.asarray(self.log_weight), 700.0)).sum(axis=-1)
        second = self.costs.time_absent + self.costs.time_present * odds
        seconds = self.saccades[np.asarray(here, dtype=np.int64)]
        return np.asarray(self.read(Z) - seconds * second[..., None])

    def liking(self, Z: Array) -> Array:
        """Return how much each gaze is liked from the start."""
        return self.charged(Z, self.start)

    def next_gaze(self, Z: Array, here: Gaze, since: Gaze) -> Gaze:
        """Return the best gaze from where it rests."""
        return np.asarray(self.charged(Z, here).argmax(axis=-1))


@dataclass(frozen=True, eq=False, repr=False)
class FreeGazeStopping(BoundaryStrategy):
    """When the ideal observer stops whose fixations last as long as it likes.

    Attributes
    ----------
    gaze : FreeGazeTable
    label : str
    """

    gaze: FreeGazeTable
    label: str = "optimal"

    @property
    def n_locations(self) -> int:
        """Number of items M."""
        return self.gaze.n_locations

    def margins(self, Z: ArrayLike, t: ArrayLike) -> Margins:
        """Return the margins where gaze rests at the start."""
        return self.margins_at(np.asarray(Z, dtype=np.float64), self.gaze.start)

    def margins_at(self, Z: Array, here: ArrayLike) -> Margins:
        """Return the margins of "absent" and "present" where gaze rests at `here`."""
        gaze, stop = self.gaze, -self.gaze.charged(Z, here).max(axis=-1)
        preference = answer_preference(Z, gaze.log_weight, gaze.costs, gaze.names_place)
        return np.minimum(stop, -preference), np.minimum(stop, preference)


def checked_length(faults: Faults, task: Any, policy: Any) -> None:
    """Check that a policy chooses durations where the observer is to, and only there.

    Examples
    --------
    >>> import popout as po
    >>> faults = Faults("doc")
    >>> free = po.GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.5, fixation="free")
    >>> checked_length(faults, free, po.ELM)
    >>> print(*faults.lines)
    doc.attention: expected a policy for fixations of free durations, got 'ELM'; give them a \
length: Dwell(ELM, 0.2)
    """
    free = gazes_of(task).is_free
    if policy.chooses_durations == free:
        return
    name = policy.label if isinstance(policy.label, str) else policy.__name__
    if free:
        expected, remedy = "free durations", f"give them a length: Dwell({name}, 0.2)"
    else:
        expected, remedy = "a fixed length", 'or let the observer choose it: fixation="free"'
    faults.add("attention", f"a policy for fixations of {expected}", name, remedy)
