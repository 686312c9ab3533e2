"""What `fit_observers` returns: for each observer the fitted models, the best one and the index.

The *best* model is the one with the least AIC, the yardstick left aside: it says what is in the
trials, not why. Where the yardstick has a lower AIC still, the best model misses something, and
every table says by how much. The *index* is that of the best model with free thresholds; one with
ideal thresholds is optimal by assumption.

Where a condition is taken apart, each observer is fitted in each of its values; see
`popout.people.fitted_conditions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, count
from popout.people.fit_job import YARDSTICK, FitRecord
from popout.people.fitted_conditions import (
    Key,
    best_words,
    condition_differences,
    condition_means,
    condition_words,
    conditions_dict,
    conditions_of,
)
from popout.people.observed import Group, ObservedTrials
from popout.reports.words import fixed
from popout.simulation.responses import Responses


@dataclass(frozen=True, eq=False)
class ObserverFits:
    """The models fitted to one observer, in one condition where one is taken apart.

    Attributes
    ----------
    observer : str
    trials : Responses
        That were fitted: those with an answer.
    no_answer : int
        Trials without one, which are left out.
    dropped : dict of str to int
        Trials left out before, by reason.
    records : tuple of FitRecord
    failed : dict of str to str
        Message of the models that could not be fitted.
    condition : str, optional
    """

    observer: str
    trials: Responses
    no_answer: int
    dropped: Mapping[str, int]
    records: tuple[FitRecord, ...]
    failed: Mapping[str, str]
    condition: str | None = None

    @property
    def group(self) -> Group:
        """Observer and condition."""
        return Group(self.observer, self.condition)

    def __getitem__(self, model: str) -> FitRecord:
        """Return the fit of a model by its name."""
        return {record.model: record for record in self.records}[model]

    @cached_property
    def best(self) -> FitRecord | None:
        """The fit with the least AIC, the yardstick only if there is no other."""
        search = [record for record in self.records if record.model != YARDSTICK]
        return min(search or self.records, key=lambda record: record.aic, default=None)

    @cached_property
    def yardstick(self) -> FitRecord | None:
        """The ex-Gaussian per cell, if it was fitted."""
        return next((record for record in self.records if record.model == YARDSTICK), None)

    @cached_property
    def judged(self) -> FitRecord | None:
        """The best fit with free thresholds, whose index is quoted."""
        free = [record for record in self.records if record.index is not None]
        return min(free, key=lambda record: record.aic, default=None)

    @property
    def below_yardstick(self) -> float | None:
        """AIC of the yardstick less that of the best model; positive is better."""
        if self.best is None or self.yardstick is None or self.best is self.yardstick:
            return None
        return self.yardstick.aic - self.best.aic

    def plot(self) -> Figure:
        """Draw the trials over the best model, the distance from optimal, and models compared."""
        from popout.people.description import describe_trials
        from popout.people.fit_pictures import draw_fit

        return draw_fit(self, describe_trials(self.trials).cells)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` prints for the observer."""
        judged = self.judged
        found: dict[str, Any] = plain(
            {
                **self.group.as_dict(),
                "trials": len(self.trials),
                "no_answer": self.no_answer,
                "dropped": dict(self.dropped),
                "models": [
                    {
                        **record.fitted,
                        "why_not_determined": record.why_not_determined,
                        "index": record.index,
                    }
                    for record in self.records
                ],
                "failed": dict(self.failed),
                "best": self.best.model if self.best else None,
                "aic_below_yardstick": self.below_yardstick,
                "index": judged.index if judged else None,
            }
        )
        return found


