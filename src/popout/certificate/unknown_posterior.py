r"""Posteriors of displays with unknown distractors, compiled: now, and after each possible step.

A display has a *kind* j: the mixture of its distractors or, in a scene, the number :math:`n_j` of
its items. Let :math:`A_j` be the likelihood of all observations given the kind and no target,
:math:`B_{jl}` that of all but those at *l* given a target there, and :math:`T_l` that of the
observations at *l* given the target. Then

.. math::

   \alpha_j \propto P(j)\,A_j, \qquad
   o_l = \frac{P(l_T = l)\,P(C = 1)}{P(C = 0)}\; T_l \sum_j \alpha_j \frac{B_{jl}}{A_j}

are the posterior of the kind without a target and the posterior odds of a target at *l*.

- *Mixtures*: locations are independent, :math:`A_j = \prod_l D_{jl}` and
  :math:`B_{jl} = A_j / D_{jl}` with
  :math:`D_{jl} = \sum_\theta \varphi^{(j)}_\theta \ell_{l\theta}`.
- *Scenes* with exactly :math:`n_j` items: with the likelihoods :math:`I_l` of an item and
  :math:`b_l` of a blank, :math:`A_j` is the coefficient of :math:`x^{n_j}` of
  :math:`\prod_l (b_l + I_l x)` over the number of subsets, and :math:`B_{jl}` that of
  :math:`x^{n_j - 1}` of the product without *l* over its number of subsets.

What a step tells at *l* is :math:`I_{jl}`: the mean squared distance of a distractor's drifts
from a target's, either as likely as the observations at *l* make it, given the kind.
"""

from __future__ import annotations

from math import exp, log
from typing import Any, NamedTuple

import numpy as np

from popout.certificate.problem import Array
from popout.noise.elementary import compiled

FEWEST = 1e-300


class Kinds(NamedTuple):
    """What displays can be like, as arrays.

    Parameters
    ----------
    prior : ndarray of shape (J,)
    mixtures : ndarray of shape (J, K), or (1, K) of the items of a scene
    counts : ndarray of int, shape (J,), or empty
        Items of a scene.
    subsets : ndarray of shape (2, J), or (2, 0)
        On how many sets of locations the items can lie, without a target and, less one, with it.
    blank : int
    target : ndarray of shape (K,)
    location_odds : ndarray of shape (M,)
    marginal : ndarray of shape (J, K)
        How often a location without the target looks like what, given the kind.
    apart : ndarray of shape (K, K)
        How far the drifts of two orientations are from each other, squared; positive.
    scales : ndarray
        Of the log-sum-exps that are read.
    """

    prior: Array
    mixtures: Array
    counts: Any
    subsets: Array
    blank: int
    target: Array
    location_odds: Array
    marginal: Array
    apart: Array
    scales: Array


class Given(NamedTuple):
    """What the observations at all places are worth, given the kind; written by `_weigh`.

    Parameters
    ----------
    A : ndarray of shape (J,)
    R : ndarray of shape (J, M)
        B over A.
    T : ndarray of shape (M,)
    tells : ndarray of shape (J, M)
        What a step would tell at each place.
    before, behind : ndarray of shape (M + 1, n)
        Scratch: polynomials of the places before and behind each.
    """

    A: Array
    R: Array
    T: Array
    tells: Array
    before: Array
    behind: Array


@compiled
def _room(kinds: Any, M: int) -> Any:
    J, size = len(kinds.prior), 1 + (kinds.counts.max() if len(kinds.counts) else 0)
    before, behind = np.zeros((M + 1, size)), np.zeros((M + 1, size))
    return Given(np.empty(J), np.empty((J, M)), np.empty(M), np.empty((J, M)), before, behind)


@compiled
def _weigh(ell: Any, kinds: Any, given: Any) -> None:
    """Write what is given, for likelihoods ell of shape (M, K), as if places were independent."""
    M, K = ell.shape
    J = len(kinds.prior)
    A, R, T, tells = given.A, given.R, given.T, given.tells
    A[:] = 1.0
    R[:] = tells[:] = 1e-280
    for place in range(M):
        T[place] = 1e-280
        for k in range(K):
            T[place] += kinds.target[k] * ell[place, k]
        for k in range(K):
            far = 0.0  # from the target, as likely as each of its orientations is at this place
            for other in range(K):
                if kinds.target[other] > 0.0:
                    far += kinds.target[other] * ell[place, other] * kinds.apart[k, other]
            for j in range(J):
                like = kinds.marginal[j, k] * ell[place, k]
                R[j, place] += like
                tells[j, place] += like * far
        for j in range(J):
            tells[j, place] = tells[j, place] / R[j, place] / T[place]  # their product may be zero
            A[j] *= R[j, place]
            R[j, place] = 1.0 / R[j, place]
    A[:] += FEWEST
    if len(kinds.counts):
        _weigh_scene(ell, kinds, given)


