r"""Where an optimum is expected: what exact solutions say before any trial is run.

**At the size that is solved** the scales of a-SPRT are those fitted to the exact boundary, give or
take `FLOOR` (they need not be those of least risk), or `UNEQUAL` with unequal drifts, where the
boundary fits less well.

**With more locations** the simulated risk is so flat in the scales of a-SPRT that its minimum is
noise, but the scales hardly depend on the number of locations: at drift 4/s and cost 0.2/s those
fitted to the exact boundary are :math:`a_-` = 1.640, 1.636, 1.630, 1.624, 1.621 and :math:`a_+` =
0.699, 0.702, 0.705, 0.706, 0.708 for *M* = 2 to 6 (docs/conjecture.md). They change about linearly
with :math:`\log M`, and so do the thresholds of SPRT-opt. So `tune` expects the optimum

.. math:: \theta_M = \theta_3 + (\theta_3 - \theta_2) \frac{\log(M/3)}{\log(3/2)},

(:math:`\theta` a threshold, or the logarithm of a scale; 2 and 3 from exact solutions with the same
drift, dt, prior and costs), give or take the length of the extrapolation plus `FLOOR`.

For a-SPRT with equal drifts and costs the law of `scale_law` says it at once, give or take its own
error, and nothing needs to be solved.

- With an uneven prior of location, *M* is the effective number of locations, :math:`e^{H(\pi)}`,
  and the floor is `UNEVEN`.
- With unequal drifts there is no such series. The optimum of two locations, the easiest and the
  hardest, is the expected one, give or take `UNEQUAL`: little more than a place to begin.
- Tasks with unknown distractors and recipes with many parameters have no small problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from popout.analysis.scale_law import ERROR, scales_by_law
from popout.policies.stopping import Parameter
from popout.task import Costs, SearchTask, Task

Optima = Callable[[SearchTask], dict[str, float]]
"""Gives the optimal parameters of a small task, by name; empty where there is none."""

FLOOR, UNEVEN, UNEQUAL = 0.03, 0.1, 0.5
"""Least spread of what is expected: of a threshold in nats, or of the logarithm of a scale."""
MOST_PARAMETERS = 3
WIDE, NARROW = 1.5, 0.4
"""Radius of the first design, in steps: for noisy risks, and for exact ones near their minimum."""


@dataclass(frozen=True)
class Expected:
    """Where the optimum of a large task is expected.

    Attributes
    ----------
    parameters : tuple of Parameter
        The search starts from the expected values.
    spread : ndarray of shape (d,)
        Standard deviation of what is expected, in steps of each parameter.
    radius : float
        Of the first design of the search, in steps.
    """

    parameters: tuple[Parameter, ...]
    spread: NDArray[np.float64]
    radius: float


def small_tasks(task: Task) -> tuple[SearchTask, ...]:
    """Return the small tasks that resemble a large one.

    Examples
    --------
    >>> [small.drifts for small in small_tasks(SearchTask(n_locations=8, drift=4.0))]
    [(4.0, 4.0), (4.0, 4.0, 4.0)]
    >>> [small.drifts for small in small_tasks(SearchTask(drift=(8.0, 3.0, 3.0, 5.0)))]
    [(8.0, 3.0)]
    """
    if task.search is None:
        return ()
    drifts = task.search.possible.drifts
    if len(set(drifts)) == 1:
        sizes = (2, 3)
        return tuple(
            SearchTask(n_locations=n, drift=drifts[0], dt=task.dt, prior=task.prior) for n in sizes
        )
    return (SearchTask(drift=(max(drifts), min(drifts)), dt=task.dt, prior=task.prior),)


def expected_optimum(
    task: Task, parameters: Sequence[Parameter], optima: Optima
) -> Expected | None:
    """Return where the optimum is expected from small tasks, or None where they cannot tell.

    Parameters
    ----------
    task : Task
    parameters : sequence of Parameter
    optima : callable
        Optimal parameters of a small task, by name.

    Examples
    --------
    >>> scale = Parameter("a_minus", 1.7, lower=0.1, upper=50.0, scale=0.35, logarithmic=True)
    >>> small = {2: {"a_minus": 1.640}, 3: {"a_minus": 1.636}}
    >>> task = SearchTask(n_locations=6, drift=4.0)
    >>> found = expected_optimum(task, [scale], lambda small_task: small[small_task.n_locations])
    >>> round(found.parameters[0].start, 3)
    1.629
    """
    tasks = small_tasks(task)
    if not tasks or not 0 < len(parameters) <= MOST_PARAMETERS:
        return None
    optima_of_small = [optima(small) for small in tasks]
    moved, spread = [], []
    for p in parameters:
        values = [optimum.get(p.name, math.nan) for optimum in optima_of_small]
        if not all(math.isfinite(v) and p.lower < v < p.upper for v in values):
            return None
        places = [p.axis(v) for v in values]
        if len(places) == 1:
            at, sd = places[0], UNEQUAL
        else:
            size = _effective_size(task)
            further = (places[1] - places[0]) * math.log(size / 3) / math.log(1.5)
            even = np.ptp(task.location_prior) < 1e-9
            at, sd = places[1] + further, abs(further) + (FLOOR if even else UNEVEN)
        value = p.from_axis(at)
        if not p.lower < value < p.upper:
            return None
        moved.append(replace(p, start=value))
        spread.append(sd / p.pace(value))
    return Expected(tuple(moved), np.array(spread), WIDE)


def lawful_optimum(task: Task, costs: Costs, parameters: Sequence[Parameter]) -> Expected | None:
    """Return where the law of the scales expects the optimum of a-SPRT, or None where it is silent.

    Parameters
    ----------
    task : Task
        With an even prior of location, and equal drifts.
    costs : Costs
    parameters : sequence of Parameter
        The two scales.
    """
    scales = scales_by_law(task, costs) if np.ptp(task.location_prior) < 1e-9 else None
    if scales is None or not all(p.lower < scales[p.name] < p.upper for p in parameters):
        return None
    moved = tuple(replace(p, start=scales[p.name]) for p in parameters)
    return Expected(moved, np.array([ERROR / p.pace(p.start) for p in moved]), WIDE)


def fitted_optimum(
    task: SearchTask, parameters: Sequence[Parameter], fitted: dict[str, float]
) -> Expected | None:
    """Return the expectation that rests on a fit to the exact boundary of the task itself.

    Parameters
    ----------
    task : SearchTask
    parameters : sequence of Parameter
    fitted : dict of str to float
        By name; NaN where the boundary does not depend on the parameter.
    """
    values = [fitted[p.name] for p in parameters]
    if not values or not all(
        p.lower < v < p.upper for p, v in zip(parameters, values, strict=True)
    ):
        return None
    moved = tuple(replace(p, start=v) for p, v in zip(parameters, values, strict=True))
    spread, radius = (FLOOR, NARROW) if task.is_homogeneous else (UNEQUAL, WIDE)
    return Expected(moved, np.array([spread / p.pace(p.start) for p in moved]), radius)


def _effective_size(task: Task) -> float:
    """Return exp of the entropy of the location prior, 2 at least."""
    p = np.array([v for v in task.location_prior if v > 0])
    return max(2.0, float(np.exp(-(p * np.log(p)).sum())))
