"""Designs that must coincide, and symmetries that must hold."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from popout.evidence import Evidence, log_likelihood_ratio_search
from popout.task import (
    DiscriminationTask,
    GaussianWalk,
    MixtureSearchTask,
    PoissonSpikes,
    SceneSearchTask,
    SearchTask,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}


def random_observations(task, n=200, seed=3):
    shape = Evidence(task).observation_shape
    return np.random.default_rng(seed).normal(size=(n, *shape))


def ratio(task, x, t=0.3):
    evidence = Evidence(task)
    return evidence.log_likelihood_ratio(evidence.log_likelihood(x, t))


def test_one_orientation_each_is_homogeneous_search():
    search = SearchTask(5, 3.0)
    mixture = MixtureSearchTask.tied(5, [30], [20], {20: -3, 30: 3})
    x = random_observations(search)
    assert_allclose(ratio(mixture, x), ratio(search, x), **EXACT)
    # Equation 2 with Z = 2 mu x, transcribed
    assert_allclose(ratio(search, x), logsumexp(6.0 * x, axis=1) - np.log(5), **EXACT)
    assert_allclose(ratio(search, x), log_likelihood_ratio_search(6.0 * x), **EXACT)


def test_unequal_drifts_are_the_search_ratio_of_scaled_observations():
    task = SearchTask(drift=(8.0, 3.0), location_prior=(0.3, 0.7))
    x = random_observations(task)
    Z = 2 * np.array([8.0, 3.0]) * x
    assert_allclose(ratio(task, x), log_likelihood_ratio_search(Z, (0.3, 0.7)), **EXACT)
    evidence = Evidence(task)
    assert_allclose(evidence.local_llr(evidence.log_likelihood(x, 0.4)), Z, rtol=1e-11, atol=1e-11)


def test_one_location_is_discrimination():
    drift = {20: 0, 30: 2, 10: -2}
    one = DiscriminationTask.from_sets([30, 10], [20], drift)
    search = MixtureSearchTask.independent(1, [30, 10], [20], drift)
    x = random_observations(one)
    assert_allclose(ratio(one, x), ratio(search, x), **EXACT)
    # Equation 1, transcribed
    L = {theta: mu * x[:, 0] - mu**2 * 0.3 / 2 for theta, mu in drift.items()}
    expected = np.logaddexp(L[30], L[10]) - np.log(2) - L[20]
    assert_allclose(ratio(one, x), expected, **EXACT)


@pytest.mark.parametrize("m", [4, 600])
def test_paper_equation_of_heterogeneous_search(m):
    """Equation 3 to Equation 5 and gain control, transcribed.

    Six hundred locations make products of likelihoods that would underflow.
    """
    task = MixtureSearchTask.independent(m, [0, 10], [10, 20, 30], {0: -3, 10: -1, 20: 1, 30: 3})
    task = replace(
        task, mixtures=((0.5, 0.25, 0.25, 0), (0, 0.5, 0.5, 0)), mixture_prior=(0.5, 0.5)
    )
    x = 2 * random_observations(task)
    L = Evidence(task).log_likelihood(x, 0.3)
    with np.errstate(divide="ignore"):
        log_phi = np.log(task.mixtures)
        log_target = np.log(task.target_prior)
    D = logsumexp(L[:, :, None, :] + log_phi, axis=-1)  # trial, location, mixture
    A = np.log(0.5) + D.sum(axis=1)
    Q = A - logsumexp(A, axis=-1, keepdims=True)
    L1 = logsumexp(L + log_target, axis=-1)
    L0 = -logsumexp(-D + Q[:, None, :], axis=-1)
    expected = logsumexp(L1 - L0, axis=-1) - np.log(m)
    relative = (D - L.max(axis=-1)[..., None]).sum(axis=1)
    assert np.max(relative) < (-745 if m == 600 else 0)  # exp of it is zero in double precision
    loose = {"rtol": 1e-10, "atol": 1e-10}  # the transcription rounds sums of some thousands
    assert_allclose(Evidence(task).log_likelihood_ratio(L), expected, **loose)
    assert_allclose(Evidence(task).posterior(L).mixture_given_absent, np.exp(Q), **loose)


DRIFT = {0: -2, 20: 1, 10: 3}
FULL = SceneSearchTask.from_sets(3, [10], [0], [3], {0: -2, 10: 2, "blank": 5})
PLAIN = MixtureSearchTask(3, [0, 1], GaussianWalk([-1, 1]), [0, 1], [[0.7, 0.3]])
TWINS = {
    "a scene that is full, independent distractors": (
        SceneSearchTask.from_sets(4, [10], [0, 20], [4], {**DRIFT, "blank": -9}),
        MixtureSearchTask.independent(4, [10], [0, 20], DRIFT),
    ),
    "one known item everywhere, as a mixture": (FULL, FULL.as_mixture()),
    "a scene of one location, discrimination": (
        SceneSearchTask.from_sets(1, [10], [0], [1], {0: -2, 10: 2, "blank": 5}),
        SearchTask(1, 2.0),
    ),
    "a mixture, the same twice": (
        PLAIN,
        replace(PLAIN, mixtures=((0.7, 0.3),) * 2, mixture_prior=(0.1, 0.9)),
    ),
}


@pytest.mark.parametrize(("first", "second"), TWINS.values(), ids=TWINS)
def test_designs_that_are_one(first, second):
    x = random_observations(first)
    assert_allclose(ratio(first, x), ratio(second, x), **EXACT)


@pytest.mark.parametrize("counts", [(5, 100), (200,)])
def test_a_large_scene_of_equal_locations_has_the_ratio_of_one(counts):
    """With equal observations everywhere S = log t / d, whatever the set size: 2^200 subsets."""
    scene = SceneSearchTask.from_sets(200, [10], [0], counts, {0: -2, 10: 2, "blank": 1})
    for x in (-0.4, 0.0, 3.0):
        S = ratio(scene, np.full(200, x))
        assert_allclose(S, 4.0 * x, rtol=1e-10, atol=1e-10)
        posterior = Evidence(scene).posterior(Evidence(scene).log_likelihood(np.full(200, x), 0.3))
        assert_allclose(posterior.location, 1 / 200, rtol=1e-10)
        assert_allclose(posterior.orientation.sum(axis=-1), 1.0, rtol=1e-10)


def test_vector_walk_of_identical_channels_is_a_faster_scalar_one():
    """Two channels of drift mu carry what one of drift sqrt(2) mu does."""
    vector = MixtureSearchTask.tied(3, [0], [20], {20: [-1.5, -1.5], 0: [1.5, 1.5]})
    scalar = SearchTask(3, 1.5 * np.sqrt(2))
    x = random_observations(vector)
    assert_allclose(ratio(vector, x), ratio(scalar, x.sum(axis=2) / np.sqrt(2)), **EXACT)


def test_many_spikes_approach_a_gaussian_walk():
    """Rates r +- 2 mu sqrt(r), counts standardised, have the drifts of a walk as r grows."""
    mu, base, t = 1.0, 1e8, 0.5
    rates = [[base - mu * np.sqrt(base)], [base + mu * np.sqrt(base)]]
    spikes = DiscriminationTask([0, 1], PoissonSpikes(rates), [0, 1], [1, 0])
    walk = DiscriminationTask([0, 1], GaussianWalk([-mu, mu]), [0, 1], [1, 0])
    x = np.linspace(-2, 2, 9)[:, None]
    counts = base * t + np.sqrt(base) * x
    assert_allclose(ratio(spikes, counts[..., None], t), ratio(walk, x, t), atol=1e-3)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), order=st.permutations(range(4)))
def test_permuting_locations_permutes_the_posterior(seed, order):
    walk = GaussianWalk([-2, 0, 2])
    prior = np.array([0.4, 0.3, 0.2, 0.1])
    mixture = MixtureSearchTask(
        4, [0, 10, 20], walk, [0.5, 0.5, 0], [[0, 0.5, 0.5], [1, 0, 0]], location_prior=prior
    )
    scene = SceneSearchTask(
        4, [0, "blank", 20], walk, [1, 0, 0], [0.5, 0, 0.5], [1, 3], location_prior=prior
    )
    order = np.array(order)
    for task in (mixture, scene):
        x = random_observations(task, n=5, seed=seed)
        moved = replace(task, location_prior=tuple(prior[order]))
        before = Evidence(task).posterior(Evidence(task).log_likelihood(x, 0.7))
        after = Evidence(moved).posterior(Evidence(moved).log_likelihood(x[:, order], 0.7))
        assert_allclose(after.log_likelihood_ratio, before.log_likelihood_ratio, **EXACT)
        assert_allclose(after.location, before.location[:, order], **EXACT)
        assert_allclose(after.orientation, before.orientation[:, order], **EXACT)
        assert_allclose(after.mixture, before.mixture, **EXACT)


def test_a_constant_in_the_log_likelihood_changes_nothing(task):
    evidence = Evidence(task)
    sample = evidence.sample(20, 3, seed=5)
    L = evidence.log_likelihood(sample.observations, sample.duration)
    shifted = L + np.random.default_rng(0).normal(scale=50, size=(*L.shape[:-1], 1))
    assert_allclose(
        evidence.log_likelihood_ratio(shifted), evidence.log_likelihood_ratio(L), atol=1e-11
    )
