r"""The evidence of many trials, kept, so that thresholds can be tuned on it in no time.

Where the state of a strategy is one number, the log posterior odds of presence
:math:`S(t) + \log\frac{p}{1-p}` (Equations 1, 2, 3 or the exact scene), any
pair of thresholds :math:`\tau_\pm(t)` can be tried on the same stored paths. Thresholds stay within
the range in which waiting can pay: one more look costs more than the answer "present" can lose
above :math:`\log(c_{fa} / (C_1 \delta t))`, and more than "absent" can below
:math:`\log(C_0 \delta t / c_{miss})`.

At the last look of a path the better answer is given: some displays can remain ambiguous forever
(a target that looks like a distractor), and a constant threshold may then never be reached. For the
same reason a deadline is worth tuning along with the thresholds; it contains both the constant
thresholds (a late deadline) and the fixed time (thresholds far out) as special cases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize

from popout.evidence import Condition, Evidence
from popout.policies.stopping import Action, TimeVaryingSPRT
from popout.policies.stopping.scaled_sprt import location_offsets
from popout.simulation import Responses
from popout.task import Costs, Task

if TYPE_CHECKING:
    from popout.reports.study import Study

Array = NDArray[np.float64]
CHUNK = 2_000_000
"""Observations in memory at once."""
DEADLINES, FEW = 9, 4000
"""Deadlines that are tried, and trials they are tried on."""
SCARCE = 100
"""Trials of either class that paths hold, however rare it is."""
SLIT = 1e-9
"""Distance of the thresholds at the last look: every trial is answered there."""


@dataclass(frozen=True, eq=False)
class OddsPaths:
    """Log posterior odds of presence along trials.

    Attributes
    ----------
    task : Task
    odds : ndarray of float32, shape (n, looks + 1)
        At looks 0, 1, ...; the first is the log prior odds.
    target : ndarray of int32, shape (n,)
        Location of the target, or -1.
    source : object
        Marks these very trials, up to this very look: responses to them can be paired.
    """

    task: Task
    odds: NDArray[np.float32]
    target: NDArray[np.int32]
    source: object = field(default_factory=object, init=False, repr=False)

    @property
    def times(self) -> Array:
        """Seconds at each look."""
        return np.asarray(np.arange(self.odds.shape[1]) * self.task.dt, dtype=np.float64)

    @property
    def present(self) -> NDArray[np.bool_]:
        """The class of each trial."""
        return self.target >= 0

    def part(self, n: int | None = None, looks: int | None = None) -> OddsPaths:
        """Return the first `n` trials up to a look, which is then the last."""
        end = None if looks is None else looks + 1
        return replace(self, odds=self.odds[:n, :end], target=self.target[:n])

    def stop(self, lower: Array, upper: Array) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the look at which each trial ends, and whether the answer is "present".

        Parameters
        ----------
        lower, upper : ndarray of shape (looks + 1,)
            At the last look the upper one decides alone.
        """
        over = self.odds >= upper.astype(np.float32)
        ended = over | (self.odds <= lower.astype(np.float32))
        ended[:, -1] = True
        at = ended.argmax(axis=1)
        return at, over[np.arange(len(at)), at]

    def risk(self, lower: Array, upper: Array, costs: Costs) -> float:
        """Return the risk of a pair of thresholds on these trials, averaged with the prior."""
        final = np.append(upper[:-1], math.log(costs.false_alarm / costs.miss))
        at, said = self.stop(lower, final)
        present, t = self.present, at * self.task.dt
        p = self.task.prior
        absent_loss = costs.time_absent * t + costs.false_alarm * said
        present_loss = costs.time_present * t + costs.miss * ~said
        return float((1 - p) * absent_loss[~present].mean() + p * present_loss[present].mean())

    def responses(self, strategy: TimeVaryingSPRT) -> Responses:
        """Return what a strategy answers to these paths, and when."""
        lower = np.interp(self.times, strategy.knots, strategy.tau_minus)
        upper = np.interp(self.times, strategy.knots, strategy.tau_plus)
        at, said = self.stop(lower, upper)
        return Responses(
            np.where(said, Action.PRESENT, Action.ABSENT),
            self.times[at],
            self.target,
            self.task.prior,
            self.task.n_locations,
            self.task.dt,
            source=self.source,
        )


