"""The design of an experiment, and synthetic observers who sit down to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from popout.noise.seeds import Purpose, fresh_seed
from popout.people.model import Model
from popout.people.tables import Tables
from popout.simulation.responses import Responses
from popout.task import Faults


@dataclass(frozen=True)
class Design:
    """Set sizes and trials of an experiment, half of them with a target.

    Parameters
    ----------
    set_sizes : tuple of int
    trials_per_cell : int
        For each set size, absent and present.

    Examples
    --------
    >>> Design((3, 6, 12, 18), 500).n_trials
    4000
    """

    set_sizes: tuple[int, ...]
    trials_per_cell: int

    def __post_init__(self) -> None:
        """Check the numbers."""
        faults = Faults("Design")
        if not self.set_sizes:
            faults.add("set_sizes", "one set size at least", self.set_sizes, "count items")
        for M in self.set_sizes:
            faults.integer("set_sizes", M, "count items", at_least=1)
        faults.integer("trials_per_cell", self.trials_per_cell, "some 100 or more", at_least=1)
        faults.raise_if_any()

    @classmethod
    def of(cls, trials_by_size: Mapping[int, int]) -> Design:
        """Return the design nearest to what some data hold."""
        sizes = tuple(sorted(trials_by_size))
        return cls(sizes, max(1, round(sum(trials_by_size.values()) / (2 * len(sizes)))))

    @property
    def n_trials(self) -> int:
        """Number of trials of an observer."""
        return 2 * len(self.set_sizes) * self.trials_per_cell

    @property
    def cells(self) -> list[tuple[int, bool, int]]:
        """Set size, presence and number of trials of each cell."""
        return [(M, p, self.trials_per_cell) for M in self.set_sizes for p in (False, True)]


def synthetic_observer(
    model: Model, values: Mapping[str, float], design: Design, tables: Tables | None, seed: int = 1
) -> Responses:
    """Return the trials of an observer drawn from a model."""
    prediction = model.predict(values, design.set_sizes, tables)
    return prediction.draw(design.cells, fresh_seed(seed, Purpose.SYNTHETIC_OBSERVER))
