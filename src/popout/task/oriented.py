"""Tasks whose items have orientations: fields and words that several kinds share.

The paper writes such tasks with two sets of orientations, Theta_1 of targets and Theta_0 of
distractors; `OrientedTask._from_sets` turns them into the fields of a task.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from popout.drawing.representation import Card, listed, listing
from popout.task.declared import Field
from popout.task.faults import Faults, InputError
from popout.task.kinds import Distribution, Label, Labels, Part, Spot, as_label
from popout.task.observation import GaussianWalk, Observation
from popout.task.task import Task

ORIENTATIONS = Field(
    Labels(),
    'Every orientation that can be shown, in degrees; "blank" is a location without an item.',
    "list each orientation of the display once",
    "degrees",
)
OBSERVATION = Field(
    Part(Observation),
    "What one location observes, with one row of parameters per orientation.",
    "say what one location observes",
)
TARGET_PRIOR = Field(
    Distribution("orientations"), "P(orientation | target).", "give P(orientation | target)"
)
SET_REMEDY = "give one probability for each member of the set, or leave it out for uniform"
AnyLaw = Observation | Mapping[Label, float | Sequence[float]]
"""An observation, or the drift of each orientation."""


class OrientedTask(Task):
    """A task whose items have orientations, observed alike at all locations."""

    is_illustrated: ClassVar[bool] = False

    if TYPE_CHECKING:  # fields of each kind

        @property
        def orientations(self) -> tuple[Label, ...]:
            """Every orientation that can be shown, in degrees, or the blank."""

        @property
        def observation(self) -> Observation:
            """What one location observes."""

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        """Check for one row of the observation per orientation."""
        labels, observation = known["orientations"], known["observation"]
        if labels and observation and observation.n_orientations != len(labels):
            faults.add(
                "observation",
                f"one row for each of the {len(labels)} orientations",
                observation.n_orientations,
                "give the drift or the rates of every orientation, in the order of `orientations`",
            )

    @property
    def observations(self) -> tuple[Observation, ...]:
        """The same at each location."""
        return (self.observation,) * self.n_locations

    @property
    def tilts(self) -> tuple[float, ...]:
        """The orientations, NaN for a blank."""
        return tuple(math.nan if isinstance(o, str) else o for o in self.orientations)

    @property
    def _names(self) -> list[str]:
        return [label if isinstance(label, str) else f"{label:g}°" for label in self.orientations]

    def _card(
        self,
        title: str,
        facts: Sequence[tuple[str, str]],
        columns: Mapping[str, Sequence[float]],
        note: str = "",
    ) -> Card:
        """Return a card with a row for each orientation: parameters, then probabilities."""
        rows = [
            [name, listed(row, most=4), *(f"{p[k]:.4g}" for p in columns.values())]
            for k, (name, row) in enumerate(zip(self._names, self.observation.rows, strict=True))
        ]
        headings = ["orientation", self.observation.parameter, *columns]
        return Card(title, [*facts, *self._common_facts()], headings, rows, note)

    def _possible(self, weights: Sequence[float]) -> str:
        """Return the orientations that can occur, with their probabilities where they differ."""
        pairs = [(name, p) for name, p in zip(self._names, weights, strict=True) if p > 0]
        same = len({round(p, 9) for _, p in pairs}) == 1
        return listing([name if same else f"{name} with {p:.3g}" for name, p in pairs], "or")

    def _example_words(self, display: list[int], target: int) -> str:
        names, tilts = self._names, self.tilts
        others = {k for place, k in enumerate(display) if place != target and tilts[k] == tilts[k]}
        words = f"target {names[display[target]]} (in colour for the reader)"
        distinct = ", ".join(names[k] for k in sorted(others, key=lambda k: tilts[k]))
        return f"{words}\nothers {distinct}" if distinct else words

    @classmethod
    def _from_sets(
        cls,
        targets: Any,
        distractors: Any,
        observation: Any,
        given: dict[str, Any],
        derive: Callable[[tuple[float, ...]], Mapping[str, Any]],
        also: tuple[Label, ...] = (),
    ) -> Self:
        """Build a task from its sets of targets and distractors.

        The orientations are the distractors, then those of `also`, then the targets that are new:
        the first columns of a mixture over this order are the paper's phi over Theta_0.

        Parameters
        ----------
        targets, distractors : sequence of float
            Theta_1 and Theta_0, in degrees. They may overlap.
        observation : Observation or mapping
            A mapping from orientation to drift makes a `GaussianWalk`.
        given : dict
            `target_prior` and `distractor_prior`, of the members of either set, and fields that are
            passed on as they are.
        derive : callable
            From P(orientation | distractor) to the fields that depend on it.
        also : tuple
            Orientations that are neither.
        """
        faults = Faults(cls.__name__)
        kind = Labels("distinct orientations in degrees")
        others, wanted = (
            kind.check(labels, Spot(faults, (name,), f"list the orientations that {name} can have"))
            or ()
            for name, labels in (("distractors", distractors), ("targets", targets))
        )
        labels = tuple(dict.fromkeys((*others, *also, *wanted)))
        target, distractor = (
            _spread(given.pop(name, None), members, labels, Spot(faults, (name,), SET_REMEDY))
            for name, members in (("target_prior", wanted), ("distractor_prior", others))
        )
        derived = {
            "orientations": labels,
            "observation": _observation(faults, observation, labels),
            "target_prior": target,
            **derive(distractor),
        }
        sets_are_sound = not faults
        try:
            task = cls(**derived, **given)
        except InputError as error:
            # After a fault of the sets, what they would have given is wrong, too, and no news.
            news = [f for f in error.faults if sets_are_sound or f.path[0] in given]
            raise InputError([*faults.faults, *news]) from None
        faults.raise_if_any()
        return task


def _spread(
    prior: Any, members: Sequence[Label], labels: Sequence[Label], spot: Spot
) -> tuple[float, ...]:
    """Spread a distribution over one set (None is uniform) out over all orientations."""
    kind = Distribution("members", uniform=True)
    weights = kind.check(prior, spot._replace(known={"members": members})) if members else None
    by_label = dict(zip(members, weights or (), strict=False))
    return tuple(by_label.get(label, 0.0) for label in labels)


def _observation(faults: Faults, observation: Any, orientations: Sequence[Label]) -> Any:
    """Turn a mapping from orientation to drift into a `GaussianWalk`; pass anything else on."""
    if not isinstance(observation, Mapping):
        return observation
    drift = {as_label(key): value for key, value in observation.items()}
    if set(drift) != set(orientations):
        expected = f"a drift for each of {tuple(orientations)} and no other"
        faults.add("observation", expected, observation, "map each orientation to its drift")
        return None
    try:
        return GaussianWalk([drift[label] for label in orientations])
    except InputError as error:
        faults.absorb(error, ("observation",))
        return None
