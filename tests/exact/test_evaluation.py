"""Strategies on the grid: limits, symmetries and the simulation standard."""

import math
from dataclasses import replace

import numpy as np
import pytest
from honest import scores

import popout as po
from popout.exact import evaluation, refinement
from popout.policies.looking import Guided, Parallel, Serial

COSTS = po.Costs(time=0.2)
SHARED = po.LimitedSearchTask(n_locations=2, information=32.0)
ENDLESS = po.SPRT.for_task(SHARED.with_shares(), -200.0, 3.0)


def close(a, b):
    return abs(a.risk - b.risk) <= a.risk_error + b.risk_error


@pytest.mark.parametrize("drift", [(4.0,), (4.0, 4.0), (8.0, 3.0), (4.0, 4.0, 4.0)])
def test_the_optimal_table_has_the_optimal_risk(drift):
    task = po.SearchTask(drift=drift)
    rtol = 1e-4 if len(drift) < 3 else 1e-3
    solution = po.solve(task, COSTS, rtol=rtol)
    assert close(po.evaluate(task, solution.strategy, COSTS, rtol=rtol), solution)


def test_risk_is_put_together_from_the_parts():
    task = po.SearchTask(drift=(8.0, 3.0), prior=0.3, location_prior=(0.7, 0.3))
    costs = po.Costs(time=(0.1, 0.3), miss=2.0, false_alarm=0.5)
    found = po.evaluate(task, po.SPRT.for_task(task, -3.0, 3.0), costs)
    miss = 0.7 * found.miss_at[0] + 0.3 * found.miss_at[1]
    rt = 0.7 * found.rt_at[0] + 0.3 * found.rt_at[1]
    risk = 0.7 * (0.5 * found.false_alarm + 0.1 * found.rt_absent)
    risk += 0.3 * (2.0 * miss + 0.3 * rt)
    assert found.risk == pytest.approx(risk, rel=1e-12)
    assert (found.miss, found.rt_present) == pytest.approx((miss, rt), rel=1e-12)


def test_answering_at_once():
    task = po.SearchTask(n_locations=3, drift=4.0, prior=0.4)
    found = po.evaluate(task, po.Hardmax.for_task(task, -0.5, 2.0), COSTS)
    # Every Z - log M + log odds lies below -0.5 at the start: "absent", before looking.
    assert (found.rt_absent, found.rt_present, found.false_alarm) == pytest.approx((0, 0, 0))
    assert found.risk == pytest.approx(0.4)


def test_present_wins_where_both_tests_hold():
    class Both(po.BoundaryStrategy):
        def margins(self, Z, t):
            top = np.max(np.asarray(Z), axis=-1)
            return 1.0 - top, top + 1.0  # absent below 1, present above -1: no waiting at all

    task = po.SearchTask(n_locations=2, drift=4.0)
    found = po.evaluate(task, Both(), COSTS)
    assert found.false_alarm == pytest.approx(1.0)
    assert found.risk == pytest.approx(0.5)


def test_a_location_that_never_holds_the_target():
    task = po.SearchTask(n_locations=2, drift=4.0, location_prior=(1.0, 0.0))
    alone = po.SearchTask(n_locations=1, drift=4.0)
    found = po.evaluate(task, po.SPRT.for_task(task, -3.0, 3.0), COSTS)
    expected = po.evaluate(alone, po.SPRT.for_task(alone, -3.0, 3.0), COSTS)
    assert found.risk == pytest.approx(expected.risk, rel=1e-9)
    assert math.isnan(found.miss_at[1])
    assert math.isnan(found.rt_at[1])


def test_a_strategy_that_tells_equal_locations_apart():
    task = po.SearchTask(n_locations=2, drift=4.0)
    biased = po.ScaledSPRT(-3.0, 3.0, 1.0, 1.0, (1.0, 1.0), (1.0, 1.0), (0.3, 1.4))
    mirrored = po.ScaledSPRT(-3.0, 3.0, 1.0, 1.0, (1.0, 1.0), (1.0, 1.0), (1.4, 0.3))
    one, other = (po.evaluate(task, s, COSTS) for s in (biased, mirrored))
    assert one.risk == pytest.approx(other.risk, rel=1e-9)
    assert one.miss_at == pytest.approx(other.miss_at[::-1], rel=1e-9)
    assert one.miss_at[0] < one.miss_at[1]  # a smaller offset favours the first location


class Never(po.BoundaryStrategy):
    def margins(self, Z, t):
        never = np.full(np.shape(Z)[:-1], -1.0)
        return never, never


