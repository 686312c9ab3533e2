"""Discrimination: one item, target or distractor (eq:discrim).

    S = softmax_{theta in Theta_1} (L_theta - log |Theta_1|)
      - softmax_{theta in Theta_0} (L_theta - log |Theta_0|)

for uniform priors over the two sets; here each set may carry any prior. It is search over a
single location.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from popout.drawing.representation import Card
from popout.task.faults import Faults
from popout.task.fields import (
    Label,
    build_from_sets,
    check_dt,
    check_observation,
    check_orientations,
    check_prior,
    distribution_over_sets,
    merge_sets,
    observation_for,
    set_fields,
)
from popout.task.observation import Observation
from popout.task.presence import Presence, degrees, most_probable, orientation_rows

__all__ = ["DiscriminationTask"]


@dataclass(frozen=True, init=False)
class DiscriminationTask(Presence):
    """Tell a target from a distractor at one location.

    Parameters
    ----------
    orientations : sequence of float, shape (K,)
        Every orientation that can be shown, in degrees.
    observation : GaussianWalk or PoissonSpikes
        One row of parameters per orientation.
    target_prior, distractor_prior : sequence of float, shape (K,)
        P(theta | C=1) and P(theta | C=0).
    dt : float
        Time step in seconds.
    prior : float
        P(C=1).

    See Also
    --------
    DiscriminationTask.from_sets : the same from the paper's Theta_1 and Theta_0.

    Examples
    --------
    >>> from popout.task import DiscriminationTask, GaussianWalk
    >>> task = DiscriminationTask([20, 30, 10], GaussianWalk([0, 2, -2]), [0, 0.5, 0.5], [1, 0, 0])
    >>> task == DiscriminationTask.from_sets([30, 10], [20], {20: 0, 30: 2, 10: -2})
    True
    """

    orientations: tuple[Label, ...]
    observation: Observation
    target_prior: tuple[float, ...]
    distractor_prior: tuple[float, ...]
    dt: float
    prior: float

    def __init__(
        self,
        orientations: Any,
        observation: Any,
        target_prior: Any,
        distractor_prior: Any,
        dt: Any = 0.01,
        prior: Any = 0.5,
    ) -> None:
        faults = Faults("DiscriminationTask")
        labels = check_orientations(faults, orientations)
        n = len(labels) or None
        set_fields(
            self,
            orientations=labels,
            observation=check_observation(faults, observation, len(labels)),
            target_prior=faults.distribution(
                "target_prior", target_prior, n, "give P(orientation | target)"
            ),
            distractor_prior=faults.distribution(
                "distractor_prior", distractor_prior, n, "give P(orientation | distractor)"
            ),
            dt=check_dt(faults, dt),
            prior=check_prior(faults, prior),
        )
        faults.raise_if_any()

    @classmethod
    def from_sets(
        cls,
        targets: Sequence[float],
        distractors: Sequence[float],
        observation: Observation | Mapping[float, float | Sequence[float]],
        *,
        target_prior: Sequence[float] | None = None,
        distractor_prior: Sequence[float] | None = None,
        dt: float = 0.01,
        prior: float = 0.5,
    ) -> DiscriminationTask:
        """Build the task from the paper's sets Theta_1 and Theta_0.

        Parameters
        ----------
        targets, distractors : sequence of float
            Theta_1 and Theta_0, in degrees. They may overlap.
        observation : Observation or mapping
            A mapping from orientation to drift makes a `GaussianWalk`. An observation has its
            rows in the order of `orientations`: the distractors, then the targets that are new.
        target_prior, distractor_prior : sequence of float, optional
            One probability per member of each set; uniform when left out.
        dt, prior : float
            As for the class.

        Examples
        --------
        >>> from popout.task import DiscriminationTask
        >>> task = DiscriminationTask.from_sets([30, 10], [20], {10: -2, 20: 0, 30: 2})
        >>> task.orientations, task.target_prior
        ((20.0, 30.0, 10.0), (0.0, 0.5, 0.5))
        """
        faults = Faults("DiscriminationTask")
        labels = merge_sets(faults, targets, distractors)
        target = distribution_over_sets(faults, "target_prior", target_prior, targets, labels)
        other = distribution_over_sets(
            faults, "distractor_prior", distractor_prior, distractors, labels
        )
        derived = {
            "orientations": labels,
            "observation": observation_for(faults, observation, labels),
            "target_prior": target,
            "distractor_prior": other,
        }
        return build_from_sets(faults, cls, derived, {"dt": dt, "prior": prior})

    @property
    def n_locations(self) -> int:
        """Always 1."""
        return 1

    def card(self) -> Card:
        """Return what is shown of it."""
        what, rows = orientation_rows(
            self.orientations, self.observation, self.target_prior, self.distractor_prior
        )
        return Card(
            "Discrimination at one location",
            self._common_facts(),
            ["orientation", what, "P(given target)", "P(given distractor)"],
            rows,
        )

    def _example(self) -> tuple[list[float], int, str]:
        shown, other = (
            self.orientations[most_probable(p)] for p in (self.target_prior, self.distractor_prior)
        )
        tilt = math.nan if isinstance(shown, str) else shown
        return [tilt], 0, f"target {degrees(shown)}; a distractor would be {degrees(other)}"
