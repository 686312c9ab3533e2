r"""The stationary solution on one grid.

Value iteration, accelerated (`anderson`). Nodes that lie within rounding of the boundary could
change sides endlessly, each change moving the sub-grid correction by a little. When the iteration
stalls for that reason the sides are fixed and the equation, now smooth, is solved for them; the
sides are then set anew, until that changes the risk no more. This is policy iteration (Howard
1960) with the boundary still free to move within its cells.

**How accurate is accurate enough.** A residual of r at every node changes V(0) by at most r times
the expected number of steps of a target-absent trial, and waiting costs at least
:math:`C_0\,\delta t` a step, so that number is at most :math:`V(0)/(C_0\,\delta t)`. Hence

.. math:: |\Delta V(0)| \le r\, V(0) / (C_0\, \delta t).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from popout.exact.anderson import FixedPoint, fixed_point
from popout.exact.backend import Array
from popout.progress import Progress, stretch

if TYPE_CHECKING:
    from popout.exact.bellman import Bellman
    from popout.exact.joint_bellman import JointBellman

MAX_ROUNDS = 12
PATIENCE = 15
LAST_ROUNDS = 0.9  # share of the work before the sides are set anew


@dataclass(frozen=True)
class Stationary:
    """The fixed point of a Bellman equation on one grid.

    Attributes
    ----------
    V : array of the grid's shape
    origin : float
        V(0).
    uncertainty : float
        Bound on the relative error of V(0) from stopping the iteration.
    residual : float
        Largest change of V by one more step.
    iterations : int
        Steps of evidence computed.
    converged : bool
    """

    V: Array
    origin: float
    uncertainty: float
    residual: float
    iterations: int
    converged: bool


def stationary(
    bellman: Bellman | JointBellman,
    start: Array | None,
    accuracy: float,
    *,
    max_iterations: int = 4000,
    memory: int = 8,
    patience: tuple[int, int] = (PATIENCE, 10 * PATIENCE),
    max_rounds: int = MAX_ROUNDS,
    progress: Progress | None = None,
) -> Stationary:
    """Solve V = Bellman(V).

    Parameters
    ----------
    bellman : Bellman or JointBellman
    start : array of the grid's shape, optional
        Where to begin; the value of answering at once when left out.
    accuracy : float
        Wanted relative accuracy of V(0), of the iteration alone.
    max_iterations, memory : int
    patience : pair of int
        Steps without progress after which the iteration has stalled, at first and with fixed sides.
    max_rounds : int
        How often the sides may be set anew.
    progress : callable, optional
        Told the iteration and the residual, and the round where the sides are set anew.
    """
    per_residual = 1.0 / (bellman.costs.time_absent * bellman.dt)
    tolerance = accuracy / per_residual
    done = rounds = 0

    def run(F: Callable[[Array], Array], V: Array) -> FixedPoint:
        words = f"round {rounds}" if rounds else ""
        return fixed_point(
            bellman.backend,
            F,
            V,
            tolerance=tolerance,
            memory=memory,
            max_iterations=max(1, max_iterations - done),
            patience=patience[rounds > 0],
            progress=progress and stretch(progress, LAST_ROUNDS if rounds else 0.0, 1.0, words),
        )

    point = run(bellman, bellman.start() if start is None else start)
    done += point.iterations
    origin = bellman.origin(point.value)
    drift = 0.0
    settled = point.converged
    while not settled and done < max_iterations and rounds < max_rounds:
        rounds += 1
        point = run(bellman.with_sides_of(point.value), point.value)
        done += point.iterations
        before, origin = origin, bellman.origin(point.value)
        drift = abs(origin - before) / max(abs(origin), 1e-300)
        settled = point.converged and drift <= accuracy
    uncertainty = point.residual * per_residual + (0.0 if rounds == 0 else drift)
    return Stationary(point.value, origin, uncertainty, point.residual, done, settled)
