r"""Models of people who search: how they share out information, and when they stop.

**Attention** (`popout.policies.looking`): parallel (g = 0), guided by the posterior to the power g,
fixed or fitted, or serial (g infinite). The rate of information at set size M is
:math:`\Lambda_M = \Lambda\,(M/8)^{\gamma}`: a fixed total at capacity :math:`\gamma = 0`; at
:math:`\gamma = 1` every location has its full rate, as in the paper. Between trials it varies by a
lognormal factor.

**Stopping** by thresholds on the log likelihood ratio of presence. *Ideal*: those that minimise the
risk for one cost of time, at every set size, given how likely targets are and what errors cost
(`ideal_thresholds`). *Free*: linear in log M, whatever is at stake.

**Dynamic displays**, whose items change places every so often, have decision times of their own
(`reshuffled_passages`), and ideal thresholds too.

**Lapses** answer uniformly up to L, the longest response time or the time limit, whichever comes
first, and so never run into the limit.

Slips are a choice: they change what errors mean, and with them every index of optimality.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, unique
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from popout.people.fitting.fitted_model import FittedModel
from popout.people.fitting.maximum_likelihood import fit_model
from popout.people.models.model import (
    LEAST_CHANCE,
    Model,
    ModelParameter,
    Scale,
    TrialLikelihood,
    set_sizes_of,
)
from popout.people.models.search_density import STEP, Decision, Residual, search_density
from popout.people.models.situation import USUAL, counted_situations, limits_of, situations_of
from popout.people.passages.decision_times import (
    DecisionTimes,
    ReshuffledTimes,
    guidance_weights,
)
from popout.people.passages.first_passages import LEAST, MOST, N_PARTS
from popout.people.passages.ideal_thresholds import EVEN, Stakes
from popout.people.passages.passage_tables import GUIDANCE, PassageTables
from popout.policies.stopping import Action
from popout.progress import Progress, stretch
from popout.simulation.responses import Responses
from popout.task import Faults
from popout.task.faults import did_you_mean

Array = NDArray[np.float64]
REFERENCE = 8
"""Set size at which rates and thresholds are quoted."""
NEARBY = {0.0: (0.2,), 1.0: (0.5, 2.0), math.inf: (6.0,)}
"""Powers g whose models a model with fitted g starts from, and others beside each."""


@unique
class Stopping(Enum):
    """Where thresholds come from."""

    IDEAL = "ideal"
    FREE = "free"


RATE = (
    ModelParameter("information", "information rate at 8 items", "1/s", 0.5, 5000.0, Scale.LOG),
    ModelParameter("capacity", "rate ~ set size to this power", "", -1.5, 1.5),
    ModelParameter("variability", "sd of log rate between trials", "", 0.0, 2.0),
)
_GUIDANCE = ModelParameter(
    "guidance", "attention ~ posterior to this power", "", 0.0, math.inf, Scale.SHARE
)
_COST = (ModelParameter("time_cost", "cost of time, in errors", "1/s", 1e-3, 10.0, Scale.LOG),)
THRESHOLDS = (
    ModelParameter("lower", "evidence for absent at 8 items", "nats", LEAST, MOST, Scale.LOG),
    ModelParameter("lower_slope", "its change with log set size", "nats", -3.0, 3.0),
    ModelParameter("upper", "evidence for present at 8 items", "nats", LEAST, MOST, Scale.LOG),
    ModelParameter("upper_slope", "its change with log set size", "nats", -3.0, 3.0),
)
RESIDUAL = (
    ModelParameter("residual_mean", "mean non-decision time", "s", 0.05, 1.5, Scale.LOG),
    ModelParameter("residual_sd", "its standard deviation", "s", 0.005, 0.5, Scale.LOG),
    ModelParameter("residual_constant", "share of it that never varies", "", 0.0, 0.99),
    ModelParameter("absent_extra", "more of it for the answer absent", "s", -0.2, 0.4),
    ModelParameter("lapse", "share of random answers", "", 1e-4, 0.2, Scale.LOG),
)
_SLIP = ModelParameter("slip", "share of wrong keys at normal times", "", 1e-6, 0.2, Scale.LOG)


@dataclass(frozen=True)
class SearchModel(Model):
    """An observer who searches with limited information.

    Parameters
    ----------
    stopping : Stopping
    guidance : float, optional
        g: 0 is parallel, inf serial; fitted when left out.
    slips : bool
        Whether wrong keys at normal times have a rate of their own.
    longest : float
        Longest response time in s; lapses come at any time up to it.
    fastest : float
        Answers before it were left out, as those after the longest were.

    Examples
    --------
    >>> model = SearchModel(Stopping.IDEAL, guidance=1.0)
    >>> model.name, len(model.parameters)
    ('ideal-guided:1', 9)
    """

    stopping: Stopping
    guidance: float | None = None
    slips: bool = False
    longest: float = 5.0
    fastest: float = 0.0

    def __post_init__(self) -> None:
        """Check the numbers."""
        faults = Faults("SearchModel")
        faults.positive("longest", self.longest, "give the longest response time in s")
        if not 0.0 <= self.fastest < self.longest:
            expected = f"seconds from 0 to below {self.longest:g}"
            faults.add("fastest", expected, self.fastest, "0 keeps all quick answers")
        if self.guidance is not None and not self.guidance >= 0.0:
            faults.add("guidance", "a number of at least 0", self.guidance, "inf is serial")
        faults.raise_if_any()

    @property
    def name(self) -> str:  # type: ignore[override]
        """As on the command line."""
        return f"{self.stopping.value}-{self._attention}" + ("+slips" if self.slips else "")

    @property
    def _attention(self) -> str:
        if self.guidance is None:
            return "guided"
        g = self.guidance
        short = f"{g:g}" if float(f"{g:g}") == g else repr(g)  # a name is read back exactly
        return {0.0: "parallel", math.inf: "serial"}.get(g, f"guided:{short}")

    @property
    def label(self) -> str:  # type: ignore[override]
        """As in tables."""
        attention = {"guided": "guided, g fitted"}.get(self._attention, self._attention)
        attention = attention.replace(":", ", g = ")
        return f"{self.stopping.value}, {attention}" + (", slips" if self.slips else "")

    @cached_property
    def parameters(self) -> tuple[ModelParameter, ...]:  # type: ignore[override]
        """Of attention, stopping, and all that is not deciding."""
        return (*self._deciding, *RESIDUAL, *((_SLIP,) if self.slips else ()))

    @cached_property
    def _deciding(self) -> tuple[ModelParameter, ...]:
        guidance = () if self.guidance is not None else (_GUIDANCE,)
        stopping = _COST if self.stopping is Stopping.IDEAL else THRESHOLDS
        return (*RATE, *guidance, *stopping)

    @property
    def guidances(self) -> tuple[float, ...]:
        """Tables that it needs."""
        if self.guidance is None:
            return GUIDANCE
        if self.guidance in GUIDANCE:
            return (self.guidance,)
        place = int(np.searchsorted(GUIDANCE, self.guidance))
        return GUIDANCE[place - 1 : place + 1]

    @property
    def starts(self) -> tuple[Mapping[str, float], ...]:  # type: ignore[override]
        """Return an easy, a variable, a rich, a cautious and a slow search."""
        common = {"lapse": 0.003, "slip": 0.003, "absent_extra": 0.03, "capacity": 0.0}
        common |= {"guidance": 1.0, "time_cost": 0.1, "lower": 2.5, "upper": 3.5}
        common |= {"lower_slope": 0.0, "upper_slope": 0.0}
        common |= {"residual_mean": 0.35, "residual_sd": 0.06, "residual_constant": 0.6}
        cautious = {"time_cost": 0.005, "lower": 6.0, "upper": 7.0, "residual_sd": 0.15}
        slow = {"lower": 5.0, "upper": 7.0, "residual_sd": 0.015, "absent_extra": -0.15}
        return (
            {**common, "information": 40.0, "variability": 0.5},
            {**common, "information": 150.0, "variability": 1.4, "guidance": 0.3},
            {**common, "information": 500.0, "variability": 0.8, "guidance": 6.0},
            {**common, "information": 150.0, "variability": 0.6, **cautious},
            {**common, "information": 14.0, "variability": 0.2, **slow},
        )

    def fit(
        self,
        responses: Responses,
        tables: PassageTables | None = None,
        seed: int = 1,
        progress: Progress | None = None,
        known: dict[str, FittedModel] | None = None,
    ) -> FittedModel:
        """Fit by maximum likelihood, from the best of its special cases too; see `Model.fit`."""
        quick = float(np.quantile(responses.rt, 0.05)) if len(responses) else 0.35
        starts = [{**start, "residual_mean": quick} for start in self.starts]
        tables = tables or PassageTables(np.unique(set_sizes_of(responses)).tolist())
        known = {} if known is None else known
        special = self.special_cases
        for i, model in enumerate(special):
            part = stretch(progress, 0.6 * i / len(special), 0.6 * (i + 1) / len(special))
            model.fit_once(known, responses, tables, seed, part)
        situations = {USUAL: 0, **counted_situations(responses)}
        usual = max(situations, key=situations.__getitem__)
        for model in self._all_special_cases:
            values = dict(known[model.name].estimates)
            if self.stopping is not model.stopping:
                values = model.like_ideal(values, tables, usual.stakes)
            if self.guidance is None and model.guidance is not None:
                values["guidance"] = model.guidance
                if model in special:
                    starts += [{**values, "guidance": g} for g in NEARBY[model.guidance]]
            starts.append({"slip": starts[0]["slip"], **values})
            if self.slips and model in special:
                starts.append({"slip": _SLIP.low, **values})
        rest = stretch(progress, 0.6, 1.0) if special else progress
        return fit_model(self, responses, tables, seed, rest, tuple(starts))

    @property
    def special_cases(self) -> tuple[SearchModel, ...]:
        """Models that it contains, whose best parameters are starts of its own search.

        Likelihoods have several basins; a model that contains another must not fit worse.
        """
        if self.slips:
            return (replace(self, slips=False),)
        cases = () if self.guidance is not None else NEARBY
        guided = tuple(replace(self, guidance=g) for g in cases)
        if self.stopping is Stopping.FREE:
            return (*guided, replace(self, stopping=Stopping.IDEAL))
        return guided

    @property
    def _all_special_cases(self) -> tuple[SearchModel, ...]:
        """Special cases, those of special cases, and so on."""
        each = [(model, *model._all_special_cases) for model in self.special_cases]
        return tuple(dict.fromkeys(model for models in each for model in models))

    def like_ideal(
        self, values: Mapping[str, float], tables: PassageTables, stakes: Stakes = EVEN
    ) -> dict[str, float]:
        """Return the parameters with free thresholds nearest to an ideal observer's.

        Parameters
        ----------
        values : mapping of str to float
            Of the same model with ideal thresholds.
        tables : PassageTables
        stakes : tuple of three float
            That the ideal observer decides for.
        """
        decision = replace(self, stopping=Stopping.IDEAL).decision(values, tables, stakes)
        relative = np.log(np.asarray(tables.set_sizes) / REFERENCE)
        free = dict(values)
        for side, tau in (("lower", decision.tau_minus), ("upper", decision.tau_plus)):
            line = np.polyfit(relative, tau, 1) if len(tau) > 1 else (0.0, tau[0])
            free[f"{side}_slope"], free[side] = float(line[0]), float(line[1])
        return free

    def decision(
        self,
        values: Mapping[str, float],
        tables: PassageTables,
        stakes: Stakes = EVEN,
        period: float = math.inf,
    ) -> Decision:
        """Return thresholds and rates at every set size of the tables.

        Parameters
        ----------
        values : mapping of str to float
        tables : PassageTables
        stakes : tuple of three float
        period : float
            Seconds between reshuffles of the items, inf if there are none.
        """
        names = [parameter.name for parameter in self._deciding]
        return _decision(self, tuple(values[name] for name in names), tables, stakes, period)

    def _decide(
        self, values: Mapping[str, float], tables: PassageTables, stakes: Stakes, period: float
    ) -> Decision:
        relative = np.log(np.asarray(tables.set_sizes) / REFERENCE)
        rate = values["information"] * np.exp(values["capacity"] * relative)
        sigma = values["variability"]
        g = values["guidance"] if self.guidance is None else self.guidance
        weights = guidance_weights(g, self.guidances)
        if self.stopping is Stopping.IDEAL:
            kappa = math.log(values["time_cost"]) + 0.5 * sigma**2 - np.log(rate)
            kappa += np.log(tables.set_sizes)
            if tables.last(rate * period, sigma):
                lower, upper = tables.ideal_thresholds(self.guidances)(kappa, weights, stakes)
            else:
                how = (self.guidances, weights, rate * period, sigma, stakes)
                lower, upper = tables.reshuffled_thresholds(kappa, *how)
        else:
            lines = [values[f] + values[f"{f}_slope"] * relative for f in ("lower", "upper")]
            lower, upper = np.clip(lines, LEAST, MOST)
        return Decision(lower, upper, rate, weights, sigma)

    def density(
        self, values: Mapping[str, float], tables: PassageTables, stakes: Stakes = EVEN
    ) -> Array:
        """Return the density on a grid of times, if time is unlimited and all answers are kept.

        Returns
        -------
        density : ndarray of shape (n_sizes, 2, 2, T + 1)
            Up to `longest`, in steps of `search_density.STEP`; by set size, class and answer.
        """
        decided = self.decided(values, tables, stakes, self.longest)
        return decided + values["lapse"] / (2.0 * self.longest)

    def decided(
        self,
        values: Mapping[str, float],
        tables: PassageTables,
        stakes: Stakes,
        end: float,
        period: float = math.inf,
        part: int | None = None,
    ) -> Array:
        """Return the density without lapses, up to a time; see `density` and `decision`."""
        mean, sd, constant, extra, lapse = (values[parameter.name] for parameter in RESIDUAL)
        residual = Residual(mean, sd, constant, extra, lapse, values.get("slip", 0.0))
        decision = self.decision(values, tables, stakes, period)
        times: DecisionTimes | ReshuffledTimes
        if tables.last(decision.rate * period, decision.variability):
            times = tables.decision_times(self.guidances, part)
        else:
            times = tables.reshuffled_times(self.guidances, decision.rate * period, part)
        return search_density(times, decision, residual, end)

    def likelihood(
        self, responses: Responses, tables: PassageTables | None = None
    ) -> SearchLikelihood:
        """Return the likelihood of some trials, ready to be evaluated many times."""
        tables = tables or PassageTables(np.unique(set_sizes_of(responses)).tolist())
        return SearchLikelihood(self, responses, tables)

    def log_densities(
        self, values: Mapping[str, float], responses: Responses, tables: PassageTables | None = None
    ) -> Array:
        """Return the log density of each trial in 1/s; see `Model`."""
        return self.likelihood(responses, tables).log_densities(values)


@lru_cache(maxsize=64)
def _decision(
    model: SearchModel,
    given: tuple[float, ...],
    tables: PassageTables,
    stakes: Stakes,
    period: float,
) -> Decision:
    """Return a decision, the same object for the same parameters; see `search_density`."""
    names = [parameter.name for parameter in model._deciding]
    return model._decide(dict(zip(names, given, strict=True)), tables, stakes, period)


class CellLikelihood(TrialLikelihood):
    """The likelihood of trials in cells: the cell and the time of each are looked up once.

    Parameters
    ----------
    model : Model
    responses : Responses
    tables : PassageTables
    row : ndarray of int, shape (n,)
        The cell of each trial.
    """

    tables: PassageTables

    def __init__(
        self, model: Model, responses: Responses, tables: PassageTables, row: NDArray[np.int64]
    ) -> None:
        super().__init__(model, responses, tables)
        limits, self._waits = limits_of(responses), responses.response == Action.WAIT
        self._check_times(limits)
        finite = limits[np.isfinite(limits)]
        self.end = max(model.longest, finite.max(initial=0.0))
        n_times = int(np.ceil(self.end / STEP)) + 1
        # Trials of a row with the same limit share what could have been observed.
        spaces, self._space = np.unique([row, limits], axis=1, return_inverse=True)
        self._row, limit = spaces[0].astype(np.int64), spaces[1]
        self._limited = np.isfinite(limit)
        self._last = np.minimum(limit, model.longest)
        stops = [np.full(len(limit), model.fastest), self._last, np.minimum(limit, self.end)]
        self._stops = [_between(stop, n_times) for stop in stops]
        self._at, self._beyond = _between(responses.rt, n_times)
        self._at += (2 * row + (responses.response == Action.PRESENT)) * n_times

    def _check_times(self, limits: Array) -> None:
        """Refuse answers that the model gives no probability."""
        model, faults, rt = self.model, Faults("Responses"), self.responses.rt[~self._waits]
        for name, outside in (("fastest", rt < model.fastest), ("longest", rt > model.longest)):
            if outside.any():
                expected = f"answers from {model.fastest:g} s to {model.longest:g} s"
                remedy = f"leave the others out, or change `{name}`"
                faults.add("rt", expected, f"{rt[outside][0]:g} s", remedy)
        late = rt > limits[~self._waits]
        if late.any():
            expected = f"answers by the time limit, {limits[~self._waits][late][0]:g} s"
            faults.add("rt", expected, f"{rt[late][0]:g} s", "mend the limit, or leave them out")
        faults.raise_if_any()

    def decided(self, values: Mapping[str, float], part: int | None = None) -> Array:
        """Return the density of decided answers up to `end`, shape (n_cells, 2, T + 1)."""
        raise NotImplementedError

    def log_densities(self, values: Mapping[str, float], part: int | None = None) -> Array:
        """Return the log density of each trial in 1/s, or the log probability of no answer."""
        decided = self.decided(values, part)
        both = decided.sum(axis=1)
        rising = np.zeros_like(both)
        np.cumsum(0.5 * STEP * (both[:, 1:] + both[:, :-1]), axis=1, out=rising[:, 1:])
        first, last, limit = (self._until(both, rising, stop) for stop in self._stops)
        lapse = values["lapse"]
        none = np.maximum(1.0 - lapse - limit, LEAST_CHANCE)
        kept = last - first + lapse * (1.0 - self.model.fastest / self._last)
        kept = np.maximum(kept + self._limited * none, LEAST_CHANCE)
        density = decided.ravel()
        low, high = density[self._at], density[self._at + 1]
        answer = low + self._beyond * (high - low) + (0.5 * lapse / self._last)[self._space]
        chance = np.where(self._waits, none[self._space], answer)
        return np.asarray(np.log(chance / kept[self._space]))

    def _until(self, density: Array, rising: Array, stop: tuple[NDArray[np.int64], Array]) -> Array:
        """Return the probability of a decided answer before a time, in each space."""
        at, x = stop
        low, high = density[self._row, at], density[self._row, at + 1]
        return np.asarray(rising[self._row, at] + STEP * x * (low + 0.5 * x * (high - low)))

    def errors_of_total(self, values: Mapping[str, float]) -> tuple[float, float]:
        """Return Monte-Carlo standard error and bias, from independent parts of the paths.

        A part has N_PARTS times the variance of the whole, and as many times its bias.
        """
        totals = [float(self.log_densities(values, part).sum()) for part in range(N_PARTS)]
        error = float(np.std(totals, ddof=1)) / math.sqrt(N_PARTS)
        return error, (float(np.mean(totals)) - self.total(values)) / (N_PARTS - 1)


class SearchLikelihood(CellLikelihood):
    """The likelihood of trials under a `SearchModel`; cells are set sizes, classes and situations.

    Parameters
    ----------
    model : SearchModel
    responses : Responses
    tables : PassageTables
        Of all set sizes in the data.
    """

    model: SearchModel

    def __init__(self, model: SearchModel, responses: Responses, tables: PassageTables) -> None:
        sizes, (situations, number) = set_sizes_of(responses), situations_of(responses)
        unknown, faults = sorted(set(sizes.tolist()) - set(tables.set_sizes)), Faults("Responses")
        if unknown:
            faults.add("columns", f"set sizes of {tables!r}", unknown, "make tables of them")
        faults.raise_if_any()
        ideal = model.stopping is Stopping.IDEAL
        own = [(each.stakes if ideal else EVEN, each.period) for each in situations]
        self._own = sorted(set(own))
        group = np.array([self._own.index(each) for each in own], np.int64)[number]
        size = np.searchsorted(tables.set_sizes, sizes)
        row = (group * len(tables.set_sizes) + size) * 2 + responses.present
        super().__init__(model, responses, tables, row)

    def decided(self, values: Mapping[str, float], part: int | None = None) -> Array:
        """Return the density of decided answers; see `CellLikelihood`."""
        groups = [
            self.model.decided(values, self.tables, stakes, self.end, period, part)
            for stakes, period in self._own
        ]
        decided = np.concatenate(groups)
        return decided.reshape(-1, *decided.shape[2:])

    def errors_of_total(self, values: Mapping[str, float]) -> tuple[float, float]:
        """Return Monte-Carlo standard error and bias; none where tables are exact."""
        model = self.model
        if model.guidance is None:  # the two tables around the fitted guidance will do
            model = replace(model, guidance=values["guidance"])
        static = all(math.isinf(period) for _, period in self._own)
        if static and all(math.isinf(g) for g in model.guidances):
            return 0.0, 0.0
        near = SearchLikelihood(model, self.responses, self.tables)
        return CellLikelihood.errors_of_total(near, values)


def _between(times: Array, n_times: int) -> tuple[NDArray[np.int64], Array]:
    """Return the time of the grid before each time, and how far it lies beyond, from 0 to 1."""
    place = times / STEP
    at = np.minimum(place.astype(np.int64), n_times - 2)
    return at, place - at


MODELS = (
    *("ideal-parallel", "ideal-guided", "ideal-guided:1", "ideal-serial"),
    *("free-parallel", "free-guided", "free-serial"),
)
"""Names of the models that are fitted side by side; each also with ``+slips``."""

NAME = re.compile(r"(\w+)-(parallel|serial|guided(?::(.+?))?)(\+slips)?")


def models(
    names: Sequence[str] = MODELS, longest: float = 5.0, fastest: float = 0.0
) -> tuple[SearchModel, ...]:
    """Return models by name: ``STOPPING-ATTENTION[:g][+slips]``.

    Parameters
    ----------
    names : sequence of str
    longest, fastest : float
        Response times in s between which answers were kept.

    Examples
    --------
    >>> [model.label for model in models(["ideal-serial", "free-guided:0.5+slips"])]
    ['ideal, serial', 'free, guided, g = 0.5, slips']
    >>> models(["ideal-paralel"])
    Traceback (most recent call last):
    ...
    popout.task.faults.InputError: models[0]: expected a model such as ideal-parallel or
    free-guided:2+slips, got 'ideal-paralel'; did you mean
    ideal-parallel?
    """
    faults = Faults("models")
    made = []
    for i, name in enumerate(names):
        parts = NAME.fullmatch(name)
        try:
            stopping, attention, power, slips = parts.groups() if parts else ("",) * 4
            g = float(power) if power else {"parallel": 0.0, "serial": math.inf}.get(attention)
            made.append(SearchModel(Stopping(stopping), g, bool(slips), longest, fastest))
        except ValueError:
            remedy = did_you_mean(name, MODELS, f"choose from {', '.join(MODELS)}")
            faults.add((i,), "a model such as ideal-parallel or free-guided:2+slips", name, remedy)
    faults.raise_if_any()
    return tuple(made)
