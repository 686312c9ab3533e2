r"""What a fit leaves possible: parameters drawn around the estimates.

In the unit cube (`popout.people.models.model`) the estimates have a covariance, from the curvature
of the log likelihood, and every parameter a 95 % interval from :math:`l` to :math:`h`, which is
that of the profile where the curvature would mislead. Both are honoured: with z normal and
correlated like the estimates,

.. math:: x_i = \hat x_i + \begin{cases} z_i\,(\hat x_i - l_i)/1.96, & z_i < 0 \\
   z_i\,(h_i - \hat x_i)/1.96, & z_i > 0 \end{cases}

cut at the bounds; where an interval ends at a bound, its side is at least as wide as the curvature
says. A parameter that any value fits is drawn evenly from its whole range, and so are predictions
that depend on it as wide as they have to be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from popout.noise.seeds import Purpose, fresh_seed
from popout.people.fitting.fitted_model import FittedModel
from popout.people.models.model import position_of, values_at

Array = NDArray[np.float64]
NORMAL = 1.96


def draw_parameters(fitted: FittedModel, n_draws: int, seed: int = 1) -> list[dict[str, float]]:
    """Return parameters that are as likely as the fit says.

    Parameters
    ----------
    fitted : FittedModel
    n_draws : int
    seed : int

    Examples
    --------
    >>> import popout as po
    >>> from popout.people.models.ex_gaussian import ExGaussianCells
    >>> trials = po.read_trials("examples/people/two_observers.csv")["ag"]
    >>> fitted = ExGaussianCells((3, 6, 12, 18)).fit(trials)
    >>> drawn = [each["mu_18_absent"] for each in draw_parameters(fitted, 2000)]
    >>> interval = fitted.errors["mu_18_absent"]
    >>> bool(0.94 < np.mean([interval.low < mu < interval.high for mu in drawn]) < 0.96)
    True
    """
    parameters = fitted.model.parameters
    x = position_of(parameters, fitted.estimates)
    bounds = [fitted.errors[each.name] for each in parameters]
    pairs = zip(parameters, bounds, strict=True)
    ends = np.array([[p.to_unit(e.low), p.to_unit(e.high)] for p, e in pairs])
    covariance = np.zeros((len(x), len(x))) if fitted.covariance is None else fitted.covariance
    sd = np.sqrt(np.diag(covariance))
    scale = np.where(sd > 0.0, sd, 1.0)
    correlation = covariance / np.outer(scale, scale)
    np.fill_diagonal(correlation, 1.0)
    random = np.random.default_rng(fresh_seed(seed, Purpose.PREDICTION))
    z = random.multivariate_normal(np.zeros(len(x)), correlation, size=n_draws, method="eigh")
    sides = np.abs(ends - x[:, None]) / NORMAL
    at_bound = (ends <= 0.0) | (ends >= 1.0)
    sides = np.where(at_bound & (sides > 0.0), np.maximum(sides, sd[:, None]), sides)
    drawn = np.clip(x + z * np.where(z < 0.0, sides[:, 0], sides[:, 1]), 0.0, 1.0)
    unknown = np.array([not each.determined for each in bounds])
    flat = unknown & (ends[:, 0] <= 0.0) & (ends[:, 1] >= 1.0)
    drawn[:, flat] = ndtr(z[:, flat])
    return [values_at(parameters, place) for place in drawn]
