r"""The yardstick: one ex-Gaussian for each cell, a description without any theory.

A cell is a set size with the target present or absent. In each the response time is the sum of a
normal and an exponential time,

.. math:: g(t; \mu, \sigma, \tau) = \frac{1}{\tau}
    \exp\Bigl(\frac{\mu - t}{\tau} + \frac{\sigma^2}{2 \tau^2}\Bigr)\,
    \Phi\Bigl(\frac{t - \mu}{\sigma} - \frac{\sigma}{\tau}\Bigr),

and the answer is wrong with probability :math:`\epsilon`. Errors share the distribution of the cell
unless one of their own, with three more parameters, lowers the AIC (with the correction of Hurvich
and Tsai for few errors). A share
:math:`\lambda` of trials, the same in all cells, comes at any time up to L, the longest or the time
limit. The density of an answer at time t in a cell is

.. math:: f(r, t) = P(r)\,[(1 - \lambda)\, g(t) + \lambda / L],

per second, as in every other model, so that log likelihoods compare; and as there
(`popout.people.models.model`) it is divided by the probability of all that could have been
observed, "no answer by the limit" among it. :math:`\epsilon` is the share of errors among answers.
Errors with a distribution of their own are answers for certain: there :math:`\epsilon` is their
share among all trials, and one without an answer would have been right. With four set sizes these
are 33 parameters or more. A model with fewer that comes close says something about search; nothing
says more about the trials themselves, short of a histogram.

Given :math:`\lambda` the cells are independent and each has three parameters, so the fit is a
search along :math:`\lambda` over small ones (`ex_gaussian_times`): from several
starts at every :math:`\lambda` of a grid, then between the neighbours of the best one.

**Intervals** are from the second derivatives of the log likelihood by all logarithms together, so
that those of a cell allow for what is not known of the lapses, and those of lapses for what is not
known of the cells. Those of error rates are Wilson's, which hold where there is no error at all.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import xlogy

from popout.drawing.representation import count
from popout.people.fitting.fitted_model import FittedModel, Interval
from popout.people.models.ex_gaussian_times import BOUNDS, SHAPE, LapsingTimes
from popout.people.models.model import Model, ModelParameter, Scale, set_sizes_of
from popout.people.models.situation import counted_situations, limits_of
from popout.policies.stopping import Action
from popout.progress import Progress, stretch
from popout.simulation.responses import Responses

if TYPE_CHECKING:
    from popout.people.passages.passage_tables import PassageTables

Array = NDArray[np.float64]
Cell = tuple[int, bool]
TYPICAL = 0.01
"""Share of lapses at which it is decided whether errors have a distribution of their own."""
ERROR = (1e-4, 1.0 - 1e-4)
"""Bounds of error rates: at 0 an error in trials that are left out would be impossible."""
LAPSE = (1e-5, 0.5)
GRID = np.log(np.geomspace(*LAPSE, 7))
"""Logs of lambda at which all starts are tried."""
TOLERANCE = 0.005
"""Of log lambda, in the search between them."""
STEP = 1e-3
"""Of logs, for second derivatives."""
NORMAL = 1.96
"""Quantile of 95 % intervals."""


@dataclass(frozen=True)
class ExGaussianCells(Model):
    """One ex-Gaussian for each cell.

    Parameters
    ----------
    set_sizes : tuple of int
    own_errors : tuple of (int, bool)
        Cells, by set size and whether the target is present, whose errors have a distribution of
        their own.
    longest, fastest : float
        Seconds between which answers are kept.

    Examples
    --------
    >>> model = ExGaussianCells((3, 6, 12, 18), longest=5.0)
    >>> model.name, len(model.parameters)
    ('ex-gaussian', 33)
    """

    set_sizes: tuple[int, ...]
    own_errors: tuple[Cell, ...] = ()
    longest: float = 10.0
    fastest: float = 0.0

    name = "ex-gaussian"
    label = "ex-Gaussian per cell"

    @classmethod
    def for_trials(
        cls, responses: Responses, longest: float, fastest: float = 0.0
    ) -> ExGaussianCells:
        """Return the model of the cells that occur in some trials, with the least AIC."""
        sizes = set_sizes_of(responses)
        shapes = cls(tuple(int(M) for M in np.unique(sizes)), (), longest, fastest)
        own = []
        for cell in shapes.cells:
            in_cell, wrong = _rows(responses, cell), _wrong(responses)
            n, k = int((in_cell & wrong).sum()), len(SHAPE)
            if n > k + 1 and (in_cell & responses.correct).any():
                both = (shapes, replace(shapes, own_errors=(cell,)))
                together, apart = (each._cost(responses, cell) for each in both)
                if together - apart > k * n / (n - k - 1):
                    own.append(cell)
        return replace(shapes, own_errors=tuple(own))

    def _cost(self, responses: Responses, cell: Cell) -> float:
        """Return minus the best log likelihood of a cell, with `TYPICAL` lapses."""
        wrong, n = self.errors(responses, cell)
        answers = xlogy(wrong, wrong / n) + xlogy(n - wrong, 1.0 - wrong / n)
        times = self.times(responses, cell).values()
        return sum(each.best(TYPICAL)[1] for each, _ in times) - float(answers)

    def errors(self, responses: Responses, cell: Cell) -> tuple[int, int]:
        """Return the errors of a cell, and the trials among which they count."""
        rows, wrong = _rows(responses, cell), _wrong(responses)
        every = rows if cell in self.own_errors else rows & (responses.response != Action.WAIT)
        return int((rows & wrong).sum()), int(every.sum())

    def times(
        self, responses: Responses, cell: Cell
    ) -> dict[str, tuple[LapsingTimes, NDArray[np.int64]]]:
        """Return the times of a cell, those of its errors if they are apart, and their rows."""
        rows, wrong = _rows(responses, cell), _wrong(responses)
        apart, waits = cell in self.own_errors, rows & (responses.response == Action.WAIT)
        kinds = {"": (rows & ~waits & ~(wrong & apart), waits)}
        if apart:
            kinds["error"] = (rows & wrong, np.zeros_like(waits))
        limits, times = limits_of(responses), {}
        for kind, (answered, silent) in kinds.items():
            chosen = np.append(*map(np.flatnonzero, (answered, silent)))
            limit = limits[chosen]
            spaces = np.minimum(limit, self.longest), np.full_like(limit, np.inf) if kind else limit
            own = LapsingTimes(responses.rt[answered], *spaces, self.fastest)
            times[f"{kind}_{_ending(cell)}"] = own, chosen
        return times

    @property
    def cells(self) -> Iterator[Cell]:
        """Set sizes and classes."""
        return ((M, present) for M in self.set_sizes for present in (False, True))

    @cached_property
    def parameters(self) -> tuple[ModelParameter, ...]:  # type: ignore[override]
        """Of every cell, and the share of lapses."""
        parameters = []
        for cell in self.cells:
            words = f"{count(cell[0], 'item')}, {'present' if cell[1] else 'absent'}"
            kinds = {"": "", "error_": " of errors"} if cell in self.own_errors else {"": ""}
            for (prefix, more), (name, bounds) in product(kinds.items(), BOUNDS.items()):
                own, said = f"{prefix}{name}_{_ending(cell)}", f"{name}{more}, {words}"
                parameters.append(ModelParameter(own, said, "s", *bounds, Scale.LOG))
            own = f"error_rate_{_ending(cell)}"
            parameters.append(ModelParameter(own, f"errors, {words}", "", *ERROR))
        return (*parameters, ModelParameter("lapse", "trials at any time", "", *LAPSE, Scale.LOG))

    def log_densities(
        self, values: Mapping[str, float], responses: Responses, tables: PassageTables | None = None
    ) -> Array:
        """Return the log density of each trial in 1/s; see `Model`."""
        densities = np.full(len(responses), -np.inf)
        wrong, waits = _wrong(responses), responses.response == Action.WAIT
        for cell in self.cells:
            error = values[f"error_rate_{_ending(cell)}"]
            counts = ~waits | (cell in self.own_errors)
            answers = np.log(np.where(wrong, error, np.where(counts, 1.0 - error, 1.0)))
            for key, (times, rows) in self.times(responses, cell).items():
                shape = np.array([values[name] for name in _names(key)])
                densities[rows] = times.log_densities(shape, values["lapse"]) + answers[rows]
        return densities

    def fit(
        self,
        responses: Responses,
        tables: PassageTables | None = None,
        seed: int = 1,
        progress: Progress | None = None,
        known: dict[str, FittedModel] | None = None,
    ) -> FittedModel:
        """Fit by maximum likelihood; nothing is random here, and no tables are needed."""
        began = time.perf_counter()
        tell = stretch(progress, 0.0, 1.0, self.name)
        search, sizes = _Search(self, responses), set_sizes_of(responses)
        search.run(tell)
        values, errors = search.values(), search.intervals()
        log_likelihood = float(self.log_densities(values, responses).sum())
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
            situations=counted_situations(responses),
        )

    def refit(self, responses: Responses, fitted: FittedModel) -> Mapping[str, float]:
        """Return the best parameters for other trials; the search is short and needs no start."""
        return self.fit(responses).estimates


def _ending(cell: Cell) -> str:
    """Return the end of the names of a cell's parameters."""
    return f"{cell[0]}_{'present' if cell[1] else 'absent'}"


