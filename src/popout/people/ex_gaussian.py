r"""The yardstick: one ex-Gaussian for each cell, a description without any theory.

A cell is a set size with the target present or absent. In each the response time is the sum of a
normal and an exponential time,

.. math:: g(t; \mu, \sigma, \tau) = \frac{1}{\tau}
    \exp\Bigl(\frac{\mu - t}{\tau} + \frac{\sigma^2}{2 \tau^2}\Bigr)\,
    \Phi\Bigl(\frac{t - \mu}{\sigma} - \frac{\sigma}{\tau}\Bigr),

and the answer is wrong with probability :math:`\epsilon`. Errors share the distribution of the
cell unless there are `FEWEST_ERRORS` of them, when they have one of their own. A share
:math:`\lambda` of trials, the same in all cells, comes at any time up to the longest,
:math:`T`. The density of an answer at time t in a cell is

.. math:: f(r, t) = P(r)\,[(1 - \lambda)\, g(t) + \lambda / T],

per second, as in every other model, so that log likelihoods compare. With four set sizes these are
33 parameters or more. A model with fewer that comes close says something about search; nothing
says more about the trials themselves, short of a histogram.

Given :math:`\lambda` the cells are independent and each has three parameters, so the fit is
a search along :math:`\lambda` over small searches (L-BFGS from two starts).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_ndtr

from popout.people.fitted import FittedModel, Interval
from popout.people.model import Model, set_sizes_of
from popout.people.parameters import ModelParameter, Scale
from popout.progress import Progress, stretch
from popout.simulation.responses import Responses

if TYPE_CHECKING:
    from popout.people.tables import Tables

Array = NDArray[np.float64]
Cell = tuple[int, bool]
FEWEST_ERRORS = 10
"""Errors of a cell from which on they have a distribution of their own."""
SHAPE = ("mu", "sigma", "tau")
BOUNDS = {"mu": (0.02, 30.0), "sigma": (0.005, 10.0), "tau": (0.005, 30.0)}
ERROR = (5e-4, 0.95)
LAPSE = (1e-5, 0.2)
TOLERANCE = 0.05
"""Of log lambda, in the outer search."""


def log_ex_gaussian(t: Array, mu: float, sigma: float, tau: float) -> Array:
    """Return the log density of an ex-Gaussian, in 1/s.

    Examples
    --------
    >>> from scipy.stats import exponnorm
    >>> t = np.array([0.3, 0.6, 2.0])
    >>> np.allclose(log_ex_gaussian(t, 0.4, 0.05, 0.1), exponnorm.logpdf(t, 2.0, 0.4, 0.05))
    True
    """
    exponent = (mu - t) / tau + sigma**2 / (2.0 * tau**2)
    return np.asarray(exponent + log_ndtr((t - mu) / sigma - sigma / tau) - np.log(tau))


@dataclass(frozen=True)
class ExGaussianCells(Model):
    """One ex-Gaussian for each cell.

    Parameters
    ----------
    set_sizes : tuple of int
    own_errors : tuple of (int, bool)
        Cells, by set size and whether the target is present, whose errors have a distribution of
        their own.
    longest : float
        Longest response time in seconds.

    Examples
    --------
    >>> model = ExGaussianCells((3, 6, 12, 18), longest=5.0)
    >>> model.name, len(model.parameters)
    ('ex-gaussian', 33)
    """

    set_sizes: tuple[int, ...]
    own_errors: tuple[Cell, ...] = ()
    longest: float = 10.0

    name = "ex-gaussian"
    label = "ex-Gaussian per cell"

    @classmethod
    def for_trials(cls, responses: Responses, longest: float) -> ExGaussianCells:
        """Return the model of the cells that occur in some trials."""
        sizes = set_sizes_of(responses)
        shapes = cls(tuple(int(M) for M in np.unique(sizes)), (), longest)
        wrong = [
            cell
            for cell in shapes.cells
            if (_rows(responses, cell) & ~responses.correct).sum() >= FEWEST_ERRORS
        ]
        return cls(shapes.set_sizes, tuple(wrong), longest)

    @property
    def cells(self) -> Iterator[Cell]:
        """Set sizes and classes."""
        return ((M, present) for M in self.set_sizes for present in (False, True))

    @cached_property
    def parameters(self) -> tuple[ModelParameter, ...]:  # type: ignore[override]
        """Of every cell, and the share of lapses."""
        found = []
        for cell in self.cells:
            words = f"{cell[0]} items, {'present' if cell[1] else 'absent'}"
            kinds = [("", ""), *([("error_", " of errors")] if cell in self.own_errors else [])]
            for prefix, more in kinds:
                for name in SHAPE:
                    low, high = BOUNDS[name]
                    own = f"{prefix}{name}_{_ending(cell)}"
                    said = f"{name}{more}, {words}"
                    found.append(ModelParameter(own, said, "s", low, high, Scale.LOG))
            own = f"error_rate_{_ending(cell)}"
            found.append(ModelParameter(own, f"errors, {words}", "", *ERROR, Scale.LOG))
        return (*found, ModelParameter("lapse", "trials at any time", "", *LAPSE, Scale.LOG))

    def log_densities(
        self, values: Mapping[str, float], responses: Responses, tables: Tables | None = None
    ) -> Array:
        """Return the log density of each trial in 1/s; see `Model`."""
        found = np.full(len(responses), -np.inf)
        wrong = ~responses.correct
        for cell in self.cells:
            here, ending = _rows(responses, cell), _ending(cell)
            error = values[f"error_rate_{ending}"]
            for prefix, rows in (("", here & ~wrong), ("error_", here & wrong)):
                own = prefix if cell in self.own_errors else ""
                shape = [values[f"{own}{name}_{ending}"] for name in SHAPE]
                share = np.log(error if prefix else 1.0 - error)
                times = self._log_times(responses.rt[rows], np.array(shape), values["lapse"])
                found[rows] = share + times
        return found

    def _log_times(self, t: Array, shape: Array, lapse: float) -> Array:
        """Return the log density of times, lapses among them."""
        decided = np.log1p(-lapse) + log_ex_gaussian(t, shape[0], shape[1], shape[2])
        return np.asarray(np.logaddexp(decided, np.log(lapse / self.longest)))

    def fit(
        self,
        responses: Responses,
        tables: Tables | None = None,
        seed: int = 1,
        progress: Progress | None = None,
        known: dict[str, FittedModel] | None = None,
    ) -> FittedModel:
        """Fit by maximum likelihood; nothing is random here, and no tables are needed."""
        began = time.perf_counter()
        tell = stretch(progress, 0.0, 1.0, self.name)
        search, sizes = _Search(self, responses), set_sizes_of(responses)
        steps = 0

        def cost(log_lapse: float) -> float:
            nonlocal steps
            steps += 1
            tell(min(0.95, steps / 25), f"lapses {np.exp(log_lapse):.2g}")
            return search.cost(float(np.exp(log_lapse)))

        ends = (np.log(LAPSE[0]), np.log(LAPSE[1]))
        best = minimize_scalar(cost, bounds=ends, method="bounded", options={"xatol": TOLERANCE})
        lapse = float(np.exp(best.x))
        search.cost(lapse)
        values = search.values(lapse)
        log_likelihood = float(self.log_densities(values, responses).sum())
        errors = search.intervals(lapse)
        tell(1.0, "")
        return FittedModel(
            model=self,
            estimates=values,
            errors={p.name: errors[p.name] for p in self.parameters},
            log_likelihood=log_likelihood,
            n_trials=len(responses),
            trials_by_size={int(M): int((sizes == M).sum()) for M in self.set_sizes},
            n_evaluations=search.n_evaluations,
            seconds=time.perf_counter() - began,
            starts=(log_likelihood,),
        )

    def refit(self, responses: Responses, fitted: FittedModel, seed: int = 1) -> FittedModel:
        """Fit to other trials; the search is short and needs no start."""
        return self.fit(responses)


def _ending(cell: Cell) -> str:
    """Return the end of the names of a cell's parameters."""
    return f"{cell[0]}_{'present' if cell[1] else 'absent'}"


