r"""What a condition changes: information, guidance, thresholds or non-decision time.

Some parameters of a model may differ between the levels of a column (`Conditioned`), all others
are one per observer. Candidates are fitted to every observer: nothing varies; one of the four kinds
of parameters varies; all four do. They are compared by AIC, and by trials that were not fitted: in
each of K folds, blocks of trials are left out at every level and predicted from the others.

People are the sample. With :math:`d_i` the difference of two candidates for observer i, the sum
over n observers has the standard error :math:`\sqrt{n}\,\mathrm{sd}(d)`; two candidates cannot be
told apart if the 95 % interval of the sum, from Student's t with n - 1 degrees of freedom, holds
zero.

**Contrasts** of a parameter between two levels are taken within observers, then averaged: ratios
(means of log differences) where the ratio matters, differences of g/(1 + g) for guidance, which may
be infinite, and plain differences otherwise. Only what the trials determine at both levels counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, listing
from popout.people.fitting.candidate_fits import CandidateFits, apart, mean_interval, summed
from popout.people.models.conditioned import Conditioned, Vary, levels_in, rows_by_cell, vary_words
from popout.people.models.model import Model, ModelParameter, Scale
from popout.people.models.search_models import models as search_models
from popout.people.passages.decision_times import share_of
from popout.people.reading.datafile import natural_order
from popout.people.reading.observed import ObservedTrials
from popout.simulation.responses import Responses
from popout.task import Faults
from popout.task.faults import did_you_mean

Array = NDArray[np.float64]
KINDS = {
    "information": ("information",),
    "guidance": ("guidance",),
    "thresholds": ("time_cost", "lower", "upper"),
    "non-decision time": ("residual_mean",),
}
"""What a condition may change, and the parameters of search models that say it."""
NOTHING, EVERYTHING = "nothing", "all of them"
ANY = "*"
"""In place of a parameter: find out which."""
FOLDS = 5
"""Of held-out trials, where the user names no number."""


def read_vary(given: str | Mapping[str, str | Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return parameters and the columns that they vary with.

    Parameters
    ----------
    given : str or mapping
        ``orientation`` asks what that column changes; ``information=orientation``, or a mapping,
        says what varies with what. Columns are crossed with ``*``, or given as a sequence.

    Examples
    --------
    >>> read_vary("information=orientation*familiarity,guidance=orientation")
    {'information': ('orientation', 'familiarity'), 'guidance': ('orientation',)}
    >>> read_vary("orientation")
    {'*': ('orientation',)}
    """
    faults = Faults("fit_observers")
    remedy = 'write e.g. "orientation" or {"information": "orientation"}'
    expected = "a column, or a mapping from parameters to columns"
    faults.kind("vary", given, (str, Mapping), expected, remedy)
    faults.raise_if_any()
    if isinstance(given, str):
        parts = [part.split("=", 1) if "=" in part else (ANY, part) for part in given.split(",")]
        names = [name.strip() for name, _ in parts]
        if len(set(names)) < len(names) or (ANY in names and len(names) > 1):
            remedy = "write information=a,guidance=b*c, or one column, or two crossed, a*b"
            faults.add("vary", "each parameter once, or a column alone", given, remedy)
        faults.raise_if_any()
        given = dict(zip(names, (columns for _, columns in parts), strict=True))
    split = {
        k: tuple(v.split("*")) if isinstance(v, str) else faults.words(("vary", str(k)), v, remedy)
        for k, v in given.items()
    }
    faults.raise_if_any()
    return {name: tuple(each.strip() for each in columns) for name, columns in split.items()}


def candidates(model: Model, vary: Vary) -> dict[str, Vary]:
    """Return what is fitted to find out: names, and what varies with what.

    Examples
    --------
    >>> from popout.people.models.search_models import models
    >>> (serial,) = models(["ideal-serial"])
    >>> [*candidates(serial, {"*": ("pay",)})]
    ['nothing', 'information', 'thresholds', 'non-decision time', 'all of them']
    >>> candidates(serial, {"thresholds": ("pay",)})
    {'nothing': {}, 'thresholds=pay': {'time_cost': ('pay',)}}
    """
    if ANY not in vary:
        whole = {p: columns for name, columns in vary.items() for p in named(model, name)}
        return {NOTHING: {}, vary_words(vary): whole}
    columns = vary[ANY]
    each = {kind: dict.fromkeys(named(model, kind), columns) for kind in KINDS}
    each = {kind: own for kind, own in each.items() if own}
    return {
        NOTHING: {},
        **each,
        EVERYTHING: {k: c for own in each.values() for k, c in own.items()},
    }


