"""The prophet over counts: a slow reference, random tasks, a control that must fail."""

from itertools import product

import numpy as np
import pytest

from popout.certificate.bound import Estimates
from popout.certificate.look_paths import LookBlock, LookProblem, foresighted
from popout.certificate.prophet import follow_looks
from popout.certificate.value import table_value
from popout.exact import evaluate, solve
from popout.policies.looking import ELM, Parallel, Serial
from popout.policies.observer import Observer
from popout.policies.stopping import SPRT
from popout.task import Costs, GazeTask, InputError, LimitedSearchTask

BLOCKS = 8


def random_case(number):
    """Return a random task of two or three items with gazes anywhere, and its costs."""
    chance = np.random.default_rng([30, number])
    M, G = 2 + (number % 3 == 2), int(chance.integers(2, 4))
    items = [tuple(place) for place in chance.uniform(0, 2, (M, 2)).round(2).tolist()]
    gazes = [tuple(place) for place in chance.uniform(0, 2, (G, 2)).round(2).tolist()]
    task = GazeTask(
        items,
        gazes,
        information=chance.uniform(10, 30),
        falloff=chance.uniform(0.4, 1.5),
        saccade=chance.uniform(0, 0.1),
        prior=chance.uniform(0.3, 0.7),
        location_prior=tuple(chance.dirichlet(np.full(M, 4.0))),
    )
    costs = Costs(
        tuple(chance.uniform(0.1, 0.4, 2)),
        miss=chance.uniform(0.7, 1.5),
        false_alarm=chance.uniform(0.7, 1.5),
    )
    return task, costs


@pytest.fixture(scope="module")
def cases():
    """Tasks, their optima, and value functions: of the optimum, and of ELM with its stopping."""
    made = []
    for number in range(6):
        task, costs = random_case(number)
        optimum = solve(task, costs, 2e-3)
        known = solve(task, costs, 1e-2, attention=ELM) if number % 2 else optimum
        problem = LookProblem(task, costs)
        made.append((problem, optimum, table_value(known.strategy, problem.prices, problem.seen)))
    return made


def estimates(case, kind=LookBlock, points=7):
    problem, optimum, value = case
    observers = [optimum.observer, foresighted(value, problem, 6, 5)]
    blocks = [kind(problem, 7, n, value.statistics, points) for n in range(BLOCKS)]
    return Estimates.of([follow_looks(block, value, observers, 0.0) for block in blocks])


class NothingChanges(LookBlock):
    """The negative control: takes the value now for the expected value after a look."""

    def after(self, value, Z, e, look):
        S = value.statistics.of(e, Z)
        return self.problem.prices.stop(S[0]) - np.maximum(value.advantage(S), 0.0)


def excess(case, bound):
    lower, se = bound.lower_bound
    return (lower - case[1].risk - case[1].risk_error) / (se + 1e-9)


def test_no_bound_contradicts_the_exact_optimum(cases):
    gaps = []
    for case in cases:
        bound = estimates(case)
        exact, error = case[1].risk, case[1].risk_error
        assert excess(case, bound) <= 3, case[0].task
        for n in range(2):
            risk, se = bound.risk(n)
            assert risk >= exact - error - 3 * se, case[0].task
            assert bound.gap(n)[0] >= 0.0
        assert abs(bound.risk(0)[0] - exact) <= 3 * bound.risk(0)[1] + error
        gaps.append(bound.gap_share(0)[0])
    assert np.median(gaps) < 0.01


def test_a_biased_expectation_fails_the_same_test(cases):
    beyond = [excess(case, estimates(case, NothingChanges)) > 3 for case in cases]
    assert np.mean(beyond) > 0.5


# -- one path by brute force -------------------------------------------------------------------

TASK = GazeTask([(0, 0), (1, 0)], information=12.0, falloff=1.2, prior=0.4)
COSTS = Costs((0.35, 0.55), miss=1.4, false_alarm=0.8)
LOOKS = 4


class Odd:
    """A value function that has nothing to do with any optimum."""

    def __init__(self, problem):
        self.statistics = problem.statistics(None)

    def advantage(self, S):
        return 0.15 * np.exp(-(S[0] ** 2) / 4) * (1 + np.tanh(S[3]))


class Recorded(LookBlock):
    """Remembers the steps it gives."""

    def noise(self):
        self.given = [*getattr(self, "given", []), super().noise()]
        return self.given[-1]


