"""A plain, slow simulation of stopping rules, from the paper's equations; shares no code with src.

In the time u of a place of visibility 1, Z moves by -+2 v^2 du + 2 v dW. A path that is looked at
every du is tested as if it went on by .583 standard deviations between looks (Siegmund, 1985).
"""

import numpy as np
from scipy.optimize import brentq, minimize_scalar

SIEGMUND = 0.5826


def local_threshold(tau, v):
    """The threshold with the least risk at a place, at the cost for which tau is best at v = 1."""

    def risk(b, cost, rate):
        error = 1.0 / (1.0 + np.exp(b))
        return error + cost * b * np.tanh(b / 2.0) / (2.0 * rate)

    def best(cost, rate):
        found = minimize_scalar(lambda b: risk(b, cost, rate), (1e-6, tau), method="brent")
        return found.x

    cost = np.exp(brentq(lambda log: best(np.exp(log), 1.0) - tau, -15.0, 3.0))
    return best(cost, v**2)


def answers(visibilities, tests, target, n, random, du=0.004, longest=400.0):
    """Simulate; return whether "present" was said, and the time u, for each trial.

    `tests` are (tau, scale, factors) of "absent" (a positive tau) and of "present".
    """
    v = np.asarray(visibilities)
    drift = np.where(np.arange(len(v)) == target, 2.0, -2.0) * v**2
    beyond = SIEGMUND * 2.0 * v * np.sqrt(du)
    Z, said, time = np.zeros((n, len(v))), np.full(n, -1), np.zeros(n)
    going = np.arange(n)
    for step in range(1, int(longest / du)):
        noise = random.normal(size=(len(going), len(v)))
        Z[going] += drift * du + 2.0 * v * np.sqrt(du) * noise
        y = Z[going] - np.log(len(v))
        low = statistic(y - beyond, *tests[0][1:])
        high = statistic(y + beyond, *tests[1][1:])
        up, down = high >= tests[1][0], low <= -tests[0][0]
        said[going[down]], said[going[up]] = 0, 1
        time[going] = step * du
        going = going[~(up | down)]
        if not going.size:
            break
    assert not going.size
    return said, time


def statistic(y, scale, factors):
    y = factors * y
    if np.isinf(scale):
        return y.max(axis=1)
    return np.log(np.exp(scale * y).sum(axis=1)) / scale
