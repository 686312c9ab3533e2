r"""What a design is to an observer.

A bar whose orientation differs by :math:`a` from the target's drifts at :math:`\mu \cos 2a`,
times its contrast: :math:`\mu` at a target, :math:`-\mu` at a bar across it. One target and one
distractor orientation make a search with the drift :math:`\mu (1 - \cos 2a) / 2` at full contrast,
and contrast gives each place a drift of its own. Several orientations make a search among mixtures;
there the mean contrast stands for all places.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from popout.experiment.design import Block, ExperimentDesign
from popout.task import MixtureSearchTask, SearchTask, Task
from popout.task.kinds import Label


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
    contrasts, prior = design.contrasts(block), design.of_block(block, "prior")
    if len(targets) == len(distractors) == 1:
        separation = 1.0 - math.cos(math.radians(2 * (distractors[0] - targets[0])))
        whole = set_size == len(contrasts)
        seen = contrasts if whole else (float(np.mean(contrasts)),) * set_size
        return SearchTask(drift=[mu * contrast * separation / 2 for contrast in seen], prior=prior)
    contrast = float(np.mean(contrasts))
    drifts: dict[Label, float | Sequence[float]] = {
        angle: contrast * mu * max(math.cos(math.radians(2 * (angle - t))) for t in targets)
        for angle in (*targets, *distractors)
    }
    tied = design.of_block(block, "tied")
    make = MixtureSearchTask.tied if tied else MixtureSearchTask.independent
    return make(set_size, targets, distractors, drifts, prior=prior)


def mean_search(task: Task) -> SearchTask:
    """Return a search with the mean separation of target and distractors."""
    walk, displays = task.observations[0], task.displays()
    target = int(np.argmax(displays.target))
    others = [k for row in displays.mixtures for k, p in enumerate(row) if p > 0]
    drift = float(np.mean([walk.separation(target, k) for k in others])) / 2
    return SearchTask(n_locations=task.n_locations, drift=drift, dt=task.dt, prior=task.prior)