def slow_prophet(steps, value, problem):
    """Return the least cost over all sequences of looks, by trying each; steps (k, G, M)."""
    weight = np.array([0.2, 0.2])  # P(target at l)
    seen = np.exp(-np.array([[0.0, 1.0], [1.0, 0.0]]) / 1.2)
    variance = 4 * 12.0 * 0.2 * seen
    nodes, mass = np.polynomial.hermite_e.hermegauss(60)
    mass = mass / mass.sum()
    grid, both = np.array(list(product(nodes, nodes))).T, np.outer(mass, mass).ravel()

    def odds(Z):
        return (weight[:, None] * np.exp(Z)).sum(axis=0) / 0.6

    def stop(Z):
        present = odds(Z) / (1 + odds(Z))
        return np.minimum(1.4 * present, 0.8 * (1 - present))

    def v(Z):
        S = value.statistics.of(value.statistics.exponentials(Z), Z)
        return stop(Z) - np.maximum(value.advantage(S), 0.0)

    def mean_after(Z, f):
        """Mix the laws with the target at each item and nowhere, as the observer predicts."""
        now, mean = np.append(weight * np.exp(Z[:, 0]), 0.6), 0.0
        for place, share in enumerate(now / now.sum()):
            drift = np.where(np.arange(2) == place, 0.5, -0.5) * variance[f]
            after = Z + drift[:, None] + np.sqrt(variance[f])[:, None] * grid
            mean += share * float(both @ v(after))
        return mean

    def look(Z, counts, paid):
        g, present = float(stop(Z)[0]), odds(Z)[0] / (1 + odds(Z)[0])
        wait = 0.23 * (0.35 * (1 - present) + 0.55 * present)
        if g <= wait or sum(counts) == LOOKS:
            return paid + min(g, wait)
        best = paid + g
        for f in (0, 1):
            after = Z + steps[counts[f], f][:, None]
            charge = float(v(after)[0]) - mean_after(Z, f)
            longer = tuple(n + (f == i) for i, n in enumerate(counts))
            best = min(best, look(after, longer, paid + wait - charge))
        return best

    return look(np.zeros((2, 1)), (0, 0), 0.0)


def test_the_prophet_of_a_path_is_the_best_of_all_sequences_of_looks():
    problem = LookProblem(TASK, COSTS)
    value = Odd(problem)
    block = Recorded(problem, 3, 0, value.statistics, 13)
    J = follow_looks(block, value, [], 0.0, most_steps=LOOKS).lower
    steps = np.stack(block.given)
    slow = [slow_prophet(steps[..., p], value, problem) for p in range(6)]
    assert np.ptp(slow) > 0.05
    np.testing.assert_allclose(J[:6], slow, atol=2e-3)


def test_observers_pay_what_evaluation_on_a_grid_says(cases):
    problem, optimum, value = cases[0]
    task, costs = problem.task, problem.costs
    observer = Observer(ELM.for_task(task), SPRT.for_task(task, -0.8, 0.9))
    exact = evaluate(task, observer, costs, 2e-3)
    followed = [
        follow_looks(LookBlock(problem, 2, n, value.statistics, 8), value, [observer], 0.0)
        for n in range(BLOCKS)
    ]
    risk, se = Estimates.of(followed).risk(0)
    assert abs(risk - exact.risk) < 4 * se + exact.risk_error
    assert abs(optimum.risk - risk) > 4 * se  # another observer would have been noticed


def test_the_bound_holds_for_attended_groups():
    row, groups = [(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)]
    task = GazeTask.of_groups(
        row, groups, information=30.0, step=0.2, prior=0.35, location_prior=(0.5, 0.2, 0.3)
    )
    costs = Costs((0.15, 0.3), miss=1.5, false_alarm=0.8)
    known = solve(task, costs, 1e-2, attention=ELM)
    problem = LookProblem(task, costs)
    value = table_value(known.strategy, problem.prices, problem.seen)
    case = problem, solve(task, costs, 1e-3), value
    bound = estimates(case)
    assert excess(case, bound) <= 3
    assert bound.gap_share(0)[0] < 0.01
    assert excess(case, estimates(case, NothingChanges)) > 3


def test_one_location_at_a_time_is_a_gaze_that_sees_nothing_else():
    limited = LimitedSearchTask(n_locations=2, information=20.0, dt=0.2)
    gaze = GazeTask.of_groups([(0, 0), (1, 0)], [(0,), (1,)], information=20.0, step=0.2)
    costs = Costs(time=0.2)
    bounds = []
    for task in (limited, gaze):
        problem = LookProblem(task, costs)
        value = Odd(problem)
        blocks = [LookBlock(problem, 7, n, value.statistics, 6) for n in range(BLOCKS)]
        bounds.append(Estimates.of([follow_looks(b, value, [], 0.0) for b in blocks]))
    assert (bounds[0].lower == bounds[1].lower).all()
    assert np.ptp(bounds[0].lower) > 0.0


def test_shares_of_which_the_bound_says_nothing_are_refused():
    problem = LookProblem(LimitedSearchTask(n_locations=2, information=20.0), Costs(time=0.2))
    Z = np.zeros((2, 1))
    assert problem.looks_of(Serial.for_task(problem.task), Z, 0.0).tolist() == [0]
    with pytest.raises(InputError, match="one location at a time"):
        problem.looks_of(Parallel.for_task(problem.task), Z, 0.0)


def test_too_many_counts_are_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr("popout.certificate.prophet.MOST_STATES", 1)
    problem = LookProblem(TASK, COSTS)
    value = Odd(problem)
    with pytest.raises(InputError, match="fewer looks to choose from, longer steps"):
        follow_looks(LookBlock(problem, 3, 0, value.statistics, 6), value, [], 0.0)
