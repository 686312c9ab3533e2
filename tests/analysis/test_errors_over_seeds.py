"""Standard errors are what results scatter by from seed to seed, neither more nor less.

Over n seeds the variance of the results over the mean squared error is chi-square over n - 1: of
100 it lies between 0.7 and 1.4 with a probability of 99 %, of 60 in 96 %. Errors that are wrong by
a factor of the root of two make it 2 or 1/2.
"""

import numpy as np
import pytest

from popout.analysis.certify import certify
from popout.analysis.regret import regret
from popout.analysis.reliability import reliability
from popout.analysis.scoring import OptimalReference, SimulatedReference
from popout.certificate import Effort
from popout.exact import solve
from popout.policies.stopping import SPRT
from popout.simulation import simulate
from popout.task import Costs, MixtureSearchTask, SearchTask

N_SEEDS, LOW, HIGH = 100, 0.7, 1.4
COSTS = Costs(time=(2.0, 1.0), miss=1.5)
TWO, FOUR = (SearchTask(n_locations=M, drift=8.0, prior=0.3) for M in (2, 4))
UNKNOWN = MixtureSearchTask.tied(2, [10], [0, 20], {0: -8, 10: 8, 20: 0}, dt=0.05, prior=0.3)


@pytest.fixture(scope="module")
def solution():
    return solve(TWO, COSTS, 1e-2)


def pair(task):
    return SPRT.for_task(task, -1.5, 1.0), SPRT.for_task(task, -2.0, 2.0)


def check(found):
    """Compare the scatter of the results with their errors, each of shape (seeds, 2)."""
    value, se = np.asarray(found, dtype=float).T
    assert LOW < value.var(ddof=1) / (se**2).mean() < HIGH


def estimate(scored):
    return scored.value, scored.se


def test_regret(solution):
    strategy, _ = pair(TWO)
    check([estimate(regret(solution, strategy, n_trials=400, seed=s)) for s in range(N_SEEDS)])


def test_risk_and_excess_over_the_optimum(solution):
    strategy, _ = pair(TWO)
    scored = [
        OptimalReference(solution, 400, s).score(strategy, simulate(TWO, strategy, 400, s), COSTS)
        for s in range(N_SEEDS)
    ]
    check([estimate(one.excess) for one in scored])
    check([(one.summary.risk, one.summary.risk_se) for one in scored])


@pytest.mark.parametrize("task", [FOUR, UNKNOWN], ids=["by probability", "as they fell"])
def test_excess_over_another_strategy(task):
    hasty, careful = pair(task)
    check(
        [
            estimate(
                SimulatedReference(careful, simulate(task, careful, 400, s))
                .score(hasty, simulate(task, hasty, 400, s), COSTS)
                .excess
            )
            for s in range(N_SEEDS)
        ]
    )


def test_certificates(monkeypatch):
    """Bounds, risks and gaps, of which a large one is a ratio of two that vary together."""
    monkeypatch.setattr("popout.analysis.certify.PILOT_BLOCKS", 2)
    task, quick = SearchTask(n_locations=2, drift=14.0, prior=0.3), Effort(log2_points=5)
    solution, (hasty, _) = solve(task, COSTS, 1e-2), pair(task)
    how = {"solution": solution, "strategy": hasty, "most_trials": 1024, "effort": quick}
    found = [certify(task, COSTS, seed=s, precision=0.5, **how) for s in range(60)]
    check([(one.lower, one.lower_se) for one in found])
    check([(one.upper, one.upper_se) for one in found])
    check([one.risks["SPRT"] for one in found])
    check([one.gaps["SPRT"] for one in found])
    # Bounds lie above the optimum by three errors as seldom as Student's t of 15 allows (0.5 %).
    z = [(one.lower - solution.risk - solution.risk_error) / one.lower_se for one in found]
    assert np.sum(np.array(z) > 3) <= 1


def test_accuracy():
    rows = [reliability(FOUR, 200, 0.04, s, n_times=1).over_time.iloc[-1] for s in range(N_SEEDS)]
    check([(row["accuracy"], row["accuracy_se"]) for row in rows])
