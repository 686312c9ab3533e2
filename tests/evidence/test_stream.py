"""Whole trajectories, final ratios and streams are the same numbers."""

import tracemalloc

import numpy as np
import pytest

from popout.evidence import Evidence
from popout.task import SearchTask


def test_stream_equals_trajectory_to_the_bit(task):
    evidence = Evidence(task)
    sample = evidence.sample(7, 12, seed=2)
    trajectory = evidence.trajectory(sample.increments)
    stream = evidence.start(7)
    assert np.all(stream.log_likelihood_ratio == 0.0)
    sizes = set()
    for step in range(12):
        stream = stream.update(sample.increments[:, step])
        assert np.array_equal(stream.log_likelihood_ratio, trajectory[:, step])
        sizes.add((stream.x.nbytes, stream.log_likelihood_ratio.nbytes))
    assert len(sizes) == 1  # what a stream holds does not grow
    assert stream.t == pytest.approx(sample.duration)
    assert np.array_equal(evidence.final(sample.increments), trajectory[:, -1])
    np.testing.assert_allclose(
        stream.posterior().log_likelihood_ratio, trajectory[:, -1], rtol=1e-11, atol=1e-11
    )


def test_trajectory_equals_the_ratio_of_cumulated_observations(task):
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


def test_input_is_left_alone(task):
    evidence = Evidence(task)
    dx = evidence.sample(3, 4, seed=4).increments
    before = dx.copy()
    evidence.trajectory(dx)
    stream = evidence.start(3)
    after = stream.update(dx[:, 0])
    assert np.array_equal(dx, before)
    assert np.all(stream.x == 0.0)
    assert after.n_steps == 1