def named(model: Model, name: str) -> tuple[str, ...]:
    """Return the parameters of a model with a name, or of a kind of `KINDS`; maybe none."""
    return tuple(p.name for p in model.parameters if p.name in KINDS.get(name, (name,)))


def levels_of(columns: Iterable[str], people: Iterable[Responses]) -> dict[str, tuple[str, ...]]:
    """Return the levels of some columns over all observers."""
    everyone = [*people]
    return {
        column: tuple(
            natural_order({v for own in everyone for v in levels_in(own.columns[column])})
        )
        for column in columns
    }


def check_vary(vary: Vary, models: Sequence[Model], trials: ObservedTrials, faults: Faults) -> None:
    """Add all that is wrong with what shall vary.

    Parameters
    ----------
    vary : mapping
        As `read_vary` returns it.
    models : sequence of Model
        That may be chosen from.
    trials : ObservedTrials
    faults : Faults
    """
    if models:
        _check_parameters([name for name in vary if name != ANY], models, faults)
    else:
        faults.add("vary", "a model of search", "none", "name one with models")
    levels = {}
    for column in dict.fromkeys(column for each in vary.values() for column in each):
        before = len(faults.faults)
        some = trials.check_condition(column, faults, "vary")
        if len(faults.faults) == before:
            levels[column] = some
    for crossed in dict.fromkeys(vary.values()):
        if set(crossed) <= set(levels):
            for name, own in trials.observers.items():
                for cell, rows in rows_by_cell(crossed, levels, own).items():
                    if not rows.size:
                        expected = f"trials of {name} with {' and '.join(cell)}"
                        faults.add("vary", expected, "none", "leave the observer out")


def _check_parameters(wanted: Sequence[str], models: Sequence[Model], faults: Faults) -> None:
    """Add what shall vary and is in no model, or not in the same one."""
    names = [*dict.fromkeys(p.name for model in models for p in model.parameters)]
    names += [kind for kind in KINDS if kind not in names and any(named(m, kind) for m in models)]
    lacking = [name for name in wanted if not any(named(model, name) for model in models)]
    for name in lacking:
        others = [each.name for each in search_models() if named(each, name)]
        remedy = f"choose from {', '.join(names)}"
        remedy += f", or name a model that has it, such as {others[0]}" if others else ""
        remedy = remedy if others else did_you_mean(name, names, remedy)
        faults.add("vary", "a parameter of the models that are fitted", name, remedy)
    if not lacking and not any(all(named(model, name) for name in wanted) for model in models):
        got, remedy = " and ".join(wanted), "name a model that has all of them"
        faults.add("vary", "parameters of one model", got, remedy)


def check_group(
    group: bool | str, models: Sequence[Model], trials: ObservedTrials, faults: Faults
) -> None:
    """Add all that is wrong with a population of groups of observers."""
    if len(trials) < 2:
        faults.add("group", "several observers", len(trials), "read more than one")
    if not models:
        faults.add("group", "a model of search", "none", "name one with models")
    if isinstance(group, str):
        before = len(faults.faults)
        trials.check_condition(group, faults, "group")
        for name, own in trials.observers.items():
            several = natural_order(set(levels_in(own.columns.get(group, np.empty(0)))))
            if len(several) > 1:
                got, remedy = f"{' and '.join(several)} of {name}", f"use vary for {group}"
                faults.add("group", f"one {group} of each observer", got, remedy)
        if len(faults.faults) == before:
            _check_sizes(group, trials, faults)


def _check_sizes(column: str, trials: ObservedTrials, faults: Faults) -> None:
    """Refuse groups of one observer each: nothing says how far observers of a group differ."""
    sizes = Counter(levels_in(own.columns[column][:1])[0] for own in trials.observers.values())
    if max(sizes.values()) < 2:
        expected = f"two or more observers of at least one {column}"
        remedy = "name a column that several observers share, such as age, or leave it out"
        faults.add("group", expected, f"{len(sizes)} of one observer each", remedy)


