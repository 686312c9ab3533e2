r"""Gaze that moves when it pays: how long to fixate, where to go, and when to stop, together.

Where fixations have no fixed length, where gaze rests is part of the state. With
:math:`s_{ff'}` the seconds of a saccade from f to f' (:math:`s_{ff} = 0`) and
:math:`c(Z) = C_0 + C_1 (w - 1)` what a second costs after the change of measure of `bellman`,

.. math:: V_f(Z) = \min\Bigl\{ c_{fa},\; c_{miss}(w-1),\;
          \min_{f'} \bigl[ s_{ff'}\, c(Z) + \delta t\, c(Z) + E_0^{f'}[V_{f'}(Z')] \bigr] \Bigr\} .

A step of information follows every move; where a saccade costs no more than two in its place,
that is no restriction. So the state of `OneLook`, :math:`E_0^{f}[V_f(Z')]` for every gaze, serves:
a step back charges each gaze with the way to it, takes the best or stops, and steps under the gaze
it stands for. The boundaries differ from gaze to gaze, and so do their corrections.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from popout.exact.backend import Array
from popout.exact.looking import Looking, OneLook, Step, Stopping
from popout.exact.share_grid import ShareGrid
from popout.exact.share_kinks import Cells


class MovingGaze(OneLook):
    """The best of staying, moving and stopping.

    Parameters
    ----------
    grid : ShareGrid
        Whose lattice are the gazes.
    moves : ndarray of shape (G, G)
        Steps that each move takes.
    price : ndarray of shape (size,)
        What a step costs, after the change of measure.
    start : int
        Where gaze rests when the display comes on.
    held : ndarray of shape (G, size), optional
        Advantages of the gazes by which to choose, whatever they become.
    """

    def __init__(
        self,
        grid: ShareGrid,
        moves: NDArray[np.int64],
        price: NDArray[np.float64],
        start: int,
        held: NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__(grid)
        self._moves, self._price, self._start, self._held = moves, price, start, held

    def _from(self, here: int, values: Array) -> Array:
        """Return values of the gazes with what the way to them costs."""
        return np.asarray(values + self._moves[here][:, None] * self._price)

    def chosen(self, values: Array) -> Array:
        """Return the value of the gaze that is taken from the start."""
        return super().chosen(self._from(self._start, values))

    def held(self, D: Array) -> Looking:
        """Return a look that moves and stops as it does at the advantages D."""
        return MovingGaze(self.grid, self._moves, self._price, self._start, np.array(D))

    def earlier(self, stopping: Stopping) -> Step:
        """Return what makes the expected values of the advantages of all gazes."""
        steps = []
        for here in self._looks:
            if self._held is None:
                steps.append(_FromHere(self.grid, here).earlier(stopping))
                continue
            charged = self._from(here, self._held)
            sides = stopping._replace(waits=charged.min(axis=0) < 0)
            steps.append(_FromHere(self.grid, here, -charged).earlier(sides))

        def step(D: Array) -> Array:
            here = enumerate(steps)
            return np.concatenate([earlier(self._from(f, D)) for f, earlier in here])

        return step


class _FromHere(OneLook):
    """A step under one gaze, of the value of whatever gaze is best after it."""

    def __init__(
        self, grid: ShareGrid, here: int, liking: NDArray[np.float64] | None = None
    ) -> None:
        super().__init__(grid, liking)
        self._here = np.array([here])

    def step(self, V: Array, cells: list[Cells]) -> Array:
        """Return the expected value under the gaze, shape (1, size)."""
        return self.grid.expect(V, cells, self._here)
