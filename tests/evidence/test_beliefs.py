"""Statistical truth: beliefs are as often right as they say, and the ratio is a martingale."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from popout.evidence import Evidence
from popout.task import SearchTask

N_TRIALS = 40_000
N_STEPS = 4
SEED = 20261115
P_VALUE = 1e-4  # fixed seed: a failure is a fault, not a fluke to be rerun


def reliability(belief, truth):
    """Return the p-value of calibration: ten bins of belief, Pearson's chi-square.

    Given a calibrated belief, the number of true cases in a bin has mean sum p and variance
    sum p (1 - p), independently across bins and trials.
    """
    bins = np.minimum((10 * belief).astype(int), 9)
    mean = np.bincount(bins, belief, 10)
    variance = np.bincount(bins, belief * (1 - belief), 10)
    seen = np.bincount(bins, truth, 10)
    used = variance > 10  # the normal approximation needs cases
    assert used.any()
    z2 = (seen[used] - mean[used]) ** 2 / variance[used]
    return chi2.sf(np.sum(z2), np.count_nonzero(used))


@pytest.fixture(scope="module")
def samples():
    return {}


def observe(task, samples):
    """Return a sample of a task and its log likelihoods, drawn once per module."""
    if task not in samples:
        evidence = Evidence(task)
        sample = evidence.sample(N_TRIALS, N_STEPS, SEED)
        samples[task] = sample, evidence.log_likelihood(sample.observations, sample.duration)
    return samples[task]


def test_beliefs_are_calibrated(task, samples):
    sample, L = observe(task, samples)
    posterior = Evidence(task).posterior(L)
    assert reliability(posterior.presence, sample.present) > P_VALUE

    location = sample.location[:, None] == np.arange(task.n_locations)
    orientation = sample.orientation[..., None] == np.arange(L.shape[-1])
    mixture = sample.mixture[:, None] == np.arange(posterior.mixture.shape[-1])
    claims = {
        "target_at": (posterior.target_at, location),
        "orientation": (posterior.orientation, orientation),
        "mixture": (posterior.mixture, mixture),
    }
    n_tests = sum(np.prod(truth.shape[1:]) for _, truth in claims.values())
    for belief, truth in claims.values():
        belief, truth = (np.reshape(a, (N_TRIALS, -1)) for a in (belief, truth))
        for column in range(truth.shape[1]):
            p = np.clip(belief[:, column], 0, 1)
            if np.sum(p * (1 - p)) > 10:  # a certain quantity has nothing to calibrate
                assert reliability(p, truth[:, column]) > P_VALUE / n_tests
            else:
                assert np.mean(truth[:, column]) == pytest.approx(np.mean(p), abs=1e-3)

    there = sample.present
    target = sample.orientation[there, sample.location[there]]
    for k in range(L.shape[-1]):
        belief = posterior.target_type[there, k]
        if np.sum(belief * (1 - belief)) > 10:
            assert reliability(np.clip(belief, 0, 1), target == k) > P_VALUE


def test_a_wrong_prior_of_presence_fails_the_same_test(task, samples):
    """Negative control: three points of prior are enough."""
    sample, L = observe(task, samples)
    wrong = replace(task, prior=task.prior + 0.03)
    assert reliability(Evidence(wrong).posterior(L).presence, sample.present) < P_VALUE


def test_wrong_priors_of_location_and_mixture_fail_the_same_test(designs, samples):
    """Negative control for the claims beside presence."""
    sample, L = observe(designs["general"], samples)
    wrong = replace(
        designs["general"], location_prior=(0.55, 0.35, 0.1), mixture_prior=(0.45, 0.35, 0.2)
    )
    posterior = Evidence(wrong).posterior(L)
    assert reliability(posterior.target_at[:, 0], sample.location == 0) < P_VALUE
    assert reliability(posterior.mixture[:, 0], sample.mixture == 0) < P_VALUE


def martingale_z(task, scale=1.0):
    """Return z scores of the martingale exp(S) on trials without a target.

    Its mean stays at one, and its steps are uncorrelated with the past, here with the bounded
    function R / (1 + R) of it. `scale` falsifies the observations. A short step keeps the
    fourth moments small enough for the standard errors to be believed.
    """
    brief = replace(task, dt=0.01)
    sample = Evidence(brief).sample(N_TRIALS, N_STEPS, SEED + 1, condition="absent")
    R = np.exp(Evidence(brief).trajectory(scale * sample.increments))
    past = R[:, :-1] / (1 + R[:, :-1])
    terms = np.concatenate([R - 1, np.diff(R, axis=1) * past], axis=1)
    return np.mean(terms, axis=0) / (np.std(terms, axis=0) / np.sqrt(N_TRIALS))


def test_likelihood_ratio_is_a_martingale_without_target(task):
    assert np.max(np.abs(martingale_z(task))) < 4.5


def test_falsified_observations_are_no_martingale(task):
    """Negative control: observations that are 20 % too large."""
    assert np.max(np.abs(martingale_z(task, scale=1.2))) > 4.5


def test_trajectory_equals_the_ratio_of_accumulated_observations(task):
    evidence = Evidence(task)
    sample = evidence.sample(5, 9, seed=4)
    x = np.cumsum(sample.increments, axis=1)
    t = task.dt * np.arange(1, 10)
    L = evidence.log_likelihood(x, t)  # time broadcasts against (trial, step)
    np.testing.assert_allclose(
        evidence.trajectory(sample.increments),
        evidence.log_likelihood_ratio(L),
        rtol=1e-11,
        atol=1e-11,
    )


def test_leading_axes_are_free(task):
    evidence = Evidence(task)
    dx = evidence.sample(6, 5, seed=4).increments
    folded = dx.reshape(2, 3, *dx.shape[1:])
    assert np.array_equal(evidence.trajectory(folded), evidence.trajectory(dx).reshape(2, 3, 5))
    assert np.array_equal(evidence.trajectory(dx[0]), evidence.trajectory(dx)[0])
    assert evidence.final(dx[0]).shape == ()
    L = evidence.log_likelihood(dx.sum(axis=1), 5 * task.dt)
    whole = evidence.posterior(L)
    single = evidence.posterior(L[3])
    assert single.presence.shape == ()
    np.testing.assert_allclose(single.orientation, whole.orientation[3], rtol=1e-13)
    assert evidence.trajectory(dx[:0]).shape == (0, 5)


def test_non_contiguous_and_integer_input_is_read_right():
    evidence = Evidence(SearchTask(3, 2.0))
    dx = np.random.default_rng(1).integers(-2, 3, size=(4, 6, 3))
    reference = evidence.trajectory(dx.astype(float))
    assert np.array_equal(evidence.trajectory(dx), reference)
    assert np.array_equal(evidence.trajectory(np.asfortranarray(dx, dtype=float)), reference)


def test_memory_of_the_final_ratio_does_not_depend_on_the_number_of_steps():
    evidence = Evidence(SearchTask(4, 2.0))
    peaks = []
    for n_steps in (10, 500):
        dx = np.zeros((200, n_steps, 4))
        evidence.final(dx)  # compiled before anything is measured
        tracemalloc.start()
        evidence.final(dx)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 2000
    assert peaks[1] < dx.nbytes / 50


def test_the_last_of_a_trajectory_is_final_and_input_is_left_alone(task):
    evidence = Evidence(task)
    dx = evidence.sample(3, 4, seed=4).increments
    before = dx.copy()
    trajectory = evidence.trajectory(dx)
    assert np.array_equal(evidence.final(dx), trajectory[:, -1])
    assert np.array_equal(dx, before)
