r"""What a design will tell about people, under the models that `popout fit` fits.

A participant is expected to be the model ``ideal-parallel``: the design's drift :math:`\mu` at
every location, that is the information :math:`\Lambda_M = \mu^2 M` (:math:`8 \mu^2` at the 8 items
at which rates are quoted, and a capacity of 1), and the best thresholds for the costs and the share
of targets that the design has. Where distractors or contrasts differ, the mean separation of target
and distractors stands for them. What a design does not say of its observer is as usual in people
(`UNSAID`).

**Precision.** An answer within a bin of time has the probability :math:`p_b(\theta)`, and n trials
of a cell tell

.. math:: I_{ij} = n \sum_b \frac{\partial_i p_b \, \partial_j p_b}{p_b}

about :math:`\theta` = (drift, cost of time, non-decision time). Cells add up, and the square roots
of the diagonal of :math:`I^{-1}` are the standard errors that the best fit can have that knows all
the rest (Cramér and Rao). Derivatives are central differences; information enters as its logarithm,
whose error is twice that of drift. The square of a derivative counts its noise as information: that
of the best thresholds, which are found on simulated paths, is why the cost of time is changed by a
quarter. At 40,000 paths the errors of the examples are within 5 % of those at 640,000.

**Recovery.** A fit does not know the rest. Synthetic participants sit down to the design, trials
spread evenly over set sizes, and are fitted as people are (`popout.people.fitting.recovery`): the
scatter of what comes back is the standard error to expect.
"""

from __future__ import annotations

import math
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.experiment.design import Block, ExperimentDesign
from popout.experiment.observer import cells_of, mean_search, task_of
from popout.people.fitting.recovery import recover
from popout.people.fitting.synthetic import Design
from popout.people.models.search_density import STEP
from popout.people.models.search_models import REFERENCE, SearchModel, Stopping
from popout.people.models.situation import Situation
from popout.people.passages.ideal_thresholds import EVEN, Stakes
from popout.people.passages.passage_tables import PassageTables
from popout.progress import Progress, stretch
from popout.task import Costs, Faults

Array = NDArray[np.float64]
UNSAID = {"capacity": 1.0, "variability": 0.3, "residual_constant": 0.5}
UNSAID |= {"absent_extra": 0.0, "lapse": 0.003}
"""What a design does not say of its observer: usual values of people."""
FIT_PATHS = 20_000
"""Behind each table of first passages that synthetic participants are fitted with."""
CHANGES = {"information": 0.08, "time_cost": 0.25, "residual_mean": 0.01}
"""Relative changes of parameters for differences: long where noise of the tables comes in."""


def observer_values(design: ExperimentDesign, block: Block | None = None) -> dict[str, float]:
    """Return the parameters of the expected observer, in the words of `popout fit`.

    Parameters
    ----------
    design : ExperimentDesign
    block : Block, optional
        Of this block alone; else the mean over the trials that count.

    Examples
    --------
    >>> from popout.experiment import Block, ExperimentDesign
    >>> texts = ("I agree.", "We store.", "Search.")
    >>> design = ExperimentDesign("Search", [4], [0], [90], *texts, [Block("All", 8)])
    >>> observer_values(design)["information"]
    288.0
    """
    drifts, times, weights = [], [], []
    for cell in cells_of(design, block):
        whole = task_of(design, cell.block, cell.set_size)
        costs: Costs = design.of_block(cell.block, "costs")
        drifts.append(float(np.mean((whole.search or mean_search(whole)).drifts)))
        times.append((costs.time_absent + costs.time_present) / 2)
        weights.append(cell.n)
    return {
        **UNSAID,
        "information": REFERENCE * fmean(drifts, weights) ** 2,
        "time_cost": fmean(times, weights),
        "residual_mean": design.observer.non_decision_time,
        "residual_sd": design.observer.non_decision_sd,
    }


def situation_of(design: ExperimentDesign, block: Block | None = None) -> Situation:
    """Return the share of targets and the costs of errors, as `observer_values`.

    Examples
    --------
    >>> from popout.experiment import Block, ExperimentDesign
    >>> from popout.task import Costs
    >>> texts, costs = ("I agree.", "We store.", "Search."), Costs(time=0.2, miss=3.0)
    >>> blocks = [Block("Even", 8), Block("Careful", 24, costs=costs)]
    >>> situation_of(ExperimentDesign("Search", [4], [0], [90], *texts, blocks))
    Situation(prior=0.5, miss=2.5, false_alarm=1.0, deadline=inf, period=inf)
    """
    cells = list(cells_of(design, block))
    weights = [cell.n for cell in cells]
    each: list[Costs] = [design.of_block(cell.block, "costs") for cell in cells]
    prior = fmean([design.of_block(cell.block, "prior") for cell in cells], weights)
    miss = fmean([costs.miss for costs in each], weights)
    return Situation(prior, miss, fmean([c.false_alarm for c in each], weights))


