r"""Recovery: what a design can tell, from synthetic observers whose truth is known.

Observers are drawn from a model, their trials are fitted like those of people, and what was found
is set against what was put in: bias and coverage of every parameter, how often each model is
mistaken for another, and which distance from optimal ideal observers seem to have (the floor
of the indices). A design can thus be judged before anybody sits down to it.

**Bias** is given in standard errors: the mean of :math:`(\hat x - x)/\hat\sigma` over the
observers, on the scale on which a parameter is searched (its logarithm, for rates and times). With
n observers whose intervals are right it is :math:`0 \pm 1/\sqrt n`, and the standard deviation
(`spread`) is 1. **Coverage** counts the 95 % intervals that hold the truth. Both leave out what the
fit calls not determined; how often that is stands beside them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, count
from popout.noise.seeds import Purpose, fresh_seed
from popout.people.fitting.fitted_model import FittedModel
from popout.people.fitting.frontier import Frontier, has_index, index_of
from popout.people.fitting.maximum_likelihood import fit_model
from popout.people.fitting.model_comparison import Criterion, ModelComparison, fit_models
from popout.people.fitting.synthetic import Design, synthetic_observer
from popout.people.models.model import Model
from popout.people.models.search_models import SearchModel, Stopping
from popout.people.passages.passage_tables import PassageTables
from popout.progress import Progress, stretch


@dataclass(frozen=True)
class RecoveredObserver:
    """One synthetic observer: what it was drawn from, and what fits say of it.

    Attributes
    ----------
    model : str
        That it was drawn from.
    values : mapping of str to float
        Its parameters.
    parameters : tuple of mapping
        For each parameter of that model, if it was fitted: ``true``, ``estimate``, ``low``,
        ``high``, ``determined``, ``covered`` and ``error``, in standard errors.
    criteria : mapping of str to mapping
        For each model fitted: ``log_likelihood``, ``aic``, ``bic``.
    indices : tuple of mapping
        For each model with free thresholds: the distance from optimal with its intervals, and the
        true one beside it where nothing but the thresholds differs from the true model.
    """

    model: str
    values: Mapping[str, float]
    parameters: tuple[Mapping[str, Any], ...]
    criteria: Mapping[str, Mapping[str, float]]
    indices: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> RecoveredObserver:
        """Return an observer from `as_dict`."""
        rows = {name: tuple(stored[name]) for name in ("parameters", "indices")}
        return cls(**{**stored, **rows})

    def as_dict(self) -> dict[str, Any]:
        """Return names and numbers; an infinite guidance stays infinite."""
        return asdict(self)

    def best(self, criterion: Criterion) -> str:
        """Return the model with the least AIC or BIC."""
        return min(self.criteria, key=lambda name: self.criteria[name][criterion.value])


def recovered(
    model: Model, values: Mapping[str, float], fits: ModelComparison
) -> RecoveredObserver:
    """Set what fits found against the truth.

    Parameters
    ----------
    model : Model
        That the observer was drawn from.
    values : mapping of str to float
    fits : ModelComparison
        Models fitted to its trials.
    """
    own = next((each for each in fits.fitted if each.name == model.name), None)
    names = ("log_likelihood", "aic", "bic")
    criteria = {each.name: {n: getattr(each, n) for n in names} for each in fits.fitted}
    indices = (_index_row(model, values, each) for each in fits.fitted)
    return RecoveredObserver(
        model=model.name,
        values={name: float(value) for name, value in values.items()},
        parameters=() if own is None else tuple(_parameter_rows(own, values)),
        criteria=criteria,
        indices=tuple(row for row in indices if row is not None),
    )


def _parameter_rows(fitted: FittedModel, values: Mapping[str, float]) -> list[dict[str, Any]]:
    rows = []
    for i, parameter in enumerate(fitted.model.parameters):
        interval, estimate = fitted.errors[parameter.name], fitted.estimates[parameter.name]
        true = float(values[parameter.name])
        variance = 0.0 if fitted.covariance is None else float(fitted.covariance[i, i])
        distance = parameter.to_unit(estimate) - parameter.to_unit(true)
        row = {"parameter": parameter.name, "true": true, "estimate": float(estimate)}
        row |= {name: getattr(interval, name) for name in ("low", "high", "determined")}
        row |= {"covered": bool(interval.low <= true <= interval.high)}
        rows.append({**row, "error": distance / math.sqrt(variance) if variance > 0.0 else None})
    return rows


def _index_row(
    true: Model, values: Mapping[str, float], fitted: FittedModel
) -> dict[str, Any] | None:
    model = fitted.model
    if not has_index(model, fitted.situations):
        return None
    assert isinstance(model, SearchModel)
    index = index_of(fitted)
    row = {name: value for name, value in index.as_dict().items() if not name.endswith("_floor")}
    if isinstance(true, SearchModel) and replace(model, stopping=true.stopping) == true:
        assert fitted.tables is not None
        design = (fitted.trials_by_size, fitted.situations)
        truth = Frontier.of(true, values, fitted.tables, *design)
        row["true_wasted_ms"], row["true_excess_percent"] = truth.wasted_ms, truth.excess_percent
    return row


@dataclass(frozen=True, eq=False)
class Recovery(HasCard):
    """What fits found in synthetic observers.

    Attributes
    ----------
    observers : tuple of RecoveredObserver

    Examples
    --------
    >>> import numpy as np, popout as po
    >>> class Guesses(po.Model):
    ...     name, label = "guesses", "exponential guesses"
    ...     parameters = (po.ModelParameter("mean", "mean response time", "s", 0.05, 5.0),)
    ...
    ...     def log_densities(self, values, responses, tables=None):
    ...         return -responses.rt / values["mean"] - np.log(2.0 * values["mean"])
    >>> found = po.recover(po.Design((3, 6), 50), [(Guesses(), {"mean": 0.5})], n=4)
    >>> found.summary()["observers"].tolist(), len(found.observers)
    ([4], 4)
    """

    observers: tuple[RecoveredObserver, ...]

    def parameters(self) -> pd.DataFrame:
        """Return one row for each observer and parameter of the model that it was drawn from."""
        each = enumerate(self.observers)
        rows = [{"observer": i, "model": o.model, **row} for i, o in each for row in o.parameters]
        return pd.DataFrame(rows)

    def summary(self, pooled: bool = False) -> pd.DataFrame:
        """Return errors and coverage of each parameter, where it is determined.

        Parameters
        ----------
        pooled : bool
            One row for each parameter, over all models, instead of one for each of both.
        """
        rows = []
        by = ["parameter"] if pooled else ["model", "parameter"]
        for key, part in self.parameters().groupby(by, sort=False):
            known = part[part["determined"]]
            error = known["estimate"] - known["true"]
            scaled = known["error"].dropna().astype(float)
            row = {**dict(zip(by, key, strict=True)), "observers": len(part)}
            row |= {"median_true": part["true"].median(), "median_error": error.median()}
            row |= {"iqr": error.quantile(0.75) - error.quantile(0.25)}
            row |= {"bias": scaled.mean(), "spread": scaled.std()}
            row |= {"coverage": known["covered"].mean() if len(known) else np.nan}
            rows.append({**row, "determined": len(known) / len(part)})
        return pd.DataFrame(rows)

    def confusion(self, criterion: Criterion = Criterion.AIC) -> pd.DataFrame:
        """Return how often each model (rows) is taken for each of those fitted (columns)."""
        true = pd.Series([own.model for own in self.observers], name="true")
        best = pd.Series([own.best(criterion) for own in self.observers], name="best")
        fitted = dict.fromkeys(name for own in self.observers for name in own.criteria)
        table = pd.crosstab(true, best)
        return table.reindex(index=list(dict.fromkeys(true)), columns=list(fitted), fill_value=0)

    def indices(self) -> pd.DataFrame:
        """Return how far from optimal each observer seems under each free model fitted.

        Columns ``true_...`` hold the truth, where the model is the true one or would be with its
        thresholds ideal.
        """
        each = enumerate(self.observers)
        rows = [{"observer": i, "true": o.model, **row} for i, o in each for row in o.indices]
        return pd.DataFrame(rows)

    def confusion_card(self, criterion: Criterion = Criterion.AIC) -> Card:
        """Return how often each model is taken for each."""
        table = self.confusion(criterion)
        rows = [[str(true), *map(int, row)] for true, *row in table.itertuples()]
        headings = ["drawn from", *map(str, table.columns)]
        return Card(f"Best model by {criterion.name}, number of observers", (), headings, rows)

    def as_dict(self) -> dict[str, Any]:
        """Return the summary of parameters and the confusion of models, by AIC and by BIC."""
        confusion, by_bic = (self.confusion(each).to_dict("index") for each in Criterion)
        parameters = self.summary().to_dict("records")
        whole = {"observers": len(self.observers), "parameters": parameters}
        made: dict[str, Any] = plain({**whole, "confusion": confusion, "confusion_by_bic": by_bic})
        return made

    def card(self) -> Card:
        """Return the summary of parameters."""
        rows = []
        for row in self.summary().to_dict("records"):
            words = [f"{row[name]:.3g}" for name in ("median_true", "median_error", "iqr", "bias")]
            words += [f"{100 * row[name]:.0f}" for name in ("coverage", "determined")]
            known = ("-" if each == "nan" else each for each in words)
            rows.append([f"{row['model']}: {row['parameter']}", *known])
        right = sum(own.model == own.best(Criterion.AIC) for own in self.observers)
        facts = [("true model is best", f"{right} of {count(len(self.observers), 'observer')}")]
        headings = ["", "true", "median error", "IQR", "bias (s.e.)", "covered (%)"]
        return Card("Recovery", facts, [*headings, "determined (%)"], rows)


def recover(
    design: Design,
    observers: Sequence[tuple[Model, Mapping[str, float]]],
    n: int = 1,
    candidates: Sequence[Model] | None = None,
    tables: PassageTables | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> Recovery:
    """Fit synthetic observers of a design.

    Parameters
    ----------
    design : Design
    observers : sequence of (Model, mapping)
        What they are, and their parameters.
    n : int
        Synthetic observers of each kind, with noise of their own.
    candidates : sequence of Model, optional
        Models fitted to each; the one it was drawn from when left out.
    tables : PassageTables, optional
    seed : int
    progress : Progress, optional

    Examples
    --------
    >>> import numpy as np, popout as po
    >>> class Guesses(po.Model):
    ...     name, label = "guesses", "exponential guesses"
    ...     parameters = (po.ModelParameter("mean", "mean response time", "s", 0.05, 5.0),)
    ...
    ...     def log_densities(self, values, responses, tables=None):
    ...         return -responses.rt / values["mean"] - np.log(2.0 * values["mean"])
    >>> found = po.recover(po.Design((3, 6), 50), [(Guesses(), {"mean": 0.5})], n=4)
    >>> found.as_dict()["confusion"]
    {'guesses': {'guesses': 4}}
    """
    tables = PassageTables(design.set_sizes) if tables is None else tables
    people = []
    total = n * len(observers)
    for i in range(total):
        model, values = observers[i % len(observers)]
        part = stretch(progress, i / total, (i + 1) / total, f"observer {i + 1} of {total}")
        chosen = candidates or [model]
        people.append(recover_observer(design, model, values, chosen, tables, seed, i, part))
    return Recovery(tuple(people))


def recover_observer(
    design: Design,
    model: Model,
    values: Mapping[str, float],
    candidates: Sequence[Model],
    tables: PassageTables | None = None,
    seed: int = 1,
    number: int = 0,
    progress: Progress | None = None,
) -> RecoveredObserver:
    """Fit one synthetic observer of a design.

    Parameters
    ----------
    design : Design
    model : Model
        That the observer is drawn from.
    values : mapping of str to float
        Its parameters.
    candidates : sequence of Model
        Models fitted to it.
    tables : PassageTables, optional
    seed : int
    number : int
        Of the observer; each number has noise of its own.
    progress : Progress, optional
    """
    noise = fresh_seed(seed, Purpose.SYNTHETIC_OBSERVER, number)
    trials = synthetic_observer(model, values, design, tables, noise)
    fits = fit_models(candidates, trials, tables, seed, progress=progress)
    return recovered(model, values, fits)


def index_floor(
    ideal: Mapping[str, float],
    model: SearchModel,
    design: Design,
    tables: PassageTables,
    n: int = 8,
    seed: int = 1,
    progress: Progress | None = None,
) -> tuple[float, float]:
    """Return the median wasted ms and excess risk (%) that ideal observers seem to have.

    Parameters
    ----------
    ideal : mapping of str to float
        Parameters of the ideal observer, best those fitted to the data at hand.
    model : SearchModel
        With free thresholds, the one whose indices are to be judged.
    design : Design
    tables : PassageTables
    n : int
        Synthetic observers.
    seed : int
    progress : Progress, optional
    """
    true = replace(model, stopping=Stopping.IDEAL)
    # The truth is known: no need to search for it.
    start = (model.like_ideal(ideal, tables, design.situation.stakes),)
    distances = []
    for i in range(n):
        noise = fresh_seed(seed, Purpose.SYNTHETIC_OBSERVER, i)
        trials = synthetic_observer(true, ideal, design, tables, noise)
        fitted = fit_model(model, trials, tables, seed, starts=start)
        index = index_of(fitted, n_draws=2)
        distances.append((index.wasted_ms, index.excess_percent))
        if progress is not None:
            progress((i + 1) / n, "floor of the index")
    wasted, excess = np.median(distances, axis=0)
    return float(wasted), float(excess)
