"""Plain value iteration for gaze, on full grids; it shares no code with popout.

V is multilinear between nodes, and its expectation over a fixation is integrated exactly: a hat
function against a Gaussian, in closed form. The error is of second order in the spacing, which
extrapolation from two spacings removes up to where kinks lie between nodes.
"""

import numpy as np
from scipy.stats import norm


def step_of(z, mean, sd):
    """Return E[f(z_i + mean + sd eps)] as weights on nodes, for f linear between them.

    Below the lowest node f is constant, above the highest one too.
    """
    if sd == 0:
        return np.eye(len(z))
    h = z[1] - z[0]

    def ramp(x):
        """Return E[max(0, y - x)] for y normal around every node."""
        d = (z[:, None] + mean - x) / sd
        return sd * (d * norm.cdf(d) + norm.pdf(d))

    edges = ramp(z[None, :])
    weights = np.empty((len(z), len(z)))
    weights[:, 1:-1] = (edges[:, 2:] - 2 * edges[:, 1:-1] + edges[:, :-2]) / h
    weights[:, 0] = 1 + (edges[:, 1] - edges[:, 0]) / h
    weights[:, -1] = (edges[:, -2] - edges[:, -1]) / h
    return weights


class SlowGaze:
    """A task on a grid, as plain arrays.

    Parameters
    ----------
    visibility : array_like of shape (G, M)
    information, fixation, saccade : float
    time : pair of float
        Cost of a second, absent and present.
    """

    def __init__(
        self, visibility, information, fixation, saccade, time, *,
        prior=0.5, where=None, miss=1.0, false_alarm=1.0, spacing=0.4, low=-11.0, high=6.0,
        place=False,
    ):  # fmt: skip
        self.v = np.asarray(visibility, dtype=float)
        M = self.v.shape[1]
        pi = np.full(M, 1 / M) if where is None else np.asarray(where)
        z = spacing * np.arange(round(low / spacing), round(high / spacing) + 1)
        d = information * fixation * self.v
        self.steps = [[step_of(z, -2 * x, 2 * x**0.5) for x in row] for row in d]
        states = np.meshgrid(*[z] * M, indexing="ij")
        self.post = np.stack([p * np.exp(each) for p, each in zip(pi, states, strict=True)])
        odds = prior / (1 - prior) * self.post.sum(0)
        self.stop = np.minimum(false_alarm, miss * odds)
        if place:  # "present" names the most likely item, and is a miss where that is wrong
            wrong = odds - prior / (1 - prior) * self.post.max(0)
            self.stop = np.minimum(false_alarm + miss * wrong, miss * odds)
        self.price = (fixation + saccade) * (time[0] + time[1] * odds)
        self.origin, self.prior = (int(np.argmin(abs(z))),) * M, prior
        self.second = time[0] + time[1] * odds

    def expect(self, f, V):
        for axis, matrix in enumerate(self.steps[f]):
            V = np.moveaxis(np.tensordot(matrix, V, axes=(1, axis)), 0, axis)
        return V

    def choice(self, policy):
        """Return the gaze of a policy at every node."""
        if isinstance(policy, int):
            return np.full(self.stop.shape, policy)
        if policy == "map":
            return np.argmax(self.v, axis=0)[self.post.argmax(0)]
        if policy == "elm":
            return np.tensordot(self.v, self.post, axes=(1, 0)).round(12).argmax(0)
        looks = np.stack([self.expect(f, self.stop) for f in range(len(self.v))])
        return looks.round(12).argmin(0)

    def risk(self, policy=None, tolerance=1e-9):
        """Return the risk of the best gazes, or of those of a policy with its best stopping."""
        chosen = None if policy is None else self.choice(policy)
        V, before = self.stop, np.inf
        for _ in range(5000):
            after = np.stack([self.expect(f, V) for f in range(len(self.v))])
            look = after.min(0) if chosen is None else np.take_along_axis(after, chosen[None], 0)[0]
            V = np.minimum(self.stop, self.price + look)
            if abs(V[self.origin] - before) < tolerance:
                return (1 - self.prior) * V[self.origin]
            before = V[self.origin]
        raise AssertionError("value iteration did not settle")

    def free_risk(self, saccades, start, tolerance=1e-9):
        """Return the risk where a step is a fixation, and gaze moves only if it pays.

        saccades : seconds of each move, shape (G, G).
        """
        gazes = range(len(self.v))
        ways = np.array(saccades)[:, :, None] * self.second.reshape(-1)
        V, before = [self.stop] * len(self.v), np.inf
        for _ in range(5000):
            ahead = np.stack([(self.price + self.expect(f, V[f])).reshape(-1) for f in gazes])
            waits = [(ahead + ways[f]).min(0).reshape(self.stop.shape) for f in gazes]
            V = [np.minimum(self.stop, wait) for wait in waits]
            if abs(V[start][self.origin] - before) < tolerance:
                return (1 - self.prior) * V[start][self.origin]
            before = V[start][self.origin]
        raise AssertionError("value iteration did not settle")


def slow_risk(*task, policy=None, spacings=(0.5, 0.25), free=None, **more):
    """Return the extrapolated risk, and a bound on its error: a third of what extrapolation did."""
    grids = [SlowGaze(*task, spacing=h, **more) for h in spacings]
    coarse, fine = (grid.free_risk(*free) if free else grid.risk(policy) for grid in grids)
    ratio = (spacings[0] / spacings[1]) ** 2
    best = fine + (fine - coarse) / (ratio - 1)
    return best, abs(best - fine) / 3
