r"""Claims about what is not known: its price, and what a state has to hold.

**`uncertainty`.** What it costs not to know what is shown, and whether search with unknown
distractors reduces.

*Price of uncertainty.* A display holds one of several distractor mixtures :math:`\phi`. One
observer knows the set of mixtures, the other is told before each display which one it is. Both
see the same displays and threshold their own log likelihood ratio, with thresholds tuned for the
least risk (SPRT-opt); the told one has thresholds for each mixture. The difference of their risks
is the price of not knowing the kind of distractor, or the set size.

*State.* In homogeneous search the local ratios :math:`Z_l` are all that the future depends on.
With unknown mixtures, or in discrimination between sets of orientations, two histories can lead
to the same ratios and still differ in what comes next. For one location with two targets, and for
two locations with tied distractors, early and late in a trial, observations at two times are
found that give the same ratios; the standard deviation of their next step, from the slope
:math:`\partial Z/\partial x`, is compared. Where the ratios are a sufficient state the two are
equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.optimize import root

from popout.analysis.tune import tune
from popout.evidence import Evidence
from popout.paper.claims.bounds import HIGHLY, NOTHING, Bound
from popout.paper.claims.claim import Check, Claims
from popout.paper.claims.measure import above, below, each, independent, with_se
from popout.paper.preset import PaperPart, Preset
from popout.policies.stopping import SPRTOpt
from popout.progress import Progress
from popout.reports.cells import Variables, over
from popout.simulation import simulate
from popout.task import Costs, MixtureSearchTask, SceneSearchTask, Task

Array = NDArray[np.float64]
Drifts = dict[float | str, float | Sequence[float]]
COSTS = Costs(time=0.5)
ITEM: Drifts = {0: 4.0, 30: -2.0, 60: -6.0}
SCENE: Drifts = {0: 4.0, 30: -4.0, "blank": -12.0}
UNKNOWN = {
    "kind of distractor": MixtureSearchTask.tied(3, [0], [30, 60], ITEM),
    "set size": SceneSearchTask.from_sets(6, [0], [30], [1, 6], SCENE).as_mixture(),
}
TUNED = 25
"""The part of the preset's tuning trials that thresholds are tuned on: with fewer than some
thousand what is lost by poor thresholds exceeds the price."""
SHARE = {"kind of distractor": 40, "set size": 10}
"""The part of the preset's trials that scores: the price of the second is small."""
SIMPLE = MixtureSearchTask.independent(1, [0], [30], {0: 3.0, 30: -3.0})
COMPOSITE = MixtureSearchTask.independent(1, [0, 10], [30], {0: 1.0, 10: 5.0, 30: -3.0})
TIED = MixtureSearchTask.tied(2, [0], [30, 60], {0: 3.0, 30: 0.0, 60: -5.0})
STATES: Mapping[str, tuple[MixtureSearchTask, tuple[float, ...], float]] = {
    "discrimination, one orientation each": (SIMPLE, (0.2,), 0.1),
    "discrimination, two target orientations": (COMPOSITE, (0.2,), 0.1),
    "tied distractors, not inferred yet": (TIED, (0.09, -0.09), 0.1),
    "tied distractors, once inferred": (TIED, (0.23, -0.23), 0.6),
}
"""Tasks, observations, and the time at which they are made, in seconds."""
LATER = 1.2
"""The second time over the first."""


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return risks with and without the knowledge, and how far steps differ at one state."""

    def price(name: str) -> Variables:
        task, n_trials = UNKNOWN[name], preset.score_trials // SHARE[name]
        unknown, *told = (best_risk(case, preset, n_trials, seed) for case in (task, *known(task)))
        weights, (values, errors) = np.array(task.mixture_prior), np.array(told).T
        return {
            "risk_known": weights @ values,
            "risk_unknown": unknown[0],
            "risk_known_se": np.sqrt(np.sum((weights * errors) ** 2)),
            "risk_unknown_se": unknown[1],
        }

    differences = [step_difference(*case) for case in STATES.values()]
    return xr.Dataset(
        {
            **over({"unknown": UNKNOWN}, price, progress),
            "step_difference": (("state",), differences, {"units": "%"}),
        },
        coords={"unknown": list(UNKNOWN), "state": list(STATES)},
        attrs={"time_cost": COSTS.time_absent},
    )


def known(task: MixtureSearchTask) -> list[MixtureSearchTask]:
    """Return the task of an observer who is told the mixture, for each of them."""
    return [replace(task, mixtures=[phi], mixture_prior=None) for phi in task.mixtures]


def best_risk(task: Task, preset: Preset, n_trials: int, seed: int) -> tuple[float, float]:
    """Return the risk of SPRT-opt on fresh trials, and its standard error."""
    effort = max(1000, preset.tune_trials // TUNED)
    strategy = tune(SPRTOpt, task, COSTS, n_trials=effort, seed=seed).strategy
    summary = simulate(task, strategy, n_trials, seed + 1, keep=False).summary(COSTS)
    return summary.risk, summary.risk_se


def ratios(task: MixtureSearchTask, x: Array, t: float) -> Array:
    """Return the log odds of a target at each location to none at all, given the observations."""
    posterior = Evidence(task).posterior(Evidence(task).log_likelihood(x, t))
    return np.asarray(np.log(posterior.location * posterior.presence / (1 - posterior.presence)))


def step_difference(task: MixtureSearchTask, seen: tuple[float, ...], t: float) -> float:
    """Return by how many percent a step's standard deviation differs at the same ratios."""
    x = np.array(seen)
    wanted = ratios(task, x, t)

    def off(y: Array) -> Array:
        return ratios(task, y, LATER * t) - wanted

    solved = root(off, LATER * x, tol=1e-12)
    sds = [np.linalg.norm(slopes(task, y, at), axis=1) for y, at in ((x, t), (solved.x, LATER * t))]
    return float(100 * np.abs(sds[1] / sds[0] - 1).max()) if solved.success else float("nan")


