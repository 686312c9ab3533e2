r"""A task as arrays: the one form that all tasks reduce to.

**Observation law.** Each location's observation (`popout.task.observation`) says the weights and
the bias of its log likelihood, which is linear in what was observed up to time t:

    L_theta(x, t) = sum_c w_{theta,c} x_c - b_theta t + const.

The constant does not depend on theta and cancels in every ratio and posterior; it is dropped. The
observation owns its law; what follows from it, ratios and posteriors, is owned here.

**One form.** A display of any task but the exact scene is: presence C, target location l_T,
mixture phi, and given these an independent orientation at each location. `Model` holds the
logarithms of those distributions. The exact scene adds the set sizes and keeps its item prior as
its only mixture.

The shapes of what goes into `Evidence` are checked here: leading axes (trials, time) are free;
locations come last, then channels or orientations.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from popout.evidence.logspace import log_or_minus_inf
from popout.task import Faults, Task

Array = NDArray[np.float64]


class Model(NamedTuple):
    """A task as arrays; what the compiled kernels read.

    Parameters
    ----------
    weight : ndarray of float, shape (M, K, n_channels)
        Coefficient of the accumulated observation in L_theta.
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
    displays = task.displays()
    laws = {law: law.linear() for law in set(task.observations)}
    weights, biases = zip(*(laws[law] for law in task.observations), strict=True)
    counts = np.array(displays.counts, dtype=np.int64)
    log_prior = log_or_minus_inf(displays.count_prior)
    m = len(displays.location)
    model = Model(
        weight=np.stack(weights),
        bias=np.stack(biases),
        location=np.asarray(displays.location, dtype=float),
        target=np.asarray(displays.target, dtype=float),
        mixtures=np.asarray(displays.mixtures, dtype=float),
        log_location=log_or_minus_inf(displays.location),
        log_target=log_or_minus_inf(displays.target),
        log_mixtures=log_or_minus_inf(displays.mixtures),
        log_mixture_prior=log_or_minus_inf(displays.mixture_prior),
        counts=counts,
        log_count_absent=log_prior - _log_binomial(m, counts),
        log_count_present=log_prior - _log_binomial(m - 1, counts - 1),
        blank=displays.blank,
    )
    for array in model:
        if isinstance(array, np.ndarray):
            array.setflags(write=False)
    return model


def _log_binomial(n: int, k: NDArray[np.int64]) -> Array:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def observation_shape(task: Task) -> tuple[int, ...]:
    """Return the shape of the observation of all locations: (M,) or (M, n_channels)."""
    n_locations, _, n_channels = model_of(task).weight.shape
    return (n_locations,) if task.is_scalar else (n_locations, n_channels)


def observations(task: Task, field: str, x: ArrayLike, extra: str = "") -> Array:
    """Return observations as (..., M, n_channels), whatever the task's own shape."""
    array = np.asarray(x, dtype=float)
    shape = observation_shape(task)
    if array.shape[-len(shape) :] != shape or array.ndim < len(shape) + bool(extra):
        refuse_shape(field, f"{extra}{', '.join(map(str, shape))}", array)
    return array[..., None] if task.is_scalar else array


def log_likelihoods(model: Model, field: str, L: ArrayLike) -> Array:
    """Return log likelihoods as (..., M, K)."""
    array = np.asarray(L, dtype=float)
    shape = model.bias.shape
    if array.shape[-2:] != shape:
        refuse_shape(field, f"{shape[0]}, {shape[1]}", array)
    return array


def refuse_shape(field: str, shape: str, array: NDArray[Any]) -> None:
    """Say which shape was expected and which came."""
    faults = Faults("Evidence")
    faults.add(field, f"shape (..., {shape})", array.shape, "put locations last (then channels)")
    faults.raise_if_any()
