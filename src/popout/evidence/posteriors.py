r"""What the observer believes: presence, location, target type, mixture, orientations.

`Posterior` is the result for every task, in the mixture form or of the exact scene.

**The mixture form.** With the notation of `popout.evidence.ratio`, the joint posterior of target
location and mixture given presence is proportional to

    G_lj = pi_l t_l P(phi_j) prod_{l' != l} d_l'j = pi_l t_l exp(A_j) / d_lj,

and P(C=1 | X) is the logistic function of S plus the prior log odds. The mixture posterior given
absence is the paper's Q_phi = gc(A). An orientation at location l comes from the target there, or
from the mixture if there is no target or the target is elsewhere; the last case needs the sum of
G over l' != l, which is formed from partial sums from both ends and never as a difference, so
small probabilities keep their digits.

**The exact scene**, by forward and backward tables. The generating function of
`popout.evidence.ratio`, prod_l (1 + r_l z + u_l z e) with e^2 = 0, is built from the left
(locations before i) and from the right (locations after i). F0[i][n] and F1[i][n] are the
coefficients of z^n without and with a target on the left of i; B0 and B1 those on the right.
Leaving out location i,

    e_n(r without i)                      = sum_k F0[i][k] B0[i+1][n-k],
    the same with one target elsewhere    = sum_k F0[i][k] B1[i+1][n-k] + F1[i][k] B0[i+1][n-k],

so every marginal of (presence, location, set size, orientation) is a sum of positive terms at a
cost of M times M_d. No subset is enumerated and nothing is subtracted.
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


Tables = tuple[list[Array], list[Array], list[Array], list[Array]]
"""F0, F1, B0 and B1."""


def scene_posterior(L: Array, model: Model, log_prior_odds: float) -> Posterior:
    """Return the posterior of the exact scene from L of shape (..., M, K)."""
    by_type = model.log_target + L
    by_item = model.log_mixtures[0] + L
    log_t = logsumexp(by_type, axis=-1)
    log_d = logsumexp(by_item, axis=-1)
    blank = L[..., model.blank]
    r = log_d - blank
    u = model.log_location + log_t - blank
    largest = int(np.max(model.counts))
    F0, F1 = _tables(r, u, largest)
    B0, B1 = (table[::-1] for table in _tables(r[..., ::-1], u[..., ::-1], largest))
    tables = F0, F1, B0, B1

    # log weights given each class: of the set size (..., J), and of it with something at l
    absent = model.log_count_absent + F0[-1][..., model.counts]
    present = model.log_count_present + F1[-1][..., model.counts]
    log_absent = logsumexp(absent, axis=-1)
    log_present = logsumexp(present, axis=-1)
    item_if_absent, target, item_if_present = [], [], []
    for i in range(L.shape[-2]):
        e0, e1 = _elsewhere(tables, i, model.counts - 1)
        target.append(u[..., i] + logsumexp(model.log_count_present + e0, axis=-1))
        item_if_absent.append(r[..., i] + logsumexp(model.log_count_absent + e0, axis=-1))
        item_if_present.append(r[..., i] + logsumexp(model.log_count_present + e1, axis=-1))

    S = np.asarray(log_present - log_absent)
    p = np.asarray(expit(S + log_prior_odds))[..., None]
    q = np.asarray(expit(-S - log_prior_odds))[..., None]
    location = np.exp(np.stack(target, axis=-1) - log_present[..., None])
    item = p * np.exp(np.stack(item_if_present, axis=-1) - log_present[..., None])
    item += q * np.exp(np.stack(item_if_absent, axis=-1) - log_absent[..., None])
    type_at = np.exp(by_type - log_t[..., None])
    orientation = (p * location)[..., None] * type_at
    orientation += item[..., None] * np.exp(by_item - log_d[..., None])
    orientation[..., model.blank] = _blank(tables, model, p, q, log_present, log_absent)
    return Posterior(
        log_likelihood_ratio=S,
        presence=p[..., 0],
        absence=q[..., 0],
        location=location,
        target_type=np.einsum("...l,...lk->...k", location, type_at),
        mixture_given_absent=np.exp(gain_control(absent, axis=-1)),
        mixture_given_present=np.exp(gain_control(present, axis=-1)),
        orientation=orientation,
    )


def _tables(r: Array, u: Array, largest: int) -> tuple[list[Array], list[Array]]:
    """Return log F0 and log F1 before each location and after the last, each (..., n + 1)."""
    f0 = np.full((*r.shape[:-1], largest + 1), -np.inf)
    f0[..., 0] = 0.0
    f1 = np.full_like(f0, -np.inf)
    table0, table1 = [f0], [f1]
    for i in range(r.shape[-1]):
        r_i, u_i = r[..., i, None], u[..., i, None]
        new0, new1 = f0.copy(), f1.copy()
        new0[..., 1:] = np.logaddexp(f0[..., 1:], f0[..., :-1] + r_i)
        with_item = np.logaddexp(f1[..., 1:], f1[..., :-1] + r_i)
        new1[..., 1:] = np.logaddexp(with_item, f0[..., :-1] + u_i)
        f0, f1 = new0, new1
        table0.append(f0)
        table1.append(f1)
    return table0, table1


def _product(left: Array, right: Array, n: int) -> Array:
    """Return the log coefficient of z^n in a product of two polynomials."""
    return logsumexp(left[..., : n + 1] + right[..., n::-1], axis=-1)


def _elsewhere(tables: Tables, i: int, counts: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return log e_n of all locations but i, without a target and with one, for each n."""
    F0, F1, B0, B1 = tables
    e0 = [_product(F0[i], B0[i + 1], n) for n in counts]
    e1 = [
        np.logaddexp(_product(F0[i], B1[i + 1], n), _product(F1[i], B0[i + 1], n)) for n in counts
    ]
    return np.stack(e0, axis=-1), np.stack(e1, axis=-1)


def _blank(
    tables: Tables, model: Model, p: Array, q: Array, log_present: Array, log_absent: Array
) -> Array:
    """Return P(location is blank | X), shape (..., M): all items are elsewhere."""
    out = []
    for i in range(model.location.size):
        e0, e1 = _elsewhere(tables, i, model.counts)
        absent = logsumexp(model.log_count_absent + e0, axis=-1) - log_absent
        present = logsumexp(model.log_count_present + e1, axis=-1) - log_present
        out.append(p[..., 0] * np.exp(present) + q[..., 0] * np.exp(absent))
    return np.stack(out, axis=-1)
