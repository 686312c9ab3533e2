r"""The evidence of many trials, kept, so that thresholds can be tuned on it in no time.

Where the state of a strategy is one number, the log posterior odds of presence
:math:`S(t) + \log\frac{p}{1-p}` (Equations 1, 2, 3 or the exact scene), any
pair of thresholds :math:`\tau_\pm` can be tried on the same stored paths. Thresholds stay within
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

    def stop(
        self, lower: float, upper: float, criterion: float
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the look at which each trial ends, and whether the answer is "present".

        At the last look the criterion decides.
        """
        over = self.odds >= np.float32(upper)
        over[:, -1] = self.odds[:, -1] >= np.float32(criterion)
        ended = over | (self.odds <= np.float32(lower))
        ended[:, -1] = True
        at = ended.argmax(axis=1)
        return at, over[np.arange(len(at)), at]

    def risk(self, lower: float, upper: float, costs: Costs) -> float:
        """Return the risk of a pair of thresholds on these trials, averaged with the prior."""
        at, said = self.stop(lower, upper, math.log(costs.false_alarm / costs.miss))
        present, t = self.present, at * self.task.dt
        p = self.task.prior
        absent_loss = costs.time_absent * t + costs.false_alarm * said
        present_loss = costs.time_present * t + costs.miss * ~said
        return float((1 - p) * absent_loss[~present].mean() + p * present_loss[present].mean())

    def responses(self, strategy: TimeVaryingSPRT) -> Responses:
        """Return what a strategy answers to these paths, and when."""
        last = min(round(strategy.knots[-1] / self.task.dt), self.odds.shape[1] - 1)
        start = (strategy.tau_minus[0], strategy.tau_plus[0])
        at, said = self.part(looks=last).stop(*start, strategy.tau_plus[-1])
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


def ended(
    task: Task, costs: Costs, lower: float, upper: float, end: float, label: str
) -> TimeVaryingSPRT:
    """Return constant thresholds up to a time, in seconds, at which the better answer is given."""
    criterion = math.log(costs.false_alarm / costs.miss)
    knots, low, high = [0.0], [criterion], [criterion]
    if end > 0:
        knots = [0.0, max(end - 0.5 * task.dt, 0.25 * end), end]
        low, high = [lower, lower, criterion], [upper, upper, criterion]
    gap = np.minimum(low, np.asarray(high) - SLIT)
    offset = location_offsets(task)
    return TimeVaryingSPRT(tuple(knots), tuple(gap.tolist()), tuple(high), offset, label=label)


def fixed_duration(task: Task, costs: Costs, seconds: float) -> TimeVaryingSPRT:
    """Return the strategy that answers after this many seconds, whatever the evidence."""
    return ended(task, costs, -1e6, 1e6, seconds, "fixed time")


def tune_constant(paths: OddsPaths, costs: Costs) -> TimeVaryingSPRT:
    """Return SPRT-opt: the constant pair of thresholds with the least risk on these paths."""
    few = paths.part(FEW)
    # Where displays can stay ambiguous the risk has several valleys: begin in each. The first is
    # to answer before looking.
    rough = [_minimise(few, costs, None, share) for share in (0.0, 0.15, 0.35, 0.6, 0.9)]
    start, _ = min(rough, key=lambda valley: valley[1])
    (lower, upper), _ = _minimise(paths, costs, start)
    return ended(paths.task, costs, lower, upper, float(paths.times[-1]), "SPRT-opt")


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
        start, risk = _minimise(few.part(looks=int(k)), costs, start)
        tried.append((risk, int(k), start))
    _, k, start = min(tried, key=lambda candidate: candidate[0])
    with_end = (_minimise(paths.part(looks=k), costs, start), k)
    pair = [constant.tau_minus[0], constant.tau_plus[0]]
    endless = (_minimise(paths, costs, pair), last)
    ((lower, upper), _), k = min((with_end, endless), key=lambda candidate: candidate[0][1])
    return ended(paths.task, costs, lower, upper, k * paths.task.dt, "SPRT with deadline")


def _minimise(
    paths: OddsPaths, costs: Costs, start: list[float] | None, share: float = 0.6
) -> tuple[list[float], float]:
    """Return the lower and the upper threshold, and their risk.

    Without a start the search begins at a `share` of the way to the widest thresholds.
    """
    dt, criterion = paths.task.dt, math.log(costs.false_alarm / costs.miss)
    lowest = min(math.log(costs.time_absent * dt / costs.miss), criterion - SLIT)
    highest = max(math.log(costs.false_alarm / (costs.time_present * dt)), criterion + SLIT)
    low, high = np.array([lowest, criterion]), np.array([criterion, highest])
    inward = criterion + share * (np.array([lowest, highest]) - criterion)
    begin = np.clip(inward if start is None else start, low, high)

    def risk(x: Array) -> float:
        return paths.risk(float(x[0]), float(x[1]), costs)

    options: Any = {"initial_tr_radius": 0.7, "final_tr_radius": 0.03, "maxfev": 60}
    bounds = Bounds(low.tolist(), high.tolist())
    result = minimize(risk, begin, method="COBYQA", bounds=bounds, options=options)
    # A jagged risk can mislead the search: it must do no worse than where it began.
    tried = [np.clip(result.x, low, high), begin]
    risks = [risk(x) for x in tried]
    best = int(np.argmin(risks))
    return [float(v) for v in tried[best]], risks[best]
