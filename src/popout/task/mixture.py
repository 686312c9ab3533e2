r"""Heterogeneous search: distractors come from a mixture that is itself unknown.

The paper's distractor mixture phi is the distribution of the orientation at any location without
a target, phi_i = P(Y_l = theta_i | C_l = 0). On each trial one mixture is drawn from P(phi), then
every non-target location draws its orientation from it independently (eq:hetero-search,
eq:hetero-search-target, eq:hetero-search-distractor). Four designs of the paper are special cases:

    independent distractors     one mixture,                    phi_i = 1/n
    tied distractors            n mixtures,                     phi^(k)_i = I(k = i)
    unknown scene complexity    one mixture per set size M_d,   P(item) = M_d / M, blank otherwise
    the general case            any set of mixtures with any prior.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from popout.drawing.representation import Card, listed
from popout.task.faults import Faults, as_tuple
from popout.task.fields import (
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
from popout.task.observation import Observation
from popout.task.presence import (
    Presence,
    example_display,
    most_probable,
    orientation_rows,
    places,
    share_out,
)

__all__ = ["MixtureSearchTask"]

SHOWN = 6
"""Most mixtures that a card shows."""
ObservationLike = Observation | Mapping[Label, float | Sequence[float]]


@dataclass(frozen=True, init=False)
class MixtureSearchTask(Presence):
    """Search among distractors whose mixture is drawn anew on each trial.

    Parameters
    ----------
    n_locations : int
        Number of search locations M.
    orientations : sequence of (float or "blank"), shape (K,)
        Every orientation that can be shown, in degrees; "blank" is a location without an item.
    observation : GaussianWalk or PoissonSpikes
        One row of parameters per orientation.
    target_prior : sequence of float, shape (K,)
        P(theta | C_l = 1).
    mixtures : sequence of sequence of float, shape (J, K)
        The distractor mixtures phi, one per row; zeros are allowed.
    mixture_prior : sequence of float, shape (J,), optional
        P(phi); uniform when left out.
    location_prior : sequence of float, shape (M,), optional
        P(l_T = l | C = 1); uniform when left out.
    dt : float
        Time step in seconds.
    prior : float
        P(C = 1).

    See Also
    --------
    SceneSearchTask : unknown scene complexity with exactly M_d items.

    Examples
    --------
    >>> from popout.task import GaussianWalk, MixtureSearchTask
    >>> task = MixtureSearchTask(
    ...     n_locations=4,
    ...     orientations=[0, 20, 40],
    ...     observation=GaussianWalk([-4, 0, 4]),
    ...     target_prior=[0, 1, 0],
    ...     mixtures=[[0.5, 0, 0.5], [1, 0, 0]],
    ...     mixture_prior=[0.9, 0.1],
    ... )
    >>> task.n_mixtures
    2
    """

    n_locations: int
    orientations: tuple[Label, ...]
    observation: Observation
    target_prior: tuple[float, ...]
    mixtures: tuple[tuple[float, ...], ...]
    mixture_prior: tuple[float, ...]
    location_prior: tuple[float, ...]
    dt: float
    prior: float

    def __init__(
        self,
        n_locations: Any,
        orientations: Any,
        observation: Any,
        target_prior: Any,
        mixtures: Any,
        mixture_prior: Any = None,
        location_prior: Any = None,
        dt: Any = 0.01,
        prior: Any = 0.5,
    ) -> None:
        faults = Faults("MixtureSearchTask")
        n = check_n_locations(faults, n_locations)
        labels = check_orientations(faults, orientations)
        phi = _check_mixtures(faults, mixtures, len(labels))
        set_fields(
            self,
            n_locations=n,
            orientations=labels,
            observation=check_observation(faults, observation, len(labels)),
            target_prior=faults.distribution(
                "target_prior", target_prior, len(labels) or None, "give P(orientation | target)"
            ),
            mixtures=phi,
            mixture_prior=_check_mixture_prior(faults, mixture_prior, len(phi)),
            location_prior=check_location_prior(faults, location_prior, n),
            dt=check_dt(faults, dt),
            prior=check_prior(faults, prior),
        )
        faults.raise_if_any()

    @property
    def n_mixtures(self) -> int:
        """Number of distractor mixtures J."""
        return len(self.mixtures)

    def card(self) -> Card:
        """Return what is shown of it."""
        what, rows = orientation_rows(
            self.orientations, self.observation, self.target_prior, *self.mixtures[:SHOWN]
        )
        heads = [f"mixture {j + 1}" for j in range(min(self.n_mixtures, SHOWN))]
        more = self.n_mixtures - len(heads)
        unknown = "one of several mixtures" if self.n_mixtures > 1 else "a mixture"
        return Card(
            f"Search over {self.n_locations} locations, distractors drawn from {unknown}",
            [
                ("P(location)", places(self.location_prior)),
                ("P(mixture)", listed(self.mixture_prior, digits=4)),
                *self._common_facts(),
            ],
            ["orientation", what, "P(given target)", *heads],
            rows,
            f"{more} more mixtures" if more else "",
        )

    def _example(self) -> tuple[list[float], int, str]:
        kind = most_probable(self.target_prior)
        # Of equally probable mixtures, one from which the target stands out.
        mixtures = zip(self.mixture_prior, self.mixtures, strict=True)
        _, phi = max(mixtures, key=lambda pair: (pair[0], -pair[1][kind]))
        others = share_out(phi, self.n_locations - 1)
        return example_display(self.orientations, self.target_prior, self.location_prior, others)

    @classmethod
    def independent(
        cls,
        n_locations: int,
        targets: Sequence[Label],
        distractors: Sequence[Label],
        observation: ObservationLike,
        *,
        target_prior: Sequence[float] | None = None,
        distractor_prior: Sequence[float] | None = None,
        **rest: Any,
    ) -> MixtureSearchTask:
        """Independent distractors: each location draws its own from one mixture.

        Parameters
        ----------
        n_locations : int
            Number of search locations M.
        targets, distractors : sequence of float
            Theta_1 and Theta_0, in degrees.
        observation : Observation or mapping
            A mapping from orientation to drift makes a `GaussianWalk`. An observation has its
            rows in the order of `orientations`: the distractors, then the targets that are new.
        target_prior, distractor_prior : sequence of float, optional
            One probability per member of each set; uniform when left out.
        **rest
            `location_prior`, `dt` and `prior` of the class.

        Examples
        --------
        >>> from popout.task import MixtureSearchTask
        >>> drift = {0: -4, 10: 4, 20: 0}
        >>> MixtureSearchTask.independent(4, [10], [0, 20], drift).mixtures
        ((0.5, 0.5, 0.0),)
        """
        design = _Design(targets, distractors, observation, target_prior, distractor_prior)
        return design.build(cls, [design.distractor_prior], None, n_locations, rest)

    @classmethod
    def tied(
        cls,
        n_locations: int,
        targets: Sequence[Label],
        distractors: Sequence[Label],
        observation: ObservationLike,
        *,
        target_prior: Sequence[float] | None = None,
        distractor_prior: Sequence[float] | None = None,
        **rest: Any,
    ) -> MixtureSearchTask:
        """Tied distractors: all locations share one orientation, drawn anew on each trial.

        Parameters are those of `independent`; `distractor_prior` is the prior of the common
        orientation.

        Examples
        --------
        >>> from popout.task import MixtureSearchTask
        >>> drift = {0: -4, 20: 0, 40: 4}
        >>> MixtureSearchTask.tied(4, [0, 20, 40], [0, 20, 40], drift).mixtures
        ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        """
        design = _Design(targets, distractors, observation, target_prior, distractor_prior)
        n = len(as_tuple(distractors) or ())
        mixtures = [[float(j == k) for k in range(len(design.orientations))] for j in range(n)]
        prior = None if distractor_prior is None else design.distractor_prior[:n]
        return design.build(cls, mixtures, prior, n_locations, rest)

    @classmethod
    def scene_complexity(
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
    ) -> MixtureSearchTask:
        """Unknown scene complexity as the paper treats it: blanks are one more distractor.

        Each set size M_d of `counts` gives one mixture, in which a non-target location carries
        an item with probability M_d / M. The paper's footnote says that this is biased, since
        the number of items then varies; `SceneSearchTask` is the world with exactly M_d items.

        Parameters are those of `independent`, and

        Parameters
        ----------
        counts : sequence of int
            Possible numbers of items M_d, each from 1 to M.
        count_prior : sequence of float, optional
            P(M_d); uniform when left out.

        Examples
        --------
        >>> from popout.task import MixtureSearchTask
        >>> drift = {20: -4, 0: 4, "blank": -12}
        >>> task = MixtureSearchTask.scene_complexity(7, [0], [20], [1, 3], drift)
        >>> task.orientations
        (20.0, 'blank', 0.0)
        >>> [[round(7 * p) for p in phi] for phi in task.mixtures]
        [[1, 6, 0], [3, 4, 0]]
        """
        from popout.task.scene import SceneSearchTask  # scene.py builds on this module

        return SceneSearchTask.from_sets(
            n_locations,
            targets,
            distractors,
            counts,
            observation,
            count_prior=count_prior,
            target_prior=target_prior,
            distractor_prior=distractor_prior,
            **rest,
        ).as_mixture()


class _Design:
    """Orientations, observation and priors of a design given by its two sets."""

    def __init__(
        self, targets: Any, distractors: Any, observation: Any, target_prior: Any, other: Any
    ) -> None:
        self.faults = Faults("MixtureSearchTask")
        labels = merge_sets(self.faults, targets, distractors)
        self.orientations = labels
        self.target_prior = distribution_over_sets(
            self.faults, "target_prior", target_prior, targets, labels
        )
        self.distractor_prior = distribution_over_sets(
            self.faults, "distractor_prior", other, distractors, labels
        )
        self.observation = observation_for(self.faults, observation, labels)

    def build(
        self,
        cls: type[MixtureSearchTask],
        mixtures: Any,
        mixture_prior: Any,
        n_locations: Any,
        rest: dict[str, Any],
    ) -> MixtureSearchTask:
        derived = {
            "orientations": self.orientations,
            "observation": self.observation,
            "target_prior": self.target_prior,
            "mixtures": mixtures,
            "mixture_prior": mixture_prior,
        }
        return build_from_sets(self.faults, cls, derived, {"n_locations": n_locations, **rest})


def _check_mixtures(
    faults: Faults, mixtures: Any, n_orientations: int
) -> tuple[tuple[float, ...], ...]:
    remedy = "give one row of probabilities per mixture, one column per orientation"
    rows = faults.sequence("mixtures", mixtures, remedy, expected="a matrix of probabilities")
    n = n_orientations or None
    return tuple(
        faults.distribution(f"mixtures[{index}]", row, n, remedy) for index, row in enumerate(rows)
    )


def _check_mixture_prior(faults: Faults, prior: Any, n_mixtures: int) -> tuple[float, ...]:
    if prior is None or isinstance(prior, Uniform):
        return uniform(max(n_mixtures, 1))
    remedy = "give one probability per mixture, or leave it out for a uniform prior"
    return faults.distribution("mixture_prior", prior, n_mixtures or None, remedy)
