"""Two thresholds in continuous time, by Wald's martingales: there is no overshoot."""

import numpy as np


def wald(low, high, x, drift, costs):
    """Return the risk, times one plus the odds exp(x), of stopping at two log odds."""
    p, q, start = np.exp([low, high, x])
    up_absent, down_present = (start - p) / (q - p), (1 / start - 1 / q) / (1 / p - 1 / q)
    absent = x - up_absent * high - (1 - up_absent) * low
    present = down_present * low + (1 - down_present) * high - x
    return (
        costs.false_alarm * up_absent
        + costs.time_absent * absent / (2 * drift**2)
        + start * (costs.miss * down_present + costs.time_present * present / (2 * drift**2))
    )
