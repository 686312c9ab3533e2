"""Search over M locations for one target among identical distractors.

Location l receives a Gaussian random walk of drift +mu_l if it holds the target and -mu_l
otherwise (Methods, "Gaussian input"). At most one location holds a target. Equal drifts make the
homogeneous search of eq:homo-search, unequal ones the heterogeneous drift-rate search of the
paper's Extension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from popout.drawing.representation import Card, count, listed
from popout.task.faults import Faults, as_tuple
from popout.task.fields import (
    check_dt,
    check_location_prior,
    check_n_locations,
    check_prior,
    set_fields,
)
from popout.task.presence import Presence, most_probable, places

__all__ = ["SearchTask"]

SYMBOL = 25.0
"""The task knows no orientations; a picture shows a distractor as a bar of so many degrees."""
DRIFT_REMEDY = "+drift is at a target, -drift elsewhere"


@dataclass(frozen=True, init=False)
class SearchTask(Presence):
    """Homogeneous or heterogeneous drift-rate search.

    Parameters
    ----------
    n_locations : int, optional
        Number of search locations M. May be left out when `drift` is a sequence.
    drift : float or sequence of float, shape (M,)
        Drift rate mu in 1/s, one for all locations or one each: +mu at a target, -mu at a
        distractor. Equal members of a sequence are stored as one number.
    dt : float
        Time step in seconds.
    prior : float
        P(C=1), the probability that a target is present.
    location_prior : sequence of float, shape (M,), optional
        P(l_T = l | C=1). Uniform when left out.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> SearchTask(n_locations=2, drift=4.0).drifts
    (4.0, 4.0)
    >>> task = SearchTask(drift=(8.0, 3.0), prior=0.2)
    >>> task.n_locations, task.is_homogeneous
    (2, False)
    """

    n_locations: int
    drift: float | tuple[float, ...]
    dt: float
    prior: float
    location_prior: tuple[float, ...]

    def __init__(
        self,
        n_locations: Any = None,
        drift: Any = None,
        dt: Any = 0.01,
        prior: Any = 0.5,
        location_prior: Any = None,
    ) -> None:
        faults = Faults("SearchTask")
        n, mu = _check_locations_and_drift(faults, n_locations, drift)
        set_fields(
            self,
            n_locations=n,
            drift=mu,
            dt=check_dt(faults, dt),
            prior=check_prior(faults, prior),
            location_prior=check_location_prior(faults, location_prior, n),
        )
        faults.raise_if_any()

    @property
    def drifts(self) -> tuple[float, ...]:
        """One drift rate per location, in 1/s."""
        return self.drift if isinstance(self.drift, tuple) else (self.drift,) * self.n_locations

    @property
    def is_homogeneous(self) -> bool:
        """Whether all locations share one drift rate."""
        return not isinstance(self.drift, tuple)

    def card(self) -> Card:
        """Return what is shown of it."""
        where = "at every location" if self.is_homogeneous else "by location"
        drift = listed(self.drifts[:1] if self.is_homogeneous else self.drifts)
        return Card(
            f"Search over {count(self.n_locations, 'location')}",
            [
                ("drift", f"{drift} /s {where} (+ at a target, - at a distractor)"),
                ("P(location)", places(self.location_prior)),
                *self._common_facts(),
            ],
        )

    def _example(self) -> tuple[list[float], int, str]:
        target = most_probable(self.location_prior)
        tilts = [0.0 if place == target else SYMBOL for place in range(self.n_locations)]
        return tilts, target, "upright: target, tilted: distractors"


def _check_locations_and_drift(
    faults: Faults, n_locations: Any, drift: Any
) -> tuple[int, float | tuple[float, ...]]:
    """Check the two fields that may each say how many locations there are."""
    drifts = as_tuple(drift)
    n = None
    if n_locations is not None or not drifts:
        n = check_n_locations(faults, n_locations)
    if drifts is None:
        return n or 1, faults.sensible("drift", drift, DRIFT_REMEDY)
    if not drifts or (n is not None and len(drifts) != n):
        remedy = "give one number for all locations, or one number for each"
        faults.add("drift", "a positive number for each location", drift, remedy)
    mu = tuple(
        faults.sensible(f"drift[{index}]", value, DRIFT_REMEDY)
        for index, value in enumerate(drifts)
    )
    return n or len(mu) or 1, mu[0] if len(set(mu)) == 1 else mu