def in_folds(trials: Responses, columns: Sequence[str], folds: int) -> Responses:
    """Return the trials with blocks that hold a part of every level each.

    Blocks of an experiment often are conditions; whole ones cannot be left out, because nothing
    would be known of the level. At each level of some columns, and of all others in words, the
    trials, or blocks, are cut in their order; levels of fewer trials are dealt out in turn.
    """
    blocks = np.asarray(trials.columns.get("block", np.arange(len(trials))))
    fold, dealt = np.empty(len(trials), np.int64), 0
    words = [name for name, own in trials.columns.items() if np.asarray(own).dtype.kind in "OUT"]
    apart = tuple(dict.fromkeys((*columns, *(name for name in words if name != "block"))))
    levels = levels_of(apart, [trials])
    for rows in rows_by_cell(apart, levels, trials).values():
        _, number = np.unique(blocks[rows], return_inverse=True)
        if rows.size and number.max() + 1 < folds:
            number = np.arange(rows.size)
        if rows.size < folds:
            fold[rows] = (number + dealt) % folds
            dealt += rows.size
        else:
            fold[rows] = number * folds // (number.max() + 1)
    return replace(trials, columns={**trials.columns, "block": fold})


def effects(parameter: ModelParameter, first: Any, second: Any) -> Array:
    """Return how far two values are apart: of logarithms, of shares, or as they are."""
    pair = (np.asarray(each, np.float64) for each in (first, second))
    if parameter.scale is Scale.LOG:
        a, b = (np.log(each) for each in pair)
    elif parameter.scale is Scale.SHARE:
        a, b = (np.vectorize(share_of)(each) for each in pair)
    else:
        a, b = pair
    return np.asarray(a - b)


def effect_words(scale: str, value: float, low: float, high: float) -> str:
    """Return an effect with its interval in words.

    Examples
    --------
    >>> effect_words("ratio", 1.25, 1.1, 1.4), effect_words("difference", -0.02, -0.03, -0.01)
    ('x 1.25 (1.1 to 1.4)', '-0.02 (-0.03 to -0.01)')
    """
    sign = "x " if scale == "ratio" else ""
    return f"{sign}{value:.3g} ({low:.3g} to {high:.3g})"


