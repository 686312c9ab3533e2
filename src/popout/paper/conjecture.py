r"""The paper's conjecture with given scales, and the scales that its captions print.

A scale multiplies a log likelihood ratio, so its number depends on the unit of the ratio: with
logarithms to base 10 (decades) the same surface has a scale that is :math:`\ln 10 = 2.303` times
as large. Natural logarithms are meant throughout popout. That the captions count in decades is a
hypothesis, found after their numbers had been compared with fitted ones: it makes both agree, and
with the paper's own sentence that SPRT, a = 1 nat or 2.303 in decades, is conservative on both
sides. The ratio :math:`a_-/a_+` depends on no unit.

Where there is no exact optimum, `certified` says what no strategy can beat: gap and bound are those
of `popout.certify`, learned from the a-SPRT that is given. At the paper's higher drifts trials take
a few steps, and a certificate takes seconds.
"""

from __future__ import annotations

import math

from popout.analysis.certify import ValueMethod, certify
from popout.certificate import Certificate, Effort
from popout.exact import Solution
from popout.policies.stopping import ASPRT, ScaledSPRT, Strategy
from popout.task import Costs, SearchTask

PRINTED = {2.0: (4.61, 1.50), 4.0: (3.9, 1.5)}
"""a_minus and a_plus in the captions of Figures 3 and 4, by drift."""
DECADE = math.log(10.0)
"""Nats in a decade."""
EFFORT = Effort(first_blocks=40, later_blocks=16, passes=2, log2_points=8, shape=(24, 10))
PRECISION, MOST_TRIALS = 2e-3, 4096
"""Of a certificate."""


def conjecture(solution: Solution, a_minus: float, a_plus: float) -> ScaledSPRT:
    """Return a-SPRT with these scales and the solution's one-dimensional thresholds.

    Examples
    --------
    >>> from popout.exact import solve
    >>> solution = solve(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2), rtol=1e-2)
    >>> conjecture(solution, *PRINTED[4.0]).a_minus
    3.9
    """
    lower, upper = zip(*solution.thresholds, strict=True)
    return ASPRT.for_task(solution.task, lower, upper, a_minus=float(a_minus), a_plus=float(a_plus))


def read_in_decades(drift: float) -> tuple[float, float]:
    """Return the printed scales as popout counts, if the captions mean logarithms to base 10.

    Examples
    --------
    >>> [round(a, 2) for a in read_in_decades(2.0)]
    [2.0, 0.65]
    """
    a_minus, a_plus = PRINTED[drift]
    return a_minus / DECADE, a_plus / DECADE


def fitted_scales(solution: Solution) -> tuple[float, float]:
    """Return a_minus and a_plus as they fit the exact boundary best."""
    return solution.scales.a_minus, solution.scales.a_plus


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
