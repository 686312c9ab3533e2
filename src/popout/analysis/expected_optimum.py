r"""Where an optimum is expected: what exact solutions say before any trial is run.

**A law.** With equal drifts :math:`\mu`, a cost of time *c* and errors that cost 1 the exact
boundary depends on :math:`k = c / \mu^2`, the step :math:`\iota = \mu^2\,dt` and the number of
locations *M*, not on the prior of presence (which is where the evidence starts). The scales of
a-SPRT that fit it best follow

.. math::

   \log a_- &= e^{\alpha_- + \beta_- \sqrt k - \gamma_- \sqrt\iota - \delta_- \iota}
               \,(M/2)^{\epsilon_-}, \\
   -\log a_+ &= e^{\alpha_+ + \beta_+ \sqrt k - \gamma_+ \sqrt\iota - \delta_+ \iota}
               \,(M/2)^{\epsilon_+} .

Both scales approach 1, SPRT, as steps grow longer: a single look then decides. The form was chosen
for its shape and is no theory; ``python benchmarks/table_scale_law.py`` computes the boundaries,
fits the numbers below and prints what is left, `ERROR` at most. It holds where time is not too
expensive: `LARGEST_RATIO`, `LONGEST_STEP`, thresholds of a nat or more.

**At the size that is solved** the scales of a-SPRT are those fitted to the exact boundary, give or
take `FLOOR` (they need not be those of least risk), or `UNEQUAL` with unequal drifts, where the
boundary fits less well.

**Small problems, continued.** With more locations the simulated risk is so flat in the scales of
a-SPRT that its minimum is noise, but optima hardly depend on the number of locations: scales change
about linearly with :math:`\log M` (docs/conjecture.md), and so do the thresholds of SPRT-opt. So
where the law is silent `tune` expects

.. math:: \theta_M = \theta_3 + (\theta_3 - \theta_2) \frac{\log(M/3)}{\log(3/2)},

(:math:`\theta` a threshold, or the logarithm of a scale; 2 and 3 from exact solutions with the same
drift, dt, prior and costs), give or take the length of the extrapolation plus `FLOOR`.

- With an uneven prior of location, *M* is the effective number of locations, :math:`e^{H(\pi)}`,
  and the floor is `UNEVEN`.
- With unequal drifts there is no such series. The optimum of two locations, the easiest and the
  hardest, is the expected one, give or take `UNEQUAL`: little more than a place to begin.
- Tasks with unknown distractors and recipes with many parameters have no small problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from popout.exact.continuous_discrimination import ContinuousDiscrimination
from popout.policies.stopping import Parameter
from popout.task import Costs, SearchTask, Task

COEFFICIENTS = {
    "a_minus": (1.0, (-0.308, 0.787, -1.164, -0.125, -0.008)),
    "a_plus": (-1.0, (-0.852, 0.564, -0.505, -0.297, -0.027)),
}
"""The sign of log a, then the factors of 1, sqrt(k), sqrt(iota), iota and log(M / 2)."""
ERROR = 0.06
"""Largest difference of log a by the law from a boundary that was solved."""
LARGEST_RATIO, LONGEST_STEP, LEAST_THRESHOLD = 0.25, 1.5, 1.0
FLOOR, UNEVEN, UNEQUAL = 0.03, 0.1, 0.5
"""Least spread of what is expected: of a threshold in nats, or of the logarithm of a scale."""
MOST_PARAMETERS = 3
WIDE, NARROW = 1.5, 0.4
"""Radius of the first design, in steps: for noisy risks, and for exact ones near their minimum."""


class Expected(NamedTuple):
    """Where an optimum is expected.

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


def expected_at(
    parameters: Sequence[Parameter],
    values: Mapping[str, float],
    spread: float | Mapping[str, float],
    radius: float = WIDE,
) -> Expected | None:
    """Return the expectation of some values, or None unless all of them lie within the bounds.

    Parameters
    ----------
    parameters : sequence of Parameter
    values : mapping of str to float
        By name; NaN or left out where nothing is known.
    spread : float, or mapping of str to float
        Of a threshold, or of the logarithm of a scale.
    radius : float
    """
    inside = [p.lower < values.get(p.name, math.nan) < p.upper for p in parameters]
    if not inside or not all(inside):
        return None
    moved = tuple(replace(p, start=values[p.name]) for p in parameters)
    sd = [spread if isinstance(spread, float) else spread[p.name] for p in moved]
    steps = np.array([s / p.pace(p.start) for s, p in zip(sd, moved, strict=True)])
    return Expected(moved, steps, radius)


