"""Checks of the fields that several tasks share: step, prior of presence, prior of location."""

from __future__ import annotations

import math
from typing import Any

from popout.task.faults import Faults

__all__ = ["Uniform", "check_dt", "check_location_prior", "check_prior", "log_odds", "uniform"]


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


def check_dt(faults: Faults, dt: Any) -> float:
    """Check a time step in seconds."""
    return faults.positive("dt", dt, "give the time step in seconds, e.g. 0.01")


def check_prior(faults: Faults, prior: Any) -> float:
    """Check a probability of target presence."""
    return faults.probability("prior", prior, "give P(target present), e.g. 0.5")


def check_location_prior(faults: Faults, prior: Any, n_locations: int) -> tuple[float, ...]:
    """Check P(location | target present); None is uniform."""
    if prior is None or isinstance(prior, Uniform):
        return uniform(n_locations)
    remedy = "give P(location | target present), or leave it out for a uniform prior"
    return faults.distribution("location_prior", prior, n_locations, remedy)


def log_odds(p: float) -> float:
    """Return log(p / (1 - p))."""
    return math.log(p) - math.log1p(-p)
