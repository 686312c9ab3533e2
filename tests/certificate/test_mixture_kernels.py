"""The compiled loops, against the same formulas written with whole arrays."""

import numpy as np
import pytest

from popout.certificate.mixture_kernels import SCALES, after_steps, posteriors

P, M, K, J, Q = 5, 3, 4, 2, 6


@pytest.fixture
def chance():
    return np.random.default_rng(1)


@pytest.fixture
def law(chance):
    mixtures = chance.dirichlet(np.ones(K), J)
    target, location = chance.dirichlet(np.ones(K)), chance.dirichlet(np.ones(M))
    return mixtures, np.array([0.3, 0.7]), target, 0.5 * location


def plain(ell, law):
    mixtures, prior, target, location_odds = law
    D = np.einsum("jk,pmk->pjm", mixtures, ell)
    alpha = prior * D.prod(axis=2)
    alpha /= alpha.sum(axis=1, keepdims=True)
    T = ell @ target
    odds = location_odds * np.einsum("pj,pjm->pm", alpha, T[:, None] / D)
    return D, alpha, odds


def statistics(alpha, odds):
    sums = [np.log((odds**scale).sum(axis=1)) / scale for scale in SCALES]
    return np.array([*sums, np.log((alpha**2).sum(axis=1))])


def written(ell, law):
    before = np.empty((P, J, M)), np.empty((P, J)), np.empty((P, M))
    S = np.empty((len(SCALES) + 1, P))
    posteriors(ell, law, *before, S)
    return before, S


def test_posteriors_are_those_of_the_formulas(chance, law):
    ell = chance.uniform(0.1, 2.0, (P, M, K))
    before, S = written(ell, law)
    expected = plain(ell, law)
    for found, reference in zip(before, expected, strict=True):
        np.testing.assert_allclose(found, reference)
    np.testing.assert_allclose(S, statistics(*expected[1:]))


def test_a_step_leads_to_the_posteriors_of_the_new_likelihoods(chance, law):
    ell, factors = chance.uniform(0.1, 2.0, (P, M, K)), chance.uniform(0.5, 2.0, (Q, M, K))
    proposal = chance.normal(size=(P, Q))
    before, _ = written(ell, law)
    weight, S = np.empty((P, Q)), np.empty((len(SCALES) + 1, P * Q))
    after_steps(ell, factors, law, before, proposal, weight, S)
    D, alpha, odds = plain(ell, law)
    for q in range(Q):
        new_D, new_alpha, new_odds = plain(ell * factors[q], law)
        np.testing.assert_allclose(S[:, q::Q], statistics(new_alpha, new_odds))
        likelihood = np.einsum("pj,pj->p", alpha, (new_D / D).prod(axis=2))
        ratio = likelihood * (1 + new_odds.sum(axis=1)) / (1 + odds.sum(axis=1))
        np.testing.assert_allclose(weight[:, q], ratio * np.exp(-proposal[:, q]))
