"""The paper's recursion (Equation 7), written down as printed; shares no code with `src`.

The unknown is the risk R(Z) itself, not R times a density. The next state follows the mixture of
M + 1 Gaussians of the Methods ("Dynamic programming"): target absent, or target at one of the M
locations, each weighted by its posterior. Expectations are sums over the nodes of a fixed grid, and
backward induction runs from "answer now" until the risk no longer changes. With spacing h the kinks
of R leave an error of order h**2, so the change from h to h/2 is about three times the error left.
"""

import itertools

import numpy as np
from scipy.ndimage import map_coordinates, spline_filter


def gaussian_rows(nodes, mean, sd):
    """P(next node | node): a Gaussian step sampled on the nodes, rows summing to one."""
    step = nodes[None, :] - nodes[:, None] - mean
    rows = np.exp(-0.5 * (step / sd) ** 2)
    return rows / rows.sum(axis=1, keepdims=True)


def paper_risk(
    drifts,
    *,
    time_absent,
    time_present,
    spacing,
    miss=1.0,
    false_alarm=1.0,
    prior=0.5,
    location_prior=None,
    dt=0.01,
    low=-14.0,
    high=12.0,
    change=1e-11,
):
    """Return nodes, R(Z), the risk before any evidence, and waiting minus answering."""
    M = len(drifts)
    pi = np.full(M, 1.0 / M) if location_prior is None else np.asarray(location_prior)
    nodes = np.arange(round(low / spacing), round(high / spacing) + 1) * spacing
    Z = np.meshgrid(*(nodes,) * M, indexing="ij")
    # Posterior of l_T = 0 (absent), 1, ..., M; Equation 14 with unequal priors.
    joint = [np.full(Z[0].shape, 1.0 - prior)] + [prior * pi[k] * np.exp(Z[k]) for k in range(M)]
    posterior = [p / sum(joint) for p in joint]
    present = 1.0 - posterior[0]
    answer = np.minimum(miss * present, false_alarm * posterior[0])
    price = dt * (time_absent * posterior[0] + time_present * present)

    # mu_1 = drift at the target, mu_0 = -drift at a distractor.
    steps = []
    for mu in drifts:
        spread = np.sqrt((mu - -mu) ** 2 * dt)
        distractor = gaussian_rows(nodes, -mu * (mu - -mu) * dt, spread)
        target = gaussian_rows(nodes, mu * (mu - -mu) * dt, spread)
        steps.append((distractor, target))

    def after(R, target_location):
        for axis, (distractor, target) in enumerate(steps):
            rows = target if target_location == axis + 1 else distractor
            R = np.moveaxis(np.tensordot(rows, R, axes=(1, axis)), 0, axis)
        return R

    R = answer
    for _ in itertools.count():
        waiting = price + sum(posterior[k] * after(R, k) for k in range(M + 1))
        new = np.minimum(answer, waiting)
        moved = np.abs(new - R).max()
        R = new
        if moved < change:
            break
    origin = (int(np.flatnonzero(nodes == 0.0)[0]),) * M
    return nodes, R, float(R[origin]), waiting - answer


class Oracle:
    """The optimal policy of a search with equal priors of location; good to 1e-4 of the risk."""

    def __init__(self, drifts, time_cost, *, prior=0.5, **grid):
        self.odds = prior / (1 - prior)
        self.nodes, _, self.risk, gap = paper_risk(
            drifts, time_absent=time_cost, time_present=time_cost, prior=prior, change=1e-9, **grid
        )
        Z = np.stack(np.meshgrid(*(self.nodes,) * len(drifts), indexing="ij"), axis=-1)
        answers = self.answers(Z)
        self.Q = np.stack([answers.min(axis=-1) + gap, *np.moveaxis(answers, -1, 0)], axis=-1)
        # Smooth everywhere, so a cubic spline is accurate; the answers need no table.
        self._spline = spline_filter(np.log(self.Q[..., 0]))

    def answers(self, Z):
        """Risks of "absent" and of "present"."""
        odds = self.odds * np.exp(Z).mean(axis=-1)
        return np.stack([odds / (1 + odds), 1 / (1 + odds)], axis=-1)

    def _places(self, Z):
        places = (Z - self.nodes[0]) / (self.nodes[1] - self.nodes[0])
        return np.moveaxis(np.clip(places, 0, len(self.nodes) - 1), -1, 0)

    def advantage(self, Z):
        """Q*(Z, D) - V*(Z) of shape (n, 3)."""
        places = self._places(Z)
        wait = np.exp(map_coordinates(self._spline, places, prefilter=False, mode="nearest"))
        inside = np.clip(Z, self.nodes[0], self.nodes[-1])
        Q = np.concatenate([wait[:, None], self.answers(inside)], axis=-1)
        return Q - Q.min(axis=-1, keepdims=True)

    def decide(self, Z, t):
        """Nearest-node policy."""
        index = np.rint(self._places(np.asarray(Z))).astype(int)
        return self.Q[tuple(index)].argmin(axis=-1).astype(np.int8)

    def thresholds(self):
        """Thresholds of one location, between the nodes where the best action changes."""
        gap = self.Q[:, 1:].min(axis=-1) - self.Q[:, 0]
        inside = np.flatnonzero(gap > 0)
        ends = []
        for a, b in ((inside[0] - 1, inside[0]), (inside[-1], inside[-1] + 1)):
            share = gap[a] / (gap[a] - gap[b])
            ends.append(float(self.nodes[a] + share * (self.nodes[b] - self.nodes[a])))
        return tuple(ends)


def share_kernel(z, mean, sd):
    """Return the law of a step from each node, or the identity for no step."""
    return np.eye(len(z)) if sd == 0.0 else gaussian_rows(z, mean, sd)


def best_shares_risk(information, cost, shares, *, dt=0.01, visibility=(1.0, 1.0), spacing=0.25,
                low=-13.0, high=12.0, prior=(0.5, 0.25, 0.25)):  # fmt: skip
    """Return the risk at Z = 0 when the shares of location 1 may be any of a list.

    The paper's recursion for two locations, by brute force: the mixture of three Gaussians (no
    target, at 1, at 2) with its posterior weights. Kernels are sampled on the nodes and normalised,
    so every share must be zero or wider than a node.
    """
    below, above = round(-low / spacing), round(high / spacing)
    z = spacing * np.arange(-below, above + 1)
    e1, e2 = prior[1] * np.exp(z)[:, None], prior[2] * np.exp(z)[None, :]
    total = prior[0] + e1 + e2
    absent, at_1, at_2 = prior[0] / total, e1 / total, e2 / total
    stop = np.minimum(absent, at_1 + at_2)
    kernels = []
    for share in shares:
        laws = []
        for part, seen in ((share, visibility[0]), (1.0 - share, visibility[1])):
            mean, sd = (
                2 * part * information * seen * dt,
                2 * np.sqrt(part * information * seen * dt),
            )
            laws.append((share_kernel(z, -mean, sd), share_kernel(z, mean, sd)))
        kernels.append(laws)
    R = stop
    for _ in range(5000):
        best = np.full_like(R, np.inf)
        for (d1, t1), (d2, t2) in kernels:
            # rows move by the law of location 1, columns by that of location 2
            expected = absent * (d1 @ R @ d2.T) + at_1 * (t1 @ R @ d2.T) + at_2 * (d1 @ R @ t2.T)
            best = np.minimum(best, expected)
        after = np.minimum(stop, cost * dt + best)
        change = np.abs(after - R).max()
        R = after
        if change < 1e-9:
            break
    return R[below, below]