class Power:
    """What a design will tell.

    Parameters
    ----------
    design : ExperimentDesign
    n_paths : int
        Simulated for each table of first passages.
    tables : PassageTables, optional
        Of the design's set sizes; made when left out.

    Examples
    --------
    >>> from popout.experiment import Block, ExperimentDesign
    >>> texts = ("I agree.", "We store.", "Search.")
    >>> design = ExperimentDesign("Search", [2], [0], [90], *texts, [Block("All", 400)])
    >>> sorted(Power(design, n_paths=4000).expected_se())
    ['drift', 'non_decision_time', 'time_cost']
    """

    def __init__(
        self, design: ExperimentDesign, n_paths: int = 40_000, tables: PassageTables | None = None
    ) -> None:
        faults = Faults("Power")
        faults.integer("n_paths", n_paths, "some 40000 are enough", at_least=4000)
        faults.raise_if_any()
        self.design, self.values = design, observer_values(design)
        self.model = SearchModel(Stopping.IDEAL, 0.0, longest=design.timing.time_limit)
        sizes = sorted({cell.set_size for cell in cells_of(design)})
        self.tables = tables or PassageTables(sizes, n_paths)
        self._for_fits = tables or PassageTables(sizes, FIT_PATHS)

    def trials(self, block: Block | None = None) -> Array:
        """Return the trials of one participant by set size and class, on average."""
        counts = np.zeros((len(self.tables.set_sizes), 2))
        for cell in cells_of(self.design, block):
            prior = self.design.of_block(cell.block, "prior")
            row = self.tables.set_sizes.index(cell.set_size)
            counts[row] += cell.n * np.array([1.0 - prior, prior])
        return counts

    def expected_se(self) -> dict[str, float]:
        """Return the standard errors to expect from one participant.

        ``drift`` in 1/s, ``time_cost`` in 1/s, ``non_decision_time`` in seconds; infinite where the
        design tells nothing.
        """
        whole = np.zeros((3, 3))
        for block in self.design.blocks:
            if not block.practice:
                stakes = situation_of(self.design, block).stakes
                a_trial = self.information(observer_values(self.design, block), stakes)
                whole += np.einsum("sc,scij->ij", self.trials(block), a_trial)
        observer = self.design.observer
        scale = np.array([observer.drift / 2, self.values["time_cost"], 1.0])
        try:
            variances = np.diag(np.linalg.inv(whole))
        except np.linalg.LinAlgError:
            variances = np.full(3, np.inf)
        errors = scale * np.sqrt(np.where(variances > 0, variances, np.inf))
        return dict(zip(("drift", "time_cost", "non_decision_time"), errors.tolist(), strict=True))

    def information(self, values: dict[str, float], stakes: Stakes = EVEN) -> Array:
        """Return what a trial tells about log information, log cost and t0: (n_sizes, 2, 3, 3)."""
        p, slopes = self.model.density(values, self.tables, stakes)[..., 1:], []
        for name, change in CHANGES.items():
            ends = [values[name] * (1.0 + change), values[name] / (1.0 + change)]
            moved = ({**values, name: end} for end in ends)
            up, down = (self.model.density(each, self.tables, stakes) for each in moved)
            width = ends[0] - ends[1] if name == "residual_mean" else 2.0 * math.log1p(change)
            slopes.append((up - down)[..., 1:] / width)
        return np.asarray(np.einsum("iscat,jscat,scat->scij", slopes, slopes, STEP / p))

    def recovery(self, participants: int, progress: Progress | None = None) -> dict[str, Any]:
        """Fit synthetic participants; return how well each parameter comes back.

        ``se`` is half of the range that holds the middle 68 % of the estimates: their standard
        deviation, if they are Gaussian; NaN for fewer than two. ``determined`` is the share of the
        fits that could tell the parameter at all; the others count in neither number.

        Parameters
        ----------
        participants : int
            Twenty give standard errors to a sixth of themselves.
        progress : callable, optional
        """
        faults = Faults("recovery")
        faults.integer("participants", participants, "some 20 are enough", at_least=1)
        for parameter in self.model.parameters:
            if not parameter.low <= self.values[parameter.name] <= parameter.high:
                expected = f"{parameter.low:g} to {parameter.high:g}, which fits can find"
                remedy = "expect another observer in the design, or leave recovery out"
                faults.add(parameter.name, expected, self.values[parameter.name], remedy)
        faults.raise_if_any()
        counts = self.trials().sum(axis=1)
        by_size = {M: round(n) for M, n in zip(self.tables.set_sizes, counts, strict=True)}
        seats = Design.of(by_size, {situation_of(self.design): 1})
        part = stretch(progress, 0.0, 1.0, "recovering")
        people = [(self.model, self.values)]
        fits = recover(seats, people, participants, None, self._for_fits, self.design.seed, part)
        rows, parameters = fits.parameters(), []
        for parameter in self.model.parameters:
            own = rows[rows["parameter"] == parameter.name]
            known = own.loc[own["determined"].astype(bool), "estimate"].to_numpy(dtype=float)
            ends = np.quantile(known, [0.16, 0.5, 0.84]) if known.size else [math.nan] * 3
            (low, middle, high), true = ends, self.values[parameter.name]
            se = float(high - low) / 2 if known.size > 1 else math.nan
            row = {"name": parameter.name, "unit": parameter.unit, "true": true, "se": se}
            row |= {"median_error": float(middle - true), "determined": known.size / len(own)}
            parameters.append(row)
        return {"model": self.model.name, "participants": participants, "parameters": parameters}
