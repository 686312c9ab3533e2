r"""Unknown scene complexity with exactly M_d items, the world the paper's mixtures approximate.

On each trial the set size M_d is drawn from `counts`. Then

    target absent    M_d of the M locations, every subset equally likely, carry distractors;
    target present   the target takes location l with probability pi_l, whatever M_d is, and the
                     other M_d - 1 items, all distractors, sit on a uniformly chosen subset of the
                     remaining M - 1 locations.

Distractor items draw their orientations independently from one item prior; all other locations
are blank. P(l_T = l | C = 1) is therefore the location prior itself, for every set size.

The paper's mixture (one per M_d) gives a non-target location an item with probability M_d / M,
independently of the others: same mean number of items under target-absent, too much spread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from popout.drawing.representation import Card, count, listing
from popout.task.declared import Field, Stored, optional, required
from popout.task.displays import Displays
from popout.task.faults import Faults
from popout.task.kinds import BLANK, Distribution, Each, Integer, Label
from popout.task.mixture import MixtureSearchTask
from popout.task.observation import Observation
from popout.task.oriented import OBSERVATION, ORIENTATIONS, TARGET_PRIOR, AnyLaw, OrientedTask
from popout.task.task import DT, LOCATION_PRIOR, N_LOCATIONS, PRIOR

ITEM_REMEDY = "give P(orientation | item)"


class SceneSearchTask(OrientedTask):
    """Search with exactly M_d items among M locations, M_d unknown.

    Parameters
    ----------
    n_locations : int
        Number of locations M that could carry an item.
    orientations : sequence of (float or "blank"), shape (K,)
        Every orientation in degrees, and "blank".
    observation : GaussianWalk or PoissonSpikes
        One row of parameters per orientation, the blank included.
    target_prior, item_prior : sequence of float, shape (K,)
        P(theta | target) and P(theta | distractor item); both are zero at the blank.
    counts : sequence of int
        Possible set sizes M_d, each from 1 to M.
    count_prior : sequence of float, optional
        P(M_d); uniform when left out.
    location_prior : sequence of float, shape (M,), optional
        P(l_T = l | C = 1), for every set size; uniform when left out.
    dt : float
        Time step in seconds.
    prior : float
        P(C = 1).

    Examples
    --------
    >>> from popout.task import SceneSearchTask
    >>> task = SceneSearchTask.from_sets(7, [0], [20], [1, 3], {20: -4, 0: 4, "blank": -12})
    >>> task.counts, task.count_prior
    ((1, 3), (0.5, 0.5))
    """

    kind = "scene-search"
    unknown = "the number of items is unknown on each trial"

    n_locations: Stored[int] = required(N_LOCATIONS)
    orientations: Stored[tuple[Label, ...]] = required(ORIENTATIONS)
    observation: Stored[Observation] = required(OBSERVATION)
    target_prior: Stored[tuple[float, ...]] = required(replace(TARGET_PRIOR, remedy=ITEM_REMEDY))
    item_prior: Stored[tuple[float, ...]] = required(
        Field(
            Distribution("orientations"),
            "P(orientation | distractor item), zero at the blank.",
            ITEM_REMEDY,
        )
    )
    counts: Stored[tuple[int, ...]] = required(
        Field(
            Each(Integer(1, up_to="n_locations"), "distinct set sizes", distinct=True),
            "Possible set sizes M_d, each from 1 to M.",
            "list the numbers of items that can be shown",
            "items",
        )
    )
    count_prior: Stored[tuple[float, ...]] = optional(
        Field(
            Distribution("counts", uniform=True),
            "P(set size); uniform when left out.",
            "give one probability per set size, or leave it out for a uniform prior",
            default=None,
        )
    )
    location_prior: Stored[tuple[float, ...]] = optional(LOCATION_PRIOR)
    dt: Stored[float] = optional(DT)
    prior: Stored[float] = optional(PRIOR)

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        """Check that there is a blank, and that no item is one."""
        super()._relate(faults, known)
        labels = known["orientations"] or ()
        if labels and BLANK not in labels:
            faults.add("orientations", 'one of them to be "blank"', labels, "add the blank")
            return
        for name in ("target_prior", "item_prior"):
            prior = known[name]
            if labels and prior and prior[labels.index(BLANK)] > 0.0:
                faults.add(name, "zero at the blank", prior, "an item is never blank")

    def displays(self) -> Displays:
        """Return how displays come about."""
        return Displays(
            self.location_prior,
            self.target_prior,
            (self.item_prior,),
            counts=self.counts,
            count_prior=self.count_prior,
            blank=self.orientations.index(BLANK),
        )

    def card(self) -> Card:
        """Return what is shown of it."""
        sizes = ", ".join(
            f"{n} (P = {p:.3g})" for n, p in zip(self.counts, self.count_prior, strict=True)
        )
        columns = {"P(given target)": self.target_prior, "P(given distractor)": self.item_prior}
        title = f"Search over {self.n_locations} locations, unknown set size"
        return self._card(title, [("items", sizes)], columns)

    def _display_words(self) -> str:
        places = count(self.n_locations, "location")
        counts = listing([str(n) for n in self.counts], "or")
        targets, others = self._possible(self.target_prior), self._possible(self.item_prior)
        return (
            f"Search over {places} of which {counts} carry an item, the others being blank: one "
            f"target ({targets}) or none, among distractors ({others})."
        )

    @classmethod
    def from_sets(
        cls,
        n_locations: int,
        targets: Sequence[Label],
        distractors: Sequence[Label],
        counts: Sequence[int],
        observation: AnyLaw,
        **rest: Any,
    ) -> SceneSearchTask:
        """Build the task from the paper's sets of orientations.

        Parameters
        ----------
        n_locations : int
            Number of locations M.
        targets, distractors : sequence of float
            Theta_1 and Theta_0 without the blank, in degrees.
        counts : sequence of int
            Possible set sizes M_d.
        observation : Observation or mapping
            A mapping from orientation (and "blank") to drift makes a `GaussianWalk`. An
            observation has its rows in the order distractors, blank, targets that are new.
        **rest
            `target_prior` and `distractor_prior`, one probability per member of either set, uniform
            when left out; `count_prior`, `location_prior`, `dt` and `prior` of the class.

        Examples
        --------
        >>> from popout.task import SceneSearchTask
        >>> SceneSearchTask.from_sets(
        ...     7, [0], [20], [1, 3], {20: -4, 0: 4, "blank": -12}
        ... ).orientations
        (20.0, 'blank', 0.0)
        """
        rest |= {"n_locations": n_locations, "counts": counts}
        return cls._from_sets(
            targets, distractors, observation, rest, lambda p: {"item_prior": p}, (BLANK,)
        )

    def as_mixture(self) -> MixtureSearchTask:
        """Return the paper's treatment of this task, one distractor mixture per set size.

        Examples
        --------
        >>> from popout.task import SceneSearchTask
        >>> task = SceneSearchTask.from_sets(4, [0], [20], [1, 3], {20: -4, 0: 4, "blank": -12})
        >>> task.as_mixture().mixtures
        ((0.25, 0.75, 0.0), (0.75, 0.25, 0.0))
        """
        blank = self.orientations.index(BLANK)
        mixtures = []
        for n_items in self.counts:
            fraction = n_items / self.n_locations
            phi = [fraction * p for p in self.item_prior]
            phi[blank] = (self.n_locations - n_items) / self.n_locations
            mixtures.append(phi)
        return MixtureSearchTask(
            n_locations=self.n_locations,
            orientations=self.orientations,
            observation=self.observation,
            target_prior=self.target_prior,
            mixtures=mixtures,
            mixture_prior=self.count_prior,
            location_prior=self.location_prior,
            dt=self.dt,
            prior=self.prior,
        )
