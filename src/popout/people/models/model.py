r"""What a model of people is: the density of answers and response times, given its parameters.

Everything else follows from that one function :math:`f(r, t \mid M, C; \theta)`: the log likelihood
of trials, predictions (its values on a grid of times, for both answers), synthetic observers (drawn
from the predictions), fits, comparisons and recovery. A model of your own is therefore one object
with one method.

**What could have been observed.** In a trial with time limit T, of which answers between a and b
are kept, these are the answers in :math:`[a, \min(b, T)]` and, where there is a limit, "no answer
by T". With F the distribution function of both answers,

.. math:: N = F(\min(b, T)) - F(a) + [T < \infty]\,(1 - F(T)), \qquad
   \text{answer: } f(r, t)/N, \qquad \text{none: } (1 - F(T))/N .

Nothing is left out and nothing counts twice: what is kept has probability 1. A trial without an
answer and without a limit was broken off when it ended: that is its T.

Parameters are declared once, with unit, bounds and words. Fits, samplers and intervals work in the
**unit cube**: a parameter with bounds :math:`[l, h]` is :math:`x = (v - l)/(h - l)`, or
:math:`\log(v/l)/\log(h/l)` where what matters is its ratio to other values; a power from 0 to
infinity is :math:`v/(1 + v)`. Every coordinate then has the same range,
and the width of an interval in the cube says at once how much of what was possible beforehand the
data have excluded.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from enum import Enum, unique
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.drawing.representation import Card, HasCard
from popout.people.models.situation import USUAL, Situation
from popout.people.passages.decision_times import share_of
from popout.progress import Progress
from popout.simulation.responses import Responses
from popout.task import Faults
from popout.task.faults import NOTHING

if TYPE_CHECKING:
    from popout.people.fitting.fitted_model import FittedModel
    from popout.people.models.prediction import Prediction
    from popout.people.passages.passage_tables import PassageTables

Array = NDArray[np.float64]
LEAST_CHANCE = 1e-9
"""Of no answer: tables in single precision know nothing of less."""


@unique
class Scale(Enum):
    """In which terms a parameter is searched."""

    LINEAR = "linear"
    LOG = "log"
    SHARE = "share"


@dataclass(frozen=True)
class ModelParameter:
    """One parameter of a model of people.

    Parameters
    ----------
    name : str
    words : str
        What it is, for a table.
    unit : str
        Empty for a pure number.
    low, high : float
        Bounds of the search, and of the flat prior of the sampler.
    scale : Scale

    Examples
    --------
    >>> rate = ModelParameter("information", "information rate", "1/s", 1.0, 100.0, Scale.LOG)
    >>> rate.from_unit(0.5), rate.to_unit(10.0)
    (10.0, 0.5)
    """

    name: str
    words: str
    unit: str
    low: float
    high: float
    scale: Scale = Scale.LINEAR

    def __post_init__(self) -> None:
        """Check the bounds."""
        faults = Faults("ModelParameter")
        expected, good = "low below high, both finite", -math.inf < self.low < self.high < math.inf
        if self.scale is Scale.SHARE:
            expected, good = "bounds 0 and inf", (self.low, self.high) == (0.0, math.inf)
        elif self.scale is Scale.LOG:
            expected, good = f"{expected} and positive", good and self.low > 0.0
        if not good:
            faults.add("low", expected, (self.low, self.high), f"mend the bounds of {self.name}")
        faults.raise_if_any()

    def to_unit(self, value: float) -> float:
        """Return where a value lies between the bounds, from 0 to 1; outside it is clipped."""
        if self.scale is Scale.LOG:
            x = math.log(max(value, 1e-300) / self.low) / math.log(self.high / self.low)
        elif self.scale is Scale.SHARE:
            x = share_of(value)
        else:
            x = (value - self.low) / (self.high - self.low)
        return min(max(x, 0.0), 1.0)

    def from_unit(self, x: float) -> float:
        """Return the value at a place between the bounds."""
        if self.scale is Scale.LOG:
            return self.low * math.exp(x * math.log(self.high / self.low))
        if self.scale is Scale.SHARE:
            return x / (1.0 - x) if x < 1.0 else math.inf
        return self.low + (self.high - self.low) * x


def values_at(parameters: Sequence[ModelParameter], x: ArrayLike) -> dict[str, float]:
    """Return the values at a point of the unit cube, by name.

    Examples
    --------
    >>> values_at([ModelParameter("lapse", "lapses", "", 0.0, 0.2)], [0.25])
    {'lapse': 0.05}
    """
    each = zip(parameters, np.asarray(x, np.float64), strict=True)
    return {parameter.name: parameter.from_unit(float(place)) for parameter, place in each}


def position_of(parameters: Sequence[ModelParameter], values: Mapping[str, float]) -> Array:
    """Return the point of the unit cube of some values."""
    faults = Faults("values")
    for parameter in parameters:
        if math.isnan(values.get(parameter.name, math.nan)):
            remedy = "give a number for every parameter of the model"
            faults.add(parameter.name, "a number", values.get(parameter.name), remedy)
    faults.raise_if_any()
    return np.array([p.to_unit(float(values[p.name])) for p in parameters])


class TrialLikelihood:
    """The likelihood of some trials, with all that does not depend on the parameters done once.

    Parameters
    ----------
    model : Model
    responses : Responses
    tables : PassageTables, optional
    """

    def __init__(self, model: Model, responses: Responses, tables: PassageTables | None) -> None:
        self.model, self.responses, self.tables = model, responses, tables

    def log_densities(self, values: Mapping[str, float]) -> Array:
        """Return the log density of each trial, in 1/s; shape (n,)."""
        return self.model.log_densities(values, self.responses, self.tables)

    def total(self, values: Mapping[str, float]) -> float:
        """Return the log likelihood of all trials."""
        return float(self.log_densities(values).sum())

    def errors_of_total(self, values: Mapping[str, float]) -> tuple[float, float]:
        """Return Monte-Carlo standard error and bias of `total`; zero where nothing is drawn."""
        return 0.0, 0.0


class Model(HasCard, ABC):
    """A model of answers and response times.

    Attributes
    ----------
    name : str
        As on the command line.
    label : str
        As in tables and pictures.
    parameters : tuple of ModelParameter

    Examples
    --------
    Guesses at exponential times, whatever the display; one parameter:

    >>> class Guesses(Model):
    ...     name, label = "guesses", "exponential guesses"
    ...     parameters = (ModelParameter("mean", "mean response time", "s", 0.05, 5.0),)
    ...
    ...     def log_densities(self, values, responses, tables=None):
    ...         return -responses.rt / values["mean"] - np.log(2.0 * values["mean"])
    >>> trials = Responses(
    ...     response=np.array([1, 2]),
    ...     rt=np.array([0.5, 1.5]),
    ...     target=np.array([-1, 0]),
    ...     columns={"set_size": np.array([3, 3])},
    ... )
    >>> round(Guesses().likelihood(trials).total({"mean": 1.0}), 3)
    -3.386
    """

    name: str
    label: str
    parameters: tuple[ModelParameter, ...]
    fastest: float = 0.0
    longest: float = 10.0
    """Seconds from which and up to which answers are kept."""
    starts: ClassVar[tuple[Mapping[str, float], ...]] = ()
    """Where searches begin, besides the middle of the bounds; names left out start there."""

    @abstractmethod
    def log_densities(
        self, values: Mapping[str, float], responses: Responses, tables: PassageTables | None = None
    ) -> Array:
        """Return the log of the density (1/s) of each answer at its time; shape (n,).

        For trials without an answer (WAIT), the log of the probability that there is none.

        Parameters
        ----------
        values : mapping of str to float
            Of every parameter.
        responses : Responses
            With ``columns["set_size"]``, and those of `popout.people.models.situation`.
        tables : PassageTables, optional
            Of first passages, for the models that need them.
        """

    def likelihood(
        self, responses: Responses, tables: PassageTables | None = None
    ) -> TrialLikelihood:
        """Return the likelihood of some trials, ready to be evaluated many times."""
        return TrialLikelihood(self, responses, tables)

    def fit(
        self,
        responses: Responses,
        tables: PassageTables | None = None,
        seed: int = 1,
        progress: Progress | None = None,
        known: dict[str, FittedModel] | None = None,
    ) -> FittedModel:
        """Fit by maximum likelihood; see `popout.people.fitting.maximum_likelihood.fit_model`.

        Parameters
        ----------
        responses : Responses
        tables : PassageTables, optional
        seed : int
        progress : Progress, optional
        known : dict of str to FittedModel, optional
            Fits to the same trials, by model: a model that starts from a simpler one takes it
            from here, or adds it.
        """
        from popout.people.fitting.maximum_likelihood import fit_model

        return fit_model(self, responses, tables, seed, progress)

    def fit_once(
        self,
        known: dict[str, FittedModel],
        responses: Responses,
        tables: PassageTables | None = None,
        seed: int = 1,
        progress: Progress | None = None,
    ) -> FittedModel:
        """Return the fit among those known, or fit and add it to them; see `fit`."""
        if self.name not in known:
            known[self.name] = self.fit(responses, tables, seed, progress, known)
        return known[self.name]

    def within(self, longest: float, fastest: float) -> Model:
        """Return the model of answers that are kept between other times, in s.

        A model whose times are no fields of a dataclass stays as it is.
        """
        if is_dataclass(self) and {"longest", "fastest"} <= vars(self).keys():
            changed: Model = replace(self, longest=longest, fastest=fastest)
            return changed
        return self

    def refit(self, responses: Responses, fitted: FittedModel) -> Mapping[str, float]:
        """Return the best parameters for other trials of the observer of an earlier fit."""
        from popout.people.fitting.maximum_likelihood import maximum_near

        return maximum_near(self.likelihood(responses, fitted.tables), fitted.estimates)

    def predict(
        self,
        values: Mapping[str, float],
        set_sizes: tuple[int, ...],
        tables: PassageTables | None = None,
        situation: Situation = USUAL,
    ) -> Prediction:
        """Return densities, quantiles, means, errors and slopes; see `Prediction`."""
        from popout.people.models.prediction import Prediction

        return Prediction.of(self, values, set_sizes, tables, situation)

    def card(self) -> Card:
        """Return name and parameters."""
        rows = [[p.name, p.words, p.unit, f"{p.low:g} to {p.high:g}"] for p in self.parameters]
        return Card(self.label, [("name", self.name)], ["", "what", "unit", "range"], rows)

    def as_dict(self) -> dict[str, Any]:
        """Return name, label and parameters."""
        names = ("name", "words", "unit", "low", "high")
        rows = [{name: getattr(p, name) for name in names} for p in self.parameters]
        return {"name": self.name, "label": self.label, "parameters": rows}


def set_sizes_of(responses: Responses) -> NDArray[np.int64]:
    """Return the set size of each trial.

    Examples
    --------
    >>> trials = Responses(np.array([1]), np.array([0.5]), np.array([-1]))
    >>> set_sizes_of(trials)
    Traceback (most recent call last):
    ...
    popout.task.faults.InputError: Responses.columns: expected a column "set_size" of positive
    integers, got nothing; say how many items each display has
    """
    faults = Faults("Responses")
    sizes = np.asarray(responses.columns.get("set_size", ()))
    remedy = "say how many items each display has"
    expected = 'a column "set_size" of positive integers'
    if len(sizes) != len(responses):
        faults.add("columns", expected, len(sizes) or NOTHING, remedy)
    elif len(sizes) and not (np.isfinite(sizes).all() and (sizes == np.rint(sizes)).all()):
        faults.add("columns", expected, "other numbers", remedy)
    elif len(sizes) and sizes.min() < 1:
        faults.add("columns", expected, sizes.min().item(), remedy)
    faults.raise_if_any()
    return sizes.astype(np.int64)