def _rows(responses: Responses, cell: Cell) -> NDArray[np.bool_]:
    size = np.asarray(responses.columns["set_size"])
    return np.asarray((size == cell[0]) & (responses.present == cell[1]))


class _Search:
    """The distributions of one observer's cells, fitted for one share of lapses after another."""

    def __init__(self, model: ExGaussianCells, responses: Responses) -> None:
        self.model, self.n_evaluations = model, 0
        self.error: dict[str, tuple[float, int]] = {}
        self.times: dict[str, Array] = {}
        wrong = ~responses.correct
        for cell in model.cells:
            here, ending = _rows(responses, cell), _ending(cell)
            n = int(here.sum())
            share = (here & wrong).sum() / max(n, 1)
            self.error[ending] = (float(np.clip(share, *ERROR)), n)
            if cell in model.own_errors:
                self.times[ending] = responses.rt[here & ~wrong]
                self.times[f"error_{ending}"] = responses.rt[here & wrong]
            else:
                self.times[ending] = responses.rt[here]
        self.shapes = {key: self._starts(t) for key, t in self.times.items()}

    def _starts(self, t: Array) -> list[Array]:
        """Return where the first search of a distribution begins: little and much skew."""
        middle, spread = (np.median(t), max(float(np.std(t)), 0.03)) if t.size else (0.6, 0.1)
        return [
            np.log([max(middle - 0.6 * part * spread, 0.05), (1.1 - part) * spread, part * spread])
            for part in (0.4, 0.9)
        ]

    def _cost_of(self, x: Array, t: Array, lapse: float) -> float:
        self.n_evaluations += 1
        return -float(self.model._log_times(t, np.exp(x), lapse).sum())

    def cost(self, lapse: float) -> float:
        """Fit every distribution for a share of lapses; return minus the log likelihood of times.

        Each search starts where the last one ended.
        """
        total = 0.0
        bounds = [tuple(np.log(BOUNDS[name])) for name in SHAPE]
        for key, t in self.times.items():
            found = [
                minimize(self._cost_of, x, (t, lapse), method="L-BFGS-B", bounds=bounds)
                for x in self.shapes[key]
            ]
            best = min(found, key=lambda one: float(one.fun))
            self.shapes[key] = [np.asarray(best.x)]
            total += float(best.fun)
        return total

    def values(self, lapse: float) -> dict[str, float]:
        """Return all parameters by name."""
        found = {"lapse": lapse}
        for key, shapes in self.shapes.items():
            prefix, ending = ("error_", key[6:]) if key.startswith("error_") else ("", key)
            for name, value in zip(SHAPE, np.exp(shapes[0]), strict=True):
                found[f"{prefix}{name}_{ending}"] = float(value)
        return found | {f"error_rate_{ending}": error for ending, (error, _) in self.error.items()}

    def intervals(self, lapse: float) -> dict[str, Interval]:
        """Return 95 % intervals, from the curvature of each distribution at these lapses."""
        found = {"lapse": self._interval_of_lapse(lapse)}
        for key, shapes in self.shapes.items():
            prefix, ending = ("error_", key[6:]) if key.startswith("error_") else ("", key)
            x = shapes[0]
            cost = partial(self._cost_of, t=self.times[key], lapse=lapse)
            halves = 1.96 * _standard_errors(cost, x)
            for name, centre, half in zip(SHAPE, x, halves, strict=True):
                found[f"{prefix}{name}_{ending}"] = _interval(centre, half, BOUNDS[name])
        for ending, (error, n) in self.error.items():
            half = 1.96 / np.sqrt(max(n * error * (1.0 - error), 1e-9)) * (1.0 - error)
            found[f"error_rate_{ending}"] = _interval(np.log(error), half, ERROR)
        return found

    def _interval_of_lapse(self, lapse: float) -> Interval:
        """Return the interval of the share of lapses with all distributions as they are."""
        shapes = {key: each[0] for key, each in self.shapes.items()}

        def cost(x: Array) -> float:
            share = float(np.exp(x[0]))
            return sum(self._cost_of(shapes[key], t, share) for key, t in self.times.items())

        x = np.log([lapse])
        return _interval(float(x[0]), 1.96 * float(_standard_errors(cost, x)[0]), LAPSE)


def _standard_errors(cost: Callable[[Array], float], x: Array) -> Array:
    """Return standard errors from the curvature of minus a log likelihood; infinite where flat."""
    n, step = len(x), 0.02
    shift = step * np.eye(n)
    hessian = np.empty((n, n))
    for i in range(n):
        for j in range(i + 1):
            signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
            around = [a * b * cost(x + a * shift[i] + b * shift[j]) for a, b in signs]
            hessian[i, j] = hessian[j, i] = sum(around) / (4.0 * step**2)
    values, vectors = np.linalg.eigh(hessian)
    covariance = (vectors / np.maximum(values, 1e-6)) @ vectors.T
    return np.asarray(np.sqrt(np.maximum(np.diag(covariance), 0.0)))


def _interval(centre: float, half: float, bounds: tuple[float, float]) -> Interval:
    """Return the interval of a parameter whose log has an interval, within bounds."""
    low, high = np.log(bounds)
    ends = max(centre - half, low), min(centre + half, high)
    wide = ends[1] - ends[0] > 0.5 * (high - low)
    why = "too few trials" if wide else ""
    return Interval(float(np.exp(ends[0])), float(np.exp(ends[1])), not wide, why)
