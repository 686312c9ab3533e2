"""What every policy has."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from popout.policies.looking import Attention, Guided, Parallel, Serial
from popout.task import LimitedSearchTask

TASK = LimitedSearchTask(n_locations=3, information=30.0, location_prior=(0.5, 0.5, 0.0))
POLICIES = [
    Parallel.for_task(TASK),
    Guided.for_task(TASK, g=0.0),
    Guided.for_task(TASK, g=1.5),
    Serial.for_task(TASK),
]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.label)
@given(Z=st.lists(st.floats(-700, 700), min_size=3, max_size=3))
def test_shares_are_shares(policy, Z):
    shares = policy.shares([Z, Z], 0.0)
    assert shares.shape == (2, 3)
    assert (shares >= 0).all()
    assert shares.sum(axis=-1) == pytest.approx(1.0)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.label)
def test_a_location_that_never_holds_the_target_gets_nothing(policy):
    assert policy.shares(np.array([0.0, 0.0, 50.0]), 0.0)[2] == 0.0


def test_a_policy_of_ones_own_is_one_method():
    class First(Attention):
        def shares(self, Z, t):
            return np.broadcast_to(np.eye(np.shape(Z)[-1])[0], np.shape(Z))

    assert First().n_locations is None
    assert "First" in str(First().card())
