"""What `fit_observers` returns: for each observer the fitted models, the best one and the index.

The *best* model is the one with the least AIC, the yardstick left aside: it says what is in the
trials, not why. Where the yardstick has a lower AIC still, the best model misses something, and
every table says by how much. The *index* is that of the best model with free thresholds; one with
ideal thresholds is optimal by assumption.

What a condition changes (`effects`) and the `population` are found in one model for all observers:
`FittedObservers.common_model`, the one of least AIC in all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, count, listing
from popout.people.fitting.candidate_fits import RuleFits
from popout.people.fitting.conditions import ConditionFits, named
from popout.people.fitting.fit_job import YARDSTICK, ModelFit
from popout.people.fitting.fitted_model import FittedModel
from popout.people.fitting.fitted_population import FittedPopulation
from popout.people.fitting.frontier import Index
from popout.people.models.rule_models import is_rule
from popout.people.reading.description import describe_trials
from popout.people.reading.observed import ObservedTrials
from popout.policies.stopping import Action
from popout.reports.words import fixed
from popout.simulation.responses import Responses

DISTANCES = ("wasted_ms", "excess_percent", "implied_time_cost")
INDEX = ("index under", "wasted (ms)", "excess (%)")
COLUMNS = {
    "best": ("best: least AIC of the models of search.", ""),
    "below yardstick": (
        "below yardstick: how far its AIC is below that of one ex-Gaussian per cell, positive is "
        "better.",
        "a yardstick (ex-gaussian)",
    ),
    "g": ("g: guidance of attention, 0 is parallel.", "guidance (ideal-guided)"),
    INDEX[0]: (
        "wasted and excess: distance from optimal under the model named, with 95 % intervals.",
        "free thresholds (free-serial), from which the distance from optimal follows",
    ),
}
"""Of the summary: what they say, and what would have to be fitted where they are empty."""


def _least(fits: Iterable[ModelFit]) -> ModelFit | None:
    return min(fits, key=lambda fit: fit.aic, default=None)


@dataclass(frozen=True, eq=False)
class ObserverFits:
    """The models fitted to one observer.

    Attributes
    ----------
    observer : str
    trials : Responses
        That were fitted.
    dropped : dict of str to int
        Trials left out before, by reason.
    models : tuple of ModelFit
    failed : dict of str to str
        Message of the models that could not be fitted.
    """

    observer: str
    trials: Responses
    dropped: Mapping[str, int]
    models: tuple[ModelFit, ...]
    failed: Mapping[str, str]

    def __getitem__(self, model: str) -> ModelFit:
        """Return the fit of a model by its name."""
        return {fit.name: fit for fit in self.models}[model]

    @property
    def no_answer(self) -> int:
        """Trials without an answer."""
        return int((self.trials.response == Action.WAIT).sum())

    @cached_property
    def best(self) -> ModelFit | None:
        """The fit with the least AIC, the yardstick only if there is no other."""
        return _least([fit for fit in self.models if fit.name != YARDSTICK] or self.models)

    @cached_property
    def yardstick(self) -> ModelFit | None:
        """The ex-Gaussian per cell, if it was fitted."""
        return next((fit for fit in self.models if fit.name == YARDSTICK), None)

    @cached_property
    def judged(self) -> ModelFit | None:
        """The best fit with free thresholds, whose index is quoted."""
        return _least(fit for fit in self.models if fit.index is not None)

    @property
    def index(self) -> Index | None:
        """How far from optimal the observer is."""
        return self.judged.index if self.judged else None

    @property
    def guided(self) -> FittedModel | None:
        """The best fit whose guidance is fitted."""
        best = _least(fit for fit in self.models if "guidance" in fit.fitted.estimates)
        return best.fitted if best else None

    @property
    def guidance_words(self) -> str:
        """The guidance with its interval."""
        if (fitted := self.guided) is None:
            return "-"
        interval, g = fitted.errors["guidance"], fitted.estimates["guidance"]
        if not interval.determined:
            return "not determined"
        numbers = (g, interval.low, interval.high)
        best, low, high = ("serial" if x > 100 else f"{x:.2g}" for x in numbers)
        return f"{best} ({low} to {high})"

    @property
    def below_yardstick(self) -> float | None:
        """AIC of the yardstick less that of the best model; positive is better."""
        if self.best is None or self.yardstick is None or self.best is self.yardstick:
            return None
        return self.yardstick.aic - self.best.aic

    def plot(self) -> Figure:
        """Draw the trials over the best model, the distance from optimal, and models compared."""
        from popout.people.fitting.fit_pictures import draw_fit

        return draw_fit(self, describe_trials(self.trials).cells)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` prints for the observer."""
        whole = {"observer": self.observer, "trials": len(self.trials), "no_answer": self.no_answer}
        whole |= {"dropped": self.dropped, "models": [fit.as_dict() for fit in self.models]}
        whole |= {"failed": self.failed, "best": self.best.name if self.best else None}
        whole |= {"aic_below_yardstick": self.below_yardstick, "index": self.index}
        made: dict[str, Any] = plain(whole)
        return made


