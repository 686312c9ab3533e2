"""Shapes of what goes into `Evidence`, checked in one place.

Leading axes (trials, time) are free; locations come last, then channels or orientations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.evidence.law import Model, model_of
from popout.task import Faults, Task

Array = NDArray[np.float64]


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
