r"""How far from optimal: the speed-accuracy frontier of an observer, and two distances to it.

Given how an observer takes in information (rate, capacity, variability, guidance), every pair of
thresholds at each set size gives a mean cost of errors
:math:`e = p\,c_1 P_{miss} + (1-p)\,c_0 P_{fa}` (an error rate where errors cost 1) and a mean
decision time T, over the trials of the design: p is their share of targets, and costs are those of
their situation. The **frontier** is the least T for each e. It is traced by the cost of time: for
each c take the thresholds that minimise :math:`e + cT` at every set size, in every situation. An
observer with other thresholds lies above it. Two distances:

- **Wasted time**: :math:`T - T^*(e)`, in ms a trial, at the observer's own cost of errors. It needs
  no cost of time.
- **Excess risk**: :math:`(e + cT)/(e^*_c + cT^*_c) - 1` at the cost of time that makes the observer
  look best, the *implied cost of time*.

Both concern deciding alone: non-decision time, slips and lapses are no decisions. Both depend
on the model (with slips an observer may look several times better), so an index carries its name;
and both are positive even for an ideal observer, because estimates of thresholds are never
exact: see `popout.people.fitting.recovery` for that floor. Time limits are left out, as in
`ideal_thresholds`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard
from popout.noise.elementary import compiled
from popout.noise.seeds import Purpose, fresh_seed
from popout.people.fitting.fitted_model import FittedModel
from popout.people.models.model import Model, position_of, values_at
from popout.people.models.search_models import SearchModel, Stopping
from popout.people.models.situation import USUAL, Situation
from popout.people.passages.first_passages import MOST
from popout.people.passages.ideal_thresholds import AT_ONCE, Stakes
from popout.people.passages.passage_tables import PassageTables
from popout.task import Faults

Array = NDArray[np.float64]
_COSTS = np.geomspace(1e-4, 20.0, 80)
_FINE = np.append(AT_ONCE, np.geomspace(0.05, MOST, 120))
FRONTIER = ("time_costs", "errors", "times", "observer_errors", "observer_time")
"""Numbers of a frontier."""


class _Times:
    """Errors and mean times on a fine grid of thresholds, for some tables, guidances and stakes."""

    def __init__(
        self, tables: PassageTables, guidances: tuple[float, ...], stakes: Stakes, shares: Array
    ) -> None:
        self.set_sizes, self.stakes, self.shares = tables.set_sizes, stakes, shares
        self.exact = tables.ideal_thresholds(guidances).times
        grid = (_FINE[:, None], _FINE[None, :], stakes)
        fine = [[each(*grid) for each in row] for row in self.exact]
        self.errors = fine[0][0][0].ravel()
        self.log_times = np.log([[time.ravel() for _, time in row] for row in fine])

    def mean(self, i: int, weights: Array, lower: float, upper: float) -> tuple[float, float]:
        """Return errors and mean time of one set size, interpolated between guidances."""
        each = zip(weights, self.exact[i], strict=True)
        parts = [(w, times(lower, upper, self.stakes)) for w, times in each if w > 0.0]
        log_time = sum(w * float(np.log(time)) for w, (_, time) in parts)
        return float(parts[0][1][0]), float(np.exp(log_time))


def _stages(
    tables: PassageTables,
    model: SearchModel,
    trials_by_size: Mapping[int, int] | None,
    situations: Mapping[Situation, int] | None,
) -> list[_Times]:
    """Return the times of all stakes, with the shares of all trials at each set size."""
    counts = trials_by_size or dict.fromkeys(tables.set_sizes, 1)
    sizes = np.array([counts.get(M, 0) for M in tables.set_sizes], float)
    by_stakes: dict[Stakes, float] = {}
    for situation, n in (situations or {USUAL: 1}).items():
        by_stakes[situation.stakes] = by_stakes.get(situation.stakes, 0.0) + n
    whole = sizes.sum() * sum(by_stakes.values())
    how = (tables, model.guidances)
    return [_Times(*how, stakes, sizes * n / whole) for stakes, n in by_stakes.items()]


@dataclass(frozen=True, eq=False)
class Frontier:
    """The least mean decision time for every error rate, and where the observer is.

    Attributes
    ----------
    time_costs, errors, times : ndarray of shape (n,)
        Along the frontier: cost of time (1/s), mean cost of errors, mean decision time (s).
    observer_errors, observer_time : float

    Notes
    -----
    Means are over set sizes and situations, weighted by their numbers of trials, and over classes,
    weighted by the prior.
    """

    time_costs: Array
    errors: Array
    times: Array
    observer_errors: float
    observer_time: float

    @property
    def wasted_ms(self) -> float:
        """Milliseconds a trial beyond the frontier, at the observer's own cost of errors."""
        order = np.argsort(self.errors, kind="stable")
        best = np.interp(
            np.log(self.observer_errors), np.log(self.errors[order]), np.log(self.times[order])
        )
        return max(0.0, 1e3 * (self.observer_time - float(np.exp(best))))

    @cached_property
    def _excess(self) -> Array:
        paid = self.observer_errors + self.time_costs * self.observer_time
        return np.asarray(paid / (self.errors + self.time_costs * self.times) - 1.0)

    @property
    def excess_percent(self) -> float:
        """Excess risk in percent at the implied cost of time."""
        return max(0.0, 100.0 * float(self._excess.min()))

    @property
    def implied_time_cost(self) -> float:
        """The cost of time (1/s) at which the observer is closest to optimal."""
        return float(self.time_costs[np.argmin(self._excess)])

    @classmethod
    def of(
        cls,
        model: SearchModel,
        values: Mapping[str, float],
        tables: PassageTables,
        trials_by_size: Mapping[int, int] | None = None,
        situations: Mapping[Situation, int] | None = None,
    ) -> Frontier:
        """Return the frontier of an observer with these parameters.

        Parameters
        ----------
        model : SearchModel
        values : mapping of str to float
        tables : PassageTables
        trials_by_size : mapping of int to int, optional
            Weights of the set sizes; equal when left out.
        situations : mapping of Situation to int, optional
            And of situations; even stakes when left out.
        """
        return _trace(model, values, tables, _stages(tables, model, trials_by_size, situations))


