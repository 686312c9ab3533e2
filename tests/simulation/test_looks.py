"""Strategies without a compiled form: the same displays, noise and states."""

import numpy as np
import pytest
from simulated_cases import CASES, made

from popout.policies.stopping import Strategy
from popout.simulation import simulate
from popout.task import InputError, SearchTask

TWO = SearchTask(n_locations=2, drift=4.0)


class Unchanged(Strategy):
    """Hides the compiled form of a strategy, as a user's own has none."""

    def __init__(self, inner):
        self.inner = inner

    def decide(self, Z, t):
        return self.inner.decide(Z, t)


@pytest.mark.parametrize("case", CASES)
def test_plain_numpy_strategies_see_the_same_trials(case):
    task, strategy = made(case)
    compiled = simulate(task, strategy, n_trials=1500, seed=3)
    plain = simulate(task, Unchanged(strategy), n_trials=1500, seed=3)
    for field in ("response", "steps", "target"):
        np.testing.assert_array_equal(getattr(plain, field), getattr(compiled, field))
    np.testing.assert_array_equal(plain.states(), compiled.states())


@pytest.mark.parametrize("answer", [np.array(3), np.zeros((5, 7), np.int8), None])
def test_a_strategy_that_returns_nonsense_is_named(answer):
    class Broken(Strategy):
        def decide(self, Z, t):
            return answer if answer is not None else np.full(np.shape(Z)[:-1], 5)

    with pytest.raises(InputError, match=r"Broken\.decide: expected"):
        simulate(TWO, Broken(), n_trials=5)
