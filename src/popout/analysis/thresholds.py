r"""The thresholds of discrimination that the recipes of a search task start from.

At each location, :math:`\tau^{(l)}_\pm` are the optimal thresholds of discrimination with the
task's dt and costs, on the scale of the log posterior odds, where they do not depend on any prior
(paper, Conjecture, Extension, and Methods, "Translating optimal thresholds").

**Unknown distractors.** Where a distractor can look like the target the log likelihood ratio S
settles: in a display that looks the same with and without a target it tends to the log ratio of the
two probabilities of such a display. A threshold beyond is never reached, and the risk says nothing
about which way to go. So a grid of thresholds is tried on one set of stored paths, which makes
every pair but a comparison of first passages:

.. math:: \hat R(\tau_-, \tau_+) = \sum_C P(C)\, \overline{(c_C T + \text{cost of the answer})}_C .

A path that passes neither before the end pays for all its time and for the more costly error. The
paths are few and their steps may be longer than those of the task: this is where searches begin.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import expit

from popout.evidence import Condition, Evidence
from popout.exact import thresholds
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.stopping import PerLocation
from popout.task import Costs, Task

Pair = tuple[PerLocation, PerLocation]
"""``(tau_minus, tau_plus)``, each a number or one per location."""
PATHS, LOOKS = 400, 200
"""Stored paths, half of them with a target, and looks of each."""
HORIZON = 4.0
"""Length of the paths, in units of `Costs.patience`."""
LEVELS = np.geomspace(0.25, 12.0, 24)
"""Distances of thresholds from the log prior odds that are tried, in nats."""
SEED = fresh_seed(0, Purpose.REACHED_THRESHOLDS)
NUMBERS = 1 << 20
"""Observations in memory at once."""


def threshold_pair(task: Task, costs: Costs) -> Pair:
    """Return the thresholds of discrimination at each location.

    Parameters
    ----------
    task : Task
        For a task with unknown distractors there is no such thing; the best pair of a coarse grid
        on a few hundred trials takes its place, see above. Where information is limited, the
        thresholds are those of a location that gets all of it.
    costs : Costs

    Returns
    -------
    tau_minus, tau_plus : tuple of float, length M

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> lower, upper = threshold_pair(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2))
    >>> [round(v, 2) for v in (*lower, *upper)]
    [-4.55, -4.55, 4.55, 4.55]
    """
    if task.local_drifts is None:
        return reached_thresholds(task, costs)
    pairs = [_thresholds_at(drift, task.dt, costs) for drift in task.local_drifts]
    return tuple(lower for lower, _ in pairs), tuple(upper for _, upper in pairs)


@lru_cache(maxsize=4096)
def _thresholds_at(drift: float, dt: float, costs: Costs) -> tuple[float, float]:
    """Solve one location, once: tasks of a grid share most of their locations."""
    pair = thresholds(drift, costs, dt=dt)
    return pair.lower, pair.upper


@lru_cache(maxsize=256)
def reached_thresholds(task: Task, costs: Costs) -> tuple[float, float]:
    """Return the best pair of thresholds of a coarse grid, on the scale of the log posterior odds.

    Parameters
    ----------
    task : Task
    costs : Costs

    Examples
    --------
    With three orientations that target and distractors share, S falls to log(1/3) at the lowest:

    >>> from popout.task import MixtureSearchTask
    >>> task = MixtureSearchTask.tied(3, [0, 20, 40], [0, 20, 40], {0: -4, 20: 0, 40: 4})
    >>> lower, upper = reached_thresholds(task, Costs(time=0.5))
    >>> -1.1 < lower < -0.2 and 0.2 < upper < 3.0
    True
    """
    end = max(HORIZON * costs.patience, task.dt)
    fields: dict[str, Any] = {"dt": max(task.dt, end / LOOKS)}
    rough: Task = replace(task, **fields)
    looks = max(1, round(end / rough.dt))
    prior, odds0 = (1.0 - task.prior, task.prior), task.log_prior_odds
    seconds = np.arange(1, looks + 2) * rough.dt  # the last one: never
    charge = max(costs.miss, costs.false_alarm)
    risk = np.zeros((len(LEVELS), len(LEVELS)))
    sides = (Condition.ABSENT, costs.time_absent), (Condition.PRESENT, costs.time_present)
    for weight, (condition, time_cost) in zip(prior, sides, strict=True):
        odds = _paths(rough, looks, condition) + odds0
        below = _first(np.minimum.accumulate(odds, axis=1), odds0 - LEVELS, -1.0)
        above = _first(np.maximum.accumulate(odds, axis=1), odds0 + LEVELS, 1.0)
        answers = np.stack([costs.miss * expit(odds), costs.false_alarm * expit(-odds)])
        cost = np.pad(answers, ((0, 0), (0, 0), (0, 1)), constant_values=charge)
        trial = np.arange(len(odds))
        for i, lower in enumerate(below):
            at = np.minimum(lower, above)
            lost = cost[(above <= lower).astype(int), trial, at]
            risk[i] += weight * (time_cost * seconds[at] + lost).mean(axis=1)
    low, high = np.unravel_index(risk.argmin(), risk.shape)
    return float(odds0 - LEVELS[low]), float(odds0 + LEVELS[high])


def _paths(task: Task, looks: int, condition: Condition) -> Any:
    """Return S of half of the paths at each look, shape (n, looks)."""
    evidence, n = Evidence(task), PATHS // 2
    chunk = max(1, NUMBERS // (looks * int(np.prod(evidence.observation_shape))))
    return np.concatenate(
        [
            evidence.trajectory(
                evidence.sample(min(chunk, n - k), looks, SEED, condition, k).increments
            )
            for k in range(0, n, chunk)
        ]
    )


def _first(extreme: Any, levels: Any, sign: float) -> Any:
    """Return the look at which each path first passes each level, shape (levels, n)."""
    return np.array([(sign * extreme < sign * level).sum(axis=1) for level in levels])