@pytest.mark.parametrize(
    ("task", "strategy", "costs", "field"),
    [
        (po.SearchTask(n_locations=2, drift=4.0), Never(), COSTS, "stops on every axis"),
        (SHARED, po.Observer(Serial, ENDLESS), COSTS, "stops on every axis"),
        ("task", Never(), COSTS, "task"),
        (po.SearchTask(n_locations=2, drift=4.0), "SPRT", COSTS, "strategy"),
        (po.SearchTask(n_locations=2, drift=4.0), Never(), 0.2, "costs"),
        (
            po.SearchTask(n_locations=2, drift=4.0),
            po.SPRT.for_task(po.SearchTask(n_locations=3, drift=4.0), -3.0, 3.0),
            COSTS,
            "2 locations",
        ),
    ],
)
def test_bad_input(task, strategy, costs, field):
    with pytest.raises(po.InputError, match=field):
        po.evaluate(task, strategy, costs)


@pytest.mark.parametrize("recipe", [po.SPRT, po.Hardmax])
def test_the_error_covers_a_range_that_is_too_short(recipe, monkeypatch):
    """Axes that end 4 below the thresholds, where the default tries 6.5 and 8 and goes on."""
    task, tau = po.SearchTask(drift=(15.0, 3.0)), 4.5
    strategy = recipe.for_task(task, -tau, tau)
    truth = po.evaluate(task, strategy, COSTS, rtol=1e-4)
    monkeypatch.setattr(evaluation._FollowedRates, "room", 4.0)
    monkeypatch.setattr(refinement, "RANGE_BUDGET", math.inf)
    short = po.evaluate(task, strategy, COSTS, rtol=1e-2)
    assert abs(short.risk - truth.risk) <= short.risk_error
    assert abs(short.miss_at[1] - truth.miss_at[1]) <= short.rate_error
    assert abs(short.rt_at[1] - truth.rt_at[1]) <= short.rt_error
    # Without the part for the range a finer grid would claim what is not so.
    monkeypatch.setattr(
        refinement, "settle_range", lambda risk_at, *_: (4.0, risk_at(4.0) - risk_at(4.0))
    )
    claimed = po.evaluate(task, strategy, COSTS, rtol=1e-4)
    assert abs(claimed.risk - truth.risk) > claimed.risk_error + truth.risk_error


def test_the_range_is_widened_where_it_matters(monkeypatch):
    task = po.SearchTask(drift=(15.0, 3.0))
    strategy = po.SPRT.for_task(task, -4.5, 4.5)
    found = po.evaluate(task, strategy, COSTS, rtol=2e-6)
    monkeypatch.setattr(evaluation._FollowedRates, "room", 15.0)
    assert close(found, po.evaluate(task, strategy, COSTS, rtol=2e-6))


def test_errors_of_rates_and_times_have_both_parts():
    task, costs = po.SearchTask(drift=(5.0, 3.0), prior=0.3), po.Costs(time=(0.1, 0.2), miss=1.5)

    def on_grid(alarm, rt, first, second):
        return evaluation.Evaluation.of(task, costs, alarm, rt, {0: first, 1: second}, (9, 9))

    fine = on_grid(0.02, 0.3, (0.03, 0.2), (0.05, 0.4))
    coarse = on_grid(0.02, 0.3, (0.03, 0.2), (0.05 + 1e-5, 0.4 - 2e-4))
    cut = on_grid(0.02 + 1e-3, 0.3, (0.03, 0.2 + 3e-3), (0.05, 0.4))
    spacing = evaluation.with_errors(coarse, [coarse, fine, fine], 0.0)
    assert 0 < 20 * spacing.rate_error == pytest.approx(spacing.rt_error)
    ranged = evaluation.with_errors(cut, [fine, fine, fine], 0.0)
    assert ranged.rate_error == pytest.approx(1e-3)
    assert ranged.rt_error == pytest.approx(3e-3)
    # Both at the same quantity add up.
    short = on_grid(0.02, 0.3, (0.03, 0.2), (0.05 + 1e-5 + 1e-3, 0.4 - 2e-4 + 3e-3))
    both = evaluation.with_errors(short, [coarse, fine, fine], 0.0)
    assert both.rate_error == pytest.approx(spacing.rate_error + 1e-3)
    assert both.rt_error == pytest.approx(spacing.rt_error + 3e-3)


# -- with attention -----------------------------------------------------------------------------