@dataclass(frozen=True, eq=False, repr=False)
class FittedObservers(HasCard):
    """Models fitted to several observers, and the report on them.

    Attributes
    ----------
    observers : dict of str to ObserverFits
        By observer; by (observer, condition) where one is taken apart.
    data : ObservedTrials
    report : str
        Path of the page.
    computed : int
        Fits of this run; the others were there already.
    seconds : float

    Examples
    --------
    What `fit_observers` returns; here before anything was fitted:

    >>> import popout as po
    >>> trials = po.read_trials("examples/people/two_observers.csv")
    >>> fits = po.FittedObservers({}, trials, "results/report.html", computed=0, seconds=0.0)
    >>> fits.data, list(fits.observers)
    (ObservedTrials(2 observers, 1195 trials, 5 dropped), [])
    """

    observers: Mapping[Key, ObserverFits]
    data: ObservedTrials
    report: str
    computed: int
    seconds: float

    def __getitem__(self, observer: Key) -> ObserverFits:
        """Return the fits of an observer by name, or by name and condition."""
        return self.observers[observer]

    def __repr__(self) -> str:
        """Return one line."""
        return f"FittedObservers({count(self.n_observers, 'observer')}, {self.report})"

    @property
    def n_observers(self) -> int:
        """People, whatever the number of conditions."""
        return len({one.observer for one in self.observers.values()})

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know, of the file and of its base rate."""
        return self.data.notes

    def means(self) -> pd.DataFrame:
        """Return means over people of each condition; see `condition_means`."""
        return condition_means(self.observers)

    def differences(self) -> pd.DataFrame:
        """Return paired differences between conditions; see `condition_differences`."""
        return condition_differences(self.observers)

    @property
    def n_failed(self) -> int:
        """Fits that failed."""
        return sum(len(one.failed) for one in self.observers.values())

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each observer and model; see `model_table`."""
        return model_table(self.observers)

    def plot(self) -> Figure:
        """Draw models compared, guidance and time wasted, observer by observer."""
        from popout.people.fit_pictures import draw_observers

        return draw_observers(self.observers)

    def card(self) -> Card:
        """Return the table over observers."""
        headings, rows = summary_rows(self.observers)
        known = self.data.reading.known
        facts: list[tuple[str, object]] = [("report", self.report)]
        facts += [(f"best, {name}", words) for name, words in best_words(self.observers).items()]
        facts += [(what, words) for what, words in condition_words(self.observers).items()]
        facts += [("cite", known.citation)] if known else []
        if self.n_failed:
            facts.append(("failed", count(self.n_failed, "fit")))
        return Card(
            f"{count(self.n_observers, 'observer')} of {self.data.reading.file}",
            facts,
            headings,
            rows,
            " ".join([*self.notes, SUMMARY_NOTE]),
            keys=2 if self.data.conditions else 1,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {
            "observers": [one.as_dict() for one in self.observers.values()],
            **conditions_dict(self.observers),
            "base_rate": self.data.base_rate.as_dict(),
            "notes": list(self.notes),
            "data": self.data.reading.as_dict(),
            "report": self.report,
            "computed": self.computed,
            "seconds": self.seconds,
        }


SUMMARY_NOTE = (
    "best: least AIC of the models of search. below yardstick: how far its AIC is below that of "
    "one ex-Gaussian per cell, positive is better. g: guidance of attention, 0 is parallel. "
    "wasted and excess: distance from optimal under the model named, with 95 % intervals."
)


def summary_rows(fits: Mapping[Key, ObserverFits]) -> tuple[list[str], list[list[str]]]:
    """Return headings and one row for each observer, in words."""
    headings = ["observer", *(["condition"] if conditions_of(fits) else []), "trials", "best"]
    headings += ["log likelihood", "below yardstick", "g"]
    headings += ["index under", "wasted (ms)", "excess (%)"]
    rows = []
    for one in fits.values():
        best, judged = one.best, one.judged
        index = judged.index if judged else None
        below = one.below_yardstick
        rows.append(
            [
                *filter(None, one.group),
                str(len(one.trials)),
                best.model if best else "-",
                f"{best.fitted['log_likelihood']:.0f}" if best else "-",
                "-" if below is None else f"{below:+.0f}",
                guidance_words(one),
                str(index["model"]) if index else "-",
                _with_interval(index, "wasted_ms", "wasted_interval"),
                _with_interval(index, "excess_percent", "excess_interval"),
            ]
        )
    return headings, rows


def guidance_fit(one: ObserverFits) -> FitRecord | None:
    """Return the best fit whose guidance is fitted."""
    fitted = [record for record in one.records if "guidance" in record.fitted["parameters"]]
    return min(fitted, key=lambda record: record.aic, default=None)


def guidance_words(one: ObserverFits) -> str:
    """Return the guidance of an observer with its interval."""
    record = guidance_fit(one)
    if record is None:
        return "-"
    g = record.fitted["parameters"]["guidance"]
    if not g["determined"]:
        return "not determined"
    return f"{_number(g['value'])} ({_number(g['low'])} to {_number(g['high'])})"


def _number(value: float | None) -> str:
    return "serial" if value is None or value > 100 else f"{value:.2g}"


def _with_interval(index: Mapping[str, Any] | None, name: str, interval: str) -> str:
    if index is None:
        return "-"
    low, high = index[interval]
    return f"{fixed(index[name], 2)} ({fixed(low, 2)} to {fixed(high, 2)})"


def model_table(fits: Mapping[Key, ObserverFits]) -> pd.DataFrame:
    """Return one row for each observer and model: criteria and index."""
    rows = []
    names = ("n_parameters", "log_likelihood", "log_likelihood_error", "aic", "bic")
    measures = ("wasted_ms", "excess_percent", "implied_time_cost", "wasted_floor", "excess_floor")
    for one in fits.values():
        for record in one.records:
            row: dict[str, Any] = {
                **one.group.as_dict(),
                "model": record.model,
                "trials": len(one.trials),
            }
            row |= {name: record.fitted[name] for name in names}
            row["cross_validated"] = record.fitted["cross_validated"]
            row["best"] = record is one.best
            index = record.index or {}
            row |= {name: index.get(name) for name in measures}
            for name in ("wasted", "excess"):
                low, high = index.get(f"{name}_interval") or (None, None)
                row |= {f"{name}_low": low, f"{name}_high": high}
            rows.append(row)
    return pd.DataFrame(rows)


def parameter_table(fits: Mapping[Key, ObserverFits]) -> pd.DataFrame:
    """Return one row for each observer, model and parameter."""
    rows = [
        {
            **one.group.as_dict(),
            "model": record.model,
            "parameter": name,
            **{key: value for key, value in parameter.items() if key != "words"},
            "words": parameter["words"],
        }
        for one in fits.values()
        for record in one.records
        for name, parameter in record.fitted["parameters"].items()
    ]
    return pd.DataFrame(rows)


def cell_table(fits: Mapping[Key, ObserverFits], data: ObservedTrials) -> pd.DataFrame:
    """Return one row for each observer and cell: the trials, and what the best model predicts."""
    description = data.describe()
    cells = description.cells
    parts = []
    for one in fits.values():
        if one.best is None:
            continue
        predicted = one.best.prediction.to_pandas()
        predicted["target"] = ["present" if here else "absent" for here in predicted["present"]]
        predicted = predicted.drop(columns="present").add_prefix("predicted_")
        own = description.of(*one.group)
        keys = ["predicted_set_size", "predicted_target"]
        parts.append(
            own.merge(predicted, "left", None, ["set_size", "target"], keys).drop(columns=keys)
        )
    return pd.concat(parts, ignore_index=True) if parts else cells.iloc[:0]
