"""From observations to beliefs: the noun `Evidence`.

The observer's input is one observation per location that grows over time. `Evidence(task)` turns
it into log likelihoods L_theta(X_l), these into the log likelihood ratio of presence S
(Equation 1, Equation 2, Equation 3, or the exact scene), and into posteriors. It also
draws displays and observations from the same task, so that what is simulated is exactly what the
inference assumes.

Shapes, throughout: leading axes (trials, time) are free; M is the number of locations, K that of
orientations, J that of mixtures. An observation of a location is a number if the task's are
scalar, and a row of channels otherwise. `DiscriminationTask` has M = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.evidence.law import (
    log_likelihoods,
    model_of,
    observation_shape,
    observations,
    refuse_shape,
)
from popout.evidence.logspace import logsumexp
from popout.evidence.posteriors import Posterior, mixture_posterior, scene_posterior
from popout.evidence.ratio import ratio_from_increments, ratio_from_log_likelihood
from popout.evidence.sample import Condition, Sample, draw
from popout.evidence.stream import Stream
from popout.task import Faults, Task

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """The evidence that a task offers.

    Parameters
    ----------
    task : Task

    Examples
    --------
    >>> import numpy as np
    >>> from popout.evidence import Evidence
    >>> from popout.task import MixtureSearchTask
    >>> task = MixtureSearchTask.tied(4, [10], [0, 20], {0: -4, 10: 4, 20: 0})
    >>> evidence = Evidence(task)
    >>> sample = evidence.sample(n_trials=1000, n_steps=50, seed=1)
    >>> S = evidence.final(sample.increments)
    >>> bool(S[sample.present].mean() > 0 > S[~sample.present].mean())
    True
    """

    task: Task

    def __post_init__(self) -> None:
        """Refuse anything but a task here, where the message can still be clear."""
        given: object = self.task
        faults = Faults("Evidence")
        if isinstance(given, Task):
            given.check_observable(faults)
        else:
            faults.add("task", "a task", given, "build a SearchTask or one of its kin")
        faults.raise_if_any()

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Shape of the observation of all locations: (M,) or (M, n_channels)."""
        return observation_shape(self.task)

    # -- from log likelihoods -------------------------------------------------------------------

    def log_likelihood(self, x: ArrayLike, t: ArrayLike) -> Array:
        """Return the log likelihood of each orientation at each location.

        Parameters
        ----------
        x : array_like of float, shape (..., M) or (..., M, n_channels)
            Observations accumulated up to time t.
        t : array_like of float
            Seconds since onset; a scalar, or an array that broadcasts to the leading axes of x.

        Returns
        -------
        ndarray of float, shape (..., M, K)
            L_theta(X_l). Terms that do not depend on theta are dropped; they cancel in every
            ratio and posterior.

        Examples
        --------
        >>> from popout.evidence import Evidence
        >>> from popout.task import SearchTask
        >>> Evidence(SearchTask(n_locations=2, drift=4.0)).log_likelihood([0.5, 0.0], t=0.1)
        array([[-2.8,  1.2],
               [-0.8, -0.8]])
        """
        model = model_of(self.task)
        obs = observations(self.task, "log_likelihood.x", x)
        time = np.asarray(t, dtype=float)[..., None, None]
        linear: Array = np.einsum("mkc,...mc->...mk", model.weight, obs)
        return np.asarray(linear - model.bias * time)

    def local_llr(self, L: ArrayLike) -> Array:
        """Return the local log likelihood ratio of each location, on its own observation alone.

        Parameters
        ----------
        L : array_like of float, shape (..., M, K)

        Returns
        -------
        ndarray of float, shape (..., M)
            Z_l = log P(X_l | C_l=1) - log P(X_l | C_l=0). Where the mixture is unknown, C_l=0
            averages over it with its prior; in the exact scene, over the set sizes of a display
            without a target.

        Examples
        --------
        >>> from popout.evidence import Evidence
        >>> from popout.task import SearchTask
        >>> evidence = Evidence(SearchTask(n_locations=2, drift=4.0))
        >>> evidence.local_llr(evidence.log_likelihood([0.5, -0.25], t=0.1))
        array([ 4., -2.])
        """
        model = model_of(self.task.as_mixture())
        log_l = log_likelihoods(model, "local_llr.L", L)
        by_mixture = logsumexp(model.log_mixtures + log_l[..., None, :], axis=-1)
        distractor = logsumexp(model.log_mixture_prior + by_mixture, axis=-1)
        return np.asarray(logsumexp(model.log_target + log_l, axis=-1) - distractor)

    def log_likelihood_ratio(self, L: ArrayLike) -> Array:
        """Return the log likelihood ratio of target presence.

        Parameters
        ----------
        L : array_like of float, shape (..., M, K)
            Log likelihoods, finite.

        Returns
        -------
        ndarray of float, shape (...)
            S = log P(X | C=1) - log P(X | C=0).

        Examples
        --------
        >>> from popout.evidence import Evidence
        >>> from popout.task import SearchTask
        >>> evidence = Evidence(SearchTask(n_locations=2, drift=4.0))
        >>> L = [[[0.0, 3.0], [0.0, -3.0]], [[0.0, 1e4], [0.0, -1e4]]]
        >>> evidence.log_likelihood_ratio(L).round(3).tolist()
        [2.309, 9999.307]
        """
        model = model_of(self.task)
        log_l = log_likelihoods(model, "log_likelihood_ratio.L", L)
        rows = np.ascontiguousarray(log_l).reshape(-1, *log_l.shape[-2:])
        return ratio_from_log_likelihood(rows, model).reshape(log_l.shape[:-2])

    def posterior(self, L: ArrayLike) -> Posterior:
        """Return the posterior of presence, location, target type, mixture and orientations.

        Parameters
        ----------
        L : array_like of float, shape (..., M, K)

        Returns
        -------
        Posterior

        Examples
        --------
        >>> from popout.evidence import Evidence
        >>> from popout.task import SearchTask
        >>> evidence = Evidence(SearchTask(n_locations=2, drift=4.0))
        >>> posterior = evidence.posterior(evidence.log_likelihood([0.5, -0.25], t=0.1))
        >>> posterior.location.round(4)
        array([0.9975, 0.0025])
        """
        model = model_of(self.task)
        log_l = log_likelihoods(model, "posterior.L", L)
        of_task = scene_posterior if model.counts.size else mixture_posterior
        return of_task(log_l, model, self.task.log_prior_odds)

    # -- from observations ----------------------------------------------------------------------

    def trajectory(self, increments: ArrayLike) -> Array:
        """Return S after every step.

        Parameters
        ----------
        increments : array_like of float, shape (..., T, M) or (..., T, M, n_channels)
            What each location receives in each step of `task.dt`.

        Returns
        -------
        ndarray of float, shape (..., T)

        Examples
        --------
        >>> from popout.evidence import Evidence
        >>> from popout.task import SearchTask
        >>> Evidence(SearchTask(n_locations=1, drift=4.0)).trajectory([[0.5], [0.25]])
        array([4., 6.])
        """
        return self._from_increments("trajectory", increments, every=True)

    def final(self, increments: ArrayLike) -> Array:
        """Return S after the last step, in memory that does not depend on the number of steps.

        Parameters
        ----------
        increments : array_like of float, shape (..., T, M) or (..., T, M, n_channels)
            At least one step.

        Returns
        -------
        ndarray of float, shape (...)

        Examples
        --------
        >>> from popout.evidence import Evidence
        >>> from popout.task import SearchTask
        >>> float(Evidence(SearchTask(n_locations=1, drift=4.0)).final([[0.5], [0.25]]))
        6.0
        """
        return np.asarray(self._from_increments("final", increments, every=False)[..., 0])

    def start(self, shape: int | tuple[int, ...] = ()) -> Stream:
        """Return a stream at onset, for observations that arrive step by step.

        Parameters
        ----------
        shape : int or tuple of int
            Leading axes, e.g. the number of trials that run side by side.

        Examples
        --------
        >>> from popout.evidence import Evidence
        >>> from popout.task import SearchTask
        >>> stream = Evidence(SearchTask(n_locations=1, drift=4.0)).start()
        >>> for increment in ([0.5], [0.25]):
        ...     stream = stream.update(increment)
        >>> float(stream.log_likelihood_ratio), stream.t
        (6.0, 0.02)
        """
        leading = (shape,) if isinstance(shape, int) else tuple(shape)
        n_locations, _, n_channels = model_of(self.task).weight.shape
        return Stream(self, np.zeros((*leading, n_locations, n_channels)), 0, np.zeros(leading))

    def sample(
        self,
        n_trials: int,
        n_steps: int,
        seed: int,
        condition: Condition | str | int = Condition.PRIOR,
        first_trial: int = 0,
    ) -> Sample:
        """Draw displays and observations.

        Parameters
        ----------
        n_trials, n_steps : int
        seed : int
            From 0 to 2**64 - 1. A trial depends on (seed, its number) alone.
        condition : Condition, str or int
            "prior" draws presence and location; "present" and "absent" fix the class; an integer
            fixes the target's location, counted from 0.
        first_trial : int
            Number of the first trial, to draw a long sample in chunks.

        Returns
        -------
        Sample

        Examples
        --------
        >>> from popout.evidence import Evidence
        >>> from popout.task import SearchTask
        >>> evidence = Evidence(SearchTask(n_locations=3, drift=4.0))
        >>> sample = evidence.sample(n_trials=4, n_steps=10, seed=1, condition=2)
        >>> sample.increments.shape, sample.location
        ((4, 10, 3), array([2, 2, 2, 2]))
        """
        return draw(self.task, n_trials, n_steps, seed, condition, first_trial)

    def plot(
        self, ax: Axes | None = None, *, seconds: float = 1.0, n_trials: int = 400, seed: int = 1
    ) -> Axes:
        """Draw how S grows on displays with and without a target.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.
        seconds : float
            How long to look.
        n_trials, seed : int
            Displays to draw of each class, and their seed.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from popout.evidence import Evidence
        >>> from popout.task import SearchTask
        >>> evidence = Evidence(SearchTask(n_locations=4, drift=4.0))
        >>> evidence.plot(Figure().subplots(), seconds=0.2).get_xlabel()
        'time (s)'
        """
        from popout.evidence.evidence_picture import draw_evidence

        return draw_evidence(self, ax, seconds, n_trials, seed)

    def _from_increments(self, method: str, increments: ArrayLike, *, every: bool) -> Array:
        dx = observations(self.task, f"{method}.increments", increments, extra="T, ")
        if not every and dx.shape[-3] == 0:
            refuse_shape(f"{method}.increments", "at least one step, ...", dx)
        leading = dx.shape[:-3]
        dx = np.ascontiguousarray(dx).reshape(-1, *dx.shape[-3:])
        x = np.zeros((dx.shape[0], *dx.shape[2:]))
        S = ratio_from_increments(dx, x, 0, self.task.dt, model_of(self.task), every=every)
        return np.asarray(S.reshape(*leading, S.shape[1]))