STOP = po.SPRT.for_task(SHARED.with_shares(), -3.0, 3.5)
UNEQUAL = po.LimitedSearchTask(
    information=32.0, visibility=(1.0, 0.5), location_prior=(0.3, 0.7), prior=0.4
)


def test_fixed_shares_are_evaluated_as_fixed_rates():
    found = po.evaluate(SHARED, po.Observer(Parallel.for_task(SHARED), STOP), COSTS, 1e-4)
    known = po.evaluate(SHARED.with_shares(), STOP, COSTS, 1e-4)
    assert abs(found.risk - known.risk) <= found.risk_error + known.risk_error
    for name in ("false_alarm", "miss"):
        error = found.rate_error + known.rate_error
        assert abs(getattr(found, name) - getattr(known, name)) <= error
    assert abs(found.rt_present - known.rt_present) <= found.rt_error + known.rt_error


@pytest.mark.parametrize("policy", [Serial, Guided])
@pytest.mark.parametrize("task", [SHARED, UNEQUAL], ids=["equal", "unequal"])
def test_simulation_agrees(policy, task):
    stop = po.SPRT.for_task(task.with_shares((0.5, 0.5)), -3.0, 3.5)
    attention = policy.for_task(task)
    found = po.evaluate(task, po.Observer(attention, stop), COSTS, 1e-3)
    summary = po.simulate(task, po.Observer(attention, stop), 200_000, seed=4).summary(COSTS)
    assert scores(summary, found).max() < 3.7  # 1 in 1000 for five of them
    # Negative control: three percent less information must be seen.
    slower = replace(task, information=0.97 * task.information)
    wrong = po.simulate(slower, po.Observer(attention, stop), 200_000, seed=4).summary(COSTS)
    assert scores(wrong, found).max() > 6.0


def test_three_locations():
    task = po.LimitedSearchTask(n_locations=3, information=48.0)
    stop = po.SPRT.for_task(task.with_shares(), -3.0, 3.0)
    found = po.evaluate(task, po.Observer(Serial.for_task(task), stop), COSTS, 1e-2)
    summary = po.simulate(task, po.Observer(Serial, stop), 200_000, seed=5).summary(COSTS)
    assert scores(summary, found).max() < 3.7


def test_the_best_stopping_achieves_the_risk_it_promises():
    best = po.solve(SHARED, COSTS, 1e-3, attention=Serial)
    found = po.evaluate(SHARED, po.Observer(best.attention, best.strategy), COSTS, 1e-3)
    assert abs(found.risk - best.risk) <= found.risk_error + best.risk_error


def pretended(monkeypatch, policy, risk_on):
    """Evaluate a pair whose risk on a grid is a given function of that grid."""

    def on_grid(problem, equation):
        grid = equation.grid
        at = {place: (0.0, 0.0) for place in problem.locations}
        free = po.Costs(time=1e-9)
        found = evaluation.Evaluation.of(problem.task, free, 0.0, 0.0, at, grid.shape)
        return replace(found, risk=risk_on(grid))

    monkeypatch.setattr(evaluation, "_on_grid", on_grid)
    stop = po.SPRT.for_task(UNEQUAL.with_shares((0.5, 0.5)), -3.0, 3.5)
    return po.evaluate(UNEQUAL, po.Observer(policy.for_task(UNEQUAL), stop), COSTS, 1e-2)


def test_each_part_of_the_error_is_in_the_sum(monkeypatch):
    # Shares alone: half as many parts change the risk by 0.003 and nothing else does.
    found = pretended(monkeypatch, Guided, lambda grid: 1.0 + 0.003 * (grid.lattice.q < 4))
    assert found.risk_error == pytest.approx(0.003)
    # Nobody divides anything in serial search.
    serial = pretended(monkeypatch, Serial, lambda grid: 1.0 + 0.003 * (grid.lattice.q < 1))
    assert serial.risk_error == 0.0
    # The range alone: the first grid's axes are shorter than those of all others. And both.
    seen = []

    def cut(grid):
        seen.append(min(axis.lower for axis in grid.axes.values()))
        return 0.001 * (seen[-1] == seen[0])

    short = pretended(monkeypatch, Guided, lambda grid: 1.0 + cut(grid))
    assert short.risk_error == pytest.approx(0.001)
    seen.clear()
    both = pretended(
        monkeypatch, Guided, lambda grid: 1.0 + cut(grid) + 0.003 * (grid.lattice.q < 4)
    )
    assert both.risk_error == pytest.approx(0.004)
