"""Thresholds that change with time: what they lose along each path."""

import math

import numpy as np

import popout as po
from popout.analysis.regret import regret
from popout.paper.claims import time_varying


def test_losses_follow_each_path():
    rng = np.random.default_rng(1)
    S = rng.normal(size=(50, 6)).cumsum(axis=1)
    waited, absent, present = (rng.random(S.shape) for _ in range(3))
    paths = time_varying.PricedPaths(S, waited, absent, present)
    lower, upper = np.linspace(-2.0, -1.0, 6), np.linspace(2.0, 1.0, 6)
    expected = []
    for trial in range(50):
        for look in range(6):
            s = S[trial, look]
            if s >= upper[look] or s <= lower[look] or look == 5:
                answer = present if s >= (lower[look] + upper[look]) / 2 else absent
                expected.append(waited[trial, look] + answer[trial, look])
                break
    np.testing.assert_allclose(paths.losses(lower, upper), expected)


def test_constant_thresholds_lose_what_the_regret_says():
    solution = po.solve(time_varying.TASK, time_varying.COSTS, 1e-4)
    tau = solution.thresholds[0]
    paths = time_varying.PricedPaths.draw(solution, 4000, seed=3)
    ones = np.ones(time_varying.LOOKS + 1)
    lost = paths.losses(tau[0] * ones, tau[1] * ones)
    se = lost.std(ddof=1) / math.sqrt(lost.size)
    sprt = po.SPRT.for_task(time_varying.TASK, *tau)
    known = regret(solution, sprt, n_trials=4000, seed=5)
    assert abs(lost.mean() - known.value) < 4 * math.hypot(se, known.se)
    # Negative control: thresholds a third further out lose more than this could hide.
    further = paths.losses(4 * tau[0] / 3 * ones, 4 * tau[1] / 3 * ones)
    assert abs(further.mean() - known.value) > 4 * math.hypot(se, known.se)


def test_more_knots_lose_no_more_on_the_paths_they_are_tuned_on():
    solution = po.solve(time_varying.TASK, time_varying.COSTS, 1e-4)
    paths = time_varying.PricedPaths.draw(solution, 500, seed=3)

    def lost(u):
        return paths.losses(*time_varying._thresholds(u)).mean()

    # Three knots begin where one has ended, and may not end above it.
    constant = time_varying._tune(paths, np.array([-1.5, 1.5]))
    more = time_varying._tune(paths, np.repeat(constant, 3))
    assert lost(more) <= lost(constant) < lost(np.array([-1.5, 1.5]))
