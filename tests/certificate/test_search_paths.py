"""Paths of a search in blocks, and what one more step is worth, against plain references."""

import numpy as np
import pytest

from popout.certificate.problem import Prices
from popout.certificate.search_paths import LearnedStrategy, SearchProblem
from popout.certificate.statistics import statistics_for
from popout.policies.stopping import SPRT, Action
from popout.task import Costs, SearchTask

COSTS = Costs(time=1.0)
TASK = SearchTask(drift=(4.0, 2.0, 3.0), location_prior=(0.5, 0.0, 0.5), prior=0.4)
PROBLEM = SearchProblem(TASK, COSTS)


def block_of(problem, number=0, seed=3):
    return problem.block(seed, number, problem.statistics(None), 7)


def test_a_location_that_never_holds_the_target_is_left_out():
    assert PROBLEM.places.tolist() == [0, 2]
    assert np.exp(PROBLEM.log_weight).sum() == pytest.approx(0.4 / 0.6)
    np.testing.assert_allclose(PROBLEM.sd, [0.8, 0.6])  # 2 drift sqrt(dt)


@pytest.mark.parametrize("start", [0.0, 0.37, 0.999])
def test_targets_are_spread_evenly_over_their_probabilities(start):
    found = PROBLEM.targets(start, 1000)
    counts = np.bincount(found + 1, minlength=3)
    np.testing.assert_allclose(counts, [600, 200, 200], atol=1)


def test_steps_have_the_law_of_their_class():
    steps = []
    for number in range(40):
        block = block_of(PROBLEM, number)
        target = np.array(block._mean > 0)
        before = block.Z.copy()
        block.advance()
        steps.append((block.Z - before, target))
    Z, at_target = (np.concatenate(part, axis=1) for part in zip(*steps, strict=True))
    for place, sd in enumerate(PROBLEM.sd):
        for is_target, sign in ((True, 1), (False, -1)):
            here = Z[place][at_target[place] == is_target]
            se = sd / np.sqrt(here.size)
            assert abs(here.mean() - sign * sd**2 / 2) < 4 * se
            assert abs(here.mean() + sign * sd**2 / 2) > 4 * se  # the other class is told apart
            assert abs(here.std() - sd) < 4 * se


def test_a_block_is_a_function_of_seed_and_number():
    one, same, other = block_of(PROBLEM, 1), block_of(PROBLEM, 1), block_of(PROBLEM, 2)
    for block in (one, same, other):
        block.advance()
    assert (one.Z == same.Z).all()
    assert (one.Z != other.Z).any()


def test_a_strategy_sees_every_location():
    block = block_of(PROBLEM)
    block.advance()
    strategy = SPRT.for_task(TASK, -0.2, 0.2)
    trials = np.array([3, 5])
    Z = np.zeros((2, 3))
    Z[:, [0, 2]] = block.Z[:, trials].T
    assert (block.decide(strategy, trials) == strategy.decide(Z, TASK.dt)).all()


PRICES = Prices(miss=1.0, false_alarm=1.0, step_absent=0.01, step_present=0.01)
LOG_WEIGHT = np.log([0.5, 0.5])


class Band:
    """Waiting pays while the log odds lie within one nat of even."""

    statistics = statistics_for(LOG_WEIGHT, np.array([0.8, 0.8]), None)

    def advantage(self, S):
        return 1.0 - np.abs(S[0])


def learned(places=(0, 1), n=2):
    return LearnedStrategy(Band(), PRICES, np.array(places), n)


def test_a_learned_strategy_waits_in_the_band_and_answers_outside():
    Z = np.random.default_rng(2).normal(0.0, 3.0, (500, 2))
    S = np.logaddexp.reduce(Z + LOG_WEIGHT, axis=1)
    expected = np.select([np.abs(S) < 1, S >= 1], [Action.WAIT, Action.PRESENT], Action.ABSENT)
    actions = learned().decide(Z, 0.3)
    assert (actions == expected).all()
    assert len(set(actions.tolist())) == 3


def test_shapes_are_kept_and_other_locations_ignored():
    Z = np.random.default_rng(3).normal(0.0, 3.0, (4, 5, 2))
    three = np.full((4, 5, 3), 50.0)
    three[..., [2, 0]] = Z
    actions = learned((2, 0), 3).decide(three, 0.0)
    assert actions.shape == (4, 5)
    assert (actions == learned().decide(Z, 0.0)).all()
