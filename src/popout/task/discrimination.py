"""Discrimination: one item, target or distractor (Equation 1).

    S = softmax_{theta in Theta_1} (L_theta - log |Theta_1|)
      - softmax_{theta in Theta_0} (L_theta - log |Theta_0|)

for uniform priors over the two sets; here each set may carry any prior. It is search over a
single location.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from popout.drawing.representation import Card
from popout.task.declared import Field, Stored, optional, required
from popout.task.displays import Displays, most_probable
from popout.task.kinds import Distribution, Label, uniform
from popout.task.observation import Observation
from popout.task.oriented import OBSERVATION, ORIENTATIONS, TARGET_PRIOR, AnyLaw, OrientedTask
from popout.task.task import DT, PRIOR


class DiscriminationTask(OrientedTask):
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

    kind = "discrimination"
    unknown = "target or distractor can have more than one orientation"

    orientations: Stored[tuple[Label, ...]] = required(ORIENTATIONS)
    observation: Stored[Observation] = required(OBSERVATION)
    target_prior: Stored[tuple[float, ...]] = required(TARGET_PRIOR)
    distractor_prior: Stored[tuple[float, ...]] = required(
        Field(
            Distribution("orientations"),
            "P(orientation | distractor).",
            "give P(orientation | distractor)",
        )
    )
    dt: Stored[float] = optional(DT)
    prior: Stored[float] = optional(PRIOR)

    @classmethod
    def from_sets(
        cls,
        targets: Sequence[Label],
        distractors: Sequence[Label],
        observation: AnyLaw,
        **rest: Any,
    ) -> DiscriminationTask:
        """Build the task from the paper's sets Theta_1 and Theta_0.

        Parameters
        ----------
        targets, distractors : sequence of float
            Theta_1 and Theta_0, in degrees. They may overlap.
        observation : Observation or mapping
            A mapping from orientation to drift makes a `GaussianWalk`. An observation has its
            rows in the order of `orientations`: the distractors, then the targets that are new.
        **rest
            `target_prior` and `distractor_prior`, one probability per member of either set, uniform
            when left out; `dt` and `prior` of the class.

        Examples
        --------
        >>> from popout.task import DiscriminationTask
        >>> task = DiscriminationTask.from_sets([30, 10], [20], {10: -2, 20: 0, 30: 2})
        >>> task.orientations, task.target_prior
        ((20.0, 30.0, 10.0), (0.0, 0.5, 0.5))
        """
        return cls._from_sets(
            targets, distractors, observation, rest, lambda p: {"distractor_prior": p}
        )

    @property
    def n_locations(self) -> int:
        """Always 1."""
        return 1

    @property
    def location_prior(self) -> tuple[float, ...]:
        """Always (1.0,)."""
        return uniform(1)

    def displays(self) -> Displays:
        """Return how displays come about."""
        return Displays(self.location_prior, self.target_prior, (self.distractor_prior,))

    def card(self) -> Card:
        """Return what is shown of it."""
        columns = {
            "P(given target)": self.target_prior,
            "P(given distractor)": self.distractor_prior,
        }
        return self._card("Discrimination at one location", [], columns)

    def _display_words(self) -> str:
        targets, others = self._possible(self.target_prior), self._possible(self.distractor_prior)
        return f"One item: is it a target ({targets}) or a distractor ({others})?"

    def _example_words(self, display: list[int], target: int) -> str:
        other = self._names[most_probable(self.distractor_prior)]
        return f"target {self._names[display[target]]}; a distractor would be {other}"