def draw_paths(study: Study, seed: int, n_trials: int | None = None) -> OddsPaths:
    """Draw trials up to the horizon of a study.

    Classes come with the prior; one that would hardly occur comes more often, which changes no
    average, because these weigh the classes with the prior.

    Parameters
    ----------
    study : Study
    seed : int
    n_trials : int, optional
        As many as the effort says by default.

    Examples
    --------
    >>> from popout.reports.study import EFFORTS, Study
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> paths = draw_paths(Study(task, Costs(time=1.0), EFFORTS["quick"], 1), seed=1, n_trials=20)
    >>> paths.odds.shape, float(paths.odds[0, 0])
    ((20, 51), 0.0)
    """
    n = study.path_trials if n_trials is None else n_trials
    task, looks = study.task, study.looks
    evidence = Evidence(task)
    odds = np.empty((n, looks + 1), np.float32)
    odds[:, 0] = task.log_prior_odds
    target = np.empty(n, np.int32)
    chunk = max(1, CHUNK // (looks * int(np.prod(evidence.observation_shape))))
    done = 0
    for condition, many in _strata(task.prior, n):
        for first in range(done, done + many, chunk):
            size = min(chunk, done + many - first)
            sample = evidence.sample(size, looks, seed, condition, first_trial=first)
            rows = slice(first, first + size)
            odds[rows, 1:] = evidence.trajectory(sample.increments) + task.log_prior_odds
            target[rows] = sample.location
        done += many
    return OddsPaths(task, odds, target)


def _strata(prior: float, n: int) -> tuple[tuple[Condition, int], ...]:
    """Return conditions, and how many trials of each, such that neither class is too scarce."""
    fewest = min(SCARCE, n // 4)
    if n * min(prior, 1 - prior) >= 2 * fewest:
        return ((Condition.PRIOR, n),)
    classes = (Condition.PRESENT, Condition.ABSENT)
    rare, common = classes if prior < 0.5 else classes[::-1]
    return (rare, fewest), (common, n - fewest)


def best_duration(paths: OddsPaths, costs: Costs) -> tuple[float, Array]:
    """Return how long to look if every trial takes equally long, and the risk at each look.

    Parameters
    ----------
    paths : OddsPaths
    costs : Costs

    Returns
    -------
    seconds : float
    risk : ndarray of shape (looks + 1,)
    """
    said = paths.odds >= math.log(costs.false_alarm / costs.miss)
    present, p, t = paths.present, paths.task.prior, paths.times
    risk = (1 - p) * (costs.time_absent * t + costs.false_alarm * said[~present].mean(axis=0))
    risk += p * (costs.time_present * t + costs.miss * (~said[present]).mean(axis=0))
    return float(t[int(risk.argmin())]), np.asarray(risk, dtype=np.float64)


def fixed_duration(paths: OddsPaths, costs: Costs, seconds: float) -> TimeVaryingSPRT:
    """Return the strategy that answers after this many seconds, whatever the evidence."""
    return _strategy(paths, costs, [0.0], [-1e6], [1e6], "fixed time", end=seconds)


def tune_constant(paths: OddsPaths, costs: Costs) -> TimeVaryingSPRT:
    """Return SPRT-opt: the constant pair of thresholds with the least risk on these paths."""
    few = paths.part(FEW)
    # Where displays can stay ambiguous the risk has several valleys: begin in each. The first is
    # to answer before looking.
    rough = [_minimise(few, costs, [0.0], None, share) for share in (0.0, 0.15, 0.35, 0.6, 0.9)]
    start, _ = min(rough, key=lambda tuned: tuned[1])
    (lower, upper), _ = _minimise(paths, costs, [0.0], start)
    return _strategy(paths, costs, [0.0], [lower], [upper], "SPRT-opt")


def tune_deadline(paths: OddsPaths, costs: Costs, constant: TimeVaryingSPRT) -> TimeVaryingSPRT:
    """Return SPRT with a constant pair of thresholds and a deadline, all three tuned.

    Deadlines are tried one by one, around the best fixed time and up to the horizon, on part of the
    trials; then the thresholds are tuned on all of them. The horizon with the thresholds of
    SPRT-opt is among the candidates.

    Parameters
    ----------
    paths : OddsPaths
    costs : Costs
    constant : TimeVaryingSPRT
        Of `tune_constant`.
    """
    last = paths.odds.shape[1] - 1
    seconds, _ = best_duration(paths, costs)
    middle = max(2.0, seconds / paths.task.dt)
    looks = np.unique(np.clip(np.geomspace(0.5 * middle, last, DEADLINES).round(), 1, last))
    few = paths.part(FEW)
    tried = []
    start: list[float] | None = None
    for k in looks.astype(int):
        start, risk = _minimise(few.part(looks=int(k)), costs, [0.0], start)
        tried.append((risk, int(k), start))
    _, k, start = min(tried, key=lambda tuned: tuned[0])
    pair = [constant.tau_minus[0], constant.tau_plus[0]]
    ended = (_minimise(paths.part(looks=k), costs, [0.0], start), k)
    endless = (_minimise(paths, costs, [0.0], pair), last)
    ((lower, upper), _), k = min((ended, endless), key=lambda tuned: tuned[0][1])
    end = k * paths.task.dt
    return _strategy(paths, costs, [0.0], [lower], [upper], "SPRT with deadline", end)


def tune_varying(paths: OddsPaths, costs: Costs, start: TimeVaryingSPRT) -> TimeVaryingSPRT:
    """Return SPRT with thresholds that change over time, tuned from constant ones.

    The thresholds are free at onset and at a third and two thirds of the deadline.

    Parameters
    ----------
    paths : OddsPaths
    costs : Costs
    start : TimeVaryingSPRT
        Of `tune_deadline`.
    """
    end = start.knots[-1]
    if end <= 2 * paths.task.dt:
        return replace(start, label="time-varying SPRT")
    knots = [0.0, end / 3, 2 * end / 3]
    pair = [*[start.tau_minus[0]] * 3, *[start.tau_plus[0]] * 3]
    both, _ = _minimise(paths.part(looks=round(end / paths.task.dt)), costs, knots, pair)
    return _strategy(paths, costs, knots, both[:3], both[3:], "time-varying SPRT", end)


def _minimise(
    paths: OddsPaths,
    costs: Costs,
    knots: list[float],
    start: list[float] | None,
    share: float = 0.6,
) -> tuple[list[float], float]:
    """Return the thresholds at the knots, the lower ones first, and their risk.

    Without a start the search begins at a `share` of the way to the widest thresholds.
    """
    dt, criterion = paths.task.dt, math.log(costs.false_alarm / costs.miss)
    lowest = min(math.log(costs.time_absent * dt / costs.miss), criterion - SLIT)
    highest = max(math.log(costs.false_alarm / (costs.time_present * dt)), criterion + SLIT)
    K = len(knots)
    low, high = np.repeat([lowest, criterion], K), np.repeat([criterion, highest], K)
    inward = criterion + share * (np.array([lowest, highest]) - criterion)
    begin = np.clip(np.repeat(inward, K) if start is None else start, low, high)

    def risk(x: Array) -> float:
        lower, upper = (np.interp(paths.times, knots, part) for part in (x[:K], x[K:]))
        return paths.risk(lower, upper, costs)

    options: Any = {"initial_tr_radius": 0.7, "final_tr_radius": 0.03, "maxfev": 40 * K + 20}
    bounds = Bounds(low.tolist(), high.tolist())
    result = minimize(risk, begin, method="COBYQA", bounds=bounds, options=options)
    # A jagged risk can mislead the search: it must do no worse than where it began.
    tried = [np.clip(result.x, low, high), begin]
    risks = [risk(x) for x in tried]
    best = int(np.argmin(risks))
    return [float(v) for v in tried[best]], risks[best]


def _strategy(
    paths: OddsPaths,
    costs: Costs,
    knots: list[float],
    lower: list[float],
    upper: list[float],
    label: str,
    end: float | None = None,
) -> TimeVaryingSPRT:
    """Return the thresholds as a strategy that gives the better answer at the end."""
    criterion = math.log(costs.false_alarm / costs.miss)
    last = float(paths.times[-1]) if end is None else end
    before = max(last - 0.5 * paths.task.dt, 0.25 * last)
    inside = [k for k in range(len(knots)) if knots[k] < before]
    times = [*(knots[k] for k in inside), before, last]
    low = [*(lower[k] for k in inside), float(np.interp(before, knots, lower)), criterion]
    high = [*(upper[k] for k in inside), float(np.interp(before, knots, upper)), criterion]
    if last <= 0:
        times, low, high = [0.0], [criterion], [criterion]
    gap = np.minimum(low, np.asarray(high) - SLIT)
    offset = location_offsets(paths.task)
    return TimeVaryingSPRT(tuple(times), tuple(gap.tolist()), tuple(high), offset, label=label)
