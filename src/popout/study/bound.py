"""A bound on every strategy for a user's task that has no exact optimum.

The value function behind it is learned from trials of the best strategy at hand, with an effort in
proportion to the trials that the bound rests on.
"""

from __future__ import annotations

from popout.analysis.certify import ValueMethod, certify
from popout.certificate import Certificate
from popout.certificate import Effort as Learning
from popout.policies.stopping import Strategy
from popout.progress import Progress
from popout.study.assignment import Assignment
from popout.task import GaussianWalk

PRECISION = 2e-3
FEWEST_FIRST, FEWEST_LATER = 12, 6
"""Blocks of trials of the passes of learning, at least."""
BLOCK = 64
"""Trials in a block."""


def certificate_of(
    assignment: Assignment, strategy: Strategy, progress: Progress
) -> Certificate | None:
    """Return a certificate for an assignment, or None where there can be none.

    Parameters
    ----------
    assignment : Assignment
    strategy : Strategy
        The best at hand.
    progress : Progress
    """
    trials, task = assignment.effort.certificate_trials, assignment.search or assignment.task
    walks = all(isinstance(law, GaussianWalk) for law in task.observations)
    if trials == 0 or not (task.search or walks):  # spikes are not covered
        return None
    blocks = trials // BLOCK
    learning = Learning(
        first_blocks=max(FEWEST_FIRST, 5 * blocks // 2),
        later_blocks=max(FEWEST_LATER, 3 * blocks // 4),
        passes=1 if blocks < BLOCK else 2,
        log2_points=7,
        shape=(24, 10),
    )
    return certify(
        task,
        assignment.costs,
        strategy=strategy,
        method=ValueMethod.REGRESSION,
        precision=PRECISION,
        most_trials=trials,
        effort=learning,
        seed=assignment.seed,
        progress=progress,
    )
