"""The bounds hold: against exact optima of random tasks, with a negative control beside them."""

from dataclasses import dataclass

import numpy as np
import pytest

from popout.certificate.bound import (
    GREEDY,
    Estimates,
    answer,
    estimate,
    follow,
    in_order,
    policy_of,
)
from popout.certificate.learn import Effort, learn
from popout.certificate.search_paths import SearchBlock, SearchProblem
from popout.certificate.value import TableValue, table_value
from popout.exact import evaluate, solve
from popout.policies.stopping import SPRT, Action
from popout.task import Costs, SearchTask

SIZES = [2] * 10 + [3] * 6 + [4, 5]
RTOL = {2: 1e-3, 3: 3e-3, 4: 1e-2, 5: 4e-2}
BLOCKS, LOG2_POINTS = 8, 5
QUICK = Effort(first_blocks=8, later_blocks=3, passes=1, log2_points=6, shape=(16, 8))


class NothingChanges(SearchBlock):
    """The negative control: takes the value now for the expected value after a step."""

    def expected(self, value, trials):
        S = self.S[:, trials]
        return self.problem.prices.stop(S[0]) - np.maximum(value.advantage(S), 0.0)


@dataclass
class Case:
    problem: SearchProblem
    value: object
    solution: object

    def estimates(self, kind=SearchBlock, freeze=None, seed=7):
        freeze = 1e-2 * self.solution.risk if freeze is None else freeze
        policies = [policy_of(self.solution.strategy), GREEDY]

        def work(number):
            block = kind(self.problem, seed, number, self.value.statistics, LOG2_POINTS)
            return follow(block, self.value, policies, freeze)

        return Estimates.of(in_order(work, range(BLOCKS), None))


def random_case(number, M):
    """Return a random task: equal and unequal drifts, any priors, any costs, short trials."""
    chance = np.random.default_rng([2024, number])
    equal = M > 3 or number % 2 == 0
    drift = float(chance.uniform(4, 6)) if equal else tuple(chance.uniform(3, 6, M).round(3))
    location = None if M > 3 or number % 3 else tuple(chance.dirichlet(np.full(M, 4.0)))
    task = SearchTask(
        n_locations=M, drift=drift, prior=chance.uniform(0.35, 0.65), location_prior=location
    )
    time = chance.uniform(0.7, 1.5, 2) if number % 4 == 0 else [chance.uniform(0.7, 1.5)] * 2
    costs = Costs(tuple(time), miss=chance.uniform(0.8, 1.5), false_alarm=chance.uniform(0.8, 1.5))
    problem = SearchProblem(task, costs)
    solution = solve(task, costs, RTOL[M])
    if number % 4 == 1 or M > 3:
        value = learn(problem, solution.strategy, effort=QUICK, seed=number)
    else:
        value = table_value(solution.strategy, problem.prices, problem.sd)
    return Case(problem, value, solution)


@pytest.fixture(scope="module")
def cases():
    return [random_case(number, M) for number, M in enumerate(SIZES)]


@pytest.fixture(scope="module")
def all_estimates(cases):
    return [case.estimates() for case in cases]


def excess_of_lower_bound(case, kind=SearchBlock):
    """Return how many standard errors the bound lies above the exact optimum."""
    lower, se = case.estimates(kind).lower_bound
    return (lower - case.solution.risk - case.solution.risk_error) / (se + 1e-9)


def test_no_bound_contradicts_the_exact_optimum(cases, all_estimates):
    for case, estimates in zip(cases, all_estimates, strict=True):
        lower, se = estimates.lower_bound
        exact, error = case.solution.risk, case.solution.risk_error
        assert lower <= exact + error + 3 * se, case.problem.task
        for policy in range(2):
            upper, upper_se = estimates.risk(policy)
            assert upper >= exact - error - 3 * upper_se, case.problem.task
            assert estimates.gap(policy)[0] >= 0.0
        assert not estimates.undecided.any()


def test_a_biased_expectation_fails_the_same_test(cases):
    excess = [excess_of_lower_bound(case, NothingChanges) for case in cases[:8]]
    assert np.mean(np.array(excess) > 3) > 0.5


