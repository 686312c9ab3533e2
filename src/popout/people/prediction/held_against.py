r"""Predictions held against what the observer did: log scores, and the share of the ideal shift.

**Log score.** The mean log density of an observer's trials in 1/s, in nats per trial, under

- *predicted*: the fitted observer with the thresholds that are ideal in the new experiment;
- *kept*: the same with the thresholds of the old one (`popout.people.models.partly_ideal`);
- *refitted*: the same model with every parameter fitted to the new trials;
- *yardstick*: one ex-Gaussian per cell, fitted to the new trials, in each situation apart.

The first two have seen none of the trials. So that the others gain nothing from trials that they
were fitted to, they are **cross-validated**: each part of the trials (every situation cut in its
order into as many) is scored with parameters fitted to all others. More is better.

**Share.** Thresholds are :math:`\log\tau_s = (1 - s)\log\tau + s\log\tau'`, all else as
predicted; :math:`\hat s` makes the new trials most likely. Its 95 % interval is that of draws: for
each set of parameters that the old fit leaves possible, its own :math:`\hat s` and the normal error
that the curvature there implies. Where nothing else is at stake there is no shift to realise.

**Group.** Over n observers with :math:`\hat s_i \pm \sigma_i`, weights
:math:`w_i = 1/(\sigma_i^2 + \tau^2)` with the spread :math:`\tau` between people by DerSimonian and
Laird (1986), and the error of Hartung and Knapp (2001), who allow for :math:`\tau` being estimated:

.. math:: \bar s = \frac{\sum w_i \hat s_i}{\sum w_i}, \qquad \mathrm{se}^2 =
   \frac{\sum w_i (\hat s_i - \bar s)^2}{(n - 1) \sum w_i} .
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.stats import t as student

from popout.people.fitting.conditions import in_folds
from popout.people.fitting.fitted_model import FittedModel
from popout.people.fitting.model_comparison import cross_validate
from popout.people.models.ex_gaussian import ExGaussianCells
from popout.people.models.model import TrialLikelihood
from popout.people.models.partly_ideal import SHARE, PartlyIdeal
from popout.people.models.search_models import SearchModel
from popout.people.models.situation import situations_of
from popout.progress import Progress, stretch
from popout.simulation.responses import Responses

Array = NDArray[np.float64]
SCORES = ("predicted", "refitted", "kept", "yardstick")
FEWEST_DRAWS = 20
FLAT = 0.5
"""Log units by which trials have to prefer some shares to others."""
STEP = 0.02  # of the share, for its curvature


def log_scores(
    fitted: FittedModel,
    model: SearchModel,
    trials: Responses,
    folds: int,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the log score per trial of each of `SCORES`, and what predicted gains on kept.

    Parameters
    ----------
    fitted : FittedModel
        With tables of the set sizes.
    model : SearchModel
        That of the fit, with the window of the new trials.
    trials : Responses
    folds : int
    progress : Progress, optional
    """
    n = len(trials)
    likelihood = PartlyIdeal.of(model, fitted.situations).likelihood(trials, fitted.tables)
    each = [likelihood.log_densities({**fitted.estimates, "share": s}) for s in (1.0, 0.0)]
    predicted, kept = each
    _, number = situations_of(trials)
    named = replace(trials, columns={**trials.columns, "situation": number.astype(str)})
    folded = in_folds(named, ("situation",), folds)
    start = _refitted(replace(fitted, model=model), folded)
    refitted = cross_validate(start, folded, folds, stretch(progress, 0.2, 0.8))
    yardstick = yardstick_score(folded, (model.longest, model.fastest), folds)
    totals = (float(predicted.sum()), refitted, float(kept.sum()), yardstick)
    gain = predicted - kept
    scores: dict[str, Any] = {k: v / n for k, v in zip(SCORES, totals, strict=True)}
    scores["over_kept"] = float(gain.mean())
    scores["over_kept_se"] = float(gain.std(ddof=1) / np.sqrt(n))
    return scores


def yardstick_score(trials: Responses, window: tuple[float, float], folds: int) -> float:
    """Return the log density of trials under one ex-Gaussian per cell, in each situation apart.

    Parameters
    ----------
    trials : Responses
        With parts of the cross-validation as blocks.
    window : tuple of float
        Longest and fastest response time that is kept, in s.
    folds : int
    """
    total, (_, number) = 0.0, situations_of(trials)
    for k in np.unique(number):
        own = trials.where(number == k)
        cells = ExGaussianCells.for_trials(own, *window)
        total += cross_validate(cells.fit(own), own, folds)
    return total


