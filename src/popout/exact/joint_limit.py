r"""Continuous time: the risk as the steps become short.

With steps of length :math:`\delta` the observer may stop only at their ends, and holds its shares
for a whole step. Both cost risk of first order in :math:`\delta`: a boundary that is crossed is
overshot by about :math:`\sqrt\delta`, but at the optimum a displaced boundary costs only the square
of its displacement. The next term is of order 3/2,

.. math:: R(\delta) = R_0 + b\,\delta + c\,\delta^{3/2} + \dots ,

which three step lengths resolve. (Thresholds, by contrast, move by :math:`\sqrt\delta`.) The error
adds two parts: the change when the three shortest steps are replaced by the three before, and the
errors of the risks themselves, times the weights of the extrapolation.

In the limit everything depends on the costs of time over :math:`\Lambda` alone: time enters the
problem only through :math:`\Lambda t`. The steps are chosen in these units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from popout.attention import Attention
from popout.drawing.representation import Card, HasCard, with_error
from popout.exact.joint_problem import check_joint
from popout.exact.joint_solver import JointSolution, best_stopping, check_attention, solve_joint
from popout.progress import Progress, stretch
from popout.task import Costs, Faults, LimitedSearchTask

LONGEST = 0.32  # information, in units of Lambda * v * dt, that the first steps bring
N_STEPS = 4  # step lengths, each half the one before
TIGHTER = 8.0  # risks are found this many times more accurately than their limit


@dataclass(frozen=True)
class ContinuousTime(HasCard):
    """The limit of short steps.

    Attributes
    ----------
    risk, risk_error : float
        Of the limit, and the estimated bound on its error.
    dt : tuple of float
        The steps that were solved, in seconds, longest first.
    risks : tuple of float
        Their risks.
    slope : float
        What a step costs to first order, in units of risk per second of dt.
    """

    risk: float
    risk_error: float
    dt: tuple[float, ...]
    risks: tuple[float, ...]
    slope: float

    def card(self) -> Card:
        """Return what is shown of it."""
        rows = [[f"{1e3 * dt:.4g}", f"{r:.6f}"] for dt, r in zip(self.dt, self.risks, strict=True)]
        return Card(
            f"continuous time: risk {with_error(self.risk, self.risk_error)}",
            [("cost of steps", f"{1e-3 * self.slope:.2g} of risk per ms")],
            headings=["step (ms)", "risk"],
            rows=rows,
        )


def continuous_time(
    task: LimitedSearchTask,
    costs: Costs,
    rtol: float = 1e-3,
    *,
    attention: Attention | None = None,
    progress: Progress | None = None,
) -> ContinuousTime:
    """Find the risk in continuous time.

    Parameters
    ----------
    task : LimitedSearchTask
        Its ``dt`` plays no part.
    costs : Costs
    rtol : float
        Wanted relative accuracy of the risks at finite steps, and about that of the limit; the
        error of the result says what was reached.
    attention : Attention, optional
        A given policy, with its best stopping; the joint optimum when left out.
    progress : Progress, optional

    Examples
    --------
    >>> task = LimitedSearchTask(n_locations=1, information=16.0)
    >>> limit = continuous_time(task, Costs(time=0.2), rtol=1e-4)
    >>> print(f"{limit.risk:.4f}")
    0.0375
    """
    faults = Faults("continuous_time")
    check_joint(faults, task, costs, rtol)
    if attention is not None:
        check_attention(faults, task, attention)
    faults.raise_if_any()
    longest = LONGEST / (task.information * max(task.visibilities))
    steps = tuple(longest / 2**k for k in range(N_STEPS))
    solve = _solver(attention, costs, max(rtol / TIGHTER, 1e-9))
    found = []
    for k, dt in enumerate(steps):
        part = stretch(progress, k / N_STEPS, (k + 1) / N_STEPS, f"step {k + 1} of {N_STEPS}")
        found.append(solve(replace(task, dt=dt), part))
    risks = np.array([s.risk for s in found])
    errors = np.array([s.risk_error for s in found])
    weights = _weights(np.array(steps[-3:]))
    limit = weights @ risks[-3:]
    before = _weights(np.array(steps[-4:-1])) @ risks[-4:-1]
    error = abs(limit[0] - before[0]) + np.abs(weights[0]) @ errors[-3:]
    return ContinuousTime(
        float(limit[0]), float(error), steps, tuple(risks.tolist()), float(limit[1])
    )


def _solver(
    attention: Attention | None, costs: Costs, rtol: float
) -> Callable[[LimitedSearchTask, Progress], JointSolution]:
    if attention is None:
        return lambda task, progress: solve_joint(task, costs, rtol, progress=progress)
    return lambda task, progress: best_stopping(task, attention, costs, rtol, progress=progress)


def _weights(dt: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix that turns three risks into R_0, b and c."""
    return np.asarray(np.linalg.inv(np.stack([np.ones(3), dt, dt**1.5], axis=1)))
