"""Checks of the fields that several tasks share: step, priors, orientations, sets of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from popout.task.faults import Faults, InputError, as_float, as_tuple
from popout.task.observation import GaussianWalk, Observation, PoissonSpikes

__all__ = [
    "BLANK",
    "Label",
    "Uniform",
    "build_from_sets",
    "check_dt",
    "check_location_prior",
    "check_n_locations",
    "check_observation",
    "check_orientations",
    "check_prior",
    "distribution_over_sets",
    "merge_sets",
    "observation_for",
    "set_fields",
    "uniform",
]

BLANK = "blank"  # the paper's theta_0-slash: nothing is shown at the location
MOST_LOCATIONS = 10_000  # no display has more; a slip of the hand should not fill the memory
Label = float | str
T = TypeVar("T")


class Uniform(tuple[float, ...]):
    """A uniform distribution that nobody typed.

    It is an ordinary tuple for every purpose but one: `dataclasses.replace(task, n_locations=8)`
    hands the old task's prior to the new one, and a default must then stretch while a prior the
    user chose must be refused.
    """

    __slots__ = ()


def uniform(n: int) -> Uniform:
    """Return the uniform distribution over n values."""
    return Uniform([1.0 / n] * n)


def set_fields(task: object, **values: object) -> None:
    """Set the fields of a frozen dataclass from inside its own constructor."""
    for name, value in values.items():
        object.__setattr__(task, name, value)


# -- single fields --------------------------------------------------------------------------


def check_dt(faults: Faults, dt: Any) -> float:
    """Check a time step in seconds."""
    return faults.sensible("dt", dt, "give the time step in seconds, e.g. 0.01")


def check_prior(faults: Faults, prior: Any) -> float:
    """Check a probability of target presence."""
    return faults.probability("prior", prior, "give P(target present), e.g. 0.5")


def check_n_locations(faults: Faults, n_locations: Any) -> int:
    """Check a number of search locations."""
    remedy = "count the search locations"
    absurd = isinstance(n_locations, int) and n_locations > MOST_LOCATIONS
    most = MOST_LOCATIONS if absurd else None  # only those who go there need to hear of it
    return faults.integer("n_locations", n_locations, remedy, at_least=1, at_most=most)


def check_location_prior(faults: Faults, prior: Any, n_locations: int) -> tuple[float, ...]:
    """Check P(location | target present); None is uniform."""
    if prior is None or isinstance(prior, Uniform):
        return uniform(n_locations)
    remedy = "give P(location | target present), or leave it out for a uniform prior"
    return faults.distribution("location_prior", prior, n_locations, remedy)


def check_orientations(faults: Faults, orientations: Any) -> tuple[Label, ...]:
    """Check for distinct labels: numbers in degrees, or "blank"."""
    expected = 'distinct orientations in degrees (or "blank")'
    remedy = "list each orientation of the display once"
    items = faults.sequence("orientations", orientations, remedy, expected=expected)
    labels = tuple(as_label(item) for item in items)
    if None in labels or len(set(labels)) < len(labels):
        faults.add("orientations", expected, orientations, remedy)
    return tuple(label for label in labels if label is not None)


def check_observation(faults: Faults, observation: Any, n_orientations: int) -> Observation:
    """Check for an observation with one row per orientation."""
    if not isinstance(observation, Observation):
        expected = "a GaussianWalk or a PoissonSpikes"
        faults.add("observation", expected, observation, "say what one location observes")
        return GaussianWalk([1.0] * max(n_orientations, 1))
    if n_orientations and observation.n_orientations != n_orientations:
        faults.add(
            "observation",
            f"one row for each of the {n_orientations} orientations",
            observation.n_orientations,
            "give the drift or the rates of every orientation, in the order of `orientations`",
        )
    return observation


def as_label(item: Any) -> Label | None:
    """Return an orientation label as it is stored, or None if it is not one."""
    if item == BLANK:
        return BLANK
    number = as_float(item)
    return number if number is not None and math.isfinite(number) else None


# -- sets of orientations, as the paper writes them: Theta_1 and Theta_0 ----------------------


def merge_sets(faults: Faults, targets: Any, distractors: Any) -> tuple[Label, ...]:
    """Return the orientations of two sets: the distractors, then the targets that are new.

    The first columns of a mixture over this order are the paper's phi over Theta_0.
    """
    merged: list[Label] = []
    for field, labels in (("distractors", distractors), ("targets", targets)):
        expected = "distinct orientations in degrees"
        remedy = f"list the orientations that {field} can have"
        items = faults.sequence(field, labels, remedy, expected=expected)
        checked = [as_label(item) for item in items]
        if None in checked or len(set(checked)) < len(checked):
            faults.add(field, expected, labels, remedy)
        for label in checked:
            if label is not None and label not in merged:
                merged.append(label)
    return tuple(merged)


def distribution_over_sets(
    faults: Faults, field: str, prior: Any, labels: Any, orientations: Sequence[Label]
) -> tuple[float, ...]:
    """Spread a distribution over one set (None is uniform) out over all orientations."""
    members = [as_label(item) for item in as_tuple(labels) or ()]
    if not members:
        return ()
    remedy = "give one probability for each member of the set, or leave it out for uniform"
    weights: Sequence[float] = (
        uniform(len(members))
        if prior is None
        else faults.distribution(field, prior, len(members), remedy)
    )
    by_label = dict(zip(members, weights, strict=False))
    return tuple(by_label.get(label, 0.0) for label in orientations)


def observation_for(
    faults: Faults, observation: Any, orientations: Sequence[Label]
) -> GaussianWalk | PoissonSpikes | Any:
    """Turn a mapping from orientation to drift into a `GaussianWalk`; pass anything else on."""
    if not isinstance(observation, Mapping):
        return observation
    drift = {as_label(key): value for key, value in observation.items()}
    missing = [label for label in orientations if label not in drift]
    if missing or len(drift) != len(orientations):
        expected = f"a drift for each of {tuple(orientations)} and no other"
        faults.add("observation", expected, observation, "map each orientation to its drift")
        return GaussianWalk([1.0] * max(len(orientations), 1))
    try:
        return GaussianWalk([drift[label] for label in orientations])
    except InputError as error:
        faults.absorb(error)
        return GaussianWalk([1.0] * len(orientations))


def build_from_sets(
    faults: Faults, cls: type[T], derived: Mapping[str, Any], given: Mapping[str, Any]
) -> T:
    """Build a task whose `derived` fields come from sets and whose `given` ones are passed on.

    Faults of the sets have been collected already. If there are any, the derived fields hold
    placeholders, and only the faults of the given fields are news.
    """
    sets_are_sound = not faults
    try:
        task = cls(**derived, **given)
    except InputError as error:
        for line in error.lines:
            field = re.split(r"[\[:]", line.removeprefix(f"{cls.__name__}."))[0]
            if field in given or sets_are_sound:
                faults.lines.append(line)
        raise InputError(faults.lines) from None
    faults.raise_if_any()
    return task
