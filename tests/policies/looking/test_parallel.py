"""Fixed shares."""

import numpy as np
import pytest

from popout.policies.looking import Parallel
from popout.task import InputError, LimitedSearchTask


def test_shares_do_not_depend_on_the_evidence():
    policy = Parallel((0.7, 0.3))
    Z = np.random.default_rng(0).normal(size=(5, 2))
    assert (policy.shares(Z, 0.0) == [0.7, 0.3]).all()


def test_bad_shares_are_refused():
    with pytest.raises(InputError, match="sum to one"):
        Parallel((0.7, 0.7))


def test_nobody_looks_where_the_target_never_is():
    task = LimitedSearchTask(n_locations=3, information=30.0, location_prior=(0.7, 0.0, 0.3))
    assert Parallel.for_task(task).fixed == (0.5, 0.0, 0.5)
