r"""Models side by side: fits, criteria, and prediction of trials that were not fitted.

AIC and BIC add a price for parameters to :math:`-2\log L`. Cross-validation asks directly: blocks
of trials are left out in turn, the model is fitted to the others (from the estimates of all trials)
and the log density of those left out is added up. Blocks, because people change over a session,
and neighbouring trials are not independent.

Log likelihoods from simulated tables have a Monte-Carlo error, given beside them. Smaller
differences mean nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Any

import numpy as np
import pandas as pd

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard
from popout.people.fitting.fitted_model import FittedModel
from popout.people.models.model import Model
from popout.people.passages.passage_tables import PassageTables
from popout.progress import Progress, stretch
from popout.simulation.responses import Responses


@unique
class Criterion(Enum):
    """What models are compared by; smaller is better."""

    AIC = "aic"
    BIC = "bic"


@dataclass(frozen=True, eq=False)
class ModelComparison(HasCard):
    """Fitted models of one observer.

    Attributes
    ----------
    fitted : tuple of FittedModel
    cross_validated : mapping of str to float
        Log density of trials that were left out, by model; empty if not computed.
    note : str
        What the user should know.

    Examples
    --------
    >>> import numpy as np, pandas as pd, popout as po
    >>> from popout.people.models.ex_gaussian import ExGaussianCells
    >>> random = np.random.default_rng(1)
    >>> present = random.random(200) < 0.5
    >>> table = pd.DataFrame({"set_size": 4, "present": present, "response": present})
    >>> trials = po.read_trials(table.assign(rt=0.3 + random.gamma(4.0, 0.05, 200)))["1"]
    >>> found = po.fit_models([ExGaussianCells((4,))], trials)
    >>> found.best.name, found.to_pandas()["delta_aic"].tolist()
    ('ex-gaussian', [0.0])
    """

    fitted: tuple[FittedModel, ...]
    cross_validated: dict[str, float] = field(default_factory=dict)
    note: str = ""

    def __getitem__(self, name: str) -> FittedModel:
        """Return a fitted model by name."""
        return {each.name: each for each in self.fitted}[name]

    @property
    def best(self) -> FittedModel:
        """The model with the least AIC."""
        return min(self.fitted, key=lambda each: each.aic)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each model, best first."""
        rows = []
        for each in self.fitted:
            row = {"model": each.name, "parameters": each.n_parameters}
            names = ("log_likelihood", "log_likelihood_error", "aic", "bic")
            row |= {name: getattr(each, name) for name in names}
            row["delta_aic"] = each.aic - self.best.aic
            row["cross_validated"] = self.cross_validated.get(each.name, np.nan)
            rows.append({**row, "evaluations": each.n_evaluations, "seconds": each.seconds})
        return pd.DataFrame(rows).sort_values("aic", ignore_index=True)

    def as_dict(self) -> dict[str, Any]:
        """Return the best model and all of them."""
        crossed = self.cross_validated
        models = [{**f.as_dict(), "cross_validated": crossed.get(f.name)} for f in self.fitted]
        made: dict[str, Any] = plain({"best": self.best.name, "models": models, "note": self.note})
        return made

    def card(self) -> Card:
        """Return the table of models."""
        rows = []
        for row in self.to_pandas().to_dict("records"):
            names = ("log_likelihood", "log_likelihood_error", "delta_aic", "bic")
            words = [f"{row[name]:.1f}" for name in (*names, "cross_validated")]
            known = ("-" if each == "nan" else each for each in words)
            rows.append([row["model"], str(row["parameters"]), *known])
        headings = ["", "par.", "log likelihood", "+-", "AIC - best", "BIC", "left out"]
        return Card("Models", [("best", self.best.model.label)], headings, rows, self.note)


def fit_models(
    models: Sequence[Model],
    responses: Responses,
    tables: PassageTables | None = None,
    seed: int = 1,
    folds: int = 0,
    progress: Progress | None = None,
) -> ModelComparison:
    """Fit several models to the trials of one observer.

    Parameters
    ----------
    models : sequence of Model
    responses : Responses
    tables : PassageTables, optional
    seed : int
    folds : int
        Of the cross-validation; none when left out.
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
    >>> from popout.people.models.ex_gaussian import ExGaussianCells
    >>> truth = Guesses().predict({"mean": 0.5}, (4,))
    >>> trials = truth.draw([(4, True, 100), (4, False, 100)], seed=1)
    >>> found = po.fit_models([Guesses(), ExGaussianCells((4,))], trials)
    >>> found.best.name, found["ex-gaussian"].n_parameters
    ('guesses', 9)
    """
    fitted, crossed = [], {}
    known: dict[str, FittedModel] = {}
    for i, model in enumerate(models):
        part = stretch(progress, i / len(models), (i + 1) / len(models))
        fitted.append(model.fit_once(known, responses, tables, seed, part))
        if folds:
            crossed[model.name] = cross_validate(fitted[-1], responses, folds)
    return ModelComparison(tuple(fitted), crossed)


def cross_validate(
    fitted: FittedModel,
    responses: Responses,
    folds: int = 5,
    progress: Progress | None = None,
) -> float:
    """Return the log density of all trials, each predicted from the other blocks.

    Parameters
    ----------
    fitted : FittedModel
        To all trials: where each search starts.
    responses : Responses
        Folds are groups of whole blocks where ``columns["block"]`` tells them, and stretches of
        trials in their order where it does not.
    folds : int
    progress : Progress, optional
    """
    blocks = np.asarray(responses.columns.get("block", np.arange(len(responses))))
    _, number = np.unique(blocks, return_inverse=True)
    fold = number * folds // (number.max() + 1)
    total = 0.0
    for k in range(folds):
        left_out = fold == k
        if not left_out.any():
            continue
        again = fitted.model.refit(responses.where(~left_out), fitted)
        rest = fitted.model.likelihood(responses.where(left_out), fitted.tables)
        total += rest.total(again)
        if progress is not None:
            progress((k + 1) / folds, f"cross-validation of {fitted.name}")
    return total
