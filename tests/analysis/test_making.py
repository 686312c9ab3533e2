"""Names, recipes and strategies become finished strategies; parameters are given or tuned."""

import math
from dataclasses import replace

import numpy as np
import pytest

import popout as po
from popout.analysis.making import FinishedObserver, Workshop
from popout.analysis.thresholds import threshold_pair
from popout.analysis.tune import Method, tune
from popout.exact import solve
from popout.policies.stopping import (
    ASPRT,
    SPRT,
    SPRTOpt,
    TimeVaryingSPRT,
)
from popout.task import Costs, InputError, MixtureSearchTask, SearchTask

TASK, COSTS = SearchTask(n_locations=2, drift=4.0, dt=0.05), Costs(time=1.0)
WORKSHOP = Workshop(TASK, COSTS, n_trials=2000, seed=3)


@pytest.fixture(scope="module")
def sprt_opt():
    return WORKSHOP.make(SPRTOpt)


def test_a_recipe_its_name_and_a_finished_strategy_are_taken_alike():
    made = WORKSHOP.make("sprt")
    assert made == WORKSHOP.make(SPRT) == WORKSHOP.make(made.strategy)
    assert made.strategy == SPRT.for_task(TASK, *threshold_pair(TASK, COSTS))
    assert made.errors == {}
    assert made.converged


def test_free_parameters_are_tuned_with_the_options_of_the_workshop(sprt_opt):
    made = sprt_opt
    assert made.tuned == tune(SPRTOpt, TASK, COSTS, n_trials=2000, seed=3)
    assert set(made.errors) == {"tau_minus", "tau_plus"}
    assert made.numbers["tau_plus"] == made.tuned.parameters["upper"]
    other = replace(WORKSHOP, method=Method.MONTE_CARLO).make(SPRTOpt)
    assert other.tuned.method is Method.MONTE_CARLO


def test_given_parameters_and_thresholds_are_kept():
    made = WORKSHOP.make("a-sprt", {"a_minus": 1.5, "a_plus": 0.8})
    assert (made.numbers["a_minus"], made.numbers["a_plus"]) == (1.5, 0.8)
    half = replace(WORKSHOP, thresholds=(None, 2.0))
    lower, _ = threshold_pair(TASK, COSTS)
    assert half.pair == (lower, 2.0)
    assert half.make(SPRT).strategy.tau_plus == 2.0


def test_the_optimum_is_the_solution():
    solution = solve(TASK, COSTS, 1e-3)
    given = replace(WORKSHOP, solution=solution).make("optimal")
    assert given.strategy is solution.strategy
    solved = replace(WORKSHOP, rtol=1e-3).make("optimal")
    np.testing.assert_array_equal(solved.strategy.table, given.strategy.table)
    assert solved.strategy.parameters == {}


def test_time_varying_thresholds_are_shown_at_their_knots(sprt_opt):
    strategy = TimeVaryingSPRT.for_task(TASK, -2.5, 2.5, upper_0=3.0)
    names = [f"{side}_{k}" for side in ("lower", "upper") for k in range(5)]
    values = [-2.5] * 5 + [3.0] + [2.5] * 4
    tuned = replace(
        sprt_opt.tuned,
        recipe=TimeVaryingSPRT,
        strategy=strategy,
        parameters=dict(zip(names, values, strict=True)),
        parameters_se=dict(zip(names, [0.1] * 5 + [4e-12] * 2 + [math.inf] * 3, strict=True)),
    )
    made = FinishedObserver(None, strategy, tuned)
    lines = str(made).splitlines()
    assert lines[1].split() == ["time", "(s)", "tau_minus", "tau_plus"]
    assert lines[2].split() == ["0", "-2.50", "+-", "0.10", "3.000", "(flat)"]
    assert "e-12" not in str(made)
    assert made.flat
    assert "flat: these trials" in str(made)
    assert made.numbers == tuned.parameters  # knots and thresholds are lists
    assert made.errors["upper_0"] == math.inf  # no trial saw it
    found = made.as_dict()
    assert found["parameters_se"] == {"lower": [0.1] * 5, "upper": [math.inf] * 5}
    assert found["parameters"]["upper"] == values[5:]


def test_faults_name_the_strategy_and_what_is_near():
    with pytest.raises(InputError, match=r"one of optimal, a-sprt.*did you mean hardmax\?"):
        WORKSHOP.make("hard-max")
    tied = MixtureSearchTask.tied(3, [10], [0, 20], {0: -4, 10: 4, 20: 0})
    with pytest.raises(InputError, match="got 'a-sprt'; it takes a log likelihood ratio for each"):
        Workshop(tied, COSTS).make(ASPRT)


def test_its_card_shows_errors_of_what_was_tuned():
    made = WORKSHOP.make(ASPRT)
    text = str(made)
    assert "tau_minus" in text
    assert [" +- " in line for line in text.splitlines()] == [False, False, False, True, True]
    assert FinishedObserver(None, made.strategy).as_dict()["parameters_se"] == {}


CHEAP = po.Costs(time=0.2)
LIMITED = po.LimitedSearchTask(n_locations=2, information=32.0)
SERIAL = po.Serial.for_task(LIMITED)


def test_tuned_thresholds_come_close_to_the_best_stopping():
    observer = Workshop(LIMITED, CHEAP, attention="serial", n_trials=8000, seed=1).make("sprt-opt")
    best = po.solve(LIMITED, CHEAP, 1e-3, attention=SERIAL).risk
    tuned = po.evaluate(LIMITED, po.Observer(SERIAL, observer.strategy), CHEAP, 1e-3).risk
    assert best < tuned < 1.01 * best
    # Thresholds that nobody tuned are told apart.
    hasty = po.SPRT.for_task(LIMITED, -1.0, 1.0)
    assert po.evaluate(LIMITED, po.Observer(SERIAL, hasty), CHEAP, 1e-3).risk > 1.5 * best


def test_observers_by_name():
    optimum = Workshop(LIMITED, CHEAP, attention="optimal").make("optimal")
    assert optimum.as_dict()["attention"] == "optimal"
    assert optimum.strategy.n_locations == 2
    assert optimum.solution is not None
    plain = Workshop(LIMITED, CHEAP, attention="guided:2").make("sprt")
    assert plain.attention.g == 2.0
    assert plain.strategy.tau_plus == pytest.approx(po.thresholds(32**0.5, CHEAP).upper, abs=1e-3)
    assert "guided" in str(plain.card())
    with pytest.raises(po.InputError, match="one of optimal, a-sprt, sprt-opt"):
        Workshop(LIMITED, CHEAP, attention="serial").make("luck")
