r"""Displays and observations drawn from a task: the world that the inference assumes.

Each trial draws presence, the target's location and type, the mixture (or set size) and every
orientation; then each location receives, step by step and channel by channel, what its observation
makes of standard noise (`popout.task.Observation.increments`). All numbers are functions of (seed,
trial), see `popout.noise.philox`: neither threads nor chunks matter, and the first 50 steps of a
trial are the same whether 50 or 100 are asked for. A fixed condition leaves the noise as it is, so
present and absent trials can be compared on the same noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from popout.evidence.law import model_of
from popout.noise.philox import PURPOSE_NOISE, choose, normal_pair, uniform, uniform_pair
from popout.task import Faults, Noise, Task

Array = NDArray[np.float64]

# Indices of the display's uniform numbers; orientations, then subset choices, follow.
PRESENCE, LOCATION, MIXTURE, TYPE, FIRST = range(5)
FROM_PRIOR, TARGET_PRESENT, TARGET_ABSENT = -3, -2, -1  # or the location itself, from 0


class Condition(StrEnum):
    """What a sample is conditioned on; a location is given by its index instead.

    Examples
    --------
    >>> import popout as po
    >>> evidence = po.Evidence(po.SearchTask(n_locations=2, drift=4.0))
    >>> evidence.sample(3, 1, seed=1, condition=po.Condition.ABSENT).present
    array([False, False, False])
    >>> evidence.sample(3, 1, seed=1, condition=1).location  # a target at the second place
    array([1, 1, 1])
    """

    PRIOR = "prior"
    PRESENT = "present"
    ABSENT = "absent"

    @classmethod
    def checked(
        cls, condition: Condition | str | int, n_locations: int, faults: Faults
    ) -> Condition | int:
        """Return a member, or the location of the target; a bad condition becomes a fault.

        Examples
        --------
        >>> Condition.checked("present", 4, Faults("sample")), Condition.checked(3, 4, Faults(""))
        (<Condition.PRESENT: 'present'>, 3)
        """
        if isinstance(condition, str):
            if condition in list(cls):
                return cls(condition)
            faults.add("condition", "prior, present, absent or a location", condition, "choose one")
            return cls.PRIOR
        remedy = "give the target's location from 0, or one of prior, present, absent"
        return faults.integer("condition", condition, remedy, at_most=n_locations - 1)


CODES = {
    Condition.PRIOR: FROM_PRIOR,
    Condition.PRESENT: TARGET_PRESENT,
    Condition.ABSENT: TARGET_ABSENT,
}


@dataclass(frozen=True, eq=False)
class Sample:
    """Displays and their observations.

    Parameters
    ----------
    increments : ndarray of float, shape (n, T, M) or (n, T, M, n_channels)
        What each location receives in each step; without channel axis for a scalar walk.
    present : ndarray of bool, shape (n,)
        The true class C.
    location : ndarray of int, shape (n,)
        Target location from 0, or -1 where no target is present.
    mixture : ndarray of int, shape (n,)
        Index of the mixture phi, or of the set size for the exact scene.
    orientation : ndarray of int, shape (n, M)
        Index of the orientation at each location. `SearchTask`: 0 distractor, 1 target.
    dt : float
        Time step in seconds.

    Examples
    --------
    >>> import popout as po
    >>> displays = po.Evidence(po.SearchTask(n_locations=2, drift=4.0)).sample(3, 50, seed=1)
    >>> displays.increments.shape, displays.dt
    ((3, 50, 2), 0.01)
    >>> bool((displays.present == (displays.location >= 0)).all())
    True
    """

    increments: Array
    present: NDArray[np.bool_]
    location: NDArray[np.int64]
    mixture: NDArray[np.int64]
    orientation: NDArray[np.int64]
    dt: float

    def __repr__(self) -> str:
        """Return one line; the increments would fill pages."""
        n, steps, M = self.increments.shape[:3]
        return (
            f"Sample({n} displays of {M} locations, {int(self.present.sum())} with a target, "
            f"{steps} steps of {self.dt:g} s)"
        )

    @property
    def duration(self) -> float:
        """Seconds from onset to the last step."""
        n_steps: int = self.increments.shape[1]
        return n_steps * self.dt

    @property
    def observations(self) -> Array:
        """Observations accumulated to the end, shape (n, M) or (n, M, n_channels)."""
        return np.asarray(np.sum(self.increments, axis=1))


def draw(
    task: Task,
    n_trials: int,
    n_steps: int,
    seed: int,
    condition: Condition | str | int = Condition.PRIOR,
    first_trial: int = 0,
) -> Sample:
    """Draw trials `first_trial` to `first_trial + n_trials` of a seed; see `Evidence.sample`."""
    model, displays = model_of(task), task.displays()
    n_locations = model.location.size
    faults = Faults("sample")
    n = faults.integer("n_trials", n_trials, "say how many trials to draw", at_least=1)
    steps = faults.integer("n_steps", n_steps, "say how many steps of dt to draw", at_least=0)
    first = faults.integer("first_trial", first_trial, "trials count from 0")
    key = faults.integer("seed", seed, "choose any", at_most=2**64 - 1)
    given = Condition.checked(condition, n_locations, faults)
    faults.raise_if_any()
    code = CODES[given] if isinstance(given, Condition) else given

    present = np.empty(n, dtype=np.bool_)
    location = np.empty(n, dtype=np.int64)
    mixture = np.empty(n, dtype=np.int64)
    orientation = np.empty((n, n_locations), dtype=np.int64)
    cdfs = (
        cumulative(model.location),
        cumulative(model.target),
        np.stack([cumulative(phi) for phi in model.mixtures]),
        cumulative(np.asarray(displays.count_prior or displays.mixture_prior)),
    )
    _display_kernel(
        np.uint64(key), first, code, task.prior, cdfs, model.counts, model.blank,
        present, location, mixture, orientation,
    )  # fmt: skip
    shape = (n, steps, n_locations, model.weight.shape[2])
    dx = _increments(task, np.uint64(key), first, orientation, shape)
    return Sample(
        increments=dx[..., 0] if task.is_scalar else dx,
        present=present,
        location=location,
        mixture=mixture,
        orientation=orientation,
        dt=task.dt,
    )


def cumulative(p: NDArray[np.float64]) -> Array:
    """Return the cumulative distribution, exactly 1 from its last possible value on."""
    cdf = np.cumsum(p)
    cdf[np.max(np.nonzero(p)) :] = 1.0
    return cdf


def _increments(
    task: Task, seed: np.uint64, first: int, orientation: NDArray[np.int64], shape: tuple[int, ...]
) -> Array:
    """Return what every location receives: noise, as its observation shapes it.

    Without steps no parallel kernel runs: blocks of certificates draw displays in threads of their
    own, and some of Numba's threading layers end the process when two of those enter one at once.
    """
    noise = {}
    for kind in {law.noise for law in task.observations}:
        noise[kind] = np.empty(shape)
        flat = noise[kind].reshape(shape[0], -1)
        if flat.size:
            _noise_kernel(seed, first, kind == Noise.NORMAL, flat)
    laws = task.observations
    if len(set(laws)) == 1:
        return laws[0].increments(noise[laws[0].noise], orientation, task.dt)
    dx = noise[laws[0].noise]  # each location reads and writes its own place alone
    for i, law in enumerate(laws):
        here = slice(i, i + 1)
        own = noise[law.noise][:, :, here]
        dx[:, :, here] = law.increments(own, orientation[:, here], task.dt)
    return dx


@njit(cache=True)
def _display_kernel(
    seed: np.uint64,
    first: int,
    code: int,
    prior: float,
    cdfs: tuple[Array, Array, Array, Array],
    counts: NDArray[np.int64],
    blank: int,
    present: NDArray[np.bool_],
    location: NDArray[np.int64],
    mixture: NDArray[np.int64],
    orientation: NDArray[np.int64],
) -> None:
    location_cdf, target_cdf, mixture_cdfs, mixture_prior_cdf = cdfs
    n_trials, n_locations = orientation.shape
    for row in range(n_trials):
        trial = np.uint64(first + row)
        here = code
        if code == FROM_PRIOR:
            here = TARGET_PRESENT if uniform(seed, trial, PRESENCE) < prior else TARGET_ABSENT
        if here == TARGET_PRESENT:
            here = choose(location_cdf, uniform(seed, trial, LOCATION))
        phi = choose(mixture_prior_cdf, uniform(seed, trial, MIXTURE))
        present[row], location[row], mixture[row] = here >= 0, here, phi
        # The exact scene: `need` items, target apart, go to the `free` locations that are left,
        # every subset equally likely (selection sampling).
        need = counts[phi] - (here >= 0) if blank >= 0 else 0
        free = n_locations - (here >= 0)
        distractor_cdf = mixture_cdfs[0 if blank >= 0 else phi]
        for i in range(n_locations):
            u = uniform(seed, trial, FIRST + i)
            if i == here:
                orientation[row, i] = choose(target_cdf, uniform(seed, trial, TYPE))
                continue
            orientation[row, i] = choose(distractor_cdf, u)
            if blank >= 0:
                if uniform(seed, trial, FIRST + n_locations + i) * free < need:
                    need -= 1
                else:
                    orientation[row, i] = blank
                free -= 1


@njit(cache=True, parallel=True)
def _noise_kernel(seed: np.uint64, first: int, normal: bool, out: Array) -> None:
    """Fill each row with the noise of a trial, normal or uniform; numbers come in pairs."""
    n_trials, n_numbers = out.shape
    for row in prange(n_trials):
        trial = np.uint64(first + row)
        for index in range((n_numbers + 1) // 2):
            if normal:
                one, other = normal_pair(seed, trial, np.uint64(index))
            else:
                one, other = uniform_pair(seed, trial, PURPOSE_NOISE, np.uint64(index))
            out[row, 2 * index] = one
            if 2 * index + 1 < n_numbers:
                out[row, 2 * index + 1] = other