@compiled
def _add_best(wrong: Any, time: Any, costs: Any, share: float, errors: Any, least: Any) -> None:
    """Add the errors and times of the best thresholds for each cost of time, with a weight."""
    for n in range(len(costs)):
        best, risk = 0, np.inf
        for i in range(len(wrong)):
            cost = wrong[i] + costs[n] * time[i]
            if cost < risk:
                best, risk = i, cost
        errors[n] += share * wrong[best]
        least[n] += share * time[best]


def _trace(
    model: SearchModel, values: Mapping[str, float], tables: PassageTables, stages: list[_Times]
) -> Frontier:
    """Trace the frontier and place the observer."""
    errors, least = np.zeros(len(_COSTS)), np.zeros(len(_COSTS))
    wrong, spent = 0.0, 0.0
    for times in stages:
        decision = model.decision(values, tables, times.stakes)
        slow = np.exp(0.5 * decision.variability**2) * np.asarray(times.set_sizes) / decision.rate
        for i, share in enumerate(times.shares):
            if share == 0.0:
                continue
            time = slow[i] * np.exp(decision.weights @ times.log_times[i])
            _add_best(times.errors, time, _COSTS, share, errors, least)
            own = (decision.tau_minus[i], decision.tau_plus[i])
            e, v = times.mean(i, decision.weights, *own)
            wrong += share * e
            spent += share * slow[i] * v
    return Frontier(_COSTS, errors, least, wrong, spent)


@dataclass(frozen=True, eq=False)
class Index(HasCard):
    """How far an observer is from optimal, under one model.

    Attributes
    ----------
    model : str
        Name; an index means nothing without it.
    wasted_ms, excess_percent, implied_time_cost : float
    wasted_interval, excess_interval : tuple of float
        95 % intervals. No distance is below zero, so an estimate on the frontier lies below every
        draw around it; the interval then begins at the estimate.
    wasted_floor, excess_floor : float, optional
        What truly ideal observers of the same design show, from recovery.
    frontier : Frontier

    Examples
    --------
    >>> import math
    >>> import numpy as np, popout as po
    >>> from popout.people.models.model import position_of
    >>> from popout.people.models.search_models import Stopping
    >>> from popout.people.passages.passage_tables import PassageTables
    >>> from popout.people.fitting.synthetic import typical_values
    >>> model = po.SearchModel(Stopping.FREE, guidance=math.inf)
    >>> values = typical_values(model)
    >>> fitted = po.FittedModel(model, values, {}, 0.0, 200, {6: 200}, tables=PassageTables((6,)))
    >>> known = np.array([position_of(model.parameters, values)])
    >>> index = po.index_of(fitted, positions=known)
    >>> index.model, bool(index.wasted_ms >= 0.0)
    ('free-serial', True)
    """

    model: str
    wasted_ms: float
    excess_percent: float
    implied_time_cost: float
    wasted_interval: tuple[float, float]
    excess_interval: tuple[float, float]
    frontier: Frontier = field(repr=False)
    wasted_floor: float | None = None
    excess_floor: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return both indices, with intervals and floors."""
        names = ("model", "wasted_ms", "wasted_interval", "wasted_floor")
        more = ("excess_percent", "excess_interval", "excess_floor", "implied_time_cost")
        made: dict[str, Any] = plain({name: getattr(self, name) for name in (*names, *more)})
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return all of it in terms of JSON, for `from_dict`."""
        along = {name: plain(getattr(self.frontier, name)) for name in FRONTIER}
        return {**self.as_dict(), "frontier": along}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Index:
        """Return an index from `to_dict`."""
        along = stored["frontier"]
        frontier = Frontier(**{**along, **{name: np.array(along[name]) for name in FRONTIER[:3]}})
        intervals = {name: tuple(stored[name]) for name in ("wasted_interval", "excess_interval")}
        return cls(**{**stored, **intervals, "frontier": frontier})

    def card(self) -> Card:
        """Return both indices, with intervals and floors."""
        rows = []
        for words, value, interval, floor in (
            ("wasted (ms a trial)", self.wasted_ms, self.wasted_interval, self.wasted_floor),
            ("excess risk (%)", self.excess_percent, self.excess_interval, self.excess_floor),
        ):
            low, high = interval
            known = "-" if floor is None else f"{floor:.2g}"
            rows.append([words, f"{value:.3g}", f"{low:.2g} to {high:.2g}", known])
        facts = [("implied cost of time", f"{self.implied_time_cost:.3g} /s")]
        headings = ["", "estimate", "95 % interval", "an ideal observer shows"]
        return Card(f"Distance from optimal, under {self.model}", facts, headings, rows)


