"""Displays that are as probable as any."""

import math
from collections import Counter
from dataclasses import replace

import pytest
from example_tasks import TASKS
from hypothesis import given
from hypothesis import strategies as st

from popout.task.display_law import likely_display, share_out


@pytest.mark.parametrize("task", TASKS, ids=lambda task: type(task).__name__)
def test_a_display_is_one_that_the_task_can_show(task):
    law = task.displays()
    display, target = likely_display(law)
    assert len(display) == task.n_locations
    assert law.location[target] == max(task.location_prior)
    assert law.target[display[target]] == max(law.target)
    for place, k in enumerate(display):
        if place != target:
            assert k == law.blank or any(phi[k] > 0 for phi in law.mixtures)
    if law.counts:
        assert sum(math.isfinite(task.tilts[k]) for k in display) in law.counts


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5).filter(any), st.integers(0, 40))
def test_places_are_shared_out_as_the_probabilities_say(weights, n):
    p = [w / sum(weights) for w in weights]
    given_out = Counter(share_out(p, n))
    assert sum(given_out.values()) == n
    for k, share in enumerate(p):
        # A greedy share is within one place of its due for two outcomes, and close for a few.
        assert abs(given_out[k] - share * n) < len(p)
        assert share > 0 or given_out[k] == 0


@pytest.mark.parametrize(
    "task",
    [task for task in TASKS if task.n_locations > 1],
    ids=lambda task: type(task).__name__,
)
def test_displays_and_states_know_where_the_target_is_likely(task):
    n = task.n_locations
    prior = tuple(2.0 * (k + 1) / (n * (n + 1)) for k in range(n))
    uneven = replace(task, location_prior=prior)
    assert tuple(uneven.displays().location) == pytest.approx(prior)
    if uneven.search is not None:
        assert uneven.search.location_prior == pytest.approx(prior)