@compiled
def _weigh_scene(ell: Any, kinds: Any, given: Any) -> None:
    """Write A and R of scenes, whose places are not independent."""
    M, K = ell.shape
    before, behind = given.before, given.behind
    before[0] = 0.0
    behind[M] = 0.0
    before[0, 0] = behind[M, 0] = 1.0
    for step in range(M):
        for way in range(2):
            place = step if way == 0 else M - 1 - step
            item = 0.0
            for k in range(K):
                item += kinds.mixtures[0, k] * ell[place, k]
            blank = ell[place, kinds.blank]
            source = before[step] if way == 0 else behind[M - step]
            result = before[step + 1] if way == 0 else behind[M - step - 1]
            result[0] = source[0] * blank
            for n in range(1, before.shape[1]):
                result[n] = source[n] * blank + source[n - 1] * item
    for j in range(len(kinds.prior)):
        n = kinds.counts[j]
        given.A[j] = before[M, n] / kinds.subsets[0, j] + FEWEST
        for place in range(M):
            total = 0.0
            for m in range(n):
                total += before[place, m] * behind[place + 1, n - 1 - m]
            given.R[j, place] = total / kinds.subsets[1, j] / given.A[j]


@compiled
def _read(given: Any, alpha: Any, kinds: Any, odds: Any, S: Any, i: int) -> None:
    """Write the odds of each place, and the statistics of the state into column i of S."""
    M, n_scales = len(odds), len(kinds.scales)
    # What a step would tell: without a target at any place, with one at its own, times the odds.
    without, at_target = 0.0, 0.0
    for place in range(M):
        odds[place] = 0.0
        for j in range(len(alpha)):
            o = kinds.location_odds[place] * given.T[place] * alpha[j] * given.R[j, place]
            odds[place] += o
            without += alpha[j] * given.tells[j, place] / M
            at_target += o * given.tells[j, place]
    largest, whole = FEWEST, FEWEST
    for place in range(M):
        largest = max(largest, odds[place])
        whole += odds[place]
    for r in range(n_scales):
        S[r, i] = 0.0
    for place in range(M):
        # Relative to the largest: exp(4 y) overflows from log odds of 177 on.
        y = log(odds[place] + FEWEST) - log(largest)
        for r in range(1, n_scales):
            S[r, i] += exp(kinds.scales[r] * y)
    S[0, i] = log(whole)
    for r in range(1, n_scales):
        S[r, i] = log(largest) + log(S[r, i]) / kinds.scales[r]
    if S.shape[0] > n_scales:
        S[n_scales, i] = log((without + at_target) / (1.0 + whole) + FEWEST)
        S[n_scales + 1, i] = log((at_target / whole + FEWEST) / (without + FEWEST))


@compiled
def posteriors(ell: Any, kinds: Any, n_rows: int) -> Any:
    """Return what is known in each state, and its statistics.

    Parameters
    ----------
    ell : ndarray of shape (P, M, K)
        Likelihoods, the largest of each location one.
    kinds : Kinds
    n_rows : int
        Number of statistics.

    Returns
    -------
    A, alpha : ndarray of shape (P, J)
    odds : ndarray of shape (P, M)
    S : ndarray of shape (n_rows, P)
    """
    P, M, _ = ell.shape
    J = len(kinds.prior)
    given = _room(kinds, M)
    A, alpha, odds, S = np.empty((P, J)), np.empty((P, J)), np.empty((P, M)), np.empty((n_rows, P))
    for p in range(P):
        _weigh(ell[p], kinds, given)
        whole = 0.0
        for j in range(J):
            A[p, j] = given.A[j]
            alpha[p, j] = kinds.prior[j] * A[p, j]
            whole += alpha[p, j]
        for j in range(J):
            alpha[p, j] /= whole
        _read(given, alpha[p], kinds, odds[p], S, p)
    return A, alpha, odds, S


@compiled
def after(base: Any, factors: Any, kinds: Any, known: Any, proposal: Any, n_rows: int) -> Any:
    """Return the weight and the statistics after each step of each state.

    Parameters
    ----------
    base : ndarray of shape (P, M, K)
        Likelihoods times their factors of the mean step.
    factors : ndarray of shape (Q, M, K)
        Factors of the noise of each possible step.
    kinds : Kinds
    known : tuple of ndarray
        A and alpha, shape (P, J), and the odds, shape (P, M), before the step.
    proposal : ndarray of shape (P, Q)
        Log likelihood ratio of the law that steps are drawn from.
    n_rows : int

    Returns
    -------
    weight : ndarray of shape (P, Q)
    S : ndarray of shape (n_rows, P * Q)
    """
    P, M, K = base.shape
    A, alpha, odds = known
    Q, J = factors.shape[0], alpha.shape[1]
    given = _room(kinds, M)
    ell, new_alpha, new_odds = np.empty((M, K)), np.empty(J), np.empty(M)
    weight, S = np.empty((P, Q)), np.empty((n_rows, P * Q))
    for p in range(P):
        now = 1.0
        for place in range(M):
            now += odds[p, place]
        for q in range(Q):
            for place in range(M):
                for k in range(K):
                    ell[place, k] = base[p, place, k] * factors[q, place, k]
            _weigh(ell, kinds, given)
            absent = FEWEST
            for j in range(J):
                new_alpha[j] = alpha[p, j] * (given.A[j] / A[p, j])
                absent += new_alpha[j]
            for j in range(J):
                new_alpha[j] /= absent
            _read(given, new_alpha, kinds, new_odds, S, p * Q + q)
            W = 0.0
            for place in range(M):
                W += new_odds[place]
            weight[p, q] = absent * (1.0 + W) / now * exp(-proposal[p, q])
    return weight, S
