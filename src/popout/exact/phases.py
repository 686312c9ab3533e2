"""The optimum at every look between two reshuffles, made again from its value right after one."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from popout.exact.backend import Array
from popout.exact.crossings import crossings
from popout.exact.looking import FreeShares
from popout.exact.reshuffled import ReshuffledBellman
from popout.exact.value_grid import ValueGrid
from popout.policies.looking import AttentionTable
from popout.policies.looking.periodic_table import PeriodicAttention
from popout.policies.stopping.exact_table import ExactTable
from popout.policies.stopping.periodic_table import PeriodicTable

TABLE_ENTRIES = 1 << 17  # of each look's table; there are many looks


class Phases:
    """What the optimum does with 0, 1, ... steps since the last reshuffle.

    Parameters
    ----------
    values : ValueGrid
        Right after a reshuffle.
    """

    def __init__(self, values: ValueGrid) -> None:
        assert isinstance(values.bellman, ReshuffledBellman)
        self._values, self._bellman = values, values.bellman
        self.steps = values.bellman.steps

    @cached_property
    def _round(self) -> tuple[dict[int, Array], dict[int, NDArray[np.float64]]]:
        """Values of waiting, and shares, by phase; those that are missing are as at phase 0."""
        bellman, looking = self._bellman, self._bellman.looking
        waiting: dict[int, Array] = {0: self._values.waiting}
        shares: dict[int, NDArray[np.float64]] = {}
        phase = self.steps
        for D, _ in bellman.round(self._values.after):
            waiting.setdefault(phase, looking.chosen(D) + bellman.stop)
            phase -= 1
            if isinstance(looking, FreeShares):
                shares[phase] = looking.shares()
        if shares:
            shares.setdefault(0, shares[phase])
        return waiting, shares

    def values(self, phase: int) -> ValueGrid:
        """Return the value function so many steps after a reshuffle."""
        waiting = self._round[0]
        given = waiting.get(phase, waiting[0])
        return ValueGrid(self._values.discretisation, self._bellman, waiting=given)

    @property
    def strategy(self) -> PeriodicTable:
        """When to stop and what to say; tables are unfolded when first used."""

        @lru_cache(maxsize=256)
        def table_at(phase: int) -> ExactTable:
            return self.values(phase).table(TABLE_ENTRIES)

        return PeriodicTable(table_at, self.steps, self._values.task.dt)

    @property
    def attention(self) -> PeriodicAttention:
        """Where to look, of a task whose information is shared out."""

        @lru_cache(maxsize=256)
        def table_at(phase: int) -> AttentionTable:
            shares = self._round[1]
            return self._values.attention_of(shares.get(phase, shares[0]))

        return PeriodicAttention(table_at, self.steps, self._values.task.dt)

    @cached_property
    def thresholds(self) -> tuple[float, float]:
        """Between which log posterior odds of presence one waits right after a reshuffle.

        Both are where the answers cost the same if nobody should wait then.
        """
        values, diagonal, costs = self._values, self._bellman.diagonal, self._values.costs
        to_numpy = values.grid.backend.to_numpy
        gain = to_numpy(diagonal.along(values.waiting / values.stopping))
        ends = crossings(values.grid.groups[0].axis.nodes, np.log(np.maximum(gain, 1e-30)))
        shift = values.task.log_prior_odds
        if ends.size < 2:
            even = math.log(costs.false_alarm / costs.miss)
            return even, even
        return float(ends[0]) + shift, float(ends[-1]) + shift
