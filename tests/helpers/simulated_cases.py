"""Strategies on tasks of every kind, and one trial in plain Python."""

import math

import numpy as np
import pytest

from popout.policies.looking import Attention
from popout.policies.observer import Observer
from popout.policies.stopping import ASPRT, SPRT, Action, Hardmax, SPRTOpt, TimeVaryingSPRT
from popout.simulation import simulate
from popout.task import Costs, SearchTask

COSTS = Costs(time=0.2)


class Plain(Attention):
    """The same policy, without the simulator knowing which."""

    def __init__(self, policy):
        self.policy = policy

    def shares(self, Z, t):
        return self.policy.shares(Z, t)


def plain_statistic(y, a):
    top = max(y)
    if math.isinf(a):
        return top
    return top + math.log(math.fsum(math.exp(a * (v - top)) for v in y)) / a


def plain_trial(task, strategy, noise, target, n_steps):
    """One trial by the simulation standard, in plain Python; the law written out again."""
    M = task.n_locations
    Z = [0.0] * M
    k = 0
    while True:
        t = k * task.dt
        if isinstance(strategy, TimeVaryingSPRT):
            lower = np.interp(t, strategy.knots, strategy.tau_minus)
            upper = np.interp(t, strategy.knots, strategy.tau_plus)
            a_minus = a_plus = 1.0
            c_minus = c_plus = (1.0,) * M
        else:
            lower, upper = strategy.tau_minus, strategy.tau_plus
            a_minus, a_plus = strategy.a_minus, strategy.a_plus
            c_minus, c_plus = strategy.c_minus, strategy.c_plus
        y = [z - o for z, o in zip(Z, strategy.offset, strict=True)]
        if plain_statistic([c * v for c, v in zip(c_plus, y, strict=True)], a_plus) >= upper:
            return Action.PRESENT, k
        if plain_statistic([c * v for c, v in zip(c_minus, y, strict=True)], a_minus) <= lower:
            return Action.ABSENT, k
        if k == n_steps:
            return Action.WAIT, k
        for location, mu in enumerate(task.drifts):
            sign = 1.0 if location == target else -1.0
            step = noise[k * M + location]
            Z[location] += sign * 2 * mu**2 * task.dt + 2 * mu * math.sqrt(task.dt) * step
        k += 1


CASES = {
    "one location": (SearchTask(n_locations=1, drift=3.0), ASPRT, -2.5, 2.0, {}),
    "a-SPRT, two": (SearchTask(n_locations=2, drift=4.0), ASPRT, -2.5, 2.5, {}),
    "a-SPRT, odd": (SearchTask(n_locations=3, drift=4.0), ASPRT, -2.5, 2.5, {}),
    "a-SPRT, many": (SearchTask(n_locations=17, drift=6.0), ASPRT, -3.0, 2.5, {"a_plus": 0.4}),
    "unequal drifts": (SearchTask(drift=(8.0, 3.0, 5.0)), ASPRT, (-4, -2, -3), (4, 2, 3), {}),
    "priors": (
        SearchTask(n_locations=3, drift=4.0, prior=0.2, location_prior=(0.7, 0.3, 0.0)),
        SPRT,
        -2.5,
        2.5,
        {},
    ),
    "ties, which present wins": (
        SearchTask(n_locations=4, drift=4.0, location_prior=(0.94, 0.02, 0.02, 0.02)),
        ASPRT,
        -0.1,
        2.2,
        {"a_minus": 3.0, "a_plus": 0.3},  # of 300 trials four pass both thresholds at once
    ),
    "SPRT": (SearchTask(n_locations=8, drift=4.0, dt=0.005), SPRT, -3.0, 3.0, {}),
    "SPRT-opt": (SearchTask(n_locations=4, drift=4.0), SPRTOpt, -3.0, 3.0, {"upper": 1.5}),
    "Hardmax": (SearchTask(n_locations=5, drift=5.0), Hardmax, -4.0, 2.0, {}),
    "Hardmax, unequal": (SearchTask(drift=(8.0, 3.0)), Hardmax, (-5, -3), (4, 2), {}),
    "time-varying": (
        SearchTask(n_locations=4, drift=4.0),
        TimeVaryingSPRT,
        -3.0,
        3.0,
        {"upper_1": 2.0, "upper_2": 1.0, "lower_3": -1.0},
    ),
}


def made(case):
    task, recipe, tau_minus, tau_plus, parameters = CASES[case]
    return task, recipe.for_task(task, tau_minus, tau_plus, **parameters)


def assert_compiled_is_plain(task, policy, stop, n_trials, seed):
    """Check that the kernel and the policy's own method end every trial alike."""
    fast = simulate(task, Observer(policy, stop), n_trials, seed=seed)
    plain = simulate(task, Observer(Plain(policy), stop), n_trials, seed=seed)
    assert (fast.response == plain.response).all()
    assert (fast.steps == plain.steps).all()
    assert fast.steps.mean() > 1
    assert fast.presence() == pytest.approx(plain.presence(), abs=1e-9)