def slopes(task: MixtureSearchTask, x: Array, t: float, h: float = 1e-5) -> Array:
    """Return the derivatives of the ratios with respect to the observations, shape (M, M)."""
    ahead, back = (
        np.array([ratios(task, x + side * h * unit, t) for unit in np.eye(len(x))])
        for side in (1, -1)
    )
    return np.asarray((ahead - back).T / (2 * h))


UNCERTAINTY = PaperPart("uncertainty", "The price of not knowing", compute, 12.0)

SAME_STEP = Bound(1.0, "%", "a step whose law depends on more than the state")


CLAIMS = Claims(data=(UNCERTAINTY,))


@CLAIMS.add(
    "Not knowing the kind of distractors costs something; not knowing the set size costs hardly "
    "anything where blanks are told apart at once.",
    where="Discussion (unknown search parameters are marginalised out)",
    rule="On the same displays the best thresholds on the log likelihood ratio risk more without "
    "the knowledge of the kind than with it; without that of the set size, less than 1 % more. "
    "(First asked was whether both cost something; the words on the set size follow the number.)",
    new=True,
)
def uncertainty_has_a_price(uncertainty: xr.Dataset) -> Iterator[Check]:
    """Check the price of each kind of uncertainty."""
    for name, risk in each(uncertainty, "unknown"):
        known = float(risk["risk_known"])
        price = 100 * (risk["risk_unknown"] - known) / known
        se = 100 * independent(risk["risk_unknown_se"], risk["risk_known_se"]) / known
        what = f"{name} unknown: risk above that with the knowledge"
        if name.startswith("kind"):
            yield above(what, with_se(price, se), NOTHING)
        else:
            yield below(what, with_se(price, se), HIGHLY)


@CLAIMS.add(
    "In discrimination the state is always one-dimensional.",
    where="Results, Optimal decision strategy",
    rule="At one log likelihood ratio, reached at two times, the next step has the same law.",
    quote="the state-space is always one-dimensional",
)
def discrimination_one_dimensional(uncertainty: xr.Dataset) -> Iterator[Check]:
    """Check the step at one ratio, for single orientations and for sets of them."""
    for name, at in each(uncertainty, "state"):
        if name.startswith("discrimination"):
            what = f"{name}: standard deviation of the next step, difference at one ratio"
            yield below(what, at["step_difference"], SAME_STEP)


@CLAIMS.add(
    "Once distractors are inferred, heterogeneous search reduces to homogeneous search.",
    where="Results, Heterogeneous search",
    rule="At the same ratios of all locations, reached at two times after the distractors are "
    "known, the next step has the same law.",
    quote="after which the problem reduces to the well-understood, homogeneous visual search",
)
def reduces_to_homogeneous_search(uncertainty: xr.Dataset) -> Iterator[Check]:
    """Check the step at the same ratios, late in a trial."""
    at = uncertainty.sel(state="tied distractors, once inferred")
    what = "after 0.6 s: standard deviation of the next step, difference at the same ratios"
    yield below(what, at["step_difference"], SAME_STEP)


@CLAIMS.add(
    "Before distractors are inferred, when most decisions fall, it does not reduce: the ratios of "
    "the locations are not all that an ideal observer has to know.",
    where="Results, Heterogeneous search (what comes before)",
    rule="At the same ratios of all locations, reached at two times early in a trial, the next "
    "step has another law.",
    new=True,
)
def not_reduced_before(uncertainty: xr.Dataset) -> Iterator[Check]:
    """Check the step at the same ratios, early in a trial."""
    at = uncertainty.sel(state="tied distractors, not inferred yet")
    what = "after 0.1 s: standard deviation of the next step, difference at the same ratios"
    yield above(what, at["step_difference"], SAME_STEP)
