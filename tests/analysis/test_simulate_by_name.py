"""Names, recipes and strategies are simulated alike; what is missing is said."""

import inspect
import sys

import numpy as np
import pytest

import popout as po
import popout.cli.compare
import popout.cli.simulate
from popout import cli
from popout.analysis.compare import compare
from popout.analysis.simulate_by_name import simulate
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


BAD = [
    ("costs", {"observer": po.ASPRT}),
    ("costs", {"observer": "optimal"}),
    ("strategy", {"observer": "a_sprt", "costs": COSTS}),
    ("costs", {"observer": po.SPRT, "costs": 0.5}),
    ("task", {"task": 4.0}),
    ("strategy", {"observer": None}),
    ("n_trials", {"observer": po.SPRT, "costs": COSTS, "n_trials": 10**12}),
    ("attention", {"attention": "serial"}),
]


@pytest.mark.parametrize(("field", "change"), BAD)
def test_every_bad_input_says_what_to_do(field, change):
    arguments = {"task": TASK, "observer": po.SPRT.for_task(TASK, -2, 2), "n_trials": 100} | change
    with pytest.raises(po.InputError, match=rf"^simulate\.{field}: expected .+, got .+; .+$"):
        po.simulate(**arguments)


def test_attention_is_named_or_given():
    """With the same strategy, a policy, its class and its name end the same trials."""
    limited = po.LimitedSearchTask(n_locations=2, information=32.0)
    stop = po.SPRT.for_task(limited, COSTS)
    trials = simulate(limited, po.Observer(po.Serial.for_task(limited), stop), 300, seed=3)
    assert same(trials, simulate(limited, stop, 300, seed=3, attention=po.Serial))
    assert same(trials, simulate(limited, stop, 300, seed=3, attention="serial"))
    assert same(trials, simulate(limited, "sprt", 300, 3, attention="serial", costs=COSTS))
    assert not same(trials, simulate(limited, stop, 300, seed=3, attention="parallel"))


def test_public_defaults_are_those_of_the_commands():
    commands = (cli.simulate.command, cli.compare.command)
    for function, command in zip((simulate, compare), commands, strict=True):
        taken = {option.name: option.default for option in command.params}
        given = inspect.signature(function).parameters
        for name in ("n_trials", "tune_trials", "seed"):
            assert given[name].default == taken[name], (function.__name__, name)
    library = sys.modules["popout.simulation.simulator"]  # the package gives the name to a function
    assert cli.options.MOST_TRIALS == library.MOST_TRIALS
