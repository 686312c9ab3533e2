"""Mean response times and error rates of an observer in another experiment, cell by cell.

A row is a set size and a class (target absent or present) in one situation. Intervals are 95 % of
what the fit leaves possible (`parameter_draws`) and hold the *expected* mean and error rate: those
of many trials. Beside them is what the observer would do with thresholds kept as they were.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.people.fitting.fitted_model import FittedModel
from popout.people.models.changes import CUT, beyond, reaching, situation_words
from popout.people.models.model import Model
from popout.people.models.partly_ideal import PartlyIdeal
from popout.people.models.prediction import Prediction
from popout.people.models.search_models import SearchModel
from popout.people.models.situation import FIELDS, Situation
from popout.people.reading.description import CLASSES
from popout.policies.stopping import Action
from popout.simulation.responses import Responses

Array = NDArray[np.float64]
MEASURES = ("mean_rt", "error_rate", "no_answer")
"""Of a cell, in the order of `measures`."""
SEEN = 0.5
"""Share of trials without an answer above which a note says so."""
AT_ONCE = 0.1
"""Threshold in nats below which answers come without looking."""


def measures(predicted: Prediction) -> Array:
    """Return the measures of every cell, shape (3, n_sizes, 2)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.stack([predicted.mean_rt(), predicted.error_rate, predicted.no_answer])


def predict_cells(
    fitted: FittedModel,
    model: SearchModel,
    situation: Situation,
    set_sizes: tuple[int, ...],
    draws: Sequence[Mapping[str, float]],
) -> list[dict[str, Any]]:
    """Return one row for each cell of a situation.

    Parameters
    ----------
    fitted : FittedModel
        With tables of the set sizes.
    model : SearchModel
        That of the fit, with the window of the experiment.
    situation : Situation
    set_sizes : tuple of int
    draws : sequence of mapping of str to float
        Parameters that the fit leaves possible.
    """
    tables = fitted.tables

    def of(model: Model, values: Mapping[str, float]) -> Array:
        return measures(model.predict(values, set_sizes, tables, situation))

    best = of(model, fitted.estimates)
    moved = PartlyIdeal.of(model, fitted.situations)
    kept = of(moved, {**fitted.estimates, "share": 0.0})
    drawn = np.array([of(model, values) for values in draws])
    with np.errstate(all="ignore"):
        low, high = np.nanquantile(drawn, (0.025, 0.975), axis=0)
    rows = []
    for i, M in enumerate(set_sizes):
        for k, kind in enumerate(CLASSES):
            row: dict[str, Any] = {"set_size": M, "target": kind}
            row |= {name: getattr(situation, name) for name in FIELDS}
            for name, value, *ends in zip(
                MEASURES, best[:, i, k], low[:, i, k], high[:, i, k], strict=True
            ):
                row |= {name: float(value), f"{name}_interval": [*map(float, ends)]}
            names = (f"kept_{name}" for name in MEASURES)
            rows.append({**row, **dict(zip(names, map(float, kept[:, i, k]), strict=True))})
    return rows


def observed_cells(trials: Responses, set_sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return what was done in the same cells, in the same order; see `describe_trials`."""
    rows = []
    sizes, answered = trials.columns["set_size"], trials.response != Action.WAIT
    for M in set_sizes:
        for k, _ in enumerate(CLASSES):
            cell = (sizes == M) & (trials.present == bool(k))
            right = trials.rt[cell & answered & trials.correct]
            n, said = int(cell.sum()), int((cell & answered).sum())
            rate = 1.0 - right.size / said if said else math.nan
            sd = float(right.std(ddof=1)) if right.size > 1 else math.nan
            row = {"trials": n, "observed_mean_rt": float(right.mean()) if right.size else math.nan}
            row["observed_mean_rt_se"] = sd / math.sqrt(max(right.size, 1))
            row["observed_error_rate"] = rate
            row["observed_error_rate_se"] = math.sqrt(rate * (1.0 - rate) / said) if said else rate
            row["observed_no_answer"] = 1.0 - said / n if n else math.nan
            rows.append(row)
    return rows


def widened(fitted: FittedModel, situation: Situation, set_sizes: tuple[int, ...]) -> SearchModel:
    """Return the model of a fit with a window that holds the answers of a situation."""
    model = reaching(fitted.model, fitted.estimates, set_sizes, fitted.tables, situation)
    assert isinstance(model, SearchModel)
    return model


def notes_of(
    fitted: FittedModel,
    model: SearchModel,
    situation: Situation,
    set_sizes: tuple[int, ...],
    fields: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
) -> list[str]:
    """Return what the reader of a prediction should know about one situation."""
    notes = []
    where = situation_words(situation, fields)
    where = f" ({where})" if where else ""
    assert fitted.tables is not None
    decision = model.decision(fitted.estimates, fitted.tables, situation.stakes, situation.period)
    own = np.isin(fitted.tables.set_sizes, set_sizes)
    for tau, answer in ((decision.tau_minus, "absent"), (decision.tau_plus, "present")):
        if (tau[own] < AT_ONCE).any():
            words = f"the best is to answer {answer} at once{where}: nothing is gained by looking"
            notes.append(f"{words}, at some set sizes at least.")
    if (none := max(row["no_answer"] for row in rows)) > SEEN:
        words = f"up to {100 * none:.1f} % of trials end without an answer{where}"
        notes.append(f"{words}; what answers there are may be lapses.")
    shortest = fitted.estimates["residual_mean"]
    if situation.deadline < shortest:
        words = f"the time limit is shorter than the mean non-decision time, {shortest:.2f} s"
        notes.append(f"{words}{where}: there is hardly time to press a key.")
    if math.isinf(situation.deadline) and model.longest > fitted.model.longest:
        words = f"answers are counted up to {model.longest:g} s, not {fitted.model.longest:g} s"
        notes.append(f"{words} as in the fit{where}: more than one in a thousand is that slow.")
    if math.isinf(situation.deadline):
        late = beyond(model, fitted.estimates, set_sizes, fitted.tables, situation)
        if late > 10 * CUT:
            words = f"up to {100 * late:.0f} % of answers come after {model.longest:g} s{where}"
            notes.append(f"{words} and are left out, as in a file that is cut there.")
    return notes


def notes_on_fit(fitted: FittedModel, set_sizes: tuple[int, ...]) -> list[str]:
    """Return what the fit does not say: parameters, and set sizes that it never had."""
    notes = []
    open_ones = [
        f"{name} ({interval.why})" if interval.why else name
        for name, interval in fitted.errors.items()
        if not interval.determined
    ]
    if open_ones:
        words = f"not determined by the fit: {', '.join(open_ones)}"
        notes.append(f"{words}; the intervals allow for all that fits.")
    outside = [M for M in set_sizes if not fitted.set_sizes[0] <= M <= fitted.set_sizes[-1]]
    if outside:
        sizes = ", ".join(map(str, outside))
        own = " to ".join(map(str, dict.fromkeys((fitted.set_sizes[0], fitted.set_sizes[-1]))))
        words = f"set sizes {sizes} lie outside those fitted ({own})"
        law = "information there follows the power law that was fitted, which no trial has tested"
        notes.append(f"{words}: {law}.")
    return notes
