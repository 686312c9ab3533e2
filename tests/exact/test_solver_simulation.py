"""Trials of the solver's own strategy, drawn by a few lines of NumPy, cost what the solver says.

One trial as in the simulation standard: the strategy looks at t = 0, then after every step.
"""

import dataclasses

import numpy as np
import pytest

import popout as po

TRIALS = 60_000
SIGMAS = 3.5

CASES = [
    (po.SearchTask(n_locations=1, drift=4.0), po.Costs(time=0.4)),
    (
        po.SearchTask(n_locations=1, drift=6.0, prior=0.3),
        po.Costs(time=(0.3, 0.9), miss=2.0, false_alarm=0.7),
    ),
    (po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.5)),
    (
        po.SearchTask(drift=(8.0, 3.0), prior=0.6, location_prior=(0.4, 0.6)),
        po.Costs(time=(0.8, 0.5), miss=2.0),
    ),
    (po.SearchTask(n_locations=3, drift=4.0), po.Costs(time=0.5)),
    (po.SearchTask(drift=(6.0, 6.0, 4.0), prior=0.4), po.Costs(time=0.7, false_alarm=2.0)),
]


def losses(task, costs, decide, rng):
    """Return what each trial costs."""
    drifts = np.array(task.drifts)
    M = drifts.size
    present = rng.random(TRIALS) < task.prior
    place = rng.choice(M, size=TRIALS, p=task.location_prior)
    mean = np.tile(-2.0 * drifts**2 * task.dt, (TRIALS, 1))
    at_target = present[:, None] & (np.arange(M) == place[:, None])
    mean[at_target] *= -1.0
    spread = 2.0 * drifts * np.sqrt(task.dt)
    Z = np.zeros((TRIALS, M))
    rate = np.where(present, costs.time_present, costs.time_absent)
    loss = np.zeros(TRIALS)
    going = np.arange(TRIALS)
    for look in range(5000):
        answer = decide(Z[going], look * task.dt)
        done = answer != po.Action.WAIT
        ended, said = going[done], answer[done] == po.Action.PRESENT
        loss[ended] += np.where(
            said, np.where(present[ended], 0.0, costs.false_alarm), present[ended] * costs.miss
        )
        going = going[~done]
        if going.size == 0:
            return loss
        loss[going] += rate[going] * task.dt
        Z[going] += mean[going] + spread * rng.standard_normal((going.size, M))
    raise AssertionError("some trials never end")


@pytest.mark.parametrize(("task", "costs"), CASES)
def test_the_strategy_costs_what_the_solver_says(task, costs):
    solution = po.solve(task, costs, rtol=1e-4)
    strategy = solution.strategy
    loss = losses(task, costs, strategy.decide, np.random.default_rng(2024))
    se = loss.std() / np.sqrt(TRIALS)
    assert se < 0.02 * solution.risk
    assert abs(loss.mean() - solution.risk) <= SIGMAS * se + solution.risk_error

    # Control: the same table one and a half units off in every Z costs noticeably more.
    lower = tuple(edge + 1.5 for edge in strategy.lower)
    shifted = dataclasses.replace(strategy, lower=lower)
    worse = losses(task, costs, shifted.decide, np.random.default_rng(2024))
    assert worse.mean() - solution.risk > SIGMAS * worse.std() / np.sqrt(TRIALS)
