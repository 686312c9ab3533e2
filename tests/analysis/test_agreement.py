"""Simulation against exact evaluation on a grid: the same strategies, no code in common."""

import math

import pytest
from honest import scores
from lopsided import COSTS, LIMITED, TASK

import popout as po
from popout.exact import evaluate
from popout.policies.stopping import ASPRT, SPRT, Hardmax, SPRTOpt
from popout.simulation import simulate
from popout.task import SearchTask

TWO = SearchTask(n_locations=2, drift=4.0, prior=0.3)
THREE = SearchTask(n_locations=3, drift=4.0, prior=0.7)
PAIR = (-4.5, 4.5)
NEAR = (-3.0, 3.0)
CASES = {
    "a-SPRT": (TWO, ASPRT.for_task(TWO, *PAIR), 2e-4),
    "SPRT": (TWO, SPRT.for_task(TWO, *PAIR), 2e-4),
    "SPRT-opt": (TWO, SPRTOpt.for_task(TWO, *PAIR, upper=3.5), 2e-4),
    "Hardmax": (TWO, Hardmax.for_task(TWO, *PAIR), 2e-4),
    "a-SPRT, unequal": (TASK, ASPRT.for_task(TASK, (-5.9, -3.9), (5.9, 3.9)), 2e-4),
    "SPRT, three": (THREE, SPRT.for_task(THREE, *NEAR), 2e-4),
    "a-SPRT, three": (THREE, ASPRT.for_task(THREE, *NEAR), 2e-4),
    "SPRT-opt, three": (THREE, SPRTOpt.for_task(THREE, *NEAR, upper=2.0), 2e-4),
    "Hardmax, three": (THREE, Hardmax.for_task(THREE, *NEAR), 2e-4),
}


@pytest.mark.parametrize("name", CASES)
def test_two_million_trials_agree_with_the_grid(name):
    task, strategy, rtol = CASES[name]
    drawn = simulate(task, strategy, 2_000_000, seed=1, keep=False).summary(COSTS)
    assert scores(drawn, evaluate(task, strategy, COSTS, rtol)).max() < 4


def test_a_threshold_moved_by_less_than_one_percent_is_seen():
    exact = evaluate(TWO, SPRT.for_task(TWO, -4.5, 4.53), COSTS, 2e-4)
    drawn = simulate(TWO, SPRT.for_task(TWO, *PAIR), 2_000_000, seed=1, keep=False)
    assert scores(drawn.summary(COSTS), exact).max() > 6


def test_every_verb_tells_one_risk():
    """Prior, costs and locations are all unequal: whoever mixes two of them up stands out."""
    solution, strategy = po.solve(TASK, COSTS, rtol=1e-4), SPRT.for_task(TASK, -2.4, 2.0)
    exact = evaluate(TASK, strategy, COSTS, 1e-4)
    drawn = simulate(TASK, strategy, 400_000, seed=3, keep=False).summary(COSTS)
    assert abs(drawn.risk - exact.risk) < 4 * drawn.risk_se
    lost = po.regret(solution, strategy, n_trials=20_000, seed=3)
    assert abs(solution.risk + lost.value - exact.risk) < 4 * lost.se + exact.risk_error
    bounds = po.certify(TASK, COSTS, strategy=strategy, solution=solution, most_trials=1024, seed=3)
    risk, se = bounds.risks["SPRT"]
    assert abs(risk - exact.risk) < 4 * se
    table = po.compare(TASK, COSTS, [strategy], n_trials=20_000, seed=3)
    row = table[table["strategy"] == "SPRT"].iloc[0]
    assert abs(row["risk"] - exact.risk) < 4 * row["risk_se"]
    best = evaluate(TASK, solution.strategy, COSTS, 1e-4)
    assert abs(best.risk - solution.risk) < best.risk_error + solution.risk_error


def test_every_verb_tells_one_risk_where_information_is_limited():
    looking = po.Guided.for_task(LIMITED, g=1.0)
    strategy = SPRT.for_task(LIMITED.with_shares(), -2.4, 2.0)
    exact = po.evaluate(LIMITED, po.Observer(looking, strategy), COSTS, 1e-3)
    drawn = po.simulate(LIMITED, po.Observer(looking, strategy), 200_000, seed=3).summary(COSTS)
    assert abs(drawn.risk - exact.risk) < math.hypot(4 * drawn.risk_se, exact.risk_error)
    solution = po.solve(LIMITED, COSTS, rtol=1e-3)
    lost = po.regret(solution, po.Observer(looking, strategy))
    assert solution.risk + lost.value == pytest.approx(exact.risk, abs=exact.risk_error + lost.se)
    assert lost.se >= solution.risk_error
    pair = po.Observer(solution.attention, solution.strategy)
    best = po.simulate(LIMITED, pair, 200_000, seed=3)
    summary = best.summary(COSTS)
    assert abs(summary.risk - solution.risk) < 4 * summary.risk_se + solution.risk_error
