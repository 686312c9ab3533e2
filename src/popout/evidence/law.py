r"""The likelihood of an orientation, and the one form that all tasks reduce to.

**Observation law.** Both observations of `popout.task` belong to an exponential family in which
the cumulated observation x(t) of a location is sufficient and the log likelihood is linear:

    L_theta(x, t) = sum_c w_{theta,c} x_c - b_theta t + const,

    GaussianWalk    w = mu_{theta,c},           b = sum_c mu_{theta,c}^2 / 2,
    PoissonSpikes   w = log lambda_{theta,c},   b = sum_c lambda_{theta,c}.

The constant does not depend on theta (it is -|x|^2/2t - log(2 pi t)/2 per channel, or the sum of
x log t - log x!) and cancels in every ratio and posterior; it is dropped.

**One form.** A display of any task but the exact scene is: presence C, target location l_T,
mixture phi, and given these an independent orientation at each location. `Model` holds the
logarithms of those distributions. `SearchTask` has K = 2 orientations (0 distractor, 1 target)
and a drift of its own at each location; `DiscriminationTask` has M = 1. The exact scene adds the
set sizes and keeps its item prior as its only mixture.

Notes
-----
The paper prints L_theta(x) = mu x + mu^2 t / 2 (eq:ll-gaussian-input). The sign of the second term
is a slip: its next equation, for Z_l, has the right one, and so does this module.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from popout.evidence.logspace import log_or_minus_inf
from popout.task import (
    DiscriminationTask,
    GaussianWalk,
    MixtureSearchTask,
    Observation,
    SceneSearchTask,
    SearchTask,
    Task,
)

__all__ = ["Model", "model_of"]

Array = NDArray[np.float64]


class Model(NamedTuple):
    """A task as arrays; what the compiled kernels read.

    Parameters
    ----------
    weight : ndarray of float, shape (M, K, n_channels)
        Coefficient of the cumulated observation in L_theta.
    bias : ndarray of float, shape (M, K)
        Coefficient of -t in L_theta.
    location, target : ndarray of float, shapes (M,) and (K,)
        P(l_T | C=1) and P(theta | C_l=1).
    mixtures : ndarray of float, shape (J, K)
        The distractor mixtures phi. For the exact scene: one row, the item prior.
    log_location, log_target, log_mixtures : ndarray of float
        Their logarithms, -inf where they are zero.
    log_mixture_prior : ndarray of float, shape (J,)
        log P(phi).
    counts : ndarray of int, shape (n_counts,)
        Set sizes M_d of the exact scene; empty for every other task.
    log_count_absent, log_count_present : ndarray of float, shape (n_counts,)
        log P(M_d) minus the logarithm of the number of item subsets given absent, C(M, M_d), and
        given the target's location, C(M-1, M_d-1).
    blank : int
        Index of the blank in the exact scene, -1 otherwise.
    """

    weight: Array
    bias: Array
    location: Array
    target: Array
    mixtures: Array
    log_location: Array
    log_target: Array
    log_mixtures: Array
    log_mixture_prior: Array
    counts: NDArray[np.int64]
    log_count_absent: Array
    log_count_present: Array
    blank: int


@lru_cache(maxsize=64)
def model_of(task: Task) -> Model:
    """Return the arrays of a task. Tasks are hashable, so each is translated once."""
    if isinstance(task, SearchTask):
        mu = np.asarray(task.drifts)[:, None, None]
        weight = mu * np.array([-1.0, 1.0])[None, :, None]
        return _model(weight, weight[:, :, 0] ** 2 / 2, task.location_prior, (0, 1), ((1, 0),))
    weight, bias = _linear_law(task.observation)
    weight = np.repeat(weight[None], task.n_locations, axis=0)
    bias = np.repeat(bias[None], task.n_locations, axis=0)
    if isinstance(task, DiscriminationTask):
        return _model(weight, bias, (1.0,), task.target_prior, (task.distractor_prior,))
    if isinstance(task, MixtureSearchTask):
        return _model(
            weight,
            bias,
            task.location_prior,
            task.target_prior,
            task.mixtures,
            mixture_prior=task.mixture_prior,
        )
    return _model(
        weight,
        bias,
        task.location_prior,
        task.target_prior,
        (task.item_prior,),
        scene=task,
    )


def _linear_law(observation: Observation) -> tuple[Array, Array]:
    """Return w of shape (K, n_channels) and b of shape (K,) of an observation."""
    rows = np.asarray(observation.rows)
    if isinstance(observation, GaussianWalk):
        return rows, np.sum(rows**2, axis=1) / 2
    return np.log(rows), np.sum(rows, axis=1)


def _model(
    weight: Array,
    bias: Array,
    location: tuple[float, ...],
    target: tuple[float, ...],
    mixtures: tuple[tuple[float, ...], ...],
    mixture_prior: tuple[float, ...] = (1.0,),
    scene: SceneSearchTask | None = None,
) -> Model:
    counts = np.array(scene.counts if scene else (), dtype=np.int64)
    log_prior = log_or_minus_inf(scene.count_prior if scene else ())
    m = len(location)
    phi = np.asarray(mixtures, dtype=float)
    model = Model(
        weight=np.ascontiguousarray(weight),
        bias=np.ascontiguousarray(bias),
        location=np.asarray(location, dtype=float),
        target=np.asarray(target, dtype=float),
        mixtures=phi,
        log_location=log_or_minus_inf(location),
        log_target=log_or_minus_inf(target),
        log_mixtures=log_or_minus_inf(phi),
        log_mixture_prior=log_or_minus_inf(mixture_prior),
        counts=counts,
        log_count_absent=log_prior - _log_binomial(m, counts),
        log_count_present=log_prior - _log_binomial(m - 1, counts - 1),
        blank=scene.orientations.index("blank") if scene else -1,
    )
    for array in model:
        if isinstance(array, np.ndarray):
            array.setflags(write=False)
    return model


def _log_binomial(n: int, k: NDArray[np.int64]) -> Array:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
