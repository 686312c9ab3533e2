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
from dataclasses import dataclass
from typing import Any

from popout.drawing.representation import Card
from popout.task.faults import Faults, as_tuple
from popout.task.fields import (
    BLANK,
    Label,
    Uniform,
    build_from_sets,
    check_dt,
    check_location_prior,
    check_n_locations,
    check_observation,
    check_orientations,
    check_prior,
    distribution_over_sets,
    merge_sets,
    observation_for,
    set_fields,
    uniform,
)
from popout.task.mixture import MixtureSearchTask, ObservationLike
from popout.task.observation import Observation
from popout.task.presence import (
    Presence,
    example_display,
    orientation_rows,
    places,
    share_out,
)

__all__ = ["SceneSearchTask"]


@dataclass(frozen=True, init=False)
class SceneSearchTask(Presence):
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

    n_locations: int
    orientations: tuple[Label, ...]
    observation: Observation
    target_prior: tuple[float, ...]
    item_prior: tuple[float, ...]
    counts: tuple[int, ...]
    count_prior: tuple[float, ...]
    location_prior: tuple[float, ...]
    dt: float
    prior: float

    def __init__(
        self,
        n_locations: Any,
        orientations: Any,
        observation: Any,
        target_prior: Any,
        item_prior: Any,
        counts: Any,
        count_prior: Any = None,
        location_prior: Any = None,
        dt: Any = 0.01,
        prior: Any = 0.5,
    ) -> None:
        faults = Faults("SceneSearchTask")
        n = check_n_locations(faults, n_locations)
        labels = check_orientations(faults, orientations)
        sizes = _check_counts(faults, counts, n)
        set_fields(
            self,
            n_locations=n,
            orientations=labels,
            observation=check_observation(faults, observation, len(labels)),
            target_prior=_check_item_prior(faults, "target_prior", target_prior, labels),
            item_prior=_check_item_prior(faults, "item_prior", item_prior, labels),
            counts=sizes,
            count_prior=_check_count_prior(faults, count_prior, len(sizes)),
            location_prior=check_location_prior(faults, location_prior, n),
            dt=check_dt(faults, dt),
            prior=check_prior(faults, prior),
        )
        if labels and BLANK not in labels:
            faults.add("orientations", 'one of them to be "blank"', labels, "add the blank")
        faults.raise_if_any()

    def card(self) -> Card:
        """Return what is shown of it."""
        what, rows = orientation_rows(
            self.orientations, self.observation, self.target_prior, self.item_prior
        )
        sizes = ", ".join(
            f"{n} (P = {p:.3g})" for n, p in zip(self.counts, self.count_prior, strict=True)
        )
        return Card(
            f"Search over {self.n_locations} locations, unknown set size",
            [
                ("items", sizes),
                ("P(location)", places(self.location_prior)),
                *self._common_facts(),
            ],
            ["orientation", what, "P(given target)", "P(given distractor)"],
            rows,
        )

    def _example(self) -> tuple[list[float], int, str]:
        _, n_items = max(zip(self.count_prior, self.counts, strict=True))
        blank = self.orientations.index(BLANK)
        free = self.n_locations - 1
        share = (n_items - 1) / free if free else 0.0
        items = iter(share_out(self.item_prior, n_items - 1))
        others = [blank if k else next(items) for k in share_out([share, 1.0 - share], free)]
        return example_display(self.orientations, self.target_prior, self.location_prior, others)

    @classmethod
    def from_sets(
        cls,
        n_locations: int,
        targets: Sequence[Label],
        distractors: Sequence[Label],
        counts: Sequence[int],
        observation: ObservationLike,
        *,
        count_prior: Sequence[float] | None = None,
        target_prior: Sequence[float] | None = None,
        distractor_prior: Sequence[float] | None = None,
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
        count_prior, target_prior, distractor_prior : sequence of float, optional
            One probability per member; uniform when left out.
        **rest
            `location_prior`, `dt` and `prior` of the class.

        Examples
        --------
        >>> from popout.task import SceneSearchTask
        >>> SceneSearchTask.from_sets(
        ...     7, [0], [20], [1, 3], {20: -4, 0: 4, "blank": -12}
        ... ).orientations
        (20.0, 'blank', 0.0)
        """
        faults = Faults("SceneSearchTask")
        labels = merge_sets(faults, targets, (*(as_tuple(distractors) or ()), BLANK))
        target = distribution_over_sets(faults, "target_prior", target_prior, targets, labels)
        item = distribution_over_sets(
            faults, "distractor_prior", distractor_prior, distractors, labels
        )
        derived = {
            "orientations": labels,
            "observation": observation_for(faults, observation, labels),
            "target_prior": target,
            "item_prior": item,
        }
        given = {"n_locations": n_locations, "counts": counts, "count_prior": count_prior, **rest}
        return build_from_sets(faults, cls, derived, given)

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
        for count in self.counts:
            fraction = count / self.n_locations
            phi = [fraction * p for p in self.item_prior]
            phi[blank] = (self.n_locations - count) / self.n_locations
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


def _check_counts(faults: Faults, counts: Any, n_locations: int) -> tuple[int, ...]:
    expected = f"distinct set sizes from 1 to {n_locations}"
    remedy = "list the numbers of items that can be shown"
    items = faults.sequence("counts", counts, remedy, expected=expected)
    sizes = tuple(
        faults.integer(f"counts[{index}]", item, remedy, at_least=1, at_most=n_locations)
        for index, item in enumerate(items)
    )
    if not faults and len(set(sizes)) < len(sizes):
        faults.add("counts", expected, counts, remedy)
    return sizes


def _check_count_prior(faults: Faults, prior: Any, n_counts: int) -> tuple[float, ...]:
    if prior is None or isinstance(prior, Uniform):
        return uniform(max(n_counts, 1))
    remedy = "give one probability per set size, or leave it out for a uniform prior"
    return faults.distribution("count_prior", prior, n_counts or None, remedy)


def _check_item_prior(
    faults: Faults, field: str, prior: Any, labels: tuple[Label, ...]
) -> tuple[float, ...]:
    checked = faults.distribution(field, prior, len(labels) or None, "give P(orientation | item)")
    if checked and BLANK in labels and checked[labels.index(BLANK)] > 0.0:
        faults.add(field, "zero at the blank", prior, "an item is never blank")
    return checked
