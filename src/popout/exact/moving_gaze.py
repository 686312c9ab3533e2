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
    tolls : ndarray of shape (G, G, size)
        What moving costs, after the change of measure.
    start : int
        Where gaze rests when the display comes on.
    held : ndarray of shape (G, size), optional
        Advantages of the gazes by which to choose, whatever they become.
    """

    def __init__(
        self,
        grid: ShareGrid,
        tolls: NDArray[np.float64],
        start: int,
        held: NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__(grid)
        self._tolls, self._start, self._held = tolls, start, held

    def chosen(self, values: Array) -> Array:
        """Return the value of the gaze that is taken from the start."""
        return super().chosen(values + self._tolls[self._start])

    def held(self, D: Array) -> Looking:
        """Return a look that moves and stops as it does at the advantages D."""
        return MovingGaze(self.grid, self._tolls, self._start, np.array(D))

    def earlier(self, stopping: Stopping) -> Step:
        """Return what makes the expected values of the advantages of all gazes."""
        steps = []
        for here, toll in enumerate(self._tolls):
            if self._held is None:
                steps.append(_FromHere(self.grid, here).earlier(stopping))
                continue
            charged = self._held + toll
            sides = stopping._replace(waits=charged.min(axis=0) < 0)
            steps.append(_FromHere(self.grid, here, -charged).earlier(sides))

        def step(D: Array) -> Array:
            pairs = zip(steps, self._tolls, strict=True)
            return np.concatenate([earlier(D + toll) for earlier, toll in pairs])

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
