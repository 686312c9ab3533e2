r"""A model some of whose parameters differ between conditions, and all others do not.

A trial carries the levels of some columns (orientation: upright or inverted). A parameter varies
with a column, or with several that are crossed: it has a value :math:`\theta_k[l]` for every level
l, or combination of levels. In a *cell*, a combination of the levels of all columns that matter,
the base model has one value of each parameter, :math:`\theta(c)`, and

.. math::

   \log L(\theta) = \sum_c \; \sum_{n \,\in\, c} \log f(r_n, t_n \mid \theta(c)).

Whatever the base model is, its likelihood is asked once for each cell. A model that varies less is
a special case of one that varies more, and the best of its fits is where the search begins.

**Coordinates for a population.** Values of one observer at several levels go together: who sees
well upright sees well inverted. What differs from person to person independently is rather their
mean and what the condition changes. `population_coordinates` are therefore, for a parameter with
levels 1 to L, the mean over levels and the differences of levels 2 to L from the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from popout.people.models.model import Model, ModelParameter, TrialLikelihood, set_sizes_of
from popout.people.models.prediction import Prediction
from popout.people.models.situation import USUAL, Situation
from popout.people.passages.passage_tables import PassageTables
from popout.progress import Progress, stretch
from popout.simulation.responses import Responses
from popout.task import Faults
from popout.task.faults import did_you_mean

if TYPE_CHECKING:
    from popout.people.fitting.fitted_model import FittedModel

Array = NDArray[np.float64]
Vary = Mapping[str, tuple[str, ...]]
"""Parameters, each with the columns whose levels it differs between."""
Cell = Mapping[str, str]
"""The level of each column."""


@dataclass(frozen=True)
class Conditioned(Model):
    """A model with parameters that differ between conditions.

    Parameters
    ----------
    model : Model
    vary : mapping of str to tuple of str
        Parameters of the model, each with the columns (of `Responses`) whose levels it differs
        between; several columns are crossed.
    levels : mapping of str to tuple of str
        Of each column.

    Examples
    --------
    >>> from popout.people.models.search_models import models
    >>> (serial,) = models(["ideal-serial"])
    >>> levels = {"orientation": ("Inverted", "Upright")}
    >>> model = Conditioned(serial, {"information": ("orientation",)}, levels)
    >>> model.name, model.label
    ('ideal-serial information=orientation', 'ideal, serial, information by orientation')
    >>> [parameter.name for parameter in model.parameters][:3]
    ['information[Inverted]', 'information[Upright]', 'capacity']
    """

    model: Model
    vary: Vary
    levels: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        """Check everything at once."""
        faults = Faults("Conditioned")
        known = {parameter.name for parameter in self.model.parameters}
        for name, columns in self.vary.items():
            if name not in known:
                remedy = did_you_mean(name, known, f"choose from {', '.join(sorted(known))}")
                faults.add("vary", f"parameters of {self.model.name}", name, remedy)
            for column in columns:
                if len(values := self.levels.get(column, ())) < 2:
                    got, remedy = ", ".join(values) or "none", "choose a column with several"
                    faults.add(("levels", column), "two levels at least", got, remedy)
        faults.raise_if_any()

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the model, and what varies as on the command line."""
        return f"{self.model.name} {vary_words(self.vary)}"

    @property
    def label(self) -> str:  # type: ignore[override]
        """As in tables."""
        said = [f"{name} by {' x '.join(columns)}" for name, columns in self.vary.items()]
        return ", ".join([self.model.label, *said])

    @property
    def fastest(self) -> float:  # type: ignore[override]
        """Seconds from which answers are kept."""
        return self.model.fastest

    @property
    def longest(self) -> float:  # type: ignore[override]
        """Seconds up to which answers are kept."""
        return self.model.longest

    def within(self, longest: float, fastest: float) -> Conditioned:
        """Return the model of answers that are kept between other times."""
        return replace(self, model=self.model.within(longest, fastest))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Columns that matter, each once."""
        return tuple(dict.fromkeys(each for columns in self.vary.values() for each in columns))

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every combination of levels."""
        crossed = product(*(self.levels[column] for column in self.columns))
        return tuple(dict(zip(self.columns, cell, strict=True)) for cell in crossed)

    def level_names(self, name: str) -> tuple[str, ...]:
        """Return the names of a parameter at each of its levels; its own if it does not vary."""
        return tuple(dict.fromkeys(self._own(name, cell) for cell in self.cells))

    def _own(self, name: str, cell: Cell) -> str:
        if name not in self.vary:
            return name
        return f"{name}[{', '.join(cell[column] for column in self.vary[name])}]"

    @cached_property
    def parameters(self) -> tuple[ModelParameter, ...]:  # type: ignore[override]
        """Those of the model; one that varies is there once for each level."""
        made = []
        for parameter in self.model.parameters:
            for name in self.level_names(parameter.name):
                level = name.removeprefix(parameter.name).strip("[]")
                words = ", ".join(filter(None, (parameter.words, level)))
                made.append(replace(parameter, name=name, words=words))
        return tuple(made)

    @cached_property
    def population_coordinates(self) -> tuple[tuple[str, ...], Array]:
        """Names of the coordinates u of a population, and the matrix A of y = A u."""
        names: list[str] = []
        matrix = np.eye(len(self.parameters))
        for parameter in self.model.parameters:
            own = self.level_names(parameter.name)
            start, n = len(names), len(own)
            names.append(parameter.name)
            if n > 1:  # y_1 = mean - sum of differences / L, y_l = y_1 + difference_l
                block = np.full((n, n), -1.0 / n) + np.eye(n)
                block[:, 0] = 1.0
                matrix[start : start + n, start : start + n] = block
            first, *rest = (each.removeprefix(parameter.name).strip("[]") for each in own)
            names += [f"{parameter.name}: {level} - {first}" for level in rest]
        return tuple(names), matrix

    def at(self, values: Mapping[str, float], cell: Cell) -> dict[str, float]:
        """Return the values of the base model's parameters in a cell."""
        return {p.name: values[self._own(p.name, cell)] for p in self.model.parameters}

    def spread(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return all parameters from those of a model that varies less: the same at every level."""
        spread = {}
        for parameter in self.model.parameters:
            for name in self.level_names(parameter.name):
                spread[name] = values[name if name in values else parameter.name]
        return spread

    def likelihood(
        self, responses: Responses, tables: PassageTables | None = None
    ) -> ConditionedLikelihood:
        """Return the likelihood of some trials, ready to be evaluated many times."""
        return ConditionedLikelihood(self, responses, tables)

    def log_densities(
        self, values: Mapping[str, float], responses: Responses, tables: PassageTables | None = None
    ) -> Array:
        """Return the log density of each trial in 1/s; see `Model`."""
        return self.likelihood(responses, tables).log_densities(values)

    def fit(
        self,
        responses: Responses,
        tables: PassageTables | None = None,
        seed: int = 1,
        progress: Progress | None = None,
        known: dict[str, FittedModel] | None = None,
    ) -> FittedModel:
        """Fit by maximum likelihood from the best fit that varies less; see `Model.fit`."""
        from popout.people.fitting.maximum_likelihood import fit_model

        known = {} if known is None else known
        tables = tables or PassageTables(np.unique(set_sizes_of(responses)).tolist())
        self.model.fit_once(known, responses, tables, seed, stretch(progress, 0.0, 0.4))
        likelihood = self.likelihood(responses, tables)
        less = [each.estimates for each in known.values() if self.contains(each.model)]
        start = max(map(self.spread, less), key=likelihood.total)
        part = stretch(progress, 0.4, 1.0)
        return fit_model(self, responses, tables, seed, part, starts=(start,))

    def contains(self, other: Model) -> bool:
        """Whether another model is this one with fewer parameters that vary."""
        if isinstance(other, Conditioned):
            less = all(self.vary.get(name) == each for name, each in other.vary.items())
            return less and other.model.name == self.model.name
        return other.name == self.model.name

    def predict(
        self,
        values: Mapping[str, float],
        set_sizes: tuple[int, ...],
        tables: PassageTables | None = None,
        situation: Situation = USUAL,
        cell: Cell | None = None,
    ) -> Prediction:
        """Return what the model predicts in a cell, or in all of them in equal parts."""
        cells, about = self.cells if cell is None else (cell,), (set_sizes, tables, situation)
        each = (self.model.predict(self.at(values, own), *about) for own in cells)
        return Prediction.mixed(dict.fromkeys(each, 1.0))


class ConditionedLikelihood(TrialLikelihood):
    """The likelihood of trials under a `Conditioned` model: a sum over cells.

    Parameters
    ----------
    model : Conditioned
    responses : Responses
        With the columns of the model.
    tables : PassageTables, optional
    """

    model: Conditioned

    def __init__(
        self, model: Conditioned, responses: Responses, tables: PassageTables | None
    ) -> None:
        super().__init__(model, responses, tables)
        rows = rows_by_cell(model.columns, model.levels, responses)
        self.parts = [
            (cell, rows[tuple(cell.values())], model.model.likelihood(responses.where(own), tables))
            for cell in model.cells
            if (own := rows[tuple(cell.values())]).size
        ]

    def log_densities(self, values: Mapping[str, float]) -> Array:
        """Return the log density of each trial in 1/s, in their order."""
        densities = np.empty(len(self.responses))
        for cell, rows, part in self.parts:
            densities[rows] = part.log_densities(self.model.at(values, cell))
        return densities

    def errors_of_total(self, values: Mapping[str, float]) -> tuple[float, float]:
        """Return Monte-Carlo standard error and bias; cells share tables, so errors add up."""
        pairs = [part.errors_of_total(self.model.at(values, cell)) for cell, _, part in self.parts]
        error, bias = np.sum(pairs, axis=0) if pairs else (0.0, 0.0)
        return float(error), float(bias)


def rows_by_cell(
    columns: tuple[str, ...], levels: Mapping[str, tuple[str, ...]], responses: Responses
) -> dict[tuple[str, ...], NDArray[np.int64]]:
    """Return the numbers of the trials at each combination of levels.

    Raises
    ------
    InputError
        If a column is missing or has another value.
    """
    faults, labels = Faults("Responses"), []
    for column in columns:
        own = levels_in(responses.columns.get(column, np.empty(0)))
        if own.shape != (len(responses),):
            remedy = "read the file with that column"
            faults.add("columns", f'a column "{column}"', sorted(responses.columns), remedy)
        elif not (known := np.isin(own, levels[column])).all():
            expected = f"{column}: {', '.join(levels[column])}"
            faults.add("columns", expected, str(own[~known][0]), "choose trials with where")
        labels.append(own)
    faults.raise_if_any()
    rows = {}
    for cell in product(*(levels[column] for column in columns)):
        inside = np.ones(len(responses), np.bool_)
        for own, level in zip(labels, cell, strict=True):
            inside &= own == level
        rows[cell] = np.flatnonzero(inside)
    return rows


def levels_in(values: NDArray[Any]) -> NDArray[np.object_]:
    """Return the level of each trial in words.

    Examples
    --------
    >>> levels_in(np.array([1.0, 0.5])), levels_in(np.array(["low"], dtype=object))
    (array(['1', '0.5'], dtype=object), array(['low'], dtype=object))
    """
    return np.array([v if isinstance(v, str) else f"{v:g}" for v in values], dtype=object)


def vary_words(vary: Vary) -> str:
    """Return what varies as it is written on the command line.

    Examples
    --------
    >>> vary_words({"information": ("orientation", "familiarity"), "lapse": ("pay",)})
    'information=orientation*familiarity,lapse=pay'
    """
    return ",".join(f"{name}={'*'.join(columns)}" for name, columns in vary.items())
