r"""Is a location worth a look? A rule for locations that are seen unequally well.

The observer looks elsewhere first, until that no longer pays. Let :math:`\rho` be the odds of a
target (against absence) that are left elsewhere by then. To look at location l alone is a
discrimination of its own: with odds :math:`p` there,

- "absent" costs :math:`c_{miss}(\rho + p)`, "present" :math:`c_{fa}`, a second
  :math:`C_0 + C_1 (\rho + p)`;
- what "absent" costs in any case, :math:`c_{miss}\,\rho`, can be taken off both answers.

What remains is discrimination with the costs :math:`c_{miss}`, :math:`c_{fa} - c_{miss}\,\rho`,
:math:`C_0 + C_1 \rho` and :math:`C_1` (`leftover_costs`), whose thresholds are known. **A location
is worth a look if its prior odds lie above the lower threshold**,

.. math:: w_l > p_-(\Lambda v_l;\ \rho), \qquad w_l = \pi_l\,\frac{P(C=1)}{P(C=0)} .

The odds left elsewhere follow from the same rule: a location k that is looked at is left at its own
:math:`p_-(\Lambda v_k; \rho_k)`, where :math:`\rho_k` are the odds left at all others, one that is
not keeps its :math:`w_k`. `leftover_odds` iterates this.

In continuous time the thresholds have a closed form (`continuous_discrimination`). With equal costs
1 and time that costs c, once all others are ruled out (:math:`\rho = 0`), location l is worth a
look while

.. math:: \frac{\Lambda v_l}{c} > \sinh(-\log w_l) - \log w_l :

its information per unit of cost has to exceed a number that depends on its odds alone.

The rule is exact in continuous time where the location in question is looked at last; it ignores
that the observer might turn back to another one afterwards. At M = 2 `popout.exact.joint_solver`
says the same without it.
"""

from __future__ import annotations

import math

from scipy.optimize import brentq

from popout.exact.discrimination import thresholds
from popout.exact.joint_problem import check_joint
from popout.task import Costs, Faults, LimitedSearchTask

ROUNDS, SETTLED = 200, 1e-10
WIDEST, PRECISE = 40.0, 1e-5  # of the search for a rate, in its logarithm
RTOL = 1e-5  # of thresholds with steps


def leftover_costs(costs: Costs, odds: float) -> Costs | None:
    """Return the costs of looking at one location while others keep some odds of a target.

    None where these odds alone make "present" the better answer.
    """
    false_alarm = costs.false_alarm - costs.miss * odds
    if false_alarm <= 0.0:
        return None
    time = costs.time_absent + costs.time_present * odds, costs.time_present
    return Costs(time=time, miss=costs.miss, false_alarm=false_alarm)


def lower_odds(rate: float, costs: Costs, odds: float, dt: float = 0.0) -> float:
    """Return the odds of a location at which looking there no longer pays.

    Parameters
    ----------
    rate : float
        Information that the location gets, in 1/s.
    costs : Costs
    odds : float
        Of a target elsewhere.
    dt : float
        Time step in seconds; 0 is continuous time.
    """
    left = leftover_costs(costs, odds)
    if left is None:
        return math.inf
    return math.exp(thresholds(math.sqrt(rate), left, dt=dt, rtol=RTOL).lower)


def leftover_odds(
    task: LimitedSearchTask, costs: Costs, dt: float = 0.0, ignored: int | None = None
) -> tuple[float, ...]:
    """Return the odds of a target at each location when looking no longer pays anywhere.

    Parameters
    ----------
    task : LimitedSearchTask
        Its own ``dt`` plays no part.
    costs : Costs
    dt : float
        Time step in seconds; 0 is continuous time.
    ignored : int, optional
        A location that is not looked at, from 0.

    Returns
    -------
    odds : tuple of float, length M
        Of "target here" against "absent"; those of the prior where a look does not pay.

    Examples
    --------
    >>> task = LimitedSearchTask(information=1.0, visibility=(1.0, 0.1))
    >>> [round(p, 4) for p in leftover_odds(task, Costs(time=0.1))]
    [0.091, 0.5]
    """
    prior = _prior_odds(task)
    left = list(prior)
    seen = [(place, v) for place, v in enumerate(task.visibilities) if place != ignored]
    for _ in range(ROUNDS):
        before = list(left)
        for place, visibility in sorted(seen, key=lambda pair: -pair[1]):
            elsewhere = sum(left) - left[place]
            stop = lower_odds(task.information * visibility, costs, elsewhere, dt)
            left[place] = min(prior[place], stop)
        if max(abs(a - b) for a, b in zip(left, before, strict=True)) < SETTLED:
            break
    return tuple(left)


def worth_a_look(task: LimitedSearchTask, costs: Costs, dt: float = 0.0) -> tuple[bool, ...]:
    """Say of each location whether it is worth a look, after the others.

    Parameters
    ----------
    task : LimitedSearchTask
        Its own ``dt`` plays no part.
    costs : Costs
    dt : float
        Time step in seconds; 0 is continuous time.

    Examples
    --------
    >>> task = LimitedSearchTask(information=1.0, visibility=(1.0, 0.1, 0.5))
    >>> worth_a_look(task, Costs(time=0.05))
    (True, False, True)
    """
    _check("worth_a_look", task, costs)
    left = leftover_odds(task, costs, dt)
    return tuple(a < b for a, b in zip(left, _prior_odds(task), strict=True))


def least_visibility(
    task: LimitedSearchTask, costs: Costs, location: int = -1, dt: float = 0.0
) -> float:
    """Return the visibility from which on a location is worth a look.

    Parameters
    ----------
    task : LimitedSearchTask
        The visibilities of the other locations; its own ``dt`` plays no part.
    costs : Costs
    location : int
        From 0; the last one when left out.
    dt : float
        Time step in seconds; 0 is continuous time.

    Returns
    -------
    visibility : float
        NaN if none would do.

    Examples
    --------
    >>> task = LimitedSearchTask(n_locations=2, information=32.0)
    >>> round(least_visibility(task, Costs(time=0.2)), 4)
    0.009
    """
    _check("least_visibility", task, costs)
    place = location % task.n_locations
    own = _prior_odds(task)[place]
    left = leftover_odds(task, costs, dt, ignored=place)
    elsewhere = sum(left) - left[place]

    def above(log_rate: float) -> float:
        return lower_odds(math.exp(log_rate), costs, elsewhere, dt) - own

    # A rate of the order of the cost of time is worth a look at even odds.
    low = high = math.log(costs.time_absent)
    while above(low) <= 0.0:
        low -= 1.0
    while above(high) > 0.0:
        high += 1.0
        if high > low + WIDEST:
            return math.nan
    return math.exp(float(brentq(above, low, high, xtol=PRECISE))) / task.information


def _prior_odds(task: LimitedSearchTask) -> list[float]:
    odds = math.exp(task.log_prior_odds)
    return [odds * p for p in task.location_prior]


def _check(owner: str, task: object, costs: object) -> None:
    faults = Faults(owner)
    check_joint(faults, task, costs, 1e-3)
    faults.raise_if_any()