def has_index(model: Model, situations: Iterable[Situation]) -> bool:
    """Return whether there is an index: thresholds are free, and the items of all displays stay."""
    free = isinstance(model, SearchModel) and model.stopping is Stopping.FREE
    return free and _all_static(situations)


def _all_static(situations: Iterable[Situation]) -> bool:
    return all(math.isinf(each.period) for each in situations)


def index_of(
    fitted: FittedModel, n_draws: int = 200, seed: int = 1, positions: Array | None = None
) -> Index:
    """Return how far a fitted observer is from optimal.

    Parameters
    ----------
    fitted : FittedModel
        Of a `SearchModel` with free thresholds; one with ideal thresholds is at zero by
        assumption.
    n_draws : int
        Parameters drawn for the intervals.
    seed : int
    positions : ndarray of shape (n, P), optional
        Draws in the unit cube (`ModelPosterior.positions`), instead of the normal
        approximation.

    Examples
    --------
    >>> import math
    >>> from popout.people.models.search_models import Stopping
    >>> from popout.people.passages.passage_tables import PassageTables
    >>> from popout.people.fitting.synthetic import typical_values
    >>> model = SearchModel(Stopping.FREE, guidance=math.inf)
    >>> values = typical_values(model)
    >>> fitted = FittedModel(model, values, {}, 0.0, 200, {6: 200}, tables=PassageTables((6,)))
    >>> known = np.array([position_of(model.parameters, values)])
    >>> hasty = index_of(fitted, positions=known)
    >>> hasty.excess_percent >= 0.0
    True
    """
    model, tables = fitted.model, fitted.tables
    if not isinstance(model, SearchModel) or tables is None:
        faults = Faults("index_of")
        faults.add("fitted", "a fitted SearchModel", model.label, "fit one of popout's models")
        faults.raise_if_any()
    assert isinstance(model, SearchModel)
    assert tables is not None
    if not _all_static(fitted.situations):
        faults = Faults("index_of")
        remedy = "fit the trials of static displays by themselves"
        faults.add("fitted", "static displays", "items that are reshuffled", remedy)
        faults.raise_if_any()
    stages = _stages(tables, model, fitted.trials_by_size, fitted.situations)
    observer = _trace(model, fitted.estimates, tables, stages)
    random = np.random.default_rng(fresh_seed(seed, Purpose.POSTERIOR))
    if positions is None:
        centre = position_of(model.parameters, fitted.estimates)
        assert fitted.covariance is not None
        normal = (centre, fitted.covariance)
        positions = random.multivariate_normal(*normal, size=n_draws, method="eigh")
    elif len(positions) > n_draws:
        positions = positions[random.choice(len(positions), n_draws, replace=False)]
    distances = []
    for x in positions:
        values = values_at(model.parameters, np.clip(x, 0.0, 1.0))
        drawn = _trace(model, values, tables, stages)
        distances.append((drawn.wasted_ms, drawn.excess_percent))
    names = ("wasted_ms", "excess_percent", "implied_time_cost")
    place = {name: getattr(observer, name) for name in names}
    ends = np.quantile(distances, (0.025, 0.975), axis=0).T.tolist()
    wasted, excess = (
        (min(low, place[name]), max(high, place[name]))
        for name, (low, high) in zip(names[:2], ends, strict=True)
    )
    return Index(model.name, **place, wasted_interval=wasted, excess_interval=excess,
                 frontier=observer)  # fmt: skip