@dataclass(frozen=True, eq=False, repr=False)
class FittedObservers(HasCard):
    """Models fitted to several observers, and the report on them.

    Attributes
    ----------
    observers : dict of str to ObserverFits
    data : ObservedTrials
    report : str
        Path of the page.
    computed : int
        Fits of this run; the others were there already.
    seconds : float
    effects : ConditionFits, optional
        What a condition changes, where that was asked.
    population : FittedPopulation, optional
        That the observers come from, where that was asked.
    others_failed : dict of str to str
        Messages of fits of conditions and populations that failed.

    Examples
    --------
    What `fit_observers` returns; here before anything was fitted:

    >>> import popout as po
    >>> trials = po.read_trials("examples/people/two_observers.csv")
    >>> fits = po.FittedObservers({}, trials, "results/report.html", computed=0, seconds=0.0)
    >>> fits.data, list(fits.observers)
    (ObservedTrials(2 observers, 1195 trials, 5 dropped), [])
    """

    observers: Mapping[str, ObserverFits]
    data: ObservedTrials
    report: str
    computed: int
    seconds: float
    effects: ConditionFits | None = None
    population: FittedPopulation | None = None
    others_failed: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, observer: str) -> ObserverFits:
        """Return the fits of an observer by name."""
        return self.observers[observer]

    def __repr__(self) -> str:
        """Return one line."""
        return f"FittedObservers({count(len(self.observers), 'observer')}, {self.report})"

    @property
    def n_failed(self) -> int:
        """Fits that failed."""
        return sum(len(own.failed) for own in self.observers.values()) + len(self.others_failed)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of the trials; what varies is not pooled."""
        return self.data.reading.notes_beside(self.effects.columns if self.effects else ())

    def common_model(self, kinds: Sequence[str] = ()) -> str | None:
        """Return the search model that was fitted to everybody and has the least AIC in all.

        Parameters
        ----------
        kinds : sequence of str
            Parameters, or kinds of them, that it should have: models with most of them count.
        """
        total: dict[str, list[float]] = {}
        has: dict[str, int] = {}
        for own in self.observers.values():
            for fit in own.models:
                if fit.name != YARDSTICK and not is_rule(fit.name):
                    total.setdefault(fit.name, []).append(fit.aic)
                    has[fit.name] = sum(bool(named(fit.fitted.model, kind)) for kind in kinds)
        whole = {k: sum(each) for k, each in total.items() if len(each) == len(self.observers)}
        return min(whole, key=lambda name: (-has[name], whole[name]), default=None)

    @cached_property
    def rules(self) -> RuleFits | None:
        """The stopping rules that were fitted to everybody, if there are two or more."""
        each = [{fit.name: fit for fit in own.models} for own in self.observers.values()]
        names = [name for name in each[0] if is_rule(name)] if each else []
        common = [name for name in names if all(name in own for own in each)]
        if len(common) < 2:
            return None
        both = zip(self.observers, each, strict=True)
        return RuleFits({k: {name: own[name] for name in common} for k, own in both})

    def _each(self) -> Iterable[tuple[dict[str, Any], ObserverFits, ModelFit]]:
        """Yield every fit with the columns that name it."""
        for own in self.observers.values():
            for fit in own.models:
                yield {"observer": own.observer, "model": fit.name}, own, fit

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each observer and model: criteria and index."""
        rows = []
        criteria = ("n_parameters", "log_likelihood", "log_likelihood_error", "aic", "bic")
        for names, own, fit in self._each():
            row = {**names, "trials": len(own.trials)}
            row |= {name: getattr(fit.fitted, name) for name in criteria}
            row |= {"cross_validated": fit.cross_validated, "best": fit is own.best}
            for name in (*DISTANCES, "wasted_floor", "excess_floor"):
                row[name] = getattr(fit.index, name, None)
            for name in ("wasted", "excess"):
                ends = getattr(fit.index, f"{name}_interval", (None, None))
                row[f"{name}_low"], row[f"{name}_high"] = ends
            rows.append(row)
        return pd.DataFrame(rows)

    def parameters(self) -> pd.DataFrame:
        """Return one row for each observer, model and parameter."""
        rows = []
        for names, _, fit in self._each():
            parameters = fit.fitted.as_dict()["parameters"].items()
            rows += [{**names, "parameter": name, **each} for name, each in parameters]
        return pd.DataFrame(rows)

    def cells(self) -> pd.DataFrame:
        """Return one row for each observer and cell: trials, and what the best model predicts."""
        description = self.data.describe()
        parts = [description.cells.iloc[:0]]
        for own in self.observers.values():
            if own.best is not None:
                predicted = own.best.prediction.to_pandas()
                predicted["target"] = np.where(predicted.pop("present"), "present", "absent")
                predicted = predicted.set_index(["set_size", "target"]).add_prefix("predicted_")
                parts.append(description.of(own.observer).join(predicted, ["set_size", "target"]))
        return pd.concat(parts[1:] or parts, ignore_index=True)

    def summary_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return headings and one row for each observer, in words; without empty columns."""
        headings = ["observer", "trials", "best"]
        headings += ["log likelihood", "below yardstick", "g"]
        headings += INDEX
        rows = []
        for own in self.observers.values():
            best, index, below = own.best, own.index, own.below_yardstick
            row = [own.observer, str(len(own.trials)), best.name if best else "-"]
            row.append(f"{best.fitted.log_likelihood:z.0f}" if best else "-")
            row += ["-" if below is None else f"{below:+z.0f}", own.guidance_words]
            rows.append([*row, *(distance_words(index) if index else "---")])
        full = [k for k, name in enumerate(headings) if name not in self.lacking]
        return [headings[k] for k in full], [[row[k] for k in full] for row in rows]

    @property
    def lacking(self) -> tuple[str, ...]:
        """Columns of the summary that no fit has anything for."""
        own = [*self.observers.values()]
        names = [] if any(each.below_yardstick is not None for each in own) else ["below yardstick"]
        names += [] if any(each.guided for each in own) else ["g"]
        return (*names, *(() if any(each.index for each in own) else INDEX))

    @property
    def summary_note(self) -> str:
        """What the columns of the summary say, and what would have to be fitted for others."""
        said = [words for name, (words, _) in COLUMNS.items() if name not in self.lacking]
        there = any(own.yardstick for own in self.observers.values())  # with nothing beside it
        wanted = [name for name in self.lacking if name in COLUMNS]
        more = [COLUMNS[name][1] for name in wanted if not (there and name == "below yardstick")]
        return " ".join([*said, *([f"Not fitted: {listing(more)}."] if more else [])])

    def plot(self) -> Figure:
        """Draw models compared, guidance and time wasted, observer by observer."""
        from popout.people.fitting.fit_pictures import draw_observers

        return draw_observers([*self.observers.values()])

    def card(self) -> Card:
        """Return the table over observers."""
        headings, rows = self.summary_rows()
        facts: list[tuple[str, object]] = [("report", self.report)]
        if self.effects is not None:
            facts.append(("conditions", self.effects.verdict))
        if self.rules is not None:
            facts.append(("stopping rules", self.rules.verdict))
        if self.population is not None:
            for *who, mean, interval, _, _ in self.population.rows()[1]:
                facts.append((f"population, {', '.join(who)}", f"{mean} ({interval})"))
        if self.n_failed:
            facts.append(("failed", count(self.n_failed, "fit")))
        title = f"{count(len(self.observers), 'observer')} of {self.data.reading.file}"
        note = " ".join([*self.notes, self.summary_note])
        return Card(title, facts, headings, rows, note)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {
            "observers": [own.as_dict() for own in self.observers.values()],
            "conditions": None if self.effects is None else self.effects.as_dict(),
            "population": None if self.population is None else self.population.as_dict(),
            "rules": None if self.rules is None else self.rules.verdict,
            "failed": dict(self.others_failed),
            "notes": list(self.notes),
            "data": self.data.reading.as_dict(),
            "report": self.report,
            "computed": self.computed,
            "seconds": self.seconds,
        }


def best_counts(some: Iterable[ObserverFits]) -> dict[str, int]:
    """Return for how many observers each model is the best, most first."""
    return dict(Counter(own.best.name for own in some if own.best).most_common())


def distance_words(index: Index) -> tuple[str, str, str]:
    """Return model, wasted time and excess risk with their intervals, in words."""

    def between(value: float, ends: tuple[float, float]) -> str:
        return f"{fixed(value, 2)} ({fixed(ends[0], 2)} to {fixed(ends[1], 2)})"

    wasted = between(index.wasted_ms, index.wasted_interval)
    return index.model, wasted, between(index.excess_percent, index.excess_interval)
