r"""The log likelihood ratios of the paper against enumeration of everything that may be hidden.

A ratio that loses nothing equals :math:`\log P(X \mid C=1) / P(X \mid C=0)` computed by brute
force: a sum over target location, distractor mixture and every assignment of orientations (Methods,
"Bayesian inference"). This is done for discrimination (Equation 1), homogeneous search (Equation
2) and search with independent and with tied distractors, two kinds of target each (Equations
3, 4, 5), on random displays and on random log
likelihoods that no display would give.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from popout.evidence import Evidence
from popout.paper.preset import Preset
from popout.progress import Progress
from popout.task import MixtureSearchTask

TITLE = "Log likelihood ratios against enumeration"
EFFORT = 1.0

Array = NDArray[np.float64]
DRIFTS: dict[float | str, float | Sequence[float]] = {0: -3.0, 10: -1.0, 20: 1.0, 30: 3.0}
CASES = {
    "discrimination": MixtureSearchTask.independent(1, [10, 30], [0, 20], DRIFTS),
    "homogeneous": MixtureSearchTask.independent(4, [30], [0], {0: -3.0, 30: 3.0}),
    "independent distractors": MixtureSearchTask.independent(4, [10, 30], [0, 20], DRIFTS),
    "tied distractors": MixtureSearchTask.tied(4, [10, 30], [0, 20], DRIFTS),
}
DISPLAYS = 100
SPREAD = 5.0


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return the largest difference of each ratio from enumeration."""
    largest = np.empty(len(CASES))
    rng = np.random.default_rng(seed)
    for k, (name, task) in enumerate(CASES.items()):
        progress(k / len(CASES), name)
        evidence = Evidence(task)
        sample = evidence.sample(DISPLAYS, 30, seed)
        seen = evidence.log_likelihood(sample.observations, t=30 * task.dt)
        L = np.concatenate([seen, SPREAD * rng.normal(size=seen.shape)])
        S = evidence.log_likelihood_ratio(L)
        largest[k] = max(abs(float(s) - enumerated(task, one)) for s, one in zip(S, L, strict=True))
    return xr.Dataset(
        {"largest_difference": (("case",), largest, {"units": "nats"})},
        coords={"case": ("case", list(CASES))},
        attrs={"displays": 2 * DISPLAYS},
    )


def enumerated(task: MixtureSearchTask, L: Array) -> float:
    """Return S of one display by summing over everything hidden.

    Parameters
    ----------
    task : MixtureSearchTask
    L : ndarray of shape (M, K)
        Log likelihood of each orientation at each location.
    """
    M, K = L.shape
    shown = np.array(list(product(range(K), repeat=M)))
    likelihood = np.exp(L[np.arange(M), shown].sum(axis=1))
    target = np.asarray(task.target_prior)
    absent = present = 0.0
    for weight, mixture in zip(task.mixture_prior, np.asarray(task.mixtures), strict=True):
        absent += weight * float(likelihood @ mixture[shown].prod(axis=1))
        for place, there in enumerate(task.location_prior):
            law = mixture[shown]
            law[:, place] = target[shown[:, place]]
            present += weight * there * float(likelihood @ law.prod(axis=1))
    return float(np.log(present / absent))
