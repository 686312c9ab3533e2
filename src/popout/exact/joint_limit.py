r"""Continuous time: risk, thresholds and scales as the steps become short.

With steps of length :math:`\delta` the observer may stop only at their ends, and holds its shares
for a whole step. Both cost risk of first order in :math:`\delta`: a boundary that is crossed is
overshot by about :math:`\sqrt\delta`, but at the optimum a displaced boundary costs only the square
of its displacement. The boundary itself, and with it the scales of the conjecture, moves by
:math:`\sqrt\delta`,

.. math::

   R(\delta) = R_0 + b\,\delta + c\,\delta^{3/2} + \dots, \qquad
   a(\delta) = a_0 + b'\sqrt\delta + c'\,\delta + \dots,

which three step lengths resolve. The error of a limit adds two parts: the change when the three
shortest steps are replaced by the three before, and the errors of the numbers themselves, times the
weights of the extrapolation. Scales come close to their limit slowly: steps four times as short
move them by up to twice that change, so three times the change is taken as their error.

Thresholds need no extrapolation: those of a location that gets everything have a closed form
(`continuous_discrimination`).

In the limit everything depends on the costs of time over :math:`\Lambda`, or :math:`\mu^2`, alone:
time enters the problem only through :math:`\Lambda t`. The steps are chosen in these units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.attention import Attention
from popout.drawing.representation import Card, HasCard, with_error
from popout.exact.continuous_discrimination import ContinuousDiscrimination
from popout.exact.discretisation import check_costs_and_rtol
from popout.exact.joint_problem import check_joint
from popout.exact.joint_solver import JointSolution, best_stopping, check_attention, solve_joint
from popout.exact.solution import Solution
from popout.exact.solver import solve
from popout.progress import Progress, stretch
from popout.task import Costs, Faults, LimitedSearchTask, Task

LONGEST = 0.32  # information, in units of Lambda * v * dt or mu^2 dt, of the longest steps
N_STEPS = 4  # step lengths, each half the one before
TIGHTER = 8.0  # risks are found this many times more accurately than their limit
OF_RISK, OF_SCALE = (0.0, 1.0, 1.5), (0.0, 0.5, 1.0)
"""Powers of the step in the expansion."""
SLOWLY = 3.0
"""Factor on the error of a scale."""


@dataclass(frozen=True)
class ContinuousTime(HasCard):
    """The limit of short steps.

    Attributes
    ----------
    risk, risk_error : float
        Of the limit, and the estimated bound on its error.
    thresholds : tuple of pairs of float, length M
        Lower and upper threshold of each location that gets everything, in log posterior odds.
    a_minus, a_minus_error, a_plus, a_plus_error : float
        Scales of the conjecture in the limit, and the estimated bounds on their errors; NaN for a
        single location.
    dt : tuple of float
        The steps that were solved, in seconds, longest first.
    risks : tuple of float
        Their risks.
    scales : tuple of pairs of float
        Their scales ``(a_minus, a_plus)``.
    slope : float
        What a step costs to first order, in units of risk per second of dt.

    Examples
    --------
    >>> import popout as po
    >>> task = po.SearchTask(n_locations=1, drift=4.0)
    >>> limit = po.continuous_time(task, po.Costs(time=0.2), rtol=1e-3)
    >>> limit.risk < limit.risks[0], len(limit.thresholds)  # steps cost something
    (True, 1)
    """

    risk: float
    risk_error: float
    thresholds: tuple[tuple[float, float], ...]
    a_minus: float
    a_minus_error: float
    a_plus: float
    a_plus_error: float
    dt: tuple[float, ...]
    risks: tuple[float, ...]
    scales: tuple[tuple[float, float], ...]
    slope: float

    def as_dict(self) -> dict[str, Any]:
        """Return the limits with their errors, and the steps that they rest on."""
        steps = zip(self.dt, self.risks, self.scales, strict=True)
        return {
            "risk": self.risk,
            "risk_error": self.risk_error,
            "converged": True,
            "dt": 0.0,
            "thresholds": [{"lower": low, "upper": up} for low, up in self.thresholds],
            "a_plus": self.a_plus,
            "a_plus_error": self.a_plus_error,
            "a_minus": self.a_minus,
            "a_minus_error": self.a_minus_error,
            "steps": [
                {"dt": dt, "risk": risk, "a_minus": minus, "a_plus": plus}
                for dt, risk, (minus, plus) in steps
            ],
        }

    def card(self) -> Card:
        """Return what is shown of it."""
        several = not math.isnan(self.a_minus)
        rows = [
            [f"{1e3 * dt:.4g}", f"{r:.6f}", *([f"{a:.4f}" for a in pair] if several else [])]
            for dt, r, pair in zip(self.dt, self.risks, self.scales, strict=True)
        ]
        low, high = self.thresholds[0]
        alike = len(set(self.thresholds)) == 1
        where = "thresholds" if alike else "thresholds of the first location"
        scales = [
            ("conjecture's a_plus", with_error(self.a_plus, self.a_plus_error)),
            ("conjecture's a_minus", with_error(self.a_minus, self.a_minus_error)),
        ]
        return Card(
            f"continuous time: risk {with_error(self.risk, self.risk_error)}",
            [
                (where, f"{low:.4f} and {high:.4f}"),
                *(scales if several else []),
                ("cost of steps", f"{1e-3 * self.slope:.2g} of risk per ms"),
            ],
            headings=["step (ms)", "risk", *(["a_minus", "a_plus"] if several else [])],
            rows=rows,
        )


def continuous_time(
    task: Task,
    costs: Costs,
    rtol: float = 1e-3,
    *,
    attention: Attention | type[Attention] | None = None,
    longest: float = LONGEST,
    backend: str = "numpy",
    device: Any = None,
    progress: Progress | None = None,
) -> ContinuousTime:
    """Find the risk, the thresholds and the scales in continuous time.

    Parameters
    ----------
    task : SearchTask or LimitedSearchTask
        Its ``dt`` plays no part.
    costs : Costs
    rtol : float
        Wanted relative accuracy of the risks at finite steps, and about that of the limit; the
        error of the result says what was reached.
    attention : Attention or a class of it, optional
        In a `LimitedSearchTask`: a given policy, with its best stopping; the joint optimum when
        left out.
    longest : float
        Information, in units of ``Lambda * dt`` or ``drift**2 * dt``, of the longest of four steps,
        each half the one before. Shorter ones are more accurate, scales above all, and take longer.
    backend, device
        Where to compute the search of a `SearchTask`, see `popout.solve`.
    progress : Progress, optional

    Examples
    --------
    >>> from popout import LimitedSearchTask, SearchTask
    >>> task = LimitedSearchTask(n_locations=1, information=16.0)
    >>> limit = continuous_time(task, Costs(time=0.2), rtol=1e-4)
    >>> print(f"{limit.risk:.4f}")
    0.0375
    >>> limit = continuous_time(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2))
    >>> print(f"{limit.a_minus:.1f} {limit.a_plus:.1f}")
    2.3 0.6
    """
    faults = Faults("continuous_time")
    drifts, policy = task.local_drifts if isinstance(task, Task) else None, None
    if isinstance(task, LimitedSearchTask):
        check_joint(faults, task, costs, rtol)
        if attention is not None:
            policy = check_attention(faults, task, attention)
    elif drifts is None or attention is not None:
        expected = "a SearchTask" if attention is None else "a LimitedSearchTask for attention"
        remedy = "continuous time is for tasks whose evidence is a Gaussian walk"
        faults.add("task", expected, type(task).__name__, remedy)
    check_costs_and_rtol(faults, costs, rtol)
    remedy = "as long as possible, but short of a decision"
    faults.number("longest", longest, remedy, expected="a number up to 1", above=0.0, below=1.001)
    faults.raise_if_any()
    assert drifts is not None
    steps = tuple(longest / max(drifts) ** 2 / 2**k for k in range(N_STEPS))
    at = _solver(task, policy, costs, max(rtol / TIGHTER, 1e-9), backend, device)
    solutions = []
    for k, dt in enumerate(steps):
        part = stretch(progress, k / N_STEPS, (k + 1) / N_STEPS, f"step {k + 1} of {N_STEPS}")
        solutions.append(at(dt, part))
    risks, errors = [s.risk for s in solutions], [s.risk_error for s in solutions]
    limit, error, slope = extrapolate(steps, risks, OF_RISK, errors)
    scales = [(s.scales.a_minus, s.scales.a_plus) for s in solutions]
    minus, plus = (extrapolate(steps, values, OF_SCALE) for values in zip(*scales, strict=True))
    pairs = [ContinuousDiscrimination.of(drift, costs) for drift in drifts]
    return ContinuousTime(
        risk=limit,
        risk_error=error,
        thresholds=tuple((pair.lower, pair.upper) for pair in pairs),
        a_minus=minus[0],
        a_minus_error=SLOWLY * minus[1],
        a_plus=plus[0],
        a_plus_error=SLOWLY * plus[1],
        dt=steps,
        risks=tuple(risks),
        scales=tuple(scales),
        slope=slope,
    )


def _solver(
    task: Task,
    attention: Attention | None,
    costs: Costs,
    rtol: float,
    backend: str,
    device: Any,
) -> Callable[[float, Progress], JointSolution | Solution]:
    """Return how to solve the task with steps of some length."""

    def at(dt: float, progress: Progress) -> JointSolution | Solution:
        if isinstance(task, LimitedSearchTask):
            here = replace(task, dt=dt)
            if attention is None:
                return solve_joint(here, costs, rtol, progress=progress)
            return best_stopping(here, attention, costs, rtol, progress=progress)
        assert task.search is not None
        search = replace(task.search, dt=dt)
        return solve(search, costs, rtol, backend=backend, device=device, progress=progress)

    return at


def extrapolate(
    dt: Sequence[float],
    values: Sequence[float],
    powers: tuple[float, float, float],
    errors: Sequence[float] | None = None,
) -> tuple[float, float, float]:
    """Return the limit of short steps, a bound on its error, and the next coefficient.

    Parameters
    ----------
    dt : sequence of float, length 4 or more
        Longest first.
    values : sequence of float
    powers : tuple of float
        Of dt, in the expansion.
    errors : sequence of float, optional
        Of the values; taken as zero when left out.

    Examples
    --------
    >>> dt = [0.08, 0.04, 0.02, 0.01]
    >>> [round(v, 9) for v in extrapolate(dt, [2.0 + 3.0 * h for h in dt], (0.0, 1.0, 1.5))]
    [2.0, 0.0, 3.0]
    """
    steps, numbers = np.asarray(dt), np.asarray(values)
    if not np.isfinite(numbers).all():
        return math.nan, math.nan, math.nan
    last, before = (_weights(steps[here], powers) for here in (slice(-3, None), slice(-4, -1)))
    limit, earlier = last @ numbers[-3:], before @ numbers[-4:-1]
    spread = np.zeros(3) if errors is None else np.asarray(errors)[-3:]
    error = abs(limit[0] - earlier[0]) + np.abs(last[0]) @ spread
    return float(limit[0]), float(error), float(limit[1])


def _weights(dt: NDArray[np.float64], powers: tuple[float, ...]) -> NDArray[np.float64]:
    """Return the matrix that turns three values into the coefficients of the expansion."""
    return np.asarray(np.linalg.inv(np.stack([dt**power for power in powers], axis=1)))
