r"""What every task has, whatever the display: `Task`.

A kind of task is one class in one file. It declares its fields, says how displays come about
(`displays`) and what each location observes (`observations`); inference, simulation, files, schemas
and reports follow. Nothing outside asks a task for its class.

**Equivalent search.** The solver's state is one Gaussian log likelihood ratio per location. That is
`SearchTask`; and any other task with one target and one distractor orientation under Gaussian noise
is the same problem: with drifts :math:`\mu_1, \mu_0` (vectors over channels) each step moves
:math:`Z_l` by :math:`\pm\lVert\mu_1 - \mu_0\rVert^2 \delta t / 2` with variance
:math:`\lVert\mu_1 - \mu_0\rVert^2 \delta t`, which is search with drift
:math:`\lVert\mu_1 - \mu_0\rVert / 2`. In all other tasks the observer is unsure what a distractor
or a target looks like, and the log likelihood ratio is no longer the whole state.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from popout.drawing.representation import Card, HasCard, count, listed, listing
from popout.task.declared import Declared, Field
from popout.task.display_law import Displays, likely_display
from popout.task.faults import Faults, Path
from popout.task.kinds import PROBABILITY, Distribution, Integer, Number, Optional
from popout.task.look import FixedRates, Look
from popout.task.observation import Observation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from popout.task.search import SearchTask

MOST_LOCATIONS = 10_000  # no display has more; a slip of the hand should not fill the memory
SMALLEST, LARGEST = 1e-9, 1e9  # of rates and steps that have a meaning
SYMBOL = 25.0
"""Where a task knows no orientations, a picture tilts its distractors by this many degrees."""

N_LOCATIONS = Field(
    Integer(1, MOST_LOCATIONS), "Number of search locations M.", "count the search locations"
)
LOCATION_PRIOR = Field(
    Distribution("n_locations", uniform=True),
    "P(location | target present); uniform when left out.",
    "give P(location | target present), or leave it out for a uniform prior",
    default=None,
)
DT = Field(
    Number(above=0.0, low=SMALLEST, high=LARGEST),
    "Time step in seconds.",
    "give the time step in seconds, e.g. 0.01",
    "seconds",
    0.01,
)
"""Zero, the limit of short steps, is no task; `popout.thresholds` and `continuous_time` know it."""
PRIOR = Field(
    PROBABILITY,
    "P(target present), the probability that a target is there.",
    "give P(target present), e.g. 0.5",
    default=0.5,
)
PERIOD = Field(
    Optional(Number(above=0.0, low=SMALLEST, high=LARGEST)),
    "Seconds between two reshuffles of the items, a multiple of dt; never when left out.",
    "give seconds, e.g. 0.1, or leave it out for items that stay",
    "seconds",
    None,
)
"""A target that is present stays present; its place is drawn anew from the location prior."""
ROUNDING = 1e-9  # 0.11 / 0.01 is 11.000000000000002, which is 11 steps


class Task(Declared, HasCard, ABC):
    """What the observer faces.

    A kind of your own declares its fields and writes `displays` and `observations`; it is read from
    files by its `kind`, and works wherever a task does. Every kind has `dt` and `prior`, as fields,
    and `n_locations` and `location_prior`, as fields or as properties.

    Attributes
    ----------
    n_locations : int
    dt : float
        Time step in seconds.
    prior : float
        P(C = 1).
    location_prior : tuple of float, shape (M,)
        P(l_T = l | C = 1).
    period : float or None
        Seconds between two reshuffles of the items; None if they stay where they are.

    Examples
    --------
    >>> import dataclasses
    >>> import popout as po
    >>> task = po.SearchTask(n_locations=3, drift=4.0)
    >>> isinstance(task, po.Task), task.kind
    (True, 'search')
    >>> dataclasses.replace(task, prior=0.2).prior
    0.2
    """

    kinds: ClassVar[dict[str, Any]] = {}
    is_illustrated: ClassVar[bool] = True
    """Whether the tilts of items are made up for pictures."""
    unknown: ClassVar[str] = "what a target or a distractor looks like is unknown on each trial"
    """Completes "there is no equivalent search, because", where it is not for the observations."""

    if TYPE_CHECKING:  # fields or properties of each kind

        @property
        def n_locations(self) -> int:
            """Number of locations M."""

        @property
        def dt(self) -> float:
            """Time step in seconds."""

        @property
        def prior(self) -> float:
            """P(C = 1)."""

        @property
        def location_prior(self) -> tuple[float, ...]:
            """P(l_T = l | C = 1), shape (M,)."""

        @property
        def period(self) -> float | None:
            """Seconds between two reshuffles of the items."""

    else:
        period = None

    @abstractmethod
    def displays(self) -> Displays:
        """Return how displays come about."""

    @property
    @abstractmethod
    def observations(self) -> tuple[Observation, ...]:
        """What each location observes, one entry per location."""

    def check_observable(self, faults: Faults) -> None:
        """Record why locations observe nothing by themselves, of a task in which they do not."""

    @property
    def look(self) -> Look:
        """What the observer chooses before every step; nothing unless a kind says otherwise."""
        return FixedRates()

    # -- what follows ---------------------------------------------------------------------------

    @property
    def log_prior_odds(self) -> float:
        """The logarithm of P(C=1) / P(C=0)."""
        return math.log(self.prior) - math.log1p(-self.prior)

    @property
    def steps_per_period(self) -> int:
        """Steps of evidence between two reshuffles; 0 if there are none, or none that matter.

        Where a single location can hold the target there is no place to lose.

        Examples
        --------
        >>> import popout as po
        >>> po.SearchTask(n_locations=2, drift=4.0, period=0.11).steps_per_period
        11
        >>> po.SearchTask(n_locations=1, drift=4.0, period=0.11).steps_per_period
        0
        """
        if self.period is None or sum(p > 0 for p in self.location_prior) == 1:
            return 0
        return round(self.period / self.dt)

    @property
    def equivalent(self) -> SearchTask | None:
        """The search with the same ratios and, if there are any, the same reshuffles, or None."""
        return self.search

    @property
    def static(self) -> Task:
        """The same task with items that stay where they are."""
        return self

    @property
    def is_scalar(self) -> bool:
        """Whether the observation of a location is one number, without a channel axis."""
        return all(observation.is_scalar for observation in set(self.observations))

    @property
    def n_states(self) -> int:
        """How many numbers a strategy watches: one per location, or S alone without a search."""
        return 1 if self.search is None else self.n_locations

    @property
    def local_drifts(self) -> tuple[float, ...] | None:
        """Drift of each location at its best; None where a location has none of its own."""
        return None if self.search is None else self.search.drifts

    @cached_property
    def search(self) -> SearchTask | None:
        """The search with the same log likelihood ratios at the same locations, or None.

        Examples
        --------
        >>> from popout.task import MixtureSearchTask
        >>> task = MixtureSearchTask.independent(4, [0], [90], {0: 3.0, 90: -1.0})
        >>> task.search.drifts
        (2.0, 2.0, 2.0, 2.0)
        """
        from popout.task.search import SearchTask  # which is a kind of task itself

        drifts = [separation / 2 for separation in self._separations()]
        if not all(SMALLEST <= drift <= LARGEST for drift in drifts):
            return None
        return SearchTask(
            n_locations=self.n_locations,
            drift=drifts,
            dt=self.dt,
            prior=self.prior,
            location_prior=self.location_prior,
        )

    @property
    def why_no_search(self) -> str:
        """Why there is no equivalent search, in words; empty if there is one."""
        if self.search is not None:
            return ""
        for observation in self.observations:
            if observation.why_no_search:
                return observation.why_no_search
        same = 0.0 in self._separations()
        return "target and distractor give the same observations" if same else self.unknown

    def _separations(self) -> list[float]:
        """Return how far target and distractor are apart at each location; NaN if that varies."""
        displays = self.displays()
        possible = [
            [k for k, p in enumerate(distribution) if p > 0]
            for distribution in (displays.target, *displays.mixtures)
        ]
        target, *others = possible
        if displays.counts or len(target) > 1 or any(other != others[0][:1] for other in others):
            return [math.nan]
        return [law.separation(target[0], others[0][0]) for law in self.observations]

    @property
    def as_observed(self) -> Task:
        """The task with the same displays, in which every location observes by itself."""
        return self

    def as_mixture(self) -> Task:
        """Return the task as the paper treats it: locations independent, given the mixture."""
        return self

    # -- in words and pictures ------------------------------------------------------------------

    def card(self) -> Card:
        """Return what is shown of it."""
        places = count(self.n_locations, "location")
        return Card(f"{type(self).__name__} over {places}", self._common_facts())

    def describe(self) -> tuple[str, ...]:
        """Say what the observer faces, in a few sentences.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> SearchTask(n_locations=2, drift=4.0).describe()[0]
        'Search over 2 locations for one target among identical distractors.'
        """
        prior = self.location_prior
        shares = [f"{p:.3g}" for p in prior]
        where = f"A target takes the locations with probabilities {listing(shares)}."
        even = max(prior) - min(prior) < 1e-9
        return (self._display_words(), self._observation_words(), *(() if even else (where,)))

    def _display_words(self) -> str:
        return f"{self.card().title}."

    def _observation_words(self) -> str:
        observation = self.observations[0]
        n = observation.n_channels
        channels = "one channel" if n == 1 else f"{n} channels"
        return f"Each location is observed through {channels} of {observation.noise_words}."

    def _common_facts(self) -> list[tuple[str, str]]:
        """Return the facts that every task's card ends with."""
        prior = self.location_prior
        places = "uniform" if len(set(prior)) == 1 else listed(prior, digits=4)
        where = [("P(location)", places)] if len(prior) > 1 else []
        return [*where, ("P(present)", f"{self.prior:g}"), ("time step", f"{self.dt:g} s")]

    @property
    def tilts(self) -> tuple[float, ...]:
        """Tilt of each orientation in degrees, to draw items with; NaN for a blank."""
        target = self.displays().target
        return tuple(0.0 if p > 0 else SYMBOL for p in target)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw one display with a target, as probable as any.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.

        Returns
        -------
        Axes

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> import popout as po
        >>> task = po.MixtureSearchTask.tied(6, [0], [30, 60], {0: 4, 30: 0, 60: -4})
        >>> print(task.plot(Figure().subplots()).get_xlabel())
        target 0° (in colour for the reader)
        others 30°
        """
        from popout.drawing.display_picture import draw_example

        display, target = likely_display(self.displays())
        tilts = [self.tilts[k] for k in display]
        title = f"A display of {count(len(tilts), 'location')}"
        return draw_example(tilts, target, title, self._example_words(display, target), ax)

    def _example_words(self, display: list[int], target: int) -> str:
        return "upright: target, tilted: distractors"


WHY_RESHUFFLED = (
    "its items are reshuffled: popout.solve, evaluate, simulate, tune and compare know such "
    "displays, and task.static is the same display at rest"
)


def check_static(faults: Faults, task: Task) -> None:
    """Record that the items of a task are reshuffled.

    Examples
    --------
    >>> import popout as po
    >>> faults = Faults("certify")
    >>> check_static(faults, po.SearchTask(n_locations=2, drift=4.0))
    >>> faults.lines
    []
    """
    if task.steps_per_period:
        expected, got = "items that stay where they are", f"a reshuffle every {task.period:g} s"
        faults.add("task", expected, got, WHY_RESHUFFLED)


def check_task(faults: Faults, field: str | Path, task: object) -> None:
    """Record that something is no task."""
    if not isinstance(task, Task):
        faults.add(field, "a task such as SearchTask", task, "describe what the observer faces")
