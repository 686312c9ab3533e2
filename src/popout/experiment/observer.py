r"""What an ideal observer would do in a design.

A bar whose orientation differs by :math:`a` from the target's drifts at :math:`\mu \cos 2a`,
times its contrast: :math:`\mu` at a target, :math:`-\mu` at a bar across it. One target and one
distractor orientation make a search with the drift :math:`\mu (1 - \cos 2a) / 2` at full contrast,
and contrast gives each place a drift of its own. Several orientations make a search among mixtures;
there the mean contrast stands for all places.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from popout.analysis.simulate_by_name import perform
from popout.drawing.plain import plain
from popout.experiment.design import Block, ExperimentDesign
from popout.progress import Progress, stretch
from popout.task import Costs, MixtureSearchTask, SearchTask, Task
from popout.task.kinds import Label

TRIALS = 20_000
FEW_TRIALS = 2_000
"""Where distractors are unknown, a trial takes a millisecond."""
TUNE_TRIALS = 5_000


class Cell(NamedTuple):
    """Displays that an observer need not tell apart before they are shown.

    Attributes
    ----------
    block : Block
    set_size : int
    n : float
        Trials of one participant, on average.
    """

    block: Block
    set_size: int
    n: float


def cells_of(design: ExperimentDesign, block: Block | None = None) -> Iterator[Cell]:
    """Yield the cells of the blocks that count, or of one of them."""
    for each in design.blocks:
        if not each.practice and block in (None, each):
            sizes = design.of_block(each, "set_sizes")
            yield from (Cell(each, size, each.trials / len(sizes)) for size in sizes)


def task_of(design: ExperimentDesign, block: Block, set_size: int) -> Task:
    """Return the task that the displays of a block are to an observer.

    Parameters
    ----------
    design : ExperimentDesign
    block : Block
    set_size : int

    Examples
    --------
    >>> from popout.experiment import Block, ExperimentDesign
    >>> block = Block("All", 8)
    >>> texts = ("I agree.", "We store.", "Search.")
    >>> across = ExperimentDesign("Search", [3], [0], [90], *texts, [block])
    >>> task_of(across, block, 3).drifts
    (6.0, 6.0, 6.0)
    >>> task_of(ExperimentDesign("Search", [3], [0], [30], *texts, [block]), block, 3).drift
    1.5
    """
    mu = design.observer.drift
    targets: tuple[float, ...] = design.of_block(block, "targets")
    distractors: tuple[float, ...] = design.of_block(block, "distractors")
    contrasts = design.contrasts(block)
    if len(targets) == len(distractors) == 1:
        separation = 1.0 - math.cos(math.radians(2 * (distractors[0] - targets[0])))
        whole = set_size == len(contrasts)
        seen = contrasts if whole else (float(np.mean(contrasts)),) * set_size
        return SearchTask(
            drift=[mu * contrast * separation / 2 for contrast in seen], prior=design.prior
        )
    contrast = float(np.mean(contrasts))
    drifts: dict[Label, float | Sequence[float]] = {
        angle: contrast * mu * max(math.cos(math.radians(2 * (angle - t))) for t in targets)
        for angle in (*targets, *distractors)
    }
    tied = design.of_block(block, "tied")
    make = MixtureSearchTask.tied if tied else MixtureSearchTask.independent
    return make(set_size, targets, distractors, drifts, prior=design.prior)


def mean_search(task: Task) -> SearchTask:
    """Return a search with the mean separation of target and distractors."""
    walk, displays = task.observations[0], task.displays()
    target = int(np.argmax(displays.target))
    others = [k for row in displays.mixtures for k, p in enumerate(row) if p > 0]
    drift = float(np.mean([walk.separation(target, k) for k in others])) / 2
    return SearchTask(n_locations=task.n_locations, drift=drift, dt=task.dt, prior=task.prior)


def ideal_rows(design: ExperimentDesign, progress: Progress | None = None) -> list[dict[str, Any]]:
    """Return errors and mean response times of the ideal observer, by set size and class.

    The observer is the best one that is known: tuned a-SPRT where locations have drifts of their
    own; SPRT on the likelihood ratio of presence where distractors are unknown. Response times hold
    the expected non-decision time. Blocks count by their trials.

    Parameters
    ----------
    design : ExperimentDesign
    progress : callable, optional

    Returns
    -------
    list of dict
        ``set_size``, ``present``, ``error_rate``, ``mean_rt``.
    """
    cells, rows = list(cells_of(design)), []
    for k, cell in enumerate(cells):
        part = stretch(progress, k / len(cells), (k + 1) / len(cells), cell.block.name)
        part(0.0, f"{cell.set_size} items")
        task = task_of(design, cell.block, cell.set_size)
        name, n = ("sprt", FEW_TRIALS) if task.search is None else ("a-sprt", TRIALS)
        costs: Costs = design.of_block(cell.block, "costs")
        done = perform(task, costs, name, None, n, design.seed, tune_trials=TUNE_TRIALS)[2]
        summary = done.summary(costs)
        for present, side in enumerate((summary.absent, summary.present)):
            row = {"set_size": cell.set_size, "present": bool(present), "n": cell.n}
            rows.append({**row, "error_rate": side.error_rate, "mean_rt": side.mean_rt})
    frame, names = pd.DataFrame(rows), ["error_rate", "mean_rt"]
    frame[names] = frame[names].mul(frame["n"], axis=0)
    sums = frame.groupby(["set_size", "present"]).sum()
    means = sums[names].div(sums["n"], axis=0)
    means["mean_rt"] += design.observer.non_decision_time
    listed: list[dict[str, Any]] = plain(means.reset_index().to_dict("records"))
    return listed
