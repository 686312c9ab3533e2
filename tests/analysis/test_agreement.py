"""Simulation against exact evaluation on a grid: the same strategies, no code in common."""

import pytest

from popout.exact import evaluate
from popout.simulation import simulate
from popout.strategies import ASPRT, SPRT, Hardmax, SPRTOpt
from popout.task import Costs, SearchTask

COSTS = Costs(time=0.2)
TWO = SearchTask(n_locations=2, drift=4.0)
UNEQUAL = SearchTask(drift=(8.0, 3.0), prior=0.4)
THREE = SearchTask(n_locations=3, drift=4.0)
PAIR = (-4.5, 4.5)
NEAR = (-3.0, 3.0)
CASES = {
    "a-SPRT": (TWO, ASPRT.for_task(TWO, *PAIR), 2e-4),
    "SPRT": (TWO, SPRT.for_task(TWO, *PAIR), 2e-4),
    "SPRT-opt": (TWO, SPRTOpt.for_task(TWO, *PAIR, upper=3.5), 2e-4),
    "Hardmax": (TWO, Hardmax.for_task(TWO, *PAIR), 2e-4),
    "a-SPRT, unequal": (UNEQUAL, ASPRT.for_task(UNEQUAL, (-5.9, -3.9), (5.9, 3.9)), 2e-4),
    "SPRT, three": (THREE, SPRT.for_task(THREE, *NEAR), 2e-4),
    "a-SPRT, three": (THREE, ASPRT.for_task(THREE, *NEAR), 2e-4),
    "SPRT-opt, three": (THREE, SPRTOpt.for_task(THREE, *NEAR, upper=2.0), 2e-4),
    "Hardmax, three": (THREE, Hardmax.for_task(THREE, *NEAR), 2e-4),
}


def scores(task, strategy, exact):
    """Risk, error rates and mean RTs of 2e6 trials, in standard errors from the exact ones."""
    found = simulate(task, strategy, 2_000_000, seed=1, keep=False).summary(COSTS)
    return {
        "risk": (found.risk - exact.risk) / found.risk_se,
        "false alarms": (found.absent.error_rate - exact.false_alarm) / found.absent.error_rate_se,
        "misses": (found.present.error_rate - exact.miss) / found.present.error_rate_se,
        "RT absent": (found.absent.mean_rt - exact.rt_absent) / found.absent.mean_rt_se,
        "RT present": (found.present.mean_rt - exact.rt_present) / found.present.mean_rt_se,
    }


@pytest.mark.parametrize("name", CASES)
def test_two_million_trials_agree_with_the_grid(name):
    task, strategy, rtol = CASES[name]
    found = scores(task, strategy, evaluate(task, strategy, COSTS, rtol))
    assert all(abs(z) < 4 for z in found.values()), found


def test_a_threshold_moved_by_half_a_percent_is_seen():
    exact = evaluate(TWO, SPRT.for_task(TWO, -4.5, 4.52), COSTS, 2e-4)
    found = scores(TWO, SPRT.for_task(TWO, *PAIR), exact)
    assert max(abs(z) for z in found.values()) > 6
