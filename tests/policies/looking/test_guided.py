"""Shares that follow the posterior."""

import numpy as np
import pytest

from popout.policies.looking import Guided, Parallel, Serial
from popout.task import InputError, LimitedSearchTask

TASK = LimitedSearchTask(n_locations=3, information=30.0, location_prior=(0.2, 0.3, 0.5))
Z = np.random.default_rng(1).normal(0.0, 2.0, (40, 3))


def test_one_is_the_posterior():
    posterior = np.asarray(TASK.location_prior) * np.exp(Z)
    posterior /= posterior.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(Guided.for_task(TASK, 1.0).shares(Z, 0.0), posterior)


def test_from_parallel_to_serial():
    np.testing.assert_allclose(
        Guided.for_task(TASK, 0.0).shares(Z, 0.0), Parallel.for_task(TASK).shares(Z, 0.0)
    )
    np.testing.assert_allclose(
        Guided.for_task(TASK, 1e4).shares(Z, 0.0), Serial.for_task(TASK).shares(Z, 0.0), atol=1e-6
    )


def test_a_negative_power_is_refused():
    with pytest.raises(InputError, match=r"Guided\.g: expected a number of at least 0"):
        Guided.for_task(TASK, -1.0)