def expected_by_law(task: Task, costs: Costs, parameters: Sequence[Parameter]) -> Expected | None:
    """Return where the law expects the scales of a-SPRT, or None where it is silent."""
    scales = scales_by_law(task, costs) if _is_even(task) else None
    return expected_at(parameters, scales or {}, ERROR)


def expected_by_fit(
    task: SearchTask, parameters: Sequence[Parameter], scales: Mapping[str, float]
) -> Expected | None:
    """Return the expectation that rests on a fit to the exact boundary of the task itself."""
    if task.is_homogeneous:
        return expected_at(parameters, scales, FLOOR, NARROW)
    return expected_at(parameters, scales, UNEQUAL)


def expected_by_size(
    task: Task, parameters: Sequence[Parameter], optima: Callable[[SearchTask], dict[str, float]]
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
    >>> expected = expected_by_size(task, [scale], lambda alike: small[alike.n_locations])
    >>> round(expected.parameters[0].start, 3)
    1.629
    """
    tasks = small_tasks(task)
    if not tasks or len(parameters) > MOST_PARAMETERS:
        return None
    known = [optima(small) for small in tasks]
    if any(expected_at(parameters, small, 1.0) is None for small in known):
        return None
    values, spread = {}, {}
    for p in parameters:
        places = [p.axis(small[p.name]) for small in known]
        at, spread[p.name] = places[-1], UNEQUAL
        if len(places) > 1:
            further = (places[1] - places[0]) * math.log(_effective_size(task) / 3) / math.log(1.5)
            at = places[1] + further
            spread[p.name] = abs(further) + (FLOOR if _is_even(task) else UNEVEN)
        values[p.name] = p.from_axis(at)
    return expected_at(parameters, values, spread)


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
    alike = [(drifts[0],) * n for n in (2, 3)]
    chosen = alike if len(set(drifts)) == 1 else [(max(drifts), min(drifts))]
    return tuple(SearchTask(drift=few, dt=task.dt, prior=task.prior) for few in chosen)


def scales_by_law(task: Task, costs: Costs) -> dict[str, float] | None:
    """Return both scales of a-SPRT by the law, or None where it does not hold.

    Parameters
    ----------
    task : Task
        A search with equal drifts and two locations at least.
    costs : Costs
        Errors that cost the same, and time that costs the same with and without a target.

    Examples
    --------
    >>> task = SearchTask(n_locations=8, drift=4.0)
    >>> {name: round(a, 2) for name, a in scales_by_law(task, Costs(time=0.2)).items()}
    {'a_minus': 1.63, 'a_plus': 0.71}
    """
    drifts = () if task.search is None else task.search.possible.drifts
    alike = costs.miss == costs.false_alarm and costs.time_absent == costs.time_present
    if len(drifts) < 2 or len(set(drifts)) > 1 or not alike:
        return None
    ratio = costs.time_absent / costs.miss / drifts[0] ** 2
    step = drifts[0] ** 2 * task.dt
    if not 0.0 < ratio <= LARGEST_RATIO or step > LONGEST_STEP:
        return None
    # Steps bring thresholds closer together, by about half the size of a step.
    b = ContinuousDiscrimination.of(1.0, Costs(time=ratio)).upper
    if b - 1.17 * math.sqrt(step) < LEAST_THRESHOLD:
        return None
    terms = (1.0, math.sqrt(ratio), math.sqrt(step), step, math.log(len(drifts) / 2))
    return {
        name: math.exp(sign * math.exp(sum(w * x for w, x in zip(weights, terms, strict=True))))
        for name, (sign, weights) in COEFFICIENTS.items()
    }


def _is_even(task: Task) -> bool:
    return bool(np.ptp(task.location_prior) < 1e-9)


def _effective_size(task: Task) -> float:
    """Return exp of the entropy of the location prior, 2 at least."""
    p = np.array([v for v in task.location_prior if v > 0])
    return max(2.0, float(np.exp(-(p * np.log(p)).sum())))