def _rows(responses: Responses, cell: Cell) -> NDArray[np.bool_]:
    size = np.asarray(responses.columns["set_size"])
    return np.asarray((size == cell[0]) & (responses.present == cell[1]))


def _wrong(responses: Responses) -> NDArray[np.bool_]:
    return np.asarray(~responses.correct & (responses.response != Action.WAIT))


class _Search:
    """The best distributions of one observer's cells, and the best share of lapses."""

    def __init__(self, model: ExGaussianCells, responses: Responses) -> None:
        self.counts: dict[str, tuple[int, int]] = {}
        self.times: dict[str, LapsingTimes] = {}
        for cell in model.cells:
            self.counts[_ending(cell)] = model.errors(responses, cell)
            times = model.times(responses, cell)
            self.times |= {key: each for key, (each, _) in times.items()}
        self.log_lapse, self.shapes, self.cost = 0.0, dict[str, Array](), np.inf

    @property
    def n_evaluations(self) -> int:
        """Evaluations of the likelihood of one distribution."""
        return sum(times.n_evaluations for times in self.times.values())

    def run(self, tell: Progress) -> None:
        """Find the best share of lapses: of a grid, then between the neighbours of the best."""
        costs, shapes = [], []
        for i, log_lapse in enumerate(GRID):
            tell(i / (len(GRID) + 1), f"lapses {np.exp(log_lapse):.2g}")
            costs.append(self._try(log_lapse))
            shapes.append(self._latest)
        best = int(np.argmin(costs))
        near = slice(max(best - 1, 0), best + 2)

        def cost(log_lapse: float) -> float:
            return self._try(log_lapse, shapes[near])

        ends = (GRID[near][0], GRID[near][-1])
        minimize_scalar(cost, bounds=ends, method="bounded", options={"xatol": TOLERANCE})

    def _try(self, log_lapse: float, starts: list[dict[str, Array]] | None = None) -> float:
        """Fit all distributions for a share of lapses, and remember them if they are the best."""
        total, self._latest = 0.0, dict[str, Array]()
        for key, times in self.times.items():
            places = None
            if starts is not None:  # the best so far, and other basins nearby
                best = self.shapes[key]
                other = [each[key] for each in starts if np.ptp([each[key], best], 0).max() > 0.5]
                places = [best, *other]
            self._latest[key], cost = times.best(float(np.exp(log_lapse)), places)
            total += cost
        if total < self.cost:
            self.log_lapse, self.shapes, self.cost = float(log_lapse), self._latest, total
        return total

    def values(self) -> dict[str, float]:
        """Return all parameters by name."""
        values = {"lapse": float(np.exp(self.log_lapse))}
        for key, shape in self.shapes.items():
            values |= zip(_names(key), np.exp(shape).tolist(), strict=True)
        for ending, (wrong, n) in self.counts.items():
            values[f"error_rate_{ending}"] = float(np.clip(wrong / n if n else 0.5, *ERROR))
        return values

    def intervals(self) -> dict[str, Interval]:
        """Return 95 % intervals."""
        names = [name for key in self.times for name in _names(key)] + ["lapse"]
        bounds = np.log([BOUNDS[name] for name in SHAPE] * len(self.times) + [LAPSE])
        x = np.append(np.concatenate([self.shapes[key] for key in self.times]), self.log_lapse)
        edge = np.isclose(x, bounds.T, rtol=0.0, atol=1e-3).any(axis=0)
        halves = NORMAL * _standard_errors(self._curvature(), ~edge)
        intervals = {}
        for i, name in enumerate(names):
            low, high = np.clip((x[i] - halves[i], x[i] + halves[i]), *bounds[i])
            why = ""
            if edge[i]:
                why = "at the edge of its range"
            elif "mu_" in name and edge[i + 1]:  # as abrupt a start as a clock can tell
                why = "sigma is at the edge of its range"
            elif high - low > 0.5 * np.ptp(bounds[i]):
                why = "too few trials"
            intervals[name] = Interval(float(np.exp(low)), float(np.exp(high)), not why, why)
        for ending, (wrong, n) in self.counts.items():
            intervals[f"error_rate_{ending}"] = wilson(wrong, n)
        return intervals

    def _curvature(self) -> Array:
        """Return the second derivatives of minus the log likelihood by all logs."""
        n = 3 * len(self.times) + 1
        hessian = np.zeros((n, n))
        for k, (key, times) in enumerate(self.times.items()):
            if not times.t.size:
                continue
            own = [*range(3 * k, 3 * k + 3), n - 1]
            x = np.append(self.shapes[key], self.log_lapse)
            for i, step in zip(own, STEP * np.eye(4), strict=True):
                ahead, behind = (times.cost(y[:3], y[3])[1] for y in (x + step, x - step))
                hessian[i, own] += (ahead - behind) / (2.0 * STEP)
        return 0.5 * (hessian + hessian.T)


def _names(key: str) -> list[str]:
    """Return the names of the parameters of one distribution."""
    prefix, ending = key.split("_", 1)
    return [f"{prefix}_{name}_{ending}" if prefix else f"{name}_{ending}" for name in SHAPE]


def _standard_errors(hessian: Array, free: NDArray[np.bool_]) -> Array:
    """Return standard errors of the free coordinates; very large where nothing curves."""
    errors = np.zeros(len(hessian))
    values, vectors = np.linalg.eigh(hessian[np.ix_(free, free)])
    errors[free] = np.sqrt(np.sum(vectors**2 / np.maximum(values, 1e-6), axis=1))
    return errors


def wilson(wrong: int, n: int) -> Interval:
    """Return the 95 % interval of a probability by Wilson's score.

    Examples
    --------
    >>> print(wilson(0, 100))
    0 to 0.037
    """
    if not n:
        return Interval(0.0, 1.0, False, "too few trials")
    z, rate = NORMAL, wrong / n
    middle = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    why = "too few trials" if high - low > 0.5 else ""
    return Interval(float(low), float(high), not why, why)
