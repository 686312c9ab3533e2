"""Where to look and when to stop for two locations, by brute force; shares no code with `popout`.

The paper's recursion itself: the risk R on a grid, the mixture of three Gaussians (no target, at 1,
at 2) with its posterior weights, a list of shares, backward induction until nothing moves. Kernels
are sampled on the nodes and normalised, so every share must be zero or wider than a node.
"""

import numpy as np


def kernel(z, mean, sd):
    """Return the law of a step from each node, or the identity for no step."""
    if sd == 0.0:
        return np.eye(len(z))
    K = np.exp(-0.5 * ((z[None, :] - z[:, None] - mean) / sd) ** 2)
    return K / K.sum(axis=1, keepdims=True)


def brute_force(information, cost, shares, *, dt=0.01, visibility=(1.0, 1.0), spacing=0.25,
                low=-13.0, high=12.0, prior=(0.5, 0.25, 0.25)):  # fmt: skip
    """Return the risk at Z = 0 when the shares of location 1 may be any of a list."""
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
            laws.append((kernel(z, -mean, sd), kernel(z, mean, sd)))
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
