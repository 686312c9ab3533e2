r"""How precisely the parameters of an observer will be known: the Fisher information of a design.

An observer with the drift :math:`\mu` decides by SPRT, with the thresholds of discrimination for
the costs of the block, and answers at :math:`T + t_0 + \epsilon`: decision time, non-decision time
:math:`t_0` and motor noise :math:`\epsilon` with a known standard deviation. An answer within a
bin of time has the probability :math:`p_b(\theta)`, and n trials of a cell tell

.. math:: I_{ij} = n \sum_b \frac{\partial_i p_b \, \partial_j p_b}{p_b}

about :math:`\theta` = (drift, cost of time, non-decision time). Cells add up, and the square roots
of the diagonal of :math:`I^{-1}` are the standard errors that the best fit can have (Cramér and
Rao). Decision times are simulated; derivatives with respect to drift and cost are central
differences on common noise, that with respect to :math:`t_0` is exact. The cost of time enters as
its logarithm, so its standard error is relative.

Noise of simulated slopes would look like information: the square of a slope is too large by the
variance of its noise. Slopes are therefore estimated twice, on independent trials, and the two
estimates are multiplied with each other. Where distractors may have several orientations, a search
with the mean separation stands for them.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from popout.experiment.design import ExperimentDesign
from popout.experiment.observer import (
    Cell,
    cells_of,
    mean_search,
    mean_time_cost,
    task_of,
    threshold_pair,
)
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.stopping import SPRT, Action
from popout.progress import Progress, stretch
from popout.simulation import Tally, simulate
from popout.task import Costs, Faults, Task

Array = NDArray[np.float64]
PARAMETERS = ("drift", "time_cost", "non_decision_time")
BIN = 0.05
STEP = 0.08
"""Relative change of a parameter for a difference."""
FLOOR = 1e-6


def expected_se(
    design: ExperimentDesign, n_trials: int = 40_000, progress: Progress | None = None
) -> dict[str, float]:
    """Return the standard errors to expect from one participant.

    Parameters
    ----------
    design : ExperimentDesign
    n_trials : int
        Simulated for every probability.
    progress : callable, optional

    Returns
    -------
    dict
        ``drift`` in 1/s, ``time_cost`` in 1/s, ``non_decision_time`` in seconds. Infinite where
        the design tells nothing.

    Examples
    --------
    >>> from popout.experiment import Block, ExperimentDesign
    >>> texts = ("I agree.", "We store.", "Search.")
    >>> design = ExperimentDesign("Search", [2], [0], [90], *texts, [Block("All", 400)])
    >>> sorted(expected_se(design, n_trials=4000))
    ['drift', 'non_decision_time', 'time_cost']
    """
    faults = Faults("expected_se")
    n_trials = faults.integer("n_trials", n_trials, "some 40000 are enough", at_least=4000)
    faults.raise_if_any()
    information = np.zeros((len(PARAMETERS), len(PARAMETERS)))
    cells = list(cells_of(design))
    known: dict[tuple[Task, Costs], Array] = {}
    for k, cell in enumerate(cells):
        told = stretch(progress, k / len(cells), (k + 1) / len(cells), cell.block.name)
        told(0.0, f"{cell.set_size} items")
        key = task_of(design, cell.block, cell.set_size), design.of_block(cell.block, "costs")
        if key not in known:
            known[key] = cell_information(design, cell, n_trials)
        information += cell.n * known[key]
    scale = np.array([design.observer.drift, mean_time_cost(design), 1.0])
    try:
        variances = np.diag(np.linalg.inv(information))
    except np.linalg.LinAlgError:
        variances = np.full(len(PARAMETERS), np.inf)
    with np.errstate(invalid="ignore"):
        errors = scale * np.sqrt(np.where(variances > 0, variances, np.inf))
    return {name: float(error) for name, error in zip(PARAMETERS, errors, strict=True)}


def cell_information(design: ExperimentDesign, cell: Cell, n_trials: int) -> Array:
    """Return the information of one trial, about log drift, log cost of time and t0."""
    once, again = (
        _Probabilities(design, cell, n_trials // 2, fresh_seed(design.seed, Purpose.PRECISION, k))
        for k in range(2)
    )
    (p, slopes), (q, others) = once.slopes(), again.slopes()
    product = (slopes / np.maximum((p + q) / 2, FLOOR)) @ others.T
    return np.asarray((product + product.T) / 2)


class _Probabilities:
    """Probabilities of an answer within each bin, and their derivative with respect to t0."""

    def __init__(self, design: ExperimentDesign, cell: Cell, n_trials: int, seed: int) -> None:
        self.design, self.cell, self.n_trials, self.seed = design, cell, n_trials, seed
        n_bins = math.ceil(design.timing.time_limit / BIN)
        self.edges = np.append(np.arange(n_bins) * BIN, design.timing.time_limit)

    def slopes(self) -> tuple[Array, Array]:
        """Return the probabilities and their slopes, of shape (parameters, bins)."""
        high, low = 1.0 + STEP, 1.0 / (1.0 + STEP)
        width = math.log(high) - math.log(low)
        p, by_t0 = self(1.0, 1.0)
        by_drift = (self(high, 1.0)[0] - self(low, 1.0)[0]) / width
        by_cost = (self(1.0, high)[0] - self(1.0, low)[0]) / width
        return p, np.stack([by_drift, by_cost, by_t0])

    def __call__(self, drift: float, cost: float) -> tuple[Array, Array]:
        """Return both for an observer whose drift and cost of time are so many times the usual.

        The answers are by class and response; what comes too late is a bin of its own.
        """
        design, block = self.design, self.cell.block
        whole = task_of(design, block, self.cell.set_size, drift * design.observer.drift)
        task = whole.search or mean_search(whole)
        given: Costs = design.of_block(block, "costs")
        pair = (cost * given.time_absent, cost * given.time_present)
        mean = float(np.mean(task.drifts))
        strategy = SPRT.for_task(task, *threshold_pair(mean, task.dt, replace(given, time=pair)))
        tally = simulate(task, strategy, self.n_trials, self.seed, keep=False)
        parts = [self._cell(tally, k) for k in range(2)]
        shares = (1.0 - design.prior, design.prior)
        both = [share * np.stack(part) for share, part in zip(shares, parts, strict=True)]
        p, slope = np.concatenate(both, axis=1)
        return p, slope

    def _cell(self, tally: Tally, k: int) -> tuple[Array, Array]:
        """Return bins of one class: those of both answers, then too late."""
        observer = self.design.observer
        counts = tally.by_class[k][[Action.ABSENT, Action.PRESENT]]
        masses = counts / max(tally.by_class[k].sum(), 1)
        away = (self.edges[None, :] - tally.times[:, None] - observer.non_decision_time) / (
            observer.non_decision_sd
        )
        below = ndtr(away)
        density = np.exp(-0.5 * away**2) / (math.sqrt(2 * math.pi) * observer.non_decision_sd)
        p = masses @ np.diff(below, axis=1)
        slope = -masses @ np.diff(density, axis=1)
        late = 1.0 - p.sum()
        return np.append(p.ravel(), late), np.append(slope.ravel(), -slope.sum())
