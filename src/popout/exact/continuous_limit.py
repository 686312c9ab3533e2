r"""Continuous time: risk, thresholds and scales as the steps become short.

**One location** has a closed form (`continuous_discrimination`), for any prior and any costs.

**More locations** are solved with steps of length :math:`\delta`. The observer then may stop only
at their ends, and holds its shares for a whole step. Both cost risk of first order in
:math:`\delta`: a boundary that is crossed is overshot by about :math:`\sqrt\delta`, but at the
optimum a displaced boundary costs only the square of its displacement. The boundary itself, and
with it the scales of the conjecture, moves by :math:`\sqrt\delta`,

.. math::

   R(\delta) = R_0 + b\,\delta + c\,\delta^{3/2} + \dots, \qquad
   a(\delta) = a_0 + b'\sqrt\delta + c'\,\delta + \dots,

which three step lengths resolve. The error of a limit adds three parts: the change when the three
shortest steps are replaced by the three before, the change when the last term is left out, and the
errors of the numbers themselves, times the weights of the extrapolation.

**Where the expansion holds.** It is one in :math:`\sqrt\delta` over the distance of the start from
the boundary. Next to the boundary, or beyond the boundary of long steps, the risks follow no power
of :math:`\delta`, and may even all be equal. So steps are halved until the observer of the longest
of the last four waits at every state within one standard deviation of a step around the start.

**What is known in any case.** The limit lies between two bounds (Cbar is the mean cost of time):

- :math:`R_0 \le R(\delta)`, because an observer in continuous time may do the same. (With a given
  policy of attention, which is held for a step, the last change of the risk is added.)
- :math:`R_0 \ge \sum_l \pi_l R_0^{(l)}`: an observer who is told where the target would be, if
  there is one, discriminates at that location alone, with all the information it can get.
- Where information is shared out, :math:`R_0` is at least the limit of one who gets all of it at
  every location at once.
- :math:`R_0 \ge \min\{G, Q(\delta) - \bar C \delta\}` where every location has its own drift, G the
  risk of an answer at once and Q that of waiting for a step: postpone the best answer in continuous
  time, unless it is given at once, to the end of its step. It knows more then, and has cost at most
  :math:`\bar C \delta` more.

Where the expansion does not hold for any step that can be afforded, the middle between the bounds
is the result and half their distance its error. Where the bounds meet, nothing need be expanded.

In the limit everything depends on the costs of time over :math:`\Lambda`, or :math:`\mu^2`, alone:
time enters the problem only through :math:`\Lambda t`. The steps are chosen in these units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from popout.drawing.representation import Card, HasCard, with_error
from popout.exact.continuous_discrimination import ContinuousDiscrimination
from popout.exact.discretisation import (
    SHORTEST_STEP,
    problem_faults,
    shares_information,
)
from popout.exact.refinement import MemoryLimitError, NotConvergedError
from popout.exact.solution import Solution
from popout.exact.solver import solve
from popout.policies.looking import Attention
from popout.policies.observer import checked_attention
from popout.progress import UNKNOWN, Progress, stretch
from popout.task import Costs, SearchTask, Task
from popout.task.look import Gazes

LONGEST = 0.32  # information, in units of Lambda * v * dt or mu^2 dt, of the longest steps
N_STEPS = 4  # step lengths, each half the one before
MOST_STEPS = {2: 9, 3: 6}  # by locations, while the start is next to the boundary
ROOM = 1.0  # standard deviations of a step around the start within which the observer must wait
TIGHTER = 8.0  # risks are found this many times more accurately than their limit
CLOSED_FORM, EXTRAPOLATION, BOUNDS = "closed form", "extrapolation", "bounds"
CLOSE_TO_BOUNDARY = (
    "The start lies next to the boundary, or beyond it, so that nothing is extrapolated from "
    "steps: the risk is the middle between a lower and an upper bound, and its error reaches both."
)
OF_RISK, OF_SCALE = (0.0, 1.0, 1.5), (0.0, 0.5, 1.0)
"""Powers of the step in the expansion."""


@dataclass(frozen=True)
class ContinuousTime(HasCard):
    """The limit of short steps.

    Attributes
    ----------
    risk, risk_error : float
        Of the limit, and the bound on its error.
    bounds : pair of float
        The limit lies between them, whatever an extrapolation says.
    method : str
        ``"closed form"`` with one location; ``"extrapolation"`` from steps; ``"bounds"`` where the
        start is too close to the boundary for one: `risk` is then the middle between them.
    thresholds : tuple of pairs of float, length M
        Lower and upper threshold of each location that gets everything, in log posterior odds.
    a_minus, a_minus_error, a_plus, a_plus_error : float
        Scales of the conjecture in the limit, and the estimated bounds on their errors; NaN for a
        single location.
    dt : tuple of float
        The steps that were solved, in seconds, longest first; none for a closed form.
    risks : tuple of float
        Their risks.
    scales : tuple of pairs of float
        Their scales ``(a_minus, a_plus)``.
    slope : float
        What a step costs to first order, in units of risk per second of dt; NaN where the steps say
        nothing about it.

    Examples
    --------
    >>> import popout as po
    >>> costs = po.Costs(time=0.5)
    >>> limit = po.continuous_time(po.SearchTask(n_locations=2, drift=2.0), costs, rtol=1e-2)
    >>> limit.risk < limit.risks[0], len(limit.thresholds)  # steps cost something
    (True, 2)
    """

    risk: float
    risk_error: float
    bounds: tuple[float, float]
    method: str
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
            "bounds": {"lower": self.bounds[0], "upper": self.bounds[1]},
            "method": self.method,
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
        cost = [("cost of steps", f"{1e-3 * self.slope:.2g} of risk per ms")]
        return Card(
            f"continuous time: risk {with_error(self.risk, self.risk_error)}",
            [
                ("found by", self.method),
                (where, f"{low:.4f} and {high:.4f}"),
                *(scales if several else []),
                *([] if math.isnan(self.slope) else cost),
            ],
            headings=["step (ms)", "risk", *(["a_minus", "a_plus"] if several else [])],
            rows=rows,
            note=CLOSE_TO_BOUNDARY if self.method == BOUNDS else "",
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
    task : Task
        One whose evidence is a Gaussian walk; its ``dt`` plays no part.
    costs : Costs
    rtol : float
        Wanted relative accuracy of the risks at finite steps, and about that of the limit; the
        error of the result says what was reached.
    attention : Attention or a class of it, optional
        Where information is shared out: a given policy, with its best stopping; the optimum of
        looking and stopping together when left out.
    longest : float
        Information, in units of ``Lambda * dt`` or ``drift**2 * dt``, of the longest of four steps,
        each half the one before. Shorter ones are more accurate, scales above all, and take longer.
        Where the start is close to the boundary shorter ones follow, up to nine steps in all with
        two locations and six with three.
    backend, device
        As in `popout.solve`.
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
    faults = problem_faults("continuous_time", task, costs, rtol, sharing=True)
    shared = shares_information(task)
    attention = checked_attention(faults, task, attention, optional=True, steady=True)
    if isinstance(task, Task) and isinstance(task.look, Gazes):
        remedy = "fixations have a duration: solve it, or give a SearchTask"
        faults.add("task", "a task whose steps may be short", type(task).__name__, remedy)
    remedy = "as long as possible, but short of a decision"
    faults.number("longest", longest, remedy, expected="a number up to 1", above=0.0, below=1.001)
    faults.raise_if_any()
    drifts, search = task.local_drifts, cast("SearchTask", task if shared else task.search)
    assert drifts is not None
    pairs = [ContinuousDiscrimination.of(drift, costs) for drift in drifts]
    thresholds = tuple((pair.lower, pair.upper) for pair in pairs)
    low, high = _without_steps(search, costs, pairs)
    possible = sum(p > 0 for p in search.location_prior)
    if possible == 1 and (attention is None or search.n_locations == 1):
        return _result(CLOSED_FORM, (low, high), thresholds, [], [])
    accuracy = max(rtol / TIGHTER, 1e-9)
    how: dict[str, Any] = {"attention": attention, "backend": backend, "device": device}
    steps: list[float] = []
    solved: list[Solution] = []
    narrowest = 2.0 * min(d for d, p in zip(drifts, search.location_prior, strict=True) if p > 0)
    for k in range(MOST_STEPS.get(possible, N_STEPS)):
        dt = longest / max(drifts) ** 2 / 2**k
        more = k >= N_STEPS  # beyond what was asked for: as far as it goes
        if more and (
            _expands(solved)
            or high - low <= rtol * high
            or narrowest * math.sqrt(dt) < SHORTEST_STEP
        ):
            break
        start, stop = (UNKNOWN, UNKNOWN) if more else (k / N_STEPS, (k + 1) / N_STEPS)
        within = stretch(progress, start, stop, f"step {k + 1}")
        try:
            solved.append(solve(replace(search, dt=dt), costs, accuracy, progress=within, **how))
        except (NotConvergedError, MemoryLimitError):
            if more:
                break
            raise
        steps.append(dt)
        last = solved[-1]
        if attention is None:
            high = min(high, last.risk + last.risk_error)
        elif k:
            high = min(high, last.risk + last.risk_error + abs(last.risk - solved[-2].risk))
        if not shared:
            low = max(low, _postponed(last) - accuracy * high)
    method = EXTRAPOLATION if _expands(solved) else BOUNDS
    if method == BOUNDS and shared and high - low > rtol * high:
        given = {"prior": search.prior, "location_prior": search.location_prior}
        everything = continuous_time(SearchTask(drift=drifts, **given), costs, rtol)
        low = max(low, everything.risk - everything.risk_error)
    return _result(method, (min(low, high), high), thresholds, steps, solved)


def _without_steps(
    task: Task, costs: Costs, pairs: list[ContinuousDiscrimination]
) -> tuple[float, float]:
    """Return two bounds: the risk of one who is told the location, and of an answer at once."""
    odds = task.log_prior_odds
    parts = [(p, pair) for p, pair in zip(task.location_prior, pairs, strict=True) if p > 0]
    risk = (1.0 - task.prior) * sum(p * pair.value(odds) for p, pair in parts)
    error = (1.0 - task.prior) * sum(p * pair.value_error(odds) for p, pair in parts)
    if len(parts) == 1:
        return risk - error, risk + error
    return risk - error, min(task.prior * costs.miss, (1.0 - task.prior) * costs.false_alarm)


def _postponed(solution: Solution) -> float:
    """Return a lower bound: answers of continuous time that are put off to the end of a step."""
    values, prior, costs = solution.value_grid, solution.task.prior, solution.costs
    waiting = (1.0 - prior) * values.grid.at_origin(values.waiting)
    step = values.bellman.dt * ((1.0 - prior) * costs.time_absent + prior * costs.time_present)
    at_once = (1.0 - prior) * values.bellman.at_once
    return float(min(at_once, waiting - step) - solution.risk_error)


def _expands(solved: Sequence[Solution]) -> bool:
    """Return whether the last steps are short enough for an expansion around the start."""
    return len(solved) >= N_STEPS and solved[-N_STEPS].waits_around(ROOM)


def _result(
    method: str,
    bounds: tuple[float, float],
    thresholds: tuple[tuple[float, float], ...],
    steps: Sequence[float],
    solved: Sequence[Solution],
) -> ContinuousTime:
    """Return the limit that follows from bounds and steps."""
    risks, errors = [s.risk for s in solved], [s.risk_error for s in solved]
    scales = [(s.scales.a_minus, s.scales.a_plus) for s in solved]
    (low, high), slope = bounds, math.nan
    limit = 0.5 * (low + high)
    if method == EXTRAPOLATION:
        limit, error, slope = extrapolate(steps, risks, OF_RISK, errors)
        if limit - error > high or limit + error < low:
            return _result(BOUNDS, bounds, thresholds, steps, solved)
        low, high = max(low, limit - error), min(high, limit + error)
        limit = min(max(limit, low), high)
    minus, plus = (
        extrapolate(steps, [pair[k] for pair in scales], OF_SCALE)
        if len(solved) >= N_STEPS
        else (math.nan, math.nan)
        for k in (0, 1)
    )
    return ContinuousTime(
        risk=limit,
        risk_error=max(high - limit, limit - low),
        bounds=bounds,
        method=method,
        thresholds=thresholds,
        a_minus=minus[0],
        a_minus_error=minus[1],
        a_plus=plus[0],
        a_plus_error=plus[1],
        dt=tuple(steps),
        risks=tuple(risks),
        scales=tuple(scales),
        slope=slope,
    )


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
    steps, numbers = np.asarray(dt)[-4:], np.asarray(values)[-4:]
    if not np.isfinite(numbers).all():
        return math.nan, math.nan, math.nan
    last, before = (_weights(steps[part], powers) for part in (slice(-3, None), slice(-4, -1)))
    limit, earlier = last @ numbers[-3:], before @ numbers[-4:-1]
    fewer = (_weights(steps[-2:], powers[:2]) @ numbers[-2:])[0]
    spread = np.zeros(3) if errors is None else np.asarray(errors)[-3:]
    error = abs(limit[0] - earlier[0]) + abs(limit[0] - fewer) + np.abs(last[0]) @ spread
    return float(limit[0]), float(error), float(limit[1])


def _weights(dt: NDArray[np.float64], powers: tuple[float, ...]) -> NDArray[np.float64]:
    """Return the matrix that turns values into as many coefficients of the expansion."""
    return np.asarray(np.linalg.inv(np.stack([dt**power for power in powers], axis=1)))
