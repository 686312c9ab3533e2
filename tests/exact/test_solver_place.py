"""Answers that name the place: against value iteration, simulation, and present or absent."""

from functools import cache

import numpy as np
import pytest
from slow_gaze import slow_risk

import popout as po
from popout.task import InputError

LINE = [(0, 0), (1, 0), (2, 0)]
COSTS = po.Costs(time=0.2)
UNEQUAL = po.Costs(time=(0.3, 0.1), miss=1.5, false_alarm=0.6)


def place(items=LINE, answer="place", **more):
    fields = {"information": 12.0, "falloff": 0.8, **more}
    return po.GazeTask(items, answer=answer, **fields)


def reference(task, costs, **more):
    return slow_risk(
        task.look.visibility, task.information, task.fixation, task.saccade,
        (costs.time_absent, costs.time_present), prior=task.prior, where=task.location_prior,
        miss=costs.miss, false_alarm=costs.false_alarm, place=True, **more,
    )  # fmt: skip


HARD = {
    "two, likely, unequal": (place(LINE[:2], prior=0.9, location_prior=(0.7, 0.3)), UNEQUAL),
    "two and a gaze between": (place(LINE[:2], gazes=[*LINE[:2], (0.5, 0.2)]), COSTS),
    "three": (place(), COSTS),
}


@pytest.mark.parametrize("name", HARD)
def test_the_optimum_is_that_of_value_iteration(name):
    task, costs = HARD[name]
    solution = po.solve(task, costs, rtol=3e-3)
    spacings = (0.3, 0.2) if task.n_locations == 2 else (0.5, 0.35)
    risk, error = reference(task, costs, low=-12.0, high=12.0, spacings=spacings)
    assert abs(solution.risk - risk) < solution.risk_error + error
    assert error < 5e-3 * risk
    asked_less = po.solve(place_of(task, "presence"), costs, rtol=3e-3)
    assert solution.risk > asked_less.risk - asked_less.risk_error  # naming is one more way to err


LIKELY = (0.5, 0.9, 0.99, 0.9999)
SLOW = po.Costs(time=0.05)


def pair(prior, information=20.0, **more):
    """Return a task with two items, of which each gaze sees the other badly."""
    return po.GazeTask(
        LINE[:2], visibility=[(1, 0.3), (0.3, 1)], information=information, prior=prior,
        answer="place", **more,
    )  # fmt: skip


@cache
def wide_risk(task, costs, free=False):
    """Return the risk on grids that reach far up, and how far two extrapolations are apart."""
    more = {"low": -18.0, "high": 10.0}
    if free:
        more["free"] = task.saccade * (1 - np.eye(2)), task.look.start
    at = (task.dt, 0.0) if free else (task.fixation, task.saccade)
    coarse, fine = (
        slow_risk(
            task.look.visibility, task.information, *at, (costs.time_absent, costs.time_present),
            prior=task.prior, place=True, spacings=spacings, **more,
        )[0]
        for spacings in ((0.2, 0.14), (0.15, 0.1))
    )  # fmt: skip
    return fine, abs(fine - coarse)


@pytest.mark.parametrize("rtol", [1e-3, 5e-4, 1e-4])
@pytest.mark.parametrize(("information", "costs"), [(20.0, COSTS), (5.0, SLOW)], ids=["", "slow"])
@pytest.mark.parametrize("prior", LIKELY)
def test_the_error_holds_however_likely_a_target_is(prior, information, costs, rtol):
    """Likely items are worth telling apart long after "absent" is out of the question."""
    task = pair(prior, information)
    solution, (risk, error) = po.solve(task, costs, rtol=rtol), wide_risk(task, costs)
    assert abs(solution.risk - risk) <= solution.risk_error + error
    assert solution.risk_error <= rtol * solution.risk
    assert error < 4e-4 * risk


@pytest.mark.parametrize("prior", LIKELY[2:])
def test_the_error_holds_where_fixations_are_free_and_targets_likely(prior):
    task = pair(prior, fixation="free", step=0.05, saccade=0.05)
    solution, (risk, error) = po.solve(task, COSTS, rtol=1e-3), wide_risk(task, COSTS, free=True)
    assert abs(solution.risk - risk) <= solution.risk_error + error
    assert error < 5e-4 * risk


def test_the_error_holds_for_three_likely_items():
    task = place(prior=0.99)
    risk, error = reference(task, COSTS, low=-12.0, high=8.0, spacings=(0.6, 0.45))
    loose, tight = (po.solve(task, COSTS, rtol=rtol) for rtol in (5e-3, 1e-3))
    assert abs(tight.risk - risk) <= tight.risk_error + error
    assert abs(tight.risk - loose.risk) <= tight.risk_error + loose.risk_error
    assert tight.value_grid.grid.dense_size() < 64_000


def test_the_simulated_risk_of_likely_targets_is_the_exact_one():
    task = pair(0.9999)
    solution = po.solve(task, COSTS)
    summary = po.simulate(task, solution.observer, 500_000, seed=2, keep=False).summary(COSTS)
    assert abs(summary.risk - solution.risk) < 4 * summary.risk_se
    assert abs(summary.risk - 1.01 * solution.risk) > 4 * summary.risk_se


NAMED = {
    "likely": (pair(0.99), COSTS),
    "false alarms matter little": (
        pair(0.95),
        po.Costs(time=(0.3, 0.05), miss=2, false_alarm=0.05),
    ),
    "false alarms matter": (pair(0.6), po.Costs(time=(0.02, 0.3), false_alarm=5.0)),
    "one place is likely": (pair(0.9, location_prior=(0.9, 0.1)), SLOW),
}