def _refitted(fitted: FittedModel, trials: Responses) -> FittedModel:
    """Return the best parameters for new trials, from those of the fit and from the best start."""
    likelihood = fitted.model.likelihood(trials, fitted.tables)
    quick = {"residual_mean": float(np.quantile(trials.rt, 0.05))}
    starts = [{**fitted.estimates, **start, **quick} for start in fitted.model.starts]
    others = [max(starts, key=likelihood.total)] if starts else []
    ends = [
        fitted.model.refit(trials, replace(fitted, estimates=start))
        for start in (fitted.estimates, *others)
    ]
    return replace(fitted, estimates=max(ends, key=likelihood.total))


@dataclass(frozen=True)
class RealisedShare:
    """The share of the ideal shift of thresholds that an observer realises.

    Attributes
    ----------
    value : float
        0: thresholds kept, 1: as predicted.
    se : float
        Standard deviation of the draws behind the interval.
    low, high : float
        95 % interval.
    determined : bool
    why : str
        If it is not.
    """

    value: float
    se: float
    low: float
    high: float
    determined: bool = True
    why: str = ""


def realised_share(
    fitted: FittedModel,
    model: SearchModel,
    trials: Responses,
    draws: Sequence[Mapping[str, float]],
    seed: int = 1,
) -> RealisedShare:
    """Return the share of the ideal shift that makes trials most likely; see the module."""
    likelihood = PartlyIdeal.of(model, fitted.situations).likelihood(trials, fitted.tables)
    value, _, rise = _best_share(likelihood, fitted.estimates)
    if rise < FLAT:
        why = "thresholds that are kept and ideal ones fit these trials equally well"
        return RealisedShare(value, np.nan, SHARE.low, SHARE.high, False, why)
    pairs = np.array([_best_share(likelihood, values)[:2] for values in draws])
    random = np.random.default_rng([seed, len(draws)])
    sample = pairs[:, :1] + pairs[:, 1:] * random.standard_normal((len(draws), 200))
    low, high = (float(end) for end in np.quantile(sample, (0.025, 0.975)))
    wide = low <= SHARE.low or high >= SHARE.high
    why = f"from {max(low, SHARE.low):.2g} to {min(high, SHARE.high):.2g} all fit" if wide else ""
    low, high = max(low, SHARE.low), min(high, SHARE.high)
    return RealisedShare(value, float(sample.std()), low, high, not wide, why)


def _best_share(
    likelihood: TrialLikelihood, values: Mapping[str, float]
) -> tuple[float, float, float]:
    """Return the best share, its error by the curvature, and how much others are worse."""

    def cost(share: float) -> float:
        return -likelihood.total({**values, "share": float(share)})

    grid = np.linspace(SHARE.low, SHARE.high, 13)
    costs = np.array([cost(share) for share in grid])
    k = int(np.argmin(costs))
    around = (grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)])
    best = minimize_scalar(cost, bounds=around, method="bounded", options={"xatol": 1e-3})
    middle = float(np.clip(best.x, SHARE.low + STEP, SHARE.high - STEP))
    sides = [cost(middle - STEP), cost(middle), cost(middle + STEP)]
    bend = (sides[0] - 2.0 * sides[1] + sides[2]) / STEP**2
    se = 1.0 / np.sqrt(max(bend, 1.0 / (SHARE.high - SHARE.low) ** 2))
    return float(best.x), float(se), float(costs.max() - best.fun)


def mean_share(values: Sequence[float], errors: Sequence[float]) -> dict[str, float]:
    """Return the mean over people with its 95 % interval, and the spread between them.

    Examples
    --------
    >>> mean = mean_share([0.5, 0.9, 1.3], [0.1, 0.1, 0.1])
    >>> round(mean["value"], 2), round(mean["sd"], 2), mean["n"]
    (0.9, 0.39, 3)
    """
    s, variance, n = np.asarray(values, float), np.square(errors), len(values)
    weights = 1.0 / variance
    fixed = (weights @ s) / weights.sum()
    scatter = weights @ (s - fixed) ** 2 - (n - 1)
    between = max(scatter / (weights.sum() - (weights @ weights) / weights.sum()), 0.0)
    weights = 1.0 / (variance + between)
    mean = float(weights @ s / weights.sum())
    se = float(np.sqrt(weights @ (s - mean) ** 2 / ((n - 1) * weights.sum())))
    reach = float(student.ppf(0.975, n - 1)) * se
    ends = {"low": mean - reach, "high": mean + reach}
    return {"value": mean, "se": se, **ends, "sd": float(np.sqrt(between)), "n": n}
