"""Compiled loops of `mixture`: posteriors of many states, now and after a step.

The symbols are those of the head of `mixture`: the likelihoods of the orientations, D of the
mixtures, alpha their posterior without a target, the odds of a target at each location.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np

from popout.noise.elementary import compiled

SCALES = np.array([1.0, 1.8, 0.66, 4.0])
"""Of the log-sum-exps of the odds, which are the statistics of a state."""


@compiled
def _rows(odds: Any, alpha: Any, S: Any, i: int) -> None:
    """Write the statistics of a state."""
    M, J, scales = len(odds), len(alpha), SCALES
    for r in range(len(scales)):
        S[r, i] = 0.0
    for location in range(M):
        y = log(odds[location] + 1e-300)
        S[0, i] += odds[location]
        for r in range(1, len(scales)):
            S[r, i] += exp(scales[r] * y)
    for r in range(len(scales)):
        S[r, i] = log(S[r, i] + 1e-300) / scales[r]
    if S.shape[0] > len(scales):
        total = 0.0
        for j in range(J):
            total += alpha[j] * alpha[j]
        S[len(scales), i] = log(total + 1e-300)


@compiled
def posteriors(ell: Any, law: Any, D: Any, alpha: Any, odds: Any, S: Any) -> None:
    """Write D, alpha, the odds of each location and the statistics of each state.

    Parameters
    ----------
    ell : ndarray of shape (P, M, K)
        Likelihoods of the orientations at each location.
    law : tuple of ndarray
        Of `popout.certificate.mixture.MixtureProblem.law`.
    D, alpha, odds, S : ndarray of shape (P, J, M), (P, J), (P, M), (rows, P)
        Written.
    """
    mixtures, mixture_prior, target, location_odds = law
    P, M, K = ell.shape
    J = len(mixture_prior)
    for p in range(P):
        top = -np.inf
        for j in range(J):
            total = log(mixture_prior[j] + 1e-300)
            for location in range(M):
                d = 0.0
                for k in range(K):
                    d += mixtures[j, k] * ell[p, location, k]
                D[p, j, location] = d + 1e-280
                total += log(D[p, j, location])
            alpha[p, j] = total
            top = max(top, total)
        whole = 0.0
        for j in range(J):
            alpha[p, j] = exp(alpha[p, j] - top)
            whole += alpha[p, j]
        for j in range(J):
            alpha[p, j] /= whole
        for location in range(M):
            T = 0.0
            for k in range(K):
                T += target[k] * ell[p, location, k]
            o = 0.0
            for j in range(J):
                o += alpha[p, j] * T / D[p, j, location]
            odds[p, location] = location_odds[location] * o
        _rows(odds[p], alpha[p], S, p)


@compiled
def after_steps(
    base: Any, factors: Any, law: Any, before: Any, proposal: Any, weight: Any, S: Any
) -> None:
    """Write the weight and the statistics after each step of each state.

    Parameters
    ----------
    base, factors : ndarray of shape (P, M, K) and (Q, M, K)
        Factors of the new likelihoods: by state, and by step.
    law : tuple of ndarray
    before : tuple of ndarray
        D, alpha and odds of the states.
    proposal : ndarray of shape (P, Q)
        Logarithm of the density that steps were drawn with, over that without drift.
    weight, S : ndarray of shape (P, Q), (rows, P * Q)
        Written.
    """
    mixtures, _, target, location_odds = law
    D, alpha, odds = before
    P, M, K = base.shape
    Q, J = factors.shape[0], alpha.shape[1]
    ell = np.empty(K)
    after = np.empty((J, M))
    T, new_odds, new_alpha = np.empty(M), np.empty(M), np.empty(J)
    for p in range(P):
        total = 1.0
        for location in range(M):
            total += odds[p, location]
        for q in range(Q):
            for j in range(J):
                new_alpha[j] = alpha[p, j]
            for location in range(M):
                T[location] = 0.0
                for k in range(K):
                    ell[k] = base[p, location, k] * factors[q, location, k]
                    T[location] += target[k] * ell[k]
                for j in range(J):
                    d = 1e-280
                    for k in range(K):
                        d += mixtures[j, k] * ell[k]
                    after[j, location] = d
                    new_alpha[j] *= d / D[p, j, location]
            absent = 1e-300
            for j in range(J):
                absent += new_alpha[j]
            for j in range(J):
                new_alpha[j] /= absent
            W = 0.0
            for location in range(M):
                o = 0.0
                for j in range(J):
                    o += new_alpha[j] / after[j, location]
                new_odds[location] = location_odds[location] * T[location] * o
                W += new_odds[location]
            weight[p, q] = absent * (1.0 + W) / total * exp(-proposal[p, q])
            _rows(new_odds, new_alpha, S, p * Q + q)