@pytest.mark.parametrize("name", NAMED)
def test_nobody_waits_where_a_place_is_named_whatever_the_others(name):
    """And the odds from which on it is named leave little room."""
    task, costs = NAMED[name]
    values = po.solve(task, costs, rtol=1e-3).value_grid
    waits = (values.waiting < values.stopping) & (values.grid.states() <= 2.5).any(axis=1)
    for place, known in enumerate(values.grid.odds_at):
        odds = np.log(known / (1 + values.grid.odds - known))[waits].max()
        assert odds < values.discretisation.naming[place] < odds + 1.0
        assert values.axes[place].upper > values.grid.states()[waits, place].max()


def place_of(task, answer):
    return po.GazeTask(
        task.items, task.gazes, information=task.information, falloff=task.falloff,
        prior=task.prior, location_prior=task.location_prior, answer=answer,
    )  # fmt: skip


def test_with_one_item_the_place_goes_without_saying():
    gazes = [(0, 0), (0.5, 0)]
    named, asked = (
        po.solve(place(LINE[:1], answer, gazes=gazes, prior=0.3), UNEQUAL)
        for answer in ("place", "presence")
    )
    assert abs(named.risk - asked.risk) < named.risk_error + asked.risk_error


@pytest.mark.parametrize("attention", [None, po.ELM, po.IdealSearcher], ids=str)
def test_the_simulated_risk_is_the_exact_one(attention):
    task, costs = (
        HARD["three"] if attention is po.ELM else (place(LINE[:2], information=4.0), COSTS)
    )
    solution = po.solve(task, costs, rtol=0.01, attention=attention)
    trials = po.simulate(task, solution.observer, 20_000, seed=2)
    summary = trials.summary(costs)
    assert abs(summary.risk - solution.risk) < 4 * summary.risk_se + solution.risk_error
    assert abs(summary.risk - 1.1 * solution.risk) > 4 * summary.risk_se
    wrong = (trials.named >= 0) & trials.present & (trials.named != trials.target)
    assert wrong.sum() > 5
    assert not trials.correct[wrong].any()
    assert (trials.losses(costs)[wrong] > costs.miss).all()
    counted = po.simulate(task, solution.observer, 20_000, seed=2, keep=False)
    assert counted.summary(costs).risk == pytest.approx(summary.risk)


def test_free_durations_with_a_place():
    task = place(LINE[:2], fixation="free", step=0.05, saccade=0.05)
    solution = po.solve(task, COSTS, rtol=0.01)
    summary = po.simulate(task, solution.observer, 15_000, seed=3).summary(COSTS)
    assert abs(summary.risk - solution.risk) < 4 * summary.risk_se + solution.risk_error


def test_the_ideal_searcher_weighs_places():
    """Against an average over random fixations, within its standard error."""
    task, rng = place(), np.random.default_rng(2)
    states = rng.normal(0.0, 2.0, (4, 3))
    rows = np.array(task.look.visibility)
    d = task.information * task.fixation * rows[:, None, :]
    steps = -2 * d + 2 * np.sqrt(d) * rng.standard_normal((1, 200_000, 3))
    policy = po.IdealSearcher.for_task(task)
    for state, liking in zip(states, policy.liking(states), strict=True):
        odds = np.exp(state + steps) / 3
        costs = np.minimum(odds.sum(-1), 1 + odds.sum(-1) - odds.max(-1))
        cut = np.minimum(costs, 30.0)  # a mean that rare points do not rule
        se = cut.std(-1) / np.sqrt(cut.shape[1])
        assert (abs(-liking - costs.mean(-1)) < 6 * se + 0.03).all()
        asked = po.IdealSearcher.for_task(place(answer="presence")).liking(state)
        assert (abs(asked - liking) > 0.03).any()


def test_compiled_trials_are_those_of_the_general_way(monkeypatch):
    from popout.simulation import simulator

    task = place()
    for policy in (po.IdealSearcher, po.ELM):
        observer = po.Observer(policy, po.SPRT.for_task(task, -3.0, 3.0))
        compiled = po.simulate(task, observer, 300, seed=2)
        with monkeypatch.context() as patch:
            patch.setattr(simulator, "compiled_shares", lambda *given: None)
            general = po.simulate(task, observer, 300, seed=2)
        assert (compiled.named == general.named).all()
        assert (compiled.steps == general.steps).all()


def test_rules_are_tuned_for_places():
    table = po.compare(
        place(LINE[:2]), COSTS, "sprt-opt", attention=["elm", "ideal"], n_trials=2000,
        tune_trials=1000,
    )  # fmt: skip
    assert table.reference.tolist() == ["optimal", "optimal"]
    assert (table.excess > -4 * table.excess_se).all()


def test_who_cannot_name_places_says_so():
    task = place(LINE[:2])
    solution = po.solve(task, COSTS, rtol=0.02)
    observer = po.Observer(po.ELM, po.SPRT.for_task(task, -3.0, 3.0))
    for use in (
        lambda: po.evaluate(task, observer, COSTS),
        lambda: solution.boundary(),
        lambda: solution.value_grid.Q([0.0, 0.0]),
        lambda: solution.scales,
    ):
        with pytest.raises(InputError, match=r"presen(ce|t)"):
            use()
    assert po.simulate(place(answer="presence"), observer_for(place()), 5).named is None


def observer_for(task):
    return po.Observer(po.ELM, po.SPRT.for_task(task, -3.0, 3.0))
