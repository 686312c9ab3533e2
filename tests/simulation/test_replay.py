"""States made again: the same to the bit as those of a walk, one step at a time."""

import numpy as np
import pytest

from popout.simulation.looks import Walk
from popout.simulation.replay import final_states
from popout.task import SearchTask


@pytest.mark.parametrize(
    "task",
    [
        SearchTask(n_locations=1, drift=4.0),
        SearchTask(drift=(8.0, 3.0, 5.0)),
        SearchTask(n_locations=8, drift=2.0),
    ],
    ids=["one location", "odd and unequal", "eight"],
)
def test_states_are_those_of_a_walk(task):
    rng = np.random.default_rng(1)
    n, longest = 75, 9  # neither is a multiple of the lanes or of the block
    trials = rng.permutation(1000)[:n]
    targets = rng.integers(-1, task.n_locations, n).astype(np.int32)
    steps = rng.integers(0, longest + 1, n).astype(np.int32)
    expected, walk = np.zeros((n, task.n_locations)), Walk(task, 7, trials, targets)
    for k in range(1, longest + 1):
        walk.advance()
        expected[steps == k] = walk.Z[steps == k]
    found = final_states(task, 7, trials, targets, steps)
    np.testing.assert_array_equal(found, expected)
    # Negative control: another seed, and one step more, are seen.
    assert (final_states(task, 8, trials, targets, steps) != expected)[steps > 0].all()
    assert (final_states(task, 7, trials, targets, steps + 1) != expected).all()


def test_no_trials_have_no_states():
    task, none = SearchTask(n_locations=2, drift=4.0), np.zeros(0, np.int32)
    assert final_states(task, 1, none, none, none).shape == (0, 2)
