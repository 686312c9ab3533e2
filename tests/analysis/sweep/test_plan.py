"""What a sweep will take: counts, time and size, and points that fail."""

from dataclasses import replace

import pytest

from popout.analysis.sweep.plan import plan_sweep
from popout.analysis.sweep.point import run_points


def test_time_follows_from_the_points_that_were_tried(make):
    told = []
    plan = plan_sweep(make(), workers=2, progress=lambda share, words: told.append(share))
    assert (plan.points, plan.sampled, plan.failed) == (6, 6, 0)
    loading = max(0.0, plan.first_seconds - plan.seconds_per_point)
    assert plan.seconds == pytest.approx(3 * plan.seconds_per_point + loading)
    assert told == [pytest.approx(k / 6) for k in range(1, 7)]
    assert plan.as_dict()["store_bytes"] == plan.store_bytes > 0


def test_no_point_is_tried_after_the_time(make):
    plan = plan_sweep(make(), workers=100, seconds=0.0)
    assert plan.sampled == 1
    assert plan.seconds == pytest.approx(plan.seconds_per_point)  # no more workers than points
    assert "standard error of that     nan" in str(plan)


def test_what_the_first_point_loads_is_counted_and_the_start_of_workers_is_named(make, monkeypatch):
    """A dry run said 1 s for a sweep of 25 s, most of which were loading and starting."""
    seconds = iter([20.0, 0.1, 0.1, 0.1, 0.1, 0.1])

    def slow_start(grid, points):
        return [replace(each, seconds=next(seconds)) for each in run_points(grid, points)]

    monkeypatch.setattr("popout.analysis.sweep.plan.run_points", slow_start)
    plan = plan_sweep(make(), workers=2)
    assert plan.seconds == pytest.approx(3 * 0.1 + 19.9)
    assert "20 s" in str(plan)
    assert "Before that the workers start" in str(plan)


def test_a_point_that_fails_is_told(make):
    four = [-2.0] * 4  # thresholds, but two or three locations
    plan = plan_sweep(make(parameters={"tau_minus": four, "tau_plus": 2.0}), workers=1)
    assert plan.failed == 6
    assert plan.message in str(plan)
