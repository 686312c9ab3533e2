"""The paper's conjecture with given scales, and the scales that its captions print."""

from __future__ import annotations

from popout.exact import Solution
from popout.strategies import ASPRT, ScaledSPRT

PRINTED = {2.0: (4.61, 1.50), 4.0: (3.9, 1.5)}
"""a_minus and a_plus in the captions, by drift: fig-optthresh2Ddiffsnr and fig-optthresh2D."""


def conjecture(solution: Solution, a_minus: float, a_plus: float) -> ScaledSPRT:
    """Return a-SPRT with these scales and the solution's one-dimensional thresholds.

    Examples
    --------
    >>> from popout.exact import solve
    >>> from popout.task import Costs, SearchTask
    >>> solution = solve(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2), rtol=1e-2)
    >>> conjecture(solution, *PRINTED[4.0]).a_minus
    3.9
    """
    lower, upper = zip(*solution.thresholds, strict=True)
    return ASPRT.for_task(solution.task, lower, upper, a_minus=float(a_minus), a_plus=float(a_plus))


def fitted_scales(solution: Solution) -> tuple[float, float]:
    """Return a_minus and a_plus as they fit the exact boundary best."""
    return solution.scales.a_minus, solution.scales.a_plus
