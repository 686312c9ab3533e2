"""A plain dynamic programme for one or two locations; shares no code with `src`.

Written from the paper's recursion with the change of measure V = w R, w = 1 + odds mean exp(Z): the
evidence then follows the target-absent law, independent at every location. Fixed grid, trapezoid
kernel, value iteration. Good to about 1e-4 of the risk, which is what the tests need.
"""

import numpy as np
from scipy.ndimage import map_coordinates, spline_filter

WAIT, ABSENT, PRESENT = 0, 1, 2


class Oracle:
    """The optimal policy of a search task with equal priors of location."""

    def __init__(self, drifts, time_cost, dt=0.01, prior=0.5, spacing=0.1, low=-16.0, high=12.0):
        self.drifts, self.M = drifts, len(drifts)
        self.nodes = np.arange(round(low / spacing), round(high / spacing) + 1) * spacing
        kernels = []
        for mu in drifts:
            step = self.nodes[None, :] - self.nodes[:, None] + 2 * mu**2 * dt
            kernel = np.exp(-0.5 * (step / (2 * mu * np.sqrt(dt))) ** 2)
            kernels.append(kernel / kernel.sum(axis=1, keepdims=True))
        odds = prior / (1 - prior)
        grids = np.meshgrid(*(self.nodes,) * self.M, indexing="ij")
        ratio = odds * np.mean([np.exp(g) for g in grids], axis=0)
        self.w = 1 + ratio
        V = np.minimum(1.0, ratio)

        def wait(V):
            for axis, kernel in enumerate(kernels):
                V = np.moveaxis(np.tensordot(kernel, V, axes=(1, axis)), 0, axis)
            return V + time_cost * dt * self.w

        for _ in range(5000):
            new = np.minimum(np.minimum(1.0, ratio), wait(V))
            if np.abs(new - V).max() < 1e-10:
                break
            V = new
        self.V = V
        self.Q = np.stack([wait(V), ratio, np.ones_like(V)], axis=-1)
        self.risk = (1 - prior) * V[(np.argmin(np.abs(self.nodes)),) * self.M]
        self._odds = odds
        # Smooth everywhere, so a cubic spline is accurate; the answers need no table.
        self._spline = spline_filter(np.log(self.Q[..., WAIT] / self.w))

    def advantage(self, Z):
        """Q*(Z, D) - V*(Z) of shape (n, 3)."""
        Z = np.clip(Z, self.nodes[0], self.nodes[-1])
        where = ((Z - self.nodes[0]) / (self.nodes[1] - self.nodes[0])).T
        ratio = self._odds * np.exp(Z).mean(axis=-1)
        wait = np.exp(map_coordinates(self._spline, where, prefilter=False, mode="nearest"))
        Q = np.stack([wait, ratio / (1 + ratio), 1 / (1 + ratio)], axis=-1)
        return Q - Q.min(axis=-1, keepdims=True)

    def decide(self, Z, t):
        """Nearest-node policy."""
        index = tuple(
            np.clip(
                np.rint((z - self.nodes[0]) / (self.nodes[1] - self.nodes[0])),
                0,
                len(self.nodes) - 1,
            ).astype(int)
            for z in np.moveaxis(np.asarray(Z), -1, 0)
        )
        return self.Q[index].argmin(axis=-1).astype(np.int8)

    def thresholds(self):
        """Thresholds of one location, between the nodes where the best action changes."""
        gap = np.minimum(self.Q[:, ABSENT], self.Q[:, PRESENT]) - self.Q[:, WAIT]
        inside = np.flatnonzero(gap > 0)
        ends = []
        for a, b in ((inside[0] - 1, inside[0]), (inside[-1], inside[-1] + 1)):
            share = gap[a] / (gap[a] - gap[b])
            ends.append(float(self.nodes[a] + share * (self.nodes[b] - self.nodes[a])))
        return tuple(ends)
