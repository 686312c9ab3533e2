r"""Learning a value function from trials.

Trials are run under a policy; where it would stop they go on for a while, each further step with
some probability, so that states on the far side of its boundary are met as well. Going backwards
along a path, the observed cost of waiting at a look is

.. math::

   q_k = c_k\,\delta t + \hat{\mathbb{E}}_k[v] +
   \begin{cases} g_{k+1} - v_{k+1} & \text{if the policy stops at } k+1,\\
                 q_{k+1} - v_{k+1} & \text{if it waits,} \end{cases}

the cost to go of the policy after one forced step, with the martingale of an earlier v as control
variate. The first pass has no v (zero takes its place) and runs the given strategy; its targets
scatter as trials do. Later passes run the policy that is greedy on the last v; their targets
scatter by a few percent of that, and a few thousand trials make a far better fit. The policy soon
changes little: a pass also learns from the trials of those before it, back to half of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from popout.certificate.bound import GREEDY, Policy, in_order, policy_of
from popout.certificate.problem import Array, Value
from popout.certificate.value import Mesh, MeshValue, fit_mesh
from popout.policies.stopping import Action, Strategy
from popout.progress import Progress
from popout.task import Faults

LONGEST = 5_000
"""Steps of a training path, at most."""


@dataclass(frozen=True)
class Effort:
    """How much is spent on learning.

    Parameters
    ----------
    first_blocks, later_blocks : int
        Blocks, of 64 trials each, of the first pass, without a value function, and of each later
        one.
    passes : int, optional
        Later passes. When left out, as many as the kind of problem takes to settle.
    log2_points : int, optional
        Two to the power of this many points make a conditional expectation. When left out, 7, and
        more where single steps tell much (trials then have fewer of them).
    shape : pair of int
        Splines along the two coordinates of the mesh.
    """

    first_blocks: int = 300
    later_blocks: int = 80
    passes: int | None = None
    log2_points: int | None = None
    shape: tuple[int, int] = (32, 12)

    def __post_init__(self) -> None:
        """Check the numbers: too few points have no conditional expectation."""
        faults = Faults("Effort")
        least = {"first_blocks": 1, "later_blocks": 1, "passes": 0, "log2_points": 5}
        for name, at_least in least.items():
            if getattr(self, name) is not None:
                faults.integer(name, getattr(self, name), "leave it out", at_least=at_least)
        faults.raise_if_any()

    def points(self, information: float) -> int:
        """Return the logarithm of the number of points, given the variance of a step."""
        if self.log2_points is not None:
            return self.log2_points
        return 7 + min(3, max(0, round(math.log2(max(information, 1e-9) / 0.3))))

    def later_passes(self, problem: Any) -> int:
        """Return the number of later passes."""
        return int(problem.passes) if self.passes is None else self.passes

    def blocks(self, problem: Any) -> int:
        """Return how many blocks of trials are met altogether."""
        return self.first_blocks + self.later_passes(problem) * self.later_blocks


def learn(
    problem: Any,
    strategy: Strategy,
    *,
    effort: Effort = Effort(),  # noqa: B008 (frozen)
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> MeshValue:
    """Return a value function learned from trials.

    Parameters
    ----------
    problem : SearchProblem or the like
    strategy : Strategy
        Where learning begins; better strategies make better first passes.
    effort : Effort
    seed : int
    threads : int, optional
    progress : Progress, optional
    """
    statistics = problem.statistics(strategy)
    coordinates = problem.coordinates(statistics)
    points = effort.points(problem.information)
    seen: list[list[tuple[Array, Array]]] = []
    value: MeshValue | None = None
    policy: Policy = policy_of(strategy)
    first, passes = 0, effort.later_passes(problem)
    for n in range(passes + 1):
        numbers = range(first, first + (effort.later_blocks if n else effort.first_blocks))
        first = numbers.stop
        if progress is not None:
            progress(n / (passes + 1), f"learning, pass {n + 1} of {passes + 1}")

        def work(number: int, value: Value | None = value, policy: Policy = policy) -> Any:
            block = problem.block(seed, number, statistics, points)
            return rollouts(block, value, policy, seed)

        seen.append(in_order(work, numbers, threads))
        data = [block for blocks in seen[-max(1, (n + 1) // 2) :] for block in blocks]
        everything = np.concatenate([S for S, _ in data], axis=1)
        degree, used = (2, coordinates) if n else (0, coordinates[:2])
        mesh = Mesh.around(everything, used, effort.shape, degree, problem.prices)
        value = fit_mesh(mesh, statistics, problem.prices, data, problem.stiffness)
        policy = GREEDY
    assert value is not None
    return value


def rollouts(block: Any, value: Value | None, policy: Policy, seed: int) -> tuple[Array, Array]:
    """Return states met by a block of trials, and their observed costs of waiting.

    Parameters
    ----------
    block : SearchBlock or the like
    value : Value, optional
        Its martingale is the control variate.
    policy : Policy
    seed : int

    Returns
    -------
    S : ndarray of shape (J, n)
    q : ndarray of shape (n,)
    """
    problem, P = block.problem, block.problem.block_size
    prices = problem.prices
    generator = np.random.default_rng([seed, block.number, 1])
    end = min(0.5, max(0.02, problem.information))
    # A quarter of the trials first look for a while, up to the longest time that could pay.
    start = float(prices.stop(block.S[0, :1])[0] / prices.wait(block.S[0, :1])[0])
    patience = np.where(
        generator.random(P) < 0.25, generator.random(P) * min(start, LONGEST) * 0.5, 1.0
    )
    trials = np.arange(P)
    looks = []
    for k in range(LONGEST + 1):
        S = block.S[:, trials]
        stop = prices.stop(S[0])
        gain = np.zeros(len(trials)) if value is None else value.advantage(S)
        ends = policy(block, trials, gain) != Action.WAIT
        patient = (k < patience[trials]) & (stop > 2.0 * prices.wait(S[0]))
        over = ends & (generator.random(len(trials)) < end) & ~patient
        over |= k == LONGEST
        going = ~over
        after = np.zeros(len(trials))
        now = np.zeros(len(trials))
        if value is not None:
            now = stop - np.maximum(gain, 0.0)
            if going.any():
                after[going] = block.expected(value, trials[going])
        looks.append((trials, S, stop, prices.wait(S[0]) + after, ends | over, now, going))
        trials = trials[going]
        if not len(trials):
            break
        block.advance()
    to_go = np.zeros(P)
    states, costs = [], []
    for trials, S, stop, wait, ends, now, going in reversed(looks):
        q = wait + to_go[trials]
        states.append(S[:, going])
        costs.append(q[going])
        to_go[trials] = np.where(ends, stop, q) - now
    return np.concatenate(states, axis=1), np.concatenate(costs)
