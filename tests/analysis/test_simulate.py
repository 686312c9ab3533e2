"""Names, recipes and strategies are simulated alike; what is missing is said."""

import inspect
import sys

import numpy as np
import pytest

import popout as po
import popout.cli.compare
import popout.cli.simulate
from popout import cli
from popout.analysis.compare import TRIALS, compare
from popout.analysis.simulate import simulate
from popout.noise.seeds import Purpose, fresh_seed

TASK, COSTS = po.SearchTask(n_locations=2, drift=4.0, dt=0.05), po.Costs(time=1.0)


def same(first, second):
    same_answers = np.array_equal(first.response, second.response)
    return same_answers and np.array_equal(first.rt, second.rt)


def test_a_recipe_its_name_and_its_strategy_give_the_same_trials():
    made = po.SPRT.for_task(TASK, COSTS)
    trials = simulate(TASK, made, 500, seed=3)
    assert same(trials, simulate(TASK, po.SPRT, 500, seed=3, costs=COSTS))
    assert same(trials, simulate(TASK, "sprt", 500, seed=3, costs=COSTS))
    other = po.SPRT.for_task(TASK, -1.0, 1.0)
    assert not same(trials, simulate(TASK, other, 500, seed=3))


def test_what_is_free_is_tuned_on_other_trials():
    trials = simulate(TASK, po.SPRTOpt, 500, seed=3, costs=COSTS, tune_trials=1e3)
    tuned = po.tune(po.SPRTOpt, TASK, COSTS, n_trials=1000, seed=fresh_seed(3, Purpose.TUNING))
    assert trials.strategy == tuned.strategy


def test_the_optimum_is_simulated_by_name():
    tally = simulate(TASK, "optimal", 500, seed=3, costs=COSTS, keep=False)
    solution = po.solve(TASK, COSTS, 1e-4)
    assert tally.summary(COSTS) == simulate(TASK, solution.strategy, 500, 3).summary(COSTS)


BAD = {
    "a recipe without costs": (
        {"observer": po.ASPRT},
        "simulate.costs: expected the costs that it is to be made for, got None; give costs, e.g. "
        "costs=Costs(time=0.2), or a strategy",
    ),
    "a name without costs": (
        {"observer": "optimal"},
        "simulate.costs: expected the costs that it is to be made for, got None; give costs, e.g. "
        "costs=Costs(time=0.2), or a strategy",
    ),
    "a name that is none": (
        {"observer": "a_sprt", "costs": COSTS},
        "simulate.strategy: expected one of optimal, a-sprt, sprt-opt, sprt, hardmax, "
        "hardmax-per-location, hardmax-opt, time-varying-sprt, got 'a_sprt'; did you mean a-sprt?",
    ),
    "a float for costs": (
        {"observer": po.SPRT, "costs": 0.5},
        "simulate.costs: expected Costs, got 0.5; write Costs(time=0.5)",
    ),
    "no task": (
        {"task": 4.0},
        "simulate.task: expected a task such as SearchTask, got 4.0; describe what the observer "
        "faces",
    ),
    "no strategy": (
        {"observer": None},
        "simulate.strategy: expected a name, a recipe or a strategy, got None; choose one of "
        "optimal, a-sprt, sprt-opt, sprt, hardmax, hardmax-per-location, hardmax-opt, "
        "time-varying-sprt, or a recipe such as ASPRT",
    ),
    "too many trials": (
        {"observer": po.SPRT, "costs": COSTS, "n_trials": 10**12},
        "simulate.n_trials: expected an integer from 1 to 100000000000, got 1000000000000; ask for "
        "fewer",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_every_bad_input_says_what_to_do(case):
    change, message = BAD[case]
    arguments = {"task": TASK, "observer": po.SPRT.for_task(TASK, -2, 2), "n_trials": 100} | change
    with pytest.raises(po.InputError) as caught:
        po.simulate(**arguments)
    assert str(caught.value) == message


def test_public_defaults_are_those_of_the_commands():
    commands = (cli.simulate.command, cli.compare.command)
    for function, command in zip((simulate, compare), commands, strict=True):
        taken = {option.name: option.default for option in command.params}
        given = inspect.signature(function).parameters
        for name, option in (("n_trials", "trials"), ("tune_trials",) * 2, ("seed",) * 2):
            default = given[name].default
            if default is None:  # depends on the task
                default = dict(zip(("n_trials", "tune_trials"), TRIALS, strict=True))[name]
            assert default == taken[option], (function.__name__, name)
    library = sys.modules["popout.simulation.simulate"]  # the package gives the name to a function
    assert cli.options.MOST_TRIALS == library.MOST_TRIALS
