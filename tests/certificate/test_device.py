"""Trials on a device: the expectations and bounds of the compiled code. Needs PyTorch."""

import numpy as np
import pytest

from popout.certificate.bound import GREEDY, follow
from popout.certificate.device import DeviceProblem
from popout.certificate.learn import Effort, learn
from popout.certificate.net import NetEffort
from popout.certificate.search import SearchProblem
from popout.policies.stopping import ASPRT
from popout.task import Costs, SearchTask

pytest.importorskip("torch")
TASK, COSTS = SearchTask(n_locations=3, drift=(5.0, 4.0, 4.0)), Costs(time=1.5)
QUICK = Effort(first_blocks=16, later_blocks=8, passes=1, log2_points=6, shape=(16, 8))


class FewTrials(DeviceProblem):
    block_size = 192


class EveryPass(NetEffort):
    on_device = True


@pytest.fixture(scope="module")
def problem():
    return FewTrials(TASK, COSTS, device="cpu")


@pytest.fixture(scope="module")
def value(problem):
    strategy = ASPRT.for_task(TASK, (-2.6, -2.2, -2.2), (2.6, 2.2, 2.2))
    net = EveryPass(width=16, depth=2, steps=150)
    return learn(problem, strategy, effort=QUICK, net=net, seed=1)


def test_expectations_are_those_of_the_compiled_code(problem, value):
    compiled = SearchProblem(TASK, COSTS).block(3, 0, value.statistics, 7)
    block = problem.block(3, 0, value.statistics, 7)
    for _ in range(4):
        compiled.advance()
    trials = np.arange(64)
    block._Z[:64] = block._on_device(compiled.Z.T)
    block._look()
    assert np.allclose(block.S[:, :64], compiled.S, atol=1e-12)
    ours, theirs = (
        np.array([b.expected(value, trials) for _ in range(24)]) for b in (block, compiled)
    )
    error = np.hypot(ours.std(axis=0, ddof=1), theirs.std(axis=0, ddof=1)) / np.sqrt(24)
    distance = np.abs(ours.mean(axis=0) - theirs.mean(axis=0))
    assert (distance < 4.5 * error + 1e-9).all()
    assert (np.abs(ours.mean(axis=0) - 1.01 * theirs.mean(axis=0)) > 4.5 * error).any()


def test_bounds_are_those_of_the_compiled_code(problem, value):
    means = []
    for kind, blocks in ((problem, 4), (SearchProblem(TASK, COSTS), 12)):
        found = [
            follow(kind.block(5, n, value.statistics, 6), value, [GREEDY], 1e-2)
            for n in range(blocks)
        ]
        lower = np.concatenate([one.lower for one in found])
        assert (np.concatenate([one.controlled[0] for one in found]) >= lower - 1e-12).all()
        means.append((lower.mean(), lower.std(ddof=1) / np.sqrt(len(lower))))
    (a, a_se), (b, b_se) = means
    assert abs(a - b) < 4 * np.hypot(a_se, b_se)


def test_a_seed_gives_the_same_block(problem, value):
    one, two = (problem.block(5, 2, value.statistics, 6) for _ in range(2))
    for block in (one, two):
        block.advance()
    trials = np.arange(100)
    assert (one.S == two.S).all()
    assert (one.expected(value, trials) == two.expected(value, trials)).all()
