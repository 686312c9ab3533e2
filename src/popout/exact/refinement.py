r"""Grids in a row: from a tolerance to a risk and an honest error.

Whoever computes a risk on grids (`solver`, `evaluation`, `deadline`) refines them by a constant
ratio. The risks :math:`R_0, R_1, \dots` of the levels approach the truth at about fifth order in
the spacing (`kinks`), with a sign that depends on how the boundary lies between the nodes. Three
errors are estimated and added:

- **spacing**: :math:`2 \max(|R_k - R_{k-1}|,\ |R_k - R_{k-2}| / q)`, q the ratio of the spacings to
  the third power. The last difference alone could be small by chance; the second guards against
  that. Both treat the last level as no better than the change it brought, which at fifth order
  it is.
- **range**: the change of the risk on the first grid when the lower end of every axis is moved down
  by `RANGE_STEP` or more, and where places are named the upper end up. What is left is at most a
  third of that (the error falls at least as :math:`e^{-1.1}` with every unit at the lower end, as
  :math:`e^{-1}` at the upper one); the whole is taken.
- **iteration**: what a level says of itself, where its equation is solved by iterating
  (`fixed_point.stationary`).

Where information is shared out (`refine_shares`) there is a fourth:

- **shares**: the change of the risk on the last grid when every second point of the lattice of
  shares is left out (zero for a policy whose shares are on the lattice). It is asked for once the
  others are small; where it is too large, the lattice gets twice as fine and the levels begin anew.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from popout.task import InputError

SAFETY = 2.0
RANGE_STEP = 1.5  # least change of an axis' lower end, in units of Z
RANGE_BUDGET = 0.4  # of the tolerance
MAX_EXTENSIONS = 8
FIRST_SHARE_FACTOR, SHARE_LEVELS, MOST_SHARES = 0.5, 14, 64


@dataclass(frozen=True)
class Level:
    """One grid and the risk found on it.

    Attributes
    ----------
    factor : float
        Spacing in units of a step's standard deviation.
    nodes_per_axis : tuple of int
        For each group.
    nodes : int
        Stored nodes.
    risk : float
    seconds : float
    iterations : int
        Steps of evidence computed; 0 where nothing is iterated.
    residual : float
        Largest change of the value function by one more step.
    iteration_error : float
        Bound on the error of the risk from stopping the iteration.
    converged : bool
        Whether the iteration reached its own tolerance.
    """

    factor: float
    nodes_per_axis: tuple[int, ...]
    nodes: int
    risk: float
    seconds: float
    iterations: int = 0
    residual: float = 0.0
    iteration_error: float = 0.0
    converged: bool = True

    @classmethod
    def on(cls, grid: Any, factor: float, risk: float, *, since: float, **iteration: Any) -> Level:
        """Describe a grid whose risk was computed from the time `since` until now."""
        seconds = time.perf_counter() - since
        return cls(factor, grid.nodes_per_axis, grid.size, risk, seconds, **iteration)


class NotConvergedError(RuntimeError):
    """The solution did not reach the tolerance; there is no result.

    Attributes
    ----------
    levels : tuple of Level
        What was computed before giving up.

    Examples
    --------
    A deadline so far away that the looks up to it cannot be stored:

    >>> import popout as po
    >>> try:
    ...     po.solve_deadline(po.SearchTask(n_locations=4, drift=2.0), po.Costs(time=0.2), 100.0)
    ... except po.NotConvergedError as error:
    ...     print("looks" in str(error))
    True
    """

    def __init__(self, message: str, levels: tuple[Level, ...] = ()) -> None:
        super().__init__(message)
        self.levels = levels


class MemoryLimitError(InputError):
    """The problem needs more memory than is allowed; nothing was allocated.

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> try:
    ...     po.solve(task, costs, memory_limit=1000)
    ... except po.MemoryLimitError as error:
    ...     print("needs about" in str(error))
    True
    """


@dataclass(frozen=True)
class Refined:
    """Levels from coarse to fine, and what is known about the error of the last.

    Attributes
    ----------
    levels : tuple of Level
    errors : dict
        Parts of the error: ``spacing``, ``range``, ``iteration``.
    """

    levels: tuple[Level, ...]
    errors: dict[str, float]

    @property
    def risk(self) -> float:
        """Risk on the last level."""
        return self.levels[-1].risk

    @property
    def risk_error(self) -> float:
        """Estimated bound on its error."""
        return sum(self.errors.values())


@dataclass(frozen=True)
class Refinement:
    """Which grids follow one another, and when to stop.

    Attributes
    ----------
    factors : sequence of float
        Spacings, coarse to fine, in units of a step's standard deviation.
    ratio : float
        Of one spacing to the next.
    margin : float
        How far below the lower thresholds the axes begin, to start with, in units of Z.
    settles_range : bool
        Whether the axes are to be lengthened until their ends matter no more; False where the range
        is known beforehand.
    repeats_first : bool
        Whether the first level is solved once more after the range is settled, beginning from what
        was found there. If not, the last grid of the range is the first level.
    trusted : int
        Number of the first level whose error estimate counts.

    Examples
    --------
    Risks that fall with the fourth power of the spacing, whatever the range:

    >>> def level(factor, margin, name):
    ...     return Level(factor, (1,), 1, 0.1 + 0.01 * factor**4, 0.0)
    >>> refined = Refinement([0.5**k for k in range(9)], 2.0, margin=4.0).run(level, rtol=1e-4)
    >>> len(refined.levels), round(refined.risk, 5)
    (5, 0.1)
    """

    factors: Sequence[float]
    ratio: float
    margin: float
    settles_range: bool = True
    repeats_first: bool = False
    trusted: int = 2

    def run(self, solve_on: Callable[[float, float, str], Level], rtol: float) -> Refined:
        """Refine until the risk is known to a relative tolerance.

        Parameters
        ----------
        solve_on : callable
            Maps factor, margin and a name (``"range"``, ``"level 2"``) to the `Level`. The caller
            keeps whatever else it needs of a level.
        rtol : float

        Raises
        ------
        MemoryLimitError
            If `solve_on` refuses the first grid.
        NotConvergedError
            If the tolerance is not met before the memory runs out, or on the last level.
        """
        levels: list[Level] = []
        margin, range_error = self.margin, 0.0

        def risk_at(lower: float) -> float:
            levels[:] = [solve_on(self.factors[0], lower, "range")]
            return levels[0].risk

        if self.settles_range:
            margin, range_error = settle_range(risk_at, margin, rtol)
        if self.repeats_first:
            levels.clear()
        for k in range(len(levels), len(self.factors)):
            try:
                levels.append(solve_on(self.factors[k], margin, f"level {k}"))
            except MemoryLimitError as refusal:
                raise _refused(refusal, levels, rtol) from None
            errors = {
                "spacing": spacing_error([level.risk for level in levels], self.ratio),
                "range": range_error,
                "iteration": levels[-1].iteration_error,
            }
            refined = Refined(tuple(levels), errors)
            enough = refined.risk_error <= rtol * refined.risk
            if enough and levels[-1].converged and k >= self.trusted:
                return refined
        raise _not_met(refined, rtol)


def refine_shares(
    solve_on: Callable[[float, int, str], Level],
    shares_error: Callable[[Level, int], float],
    smallest_factor: Callable[[int], float],
    first: float,
    n_locations: int,
    rtol: float,
    range_error: float,
) -> Refined:
    """Refine a problem with shares until the risk is known to a relative tolerance.

    Parameters
    ----------
    solve_on : callable
        Maps a factor, the number of parts that shares are made of, and a name to the `Level`.
    shares_error : callable
        The error of the last level from its shares, for the parts they are made of.
    smallest_factor : callable
        The widest spacing for a number of parts.
    first : float
        The first spacing.
    n_locations : int
    rtol, range_error : float
    """
    few = n_locations <= 3
    q = 1 if n_locations == 1 else 4 if rtol > 3e-4 else 8
    ratio = 1.4 if n_locations <= 2 else 1.25
    factor = min(first, smallest_factor(q))
    levels: list[Level] = []
    risks: list[float] = []
    for k in range(SHARE_LEVELS):
        try:
            levels.append(solve_on(factor, q, f"level {k}"))
        except MemoryLimitError as refusal:
            raise _refused(refusal, levels, rtol) from None
        risks.append(levels[-1].risk)
        errors = {
            "spacing": spacing_error(risks, ratio),
            "range": range_error,
            "shares": 0.0,
            "iteration": levels[-1].iteration_error,
        }
        refined = Refined(tuple(levels), errors)
        goal = rtol * refined.risk
        if k >= (2 if few else 1) and refined.risk_error <= 0.7 * goal:
            errors["shares"] = shares_error(levels[-1], q)
            if refined.risk_error <= goal:
                return refined
            q = min(2 * q, MOST_SHARES)
            risks = risks[-1:]
        factor = min(factor / ratio, smallest_factor(q))
    raise _not_met(refined, rtol)


def _refused(refusal: MemoryLimitError, levels: list[Level], rtol: float) -> Exception:
    if not levels:
        return refusal
    message = f"the tolerance {rtol:g} was not met before the memory ran out: {refusal}"
    return NotConvergedError(message, tuple(levels))


def _not_met(refined: Refined, rtol: float) -> NotConvergedError:
    return NotConvergedError(
        f"the risk is {refined.risk:.8g} with an estimated error of {refined.risk_error:.2g} "
        f"after {len(refined.levels)} levels, above the tolerance {rtol * refined.risk:.2g}; "
        "allow a larger rtol",
        refined.levels,
    )


def spacing_error(risks: list[float], ratio: float) -> float:
    """Estimate the error of the last of several risks, their spacings in a constant ratio.

    Examples
    --------
    >>> round(spacing_error([0.05, 0.046, 0.045], 2.0), 6)
    0.002
    """
    if len(risks) < 2:
        return math.inf
    error = abs(risks[-1] - risks[-2])
    if len(risks) > 2:
        error = max(error, abs(risks[-1] - risks[-3]) / ratio**3)
    return SAFETY * error


def settle_range(
    risk_at: Callable[[float], float], margin: float, rtol: float
) -> tuple[float, float]:
    """Lower the ends of the axes until cutting them there costs little.

    Parameters
    ----------
    risk_at : callable
        Gives the risk on a coarse grid whose axes begin so far below the lower thresholds.
    margin : float
        The first to try, in units of Z.
    rtol : float
        Wanted relative accuracy of the risk.

    Returns
    -------
    margin, error : float
        The margin to use, and the change of the risk on the last step to it.
    """
    before = risk_at(margin)
    for lower in range(1, MAX_EXTENSIONS):
        risk = risk_at(margin + lower * RANGE_STEP)
        error = abs(risk - before)
        if error <= RANGE_BUDGET * rtol * risk:
            break
        before = risk
    return margin + lower * RANGE_STEP, error