def test_the_exact_value_leaves_the_gap_of_its_grid(cases, all_estimates):
    gaps = [
        estimates.gap(0)[0] / case.solution.risk
        for case, estimates in zip(cases, all_estimates, strict=True)
        if isinstance(case.value, TableValue)
    ]
    assert np.median(gaps) < 2e-3


def test_the_freeze_level_does_not_matter(cases):
    case = cases[0]
    coarse, fine = (case.estimates(freeze=level * case.solution.risk) for level in (1e-2, 1e-5))
    difference = coarse.lower - fine.lower  # on the same paths
    assert (difference <= 1e-12).all()  # an early freeze can only lower the bound
    assert abs(difference.mean()) < 1e-3 * case.solution.risk


def test_frozen_paths_do_not_keep_the_cost_of_an_answer():
    """Frozen long before one should answer, the bound is loose; with that cost it would be none."""
    case = random_case(2, 2)
    assert isinstance(case.value, TableValue)
    start = case.problem.prices.stop(np.array([case.problem.task.log_prior_odds]))[0]
    lower, se = case.estimates(freeze=0.7 * start).lower_bound
    assert lower <= case.solution.risk - 3 * se
    assert lower >= 0.0


def test_policies_that_do_not_end_are_counted_one_by_one():
    case = random_case(0, 2)
    far = SPRT.for_task(case.problem.task, -50.0, 50.0)
    block = SearchBlock(case.problem, 1, 0, case.value.statistics, LOG2_POINTS)
    undecided = follow(block, case.value, [GREEDY, policy_of(far)], 1e-2, most_steps=30).undecided
    assert undecided[0] < undecided[1] == case.problem.block_size


def test_the_better_answer_is_the_cheaper_one_and_present_wins_ties():
    prices = SearchProblem(
        SearchTask(n_locations=2, drift=4.0, prior=0.3), Costs(0.5, miss=2.0, false_alarm=0.5)
    ).prices
    log_odds = np.array([-3.0, 3.0])
    absent, present = prices.answers(log_odds)
    assert absent[0] < present[0]
    assert present[1] < absent[1]
    assert answer(prices, log_odds).tolist() == [Action.ABSENT, Action.PRESENT]


TASK, COSTS = SearchTask(n_locations=2, drift=5.0), Costs(time=1.0)


def bounds(strategies, precision, most_blocks):
    problem, table = SearchProblem(TASK, COSTS), solve(TASK, COSTS, 1e-3).strategy
    value = table_value(table, problem.prices, problem.sd)
    return estimate(
        lambda n: problem.block(1, n, value.statistics, 5),
        value,
        [policy_of(strategy) for strategy in strategies or [table]],
        precision=precision,
        most_blocks=most_blocks,
    )


def test_more_precision_takes_more_trials():
    coarse, fine = bounds([], 0.1, 32), bounds([], 5e-3, 32)
    assert coarse.n_trials < fine.n_trials
    assert fine.errors() <= 5e-3 or fine.n_trials == 32 * 64


def test_risks_are_those_computed_on_a_grid_and_their_order_is_sure():
    rivals = [SPRT.for_task(TASK, -b, b) for b in (2.5, 1.0)]
    estimates = bounds(rivals, 1e-3, 16)
    exact = [evaluate(TASK, rival, COSTS, 1e-3).risk for rival in rivals]
    for n in (0, 1):
        risk, se = estimates.risk(n)
        assert abs(risk - exact[n]) < 4 * se + 1e-3 * exact[n]
        assert abs(risk - exact[1 - n]) > 4 * se  # the other's would have been noticed
    assert estimates.variance_ratio(0) > 3


def test_gap_and_gain_are_those_of_the_blocks():
    lower, controlled = np.array([0.1, 0.12, 0.11]), np.array([[0.13, 0.14, 0.16], [0.2, 0.1, 0.3]])
    plain = np.array([[0.1, 0.2, 0.3], [0.0, 0.3, 0.6]])
    estimates = Estimates(lower, controlled, plain, block_size=64, undecided=np.zeros(2, int))
    for n in (0, 1):
        gap = controlled[n] - lower
        assert estimates.gap(n) == pytest.approx((gap.mean(), gap.std(ddof=1) / np.sqrt(3)))
        assert estimates.variance_ratio(n) == pytest.approx(plain[n].var() / controlled[n].var())