@dataclass(frozen=True, eq=False)
class ConditionFits(CandidateFits, HasCard):
    """Candidates for what a condition changes, fitted to every observer.

    Attributes
    ----------
    fits : dict of str to dict of str to ModelFit
        By observer and candidate; the first candidate is that nothing varies.
    columns : tuple of str
        That parameters vary with.

    Notes
    -----
    Observers one of whose fits failed are left out.
    """

    columns: tuple[str, ...]

    @property
    def model(self) -> str:
        """The model that was varied, the same for all observers."""
        own = next(iter(self.fits.values()))
        return own[NOTHING].fitted.model.label

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each candidate, summed over observers, against nothing.

        Columns ``candidate``, ``parameters`` (of an observer), ``aic`` and ``held_out`` (log units;
        positive is better, for AIC too) each with ``_se`` over people, and ``better``: for how many
        observers it predicts held-out trials better (or has the lower AIC).
        """
        rows = []
        for name in self.candidates:
            row: dict[str, Any] = {"candidate": name}
            row["parameters"] = next(iter(self.fits.values()))[name].fitted.n_parameters
            for measure in ("aic", "held_out"):
                row[measure], row[f"{measure}_se"] = summed(self.gains(measure, name))
            row["better"] = int((self.gains(self.measure, name) > 0).sum())
            rows.append({**row, "observers": len(self.fits)})
        return pd.DataFrame(rows)

    @property
    def varied(self) -> str:
        """The best of the candidates in which something varies."""
        others = [name for name in self.candidates if name != NOTHING]
        return max(others, key=lambda name: self.gains(self.measure, name).sum())

    @property
    def verdict(self) -> str:
        """What the condition changes, in words."""
        what = " x ".join(self.columns)
        by = self.by
        if len(self.fits) < 2:
            return f"{what}: best by {by} is {self.best}; one observer gives no error over people."
        if not any(apart(self.gains(self.measure, name)) for name in self.candidates):
            return f"Nothing is shown to change with {what}: by {by} no candidate is surely better."
        gain, error = summed(self.gains(self.measure, self.best))
        better = f"better than nothing by {gain:.0f} +- {error:.0f}, {by}"
        rivals = [name for name in self.rivals if name != NOTHING]
        if not rivals:
            return f"{what} changes {self.best} ({better})."
        first = f"{what} changes something: {self.best} is best ({better})"
        return f"{first}, but cannot be told apart from {listing(rivals)}."

    def contrasts(self) -> pd.DataFrame:
        """Return what each parameter changes by between two levels, within observers.

        Columns ``candidate``, ``parameter``, ``condition``, ``against``, ``scale`` (``ratio``,
        ``share`` or ``difference``), ``value`` with its 95 % interval ``low``, ``high`` over
        people, and their number ``n``.
        """
        rows = []
        first = next(iter(self.fits.values()))
        for name in self.candidates:
            model = first[name].fitted.model
            if not isinstance(model, Conditioned):
                continue
            for parameter in model.model.parameters:
                pairs = combinations(model.level_names(parameter.name), 2)
                rows += [self._contrast(name, parameter, *pair) for pair in pairs]
        columns = ["candidate", "parameter", "condition", "against", "scale"]
        return pd.DataFrame(rows, columns=[*columns, "value", "low", "high", "n"])

    def _contrast(
        self, candidate: str, parameter: ModelParameter, first: str, second: str
    ) -> tuple[Any, ...]:
        fitted = [own[candidate].fitted for own in self.fits.values()]
        both = [f for f in fitted if f.errors[first].determined and f.errors[second].determined]
        pairs = [(f.estimates[first], f.estimates[second]) for f in both]
        d = effects(parameter, *zip(*pairs, strict=True)) if pairs else np.empty(0)
        ends = [*mean_interval(d)]
        scale = {Scale.LOG: "ratio", Scale.SHARE: "share"}.get(parameter.scale, "difference")
        if scale == "ratio":
            ends = [math.exp(each) for each in ends]
        levels = (name.removeprefix(parameter.name).strip("[]") for name in (first, second))
        return (candidate, parameter.name, *levels, scale, *ends, len(d))

    def card(self) -> Card:
        """Return the candidates side by side, and the verdict."""
        facts: list[tuple[str, object]] = [("model", self.model), ("verdict", self.verdict)]
        headings, rows = self.rows()
        return Card(f"What does {' x '.join(self.columns)} change?", facts, headings, rows, NOTE)

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """Return the table of candidates in words."""
        rows = []
        for row in self.to_pandas().to_dict("records"):
            words = []
            for measure in ("aic", "held_out"):
                value, error = row[measure], row[f"{measure}_se"]
                known = f"{value:+.1f}" if math.isfinite(value) else "-"
                words.append(f"{known} +- {error:.1f}" if math.isfinite(error) else known)
            better = f"{row['better']} of {row['observers']}"
            rows.append([row["candidate"], str(row["parameters"]), *words, better])
        return ["what varies", "par.", "AIC gain", "held-out gain", "better for"], rows

    def as_dict(self) -> dict[str, Any]:
        """Return candidates, verdict and contrasts, and each observer's fits."""
        people = [
            {"observer": name, "candidates": {k: fit.as_dict() for k, fit in own.items()}}
            for name, own in self.fits.items()
        ]
        whole: dict[str, Any] = {"columns": self.columns, "model": self.model, "best": self.best}
        whole |= {"rivals": self.rivals, "verdict": self.verdict}
        whole |= {"candidates": self.to_pandas().to_dict("records")}
        whole |= {"contrasts": self.contrasts().to_dict("records"), "observers": people}
        made: dict[str, Any] = plain(whole)
        return made


NOTE = (
    "Summed over observers, against nothing that varies, positive is better; with standard errors "
    "over people. AIC gain: how far AIC is lower. held-out gain: log density of trials that were "
    "not fitted. better for: observers whose held-out trials (or AIC) are better."
)
