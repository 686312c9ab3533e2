"""Standard errors against the spread over seeds."""

import math

import numpy as np
from scipy.stats import chi2

UNLIKELY = 1e-5


def spread_is(values, errors, factor=1.0):
    """Whether estimates from several seeds spread as `factor` times their standard errors say.

    For normal estimates ``(n - 1) spread**2 / error**2`` is chi-square, n - 1 degrees of freedom.
    """
    values, errors = np.asarray(values), factor * np.asarray(errors)
    n = len(values) - 1
    ratio = n * float(values.var(ddof=1)) / float(np.mean(errors**2))
    return bool(chi2.ppf(UNLIKELY, n) < ratio < chi2.isf(UNLIKELY, n))


def assert_honest(values, errors):
    """Check that estimates spread by their standard errors; a factor of 1.41 would fail."""
    spread = np.std(values, ddof=1) / math.sqrt(np.mean(np.square(errors)))
    assert spread_is(values, errors), f"the spread is {spread:.2f} standard errors"
    for factor in (math.sqrt(2.0), math.sqrt(0.5)):  # the negative control
        assert not spread_is(values, errors, factor), "too few seeds to notice"


def scores(summary, exact):
    """Return risk, error rates and mean times in standard errors from an exact evaluation."""
    pairs = [
        (summary.risk, summary.risk_se, exact.risk),
        (summary.absent.error_rate, summary.absent.error_rate_se, exact.false_alarm),
        (summary.present.error_rate, summary.present.error_rate_se, exact.miss),
        (summary.absent.mean_rt, summary.absent.mean_rt_se, exact.rt_absent),
        (summary.present.mean_rt, summary.present.mean_rt_se, exact.rt_present),
    ]
    return np.abs([(value - truth) / se for value, se, truth in pairs])
