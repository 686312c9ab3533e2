r"""What the observer believes: presence, location, target type, mixture, orientations.

`Posterior` is the result for every task; this module computes it for the mixture form, and
`popout.evidence.scene_posterior` for the exact scene.

With the notation of `popout.evidence.ratio`, the joint posterior of target location and mixture
given presence is proportional to

    G_lj = pi_l t_l P(phi_j) prod_{l' != l} d_l'j = pi_l t_l exp(A_j) / d_lj,

and P(C=1 | X) is the logistic function of S plus the prior log odds. The mixture posterior given
absence is the paper's Q_phi = gc(A). An orientation at location l comes from the target there, or
from the mixture if there is no target or the target is elsewhere; the last case needs the sum of
G over l' != l, which is formed from partial sums from both ends and never as a difference, so
small probabilities keep their digits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from popout.evidence.law import Model
from popout.evidence.logspace import gain_control, logsumexp

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Posterior:
    """Posterior probabilities given the observations X of all locations.

    Parameters
    ----------
    log_likelihood_ratio : ndarray of float, shape (...)
        S = log P(X | C=1) - log P(X | C=0).
    presence, absence : ndarray of float, shape (...)
        P(C=1 | X) and P(C=0 | X), each computed on its own: both keep their digits when small.
    location : ndarray of float, shape (..., M)
        P(l_T = l | X, C=1).
    target_type : ndarray of float, shape (..., K)
        P(orientation of the target | X, C=1).
    mixture_given_absent : ndarray of float, shape (..., J)
        P(phi | X, C=0), the exponential of the paper's Q_phi. For the exact scene the J values
        are the set sizes.
    mixture_given_present : ndarray of float, shape (..., J)
        P(phi | X, C=1).
    orientation : ndarray of float, shape (..., M, K)
        P(Y_l = theta | X).

    Examples
    --------
    >>> import popout as po
    >>> evidence = po.Evidence(po.SearchTask(n_locations=2, drift=4.0))
    >>> seen = evidence.posterior(evidence.log_likelihood([0.4, -0.2], 0.1))
    >>> round(float(seen.presence), 3), seen.location.round(3)
    (0.925, array([0.992, 0.008]))
    """

    log_likelihood_ratio: Array
    presence: Array
    absence: Array
    location: Array
    target_type: Array
    mixture_given_absent: Array
    mixture_given_present: Array
    orientation: Array

    @property
    def target_at(self) -> Array:
        """P(C=1, l_T = l | X), shape (..., M); the joint of presence and location."""
        return self.presence[..., None] * self.location

    @property
    def mixture(self) -> Array:
        """P(phi | X), shape (..., J), averaged over presence."""
        present = self.presence[..., None] * self.mixture_given_present
        return present + self.absence[..., None] * self.mixture_given_absent


def leave_one_out(p: Array) -> Array:
    """Return the sum of p over all other entries of axis -2, without subtracting."""
    below = np.zeros_like(p)
    above = np.zeros_like(p)
    below[..., 1:, :] = np.cumsum(p[..., :-1, :], axis=-2)
    above[..., :-1, :] = np.cumsum(p[..., :0:-1, :], axis=-2)[..., ::-1, :]
    return below + above


def mixture_posterior(L: Array, model: Model, log_prior_odds: float) -> Posterior:
    """Return the posterior of a task in the mixture form from L of shape (..., M, K)."""
    L = L - np.max(L, axis=-1, keepdims=True)  # common to all hypotheses about a location
    by_type = model.log_target + L  # (..., M, K)
    by_mixture = model.log_mixtures + L[..., None, :]  # (..., M, J, K)
    log_t = logsumexp(by_type, axis=-1)
    log_d = logsumexp(by_mixture, axis=-1)
    A = model.log_mixture_prior + np.sum(log_d, axis=-2)
    G = (model.log_location + log_t)[..., None] + A[..., None, :] - log_d
    log_present = logsumexp(G.reshape(*G.shape[:-2], -1), axis=-1)
    S = np.asarray(log_present - logsumexp(A, axis=-1))

    presence = np.asarray(expit(S + log_prior_odds))
    joint = np.exp(G - log_present[..., None, None])  # P(l_T, phi | X, C=1)
    absent = np.exp(gain_control(A, axis=-1))
    location = np.sum(joint, axis=-1)
    type_at = np.exp(by_type - log_t[..., None])
    distractor_at = np.exp(by_mixture - log_d[..., None])  # P(Y_l | X_l, phi_j, C_l=0)

    absence = np.asarray(expit(-S - log_prior_odds))
    p, q = presence[..., None, None], absence[..., None, None]
    no_target_here = p * leave_one_out(joint) + q * absent[..., None, :]
    orientation = p * location[..., None] * type_at + np.einsum(
        "...lj,...ljk->...lk", no_target_here, distractor_at
    )
    return Posterior(
        log_likelihood_ratio=S,
        presence=presence,
        absence=absence,
        location=location,
        target_type=np.einsum("...l,...lk->...k", location, type_at),
        mixture_given_absent=absent,
        mixture_given_present=np.sum(joint, axis=-2),
        orientation=orientation,
    )
