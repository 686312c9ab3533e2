"""The linear equation of a strategy, against sums over all paths of a chain on the same nodes."""

import numpy as np
import pytest

import popout as po
from popout.exact.axis import Axis
from popout.exact.backend import get_backend
from popout.exact.discretisation import RateDiscretisation
from popout.exact.grid import Grid, Group
from popout.exact.looking import FixedRates
from popout.exact.strategy_equation import StrategyEquation, Terms

TASK = po.SearchTask(n_locations=1, drift=4.0)
PROBLEM = RateDiscretisation(TASK, po.Costs(time=0.2), get_backend())


@pytest.fixture
def equation():
    grid = Grid([Group(Axis.covering(-9.0, 6.0, spacing=0.05, sd=0.8), (0,), 1.0)], get_backend())
    return StrategyEquation(FixedRates(grid), po.SPRT.for_task(TASK, -2.0, 3.0), PROBLEM)


def simulated(n, seed, shift):
    """Return answers and numbers of looks of an SPRT whose steps are drawn one by one."""
    rng = np.random.default_rng(seed)
    Z, looks, said = np.zeros(n), np.zeros(n), np.zeros(n)
    walking = np.ones(n, dtype=bool)
    while walking.any():
        Z[walking] += shift + 0.8 * rng.normal(size=walking.sum())
        looks[walking] += 1
        said[walking & (Z >= 3.0)] = 1
        said[walking & (Z <= -2.0)] = -1
        walking = said == 0
    return said, looks


@pytest.mark.parametrize("present", [False, True])
def test_rates_and_looks_agree_with_drawn_trials(equation, present):
    n = 40_000
    said, looks = simulated(n, 5, 0.32 if present else -0.32)
    weight = equation.likelihood((0,)) if present else 1.0
    said_wrong = Terms(0.0, weight, 0.0) if present else Terms(0.0, 0.0, 1.0)
    wrong, mean = equation.values([said_wrong, Terms(1.0 * weight, 0.0, 0.0)])
    errors = (said == (-1 if present else 1)).mean()
    assert abs(wrong - errors) < 4 * np.sqrt(errors / n)
    assert abs(mean - looks.mean()) < 4 * looks.std() / np.sqrt(n)
    assert abs(mean - looks.mean() - 0.5) > 4 * looks.std() / np.sqrt(n)  # half a look is seen


def test_probabilities_add_to_one(equation):
    either, absent, present = equation.values(
        [Terms(0.0, 1.0, 1.0), Terms(0.0, 1.0, 0.0), Terms(0.0, 0.0, 1.0)]
    )
    assert either == pytest.approx(1.0, abs=1e-9)
    assert absent + present == pytest.approx(1.0)


def test_one_after_the_other_they_are_what_they_are_together(equation, monkeypatch):
    terms = [
        Terms(0.0, 1.0, 0.0),
        Terms(TASK.dt, 0.0, 0.0),
        Terms(0.0, 0.0, equation.likelihood((0,))),
    ]
    together = equation.values(terms)
    monkeypatch.setattr("popout.exact.looking.STACKED", 1)
    assert equation.values(terms) == pytest.approx(together, rel=1e-9)


def test_a_strategy_that_never_stops_stalls():
    class Patient(po.BoundaryStrategy):
        def margins(self, Z, t):
            never = np.full(np.shape(Z)[:-1], -1.0)
            return never, never

    grid = Grid([Group(Axis.covering(-4.0, 4.0, spacing=0.4, sd=0.8), (0,), 1.0)], get_backend())
    with pytest.raises(po.NotConvergedError, match="stalled"):
        StrategyEquation(FixedRates(grid), Patient(), PROBLEM).values([Terms(TASK.dt, 0.0, 0.0)])
