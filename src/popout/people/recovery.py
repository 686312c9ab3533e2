r"""Recovery: what a design can tell, from synthetic observers whose truth is known.

Observers are drawn from a model, their trials are fitted like those of people, and what was found
is set against what was put in: bias and coverage of every parameter, how often each model is
mistaken for another, and which distance from optimal ideal observers seem to have (the floor
of the indices). A design can thus be judged before anybody sits down to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, count
from popout.noise.seeds import Purpose, fresh_seed
from popout.people.comparison import ModelComparison, fit_models
from popout.people.fit import fit_model
from popout.people.frontier import index_of
from popout.people.model import Model
from popout.people.search_models import SearchModel, Stopping
from popout.people.tables import Tables
from popout.progress import Progress, stretch
from popout.simulation.responses import Responses
from popout.task import Faults


@dataclass(frozen=True)
class Design:
    """Set sizes and trials of an experiment, half of them with a target.

    Parameters
    ----------
    set_sizes : tuple of int
    trials_per_cell : int
        For each set size, absent and present.

    Examples
    --------
    >>> Design((3, 6, 12, 18), 500).n_trials
    4000
    """

    set_sizes: tuple[int, ...]
    trials_per_cell: int

    def __post_init__(self) -> None:
        """Check the numbers."""
        faults = Faults("Design")
        if not self.set_sizes:
            faults.add("set_sizes", "one set size at least", self.set_sizes, "count items")
        for M in self.set_sizes:
            faults.integer("set_sizes", M, "count items", at_least=1)
        faults.integer("trials_per_cell", self.trials_per_cell, "some 100 or more", at_least=1)
        faults.raise_if_any()

    @classmethod
    def of(cls, trials_by_size: Mapping[int, int]) -> Design:
        """Return the design nearest to what some data hold."""
        sizes = tuple(sorted(trials_by_size))
        return cls(sizes, max(1, round(sum(trials_by_size.values()) / (2 * len(sizes)))))

    @property
    def n_trials(self) -> int:
        """Number of trials of an observer."""
        return 2 * len(self.set_sizes) * self.trials_per_cell

    @property
    def cells(self) -> list[tuple[int, bool, int]]:
        """Set size, presence and number of trials of each cell."""
        return [(M, p, self.trials_per_cell) for M in self.set_sizes for p in (False, True)]


def synthetic_observer(
    model: Model, values: Mapping[str, float], design: Design, tables: Tables | None, seed: int = 0
) -> Responses:
    """Return the trials of an observer drawn from a model."""
    prediction = model.predict(values, design.set_sizes, tables)
    return prediction.draw(design.cells, fresh_seed(seed, Purpose.SYNTHETIC_OBSERVER))


@dataclass(frozen=True, eq=False)
class Recovery(HasCard):
    """What fits found in synthetic observers.

    Attributes
    ----------
    truth : tuple of (str, mapping)
        Model and parameters of each observer.
    found : tuple of ModelComparison
        Models fitted to each.
    """

    truth: tuple[tuple[str, Mapping[str, float]], ...]
    found: tuple[ModelComparison, ...]

    def parameters(self) -> pd.DataFrame:
        """Return one row for each observer and parameter of the model that it was drawn from."""
        rows = []
        for observer, ((name, values), found) in enumerate(
            zip(self.truth, self.found, strict=True)
        ):
            fitted = {each.name: each for each in found.fitted}.get(name)
            if fitted is None:
                continue
            for parameter in fitted.model.parameters:
                interval = fitted.errors[parameter.name]
                true = float(values[parameter.name])
                rows.append(
                    {
                        "observer": observer,
                        "model": name,
                        "parameter": parameter.name,
                        "true": true,
                        "estimate": fitted.estimates[parameter.name],
                        "low": interval.low,
                        "high": interval.high,
                        "determined": interval.determined,
                        "covered": interval.low <= true <= interval.high,
                    }
                )
        return pd.DataFrame(rows)

    def summary(self) -> pd.DataFrame:
        """Return median error, spread and coverage of each parameter, where it is determined."""
        rows = []
        for (model, name), part in self.parameters().groupby(["model", "parameter"], sort=False):
            known = part[part["determined"]]
            error = known["estimate"] - known["true"]
            rows.append(
                {
                    "model": model,
                    "parameter": name,
                    "median_true": part["true"].median(),
                    "median_error": error.median(),
                    "iqr": error.quantile(0.75) - error.quantile(0.25),
                    "coverage": known["covered"].mean() if len(known) else np.nan,
                    "determined": len(known) / len(part),
                }
            )
        return pd.DataFrame(rows)

    def confusion(self) -> pd.DataFrame:
        """Return how often each model (rows) is taken for each (columns), by AIC."""
        true = pd.Series([name for name, _ in self.truth], name="true")
        best = pd.Series([found.best.name for found in self.found], name="best")
        return pd.crosstab(true, best)

    def indices(self) -> pd.DataFrame:
        """Return how far from optimal each observer seems under each free model fitted."""
        rows = []
        for observer, ((name, _), found) in enumerate(zip(self.truth, self.found, strict=True)):
            for fitted in found.fitted:
                model = fitted.model
                if isinstance(model, SearchModel) and model.stopping is Stopping.FREE:
                    index = index_of(fitted, n_draws=2)
                    row = {"observer": observer, "true": name, "model": model.name}
                    rows.append(
                        {
                            **row,
                            "wasted_ms": index.wasted_ms,
                            "excess_percent": index.excess_percent,
                        }
                    )
        return pd.DataFrame(rows)

    def confusion_card(self) -> Card:
        """Return how often each model is taken for each."""
        table = self.confusion()
        rows = [
            [str(true), *map(int, row)]
            for true, row in zip(table.index, table.to_numpy(), strict=True)
        ]
        headings = ["drawn from", *map(str, table.columns)]
        return Card("Best model by AIC, number of observers", (), headings, rows)

    def as_dict(self) -> dict[str, Any]:
        """Return the summary of parameters and the confusion of models."""
        confusion = self.confusion()
        found: dict[str, Any] = plain(
            {
                "observers": len(self.truth),
                "parameters": self.summary().to_dict("records"),
                "confusion": {str(k): v for k, v in confusion.to_dict("index").items()},
            }
        )
        return found

    def card(self) -> Card:
        """Return the summary of parameters."""
        rows = []
        for row in self.summary().to_dict("records"):
            numbers = (row["median_true"], row["median_error"], row["iqr"])
            shares = (row["coverage"], row["determined"])
            rows.append(
                [
                    f"{row['model']}: {row['parameter']}",
                    *("-" if np.isnan(number) else f"{number:.3g}" for number in numbers),
                    *("-" if np.isnan(share) else f"{100 * share:.0f}" for share in shares),
                ]
            )
        right = sum(
            name == found.best.name for (name, _), found in zip(self.truth, self.found, strict=True)
        )
        facts = [("true model is best", f"{right} of {count(len(self.truth), 'observer')}")]
        headings = ["", "true", "median error", "IQR", "covered (%)", "determined (%)"]
        return Card("Recovery", facts, headings, rows)


def recover(
    design: Design,
    observers: Sequence[tuple[Model, Mapping[str, float]]],
    n: int = 1,
    candidates: Sequence[Model] | None = None,
    tables: Tables | None = None,
    seed: int = 0,
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
    tables : Tables, optional
    seed : int
    progress : Progress, optional
    """
    tables = Tables(design.set_sizes) if tables is None else tables
    truth, found = [], []
    total = n * len(observers)
    for i in range(total):
        model, values = observers[i % len(observers)]
        part = stretch(progress, i / total, (i + 1) / total, f"observer {i + 1} of {total}")
        trials = synthetic_observer(
            model, values, design, tables, fresh_seed(seed, Purpose.SYNTHETIC_OBSERVER, i)
        )
        fitted = fit_models(candidates or [model], trials, tables, seed, progress=part)
        truth.append((model.name, dict(values)))
        found.append(fitted)
    return Recovery(tuple(truth), tuple(found))


def index_floor(
    ideal: Mapping[str, float],
    model: SearchModel,
    design: Design,
    tables: Tables,
    n: int = 8,
    seed: int = 0,
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
    tables : Tables
    n : int
        Synthetic observers.
    seed : int
    progress : Progress, optional
    """
    true = replace(model, stopping=Stopping.IDEAL)
    start = (model.like_ideal(ideal, tables),)  # the truth is known: no need to search for it
    found = []
    for i in range(n):
        noise = fresh_seed(seed, Purpose.SYNTHETIC_OBSERVER, i)
        trials = synthetic_observer(true, ideal, design, tables, noise)
        fitted = fit_model(model, trials, tables, seed, starts=start)
        index = index_of(fitted, n_draws=2)
        found.append((index.wasted_ms, index.excess_percent))
        if progress is not None:
            progress((i + 1) / n, "floor of the index")
    wasted, excess = np.median(found, axis=0)
    return float(wasted), float(excess)
