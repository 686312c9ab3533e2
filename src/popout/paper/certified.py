"""What no strategy can beat at the set sizes of the paper that have no exact optimum.

At the paper's higher drifts trials take a few steps, and a certificate takes seconds. Gap and bound
are those of `popout.certify`, learned from the a-SPRT that is given.
"""

from __future__ import annotations

from popout.analysis.certify import ValueMethod, certify
from popout.certificate import Certificate, Effort
from popout.policies.stopping import Strategy
from popout.task import Costs, SearchTask

EFFORT = Effort(first_blocks=40, later_blocks=16, passes=2, log2_points=8, shape=(24, 10))
PRECISION, MOST_TRIALS = 2e-3, 4096


def certified(task: SearchTask, costs: Costs, strategy: Strategy, seed: int) -> Certificate:
    """Return a certificate, with the effort of a figure.

    Parameters
    ----------
    task : SearchTask
    costs : Costs
    strategy : Strategy
        From whose trials the value function is learned.
    seed : int
    """
    return certify(
        task,
        costs,
        strategy=strategy,
        method=ValueMethod.REGRESSION,
        precision=PRECISION,
        most_trials=MOST_TRIALS,
        effort=EFFORT,
        seed=seed,
    )
