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

What a step would tell at *l* is :math:`I_{jl}`: the mean squared distance of a distractor's drifts
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


@compiled
def _given(
    ell: Any, kinds: Any, before: Any, behind: Any, A: Any, R: Any, T: Any, told: Any
) -> None:
    """Write A, ``R = B / A``, T and what a step would tell, for likelihoods ell of shape (M, K).

    `before` and `behind` are scratch, polynomials of the locations before and behind each.
    """
    M, K = ell.shape
    J = len(kinds.prior)
    A[:] = 1.0
    R[:] = told[:] = 1e-280
    for place in range(M):
        T[place] = 1e-280
        for k in range(K):
            T[place] += kinds.target[k] * ell[place, k]
        for k in range(K):
            far = 0.0  # from the target, as likely as each of its orientations is here
            for other in range(K):
                if kinds.target[other] > 0.0:
                    far += kinds.target[other] * ell[place, other] * kinds.apart[k, other]
            for j in range(J):
                like = kinds.marginal[j, k] * ell[place, k]
                R[j, place] += like
                told[j, place] += like * far
        for j in range(J):
            told[j, place] = told[j, place] / R[j, place] / T[place]  # their product may be zero
            A[j] *= R[j, place]
            R[j, place] = 1.0 / R[j, place]
    A[:] += FEWEST
    if len(kinds.counts) == 0:
        return  # locations are independent; in scenes they are not, and A and R are others
    size = before.shape[1]
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
            for n in range(1, size):
                result[n] = source[n] * blank + source[n - 1] * item
    for j in range(J):
        n = kinds.counts[j]
        A[j] = before[M, n] / kinds.subsets[0, j] + FEWEST
        for place in range(M):
            total = 0.0
            for m in range(n):
                total += before[place, m] * behind[place + 1, n - 1 - m]
            R[j, place] = total / kinds.subsets[1, j] / A[j]


@compiled
def _rows(odds: Any, without: float, given: float, kinds: Any, S: Any, i: int) -> None:
    """Write the statistics of a state; the two numbers are what a step would tell, see `_odds`."""
    M, n_scales = len(odds), len(kinds.scales)
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
        S[n_scales, i] = log((without + given) / (1.0 + whole) + FEWEST)
        S[n_scales + 1, i] = log((given / whole + FEWEST) / (without + FEWEST))


@compiled
def _odds(T: Any, alpha: Any, R: Any, told: Any, location_odds: Any, odds: Any) -> Any:
    """Write the odds of each location; return what a step would tell.

    That is, without a target, the mean over locations and, with one, at its place, times the odds.
    """
    M = len(T)
    without, given = 0.0, 0.0
    for place in range(M):
        odds[place] = 0.0
        for j in range(len(alpha)):
            o = location_odds[place] * T[place] * alpha[j] * R[j, place]
            odds[place] += o
            without += alpha[j] * told[j, place] / M
            given += o * told[j, place]
    return without, given


@compiled
def posteriors(ell: Any, kinds: Any, A: Any, alpha: Any, odds: Any, S: Any) -> None:
    """Write A, alpha, the odds of each location and the statistics of each state.

    Parameters
    ----------
    ell : ndarray of shape (P, M, K)
        Likelihoods, the largest of each location one.
    kinds : Kinds
    A, alpha : ndarray of shape (P, J)
    odds : ndarray of shape (P, M)
    S : ndarray of shape (n_rows, P)
    """
    P, M, _ = ell.shape
    J = len(kinds.prior)
    size = 1 + (kinds.counts.max() if len(kinds.counts) else 0)
    before, behind = np.zeros((M + 1, size)), np.zeros((M + 1, size))
    R, told, T = np.empty((J, M)), np.empty((J, M)), np.empty(M)
    for p in range(P):
        _given(ell[p], kinds, before, behind, A[p], R, T, told)
        whole = 0.0
        for j in range(J):
            alpha[p, j] = kinds.prior[j] * A[p, j]
            whole += alpha[p, j]
        for j in range(J):
            alpha[p, j] /= whole
        without, given = _odds(T, alpha[p], R, told, kinds.location_odds, odds[p])
        _rows(odds[p], without, given, kinds, S, p)


@compiled
def after(
    base: Any,
    factors: Any,
    kinds: Any,
    A: Any,
    alpha: Any,
    odds: Any,
    proposal: Any,
    weight: Any,
    S: Any,
) -> None:
    """Write the weight and the statistics after each step of each state.

    Parameters
    ----------
    base : ndarray of shape (P, M, K)
        Likelihoods times their factors of the mean step.
    factors : ndarray of shape (Q, M, K)
        Factors of the noise of each possible step.
    kinds : Kinds
    A, alpha : ndarray of shape (P, J)
    odds : ndarray of shape (P, M)
        Before the step.
    proposal : ndarray of shape (P, Q)
        Log likelihood ratio of the law that steps are drawn from.
    weight : ndarray of shape (P, Q)
    S : ndarray of shape (n_rows, P * Q)
    """
    P, M, K = base.shape
    Q, J = factors.shape[0], alpha.shape[1]
    size = 1 + (kinds.counts.max() if len(kinds.counts) else 0)
    before, behind = np.zeros((M + 1, size)), np.zeros((M + 1, size))
    ell, R, told = np.empty((M, K)), np.empty((J, M)), np.empty((J, M))
    new_A, new_alpha, T, new_odds = np.empty(J), np.empty(J), np.empty(M), np.empty(M)
    for p in range(P):
        now = 1.0
        for place in range(M):
            now += odds[p, place]
        for q in range(Q):
            for place in range(M):
                for k in range(K):
                    ell[place, k] = base[p, place, k] * factors[q, place, k]
            _given(ell, kinds, before, behind, new_A, R, T, told)
            absent = FEWEST
            for j in range(J):
                new_alpha[j] = alpha[p, j] * (new_A[j] / A[p, j])
                absent += new_alpha[j]
            for j in range(J):
                new_alpha[j] /= absent
            without, given = _odds(T, new_alpha, R, told, kinds.location_odds, new_odds)
            W = 0.0
            for place in range(M):
                W += new_odds[place]
            weight[p, q] = absent * (1.0 + W) / now * exp(-proposal[p, q])
            _rows(new_odds, without, given, kinds, S, p * Q + q)
