"""What a sweep will take: counts, time and size, and points that fail."""

import pytest

from popout.analysis.sweep.plan import plan_sweep


def test_time_follows_from_the_points_that_were_tried(make):
    told = []
    plan = plan_sweep(make(), workers=2, progress=lambda share, words: told.append(share))
    assert (plan.points, plan.sampled, plan.failed) == (6, 6, 0)
    assert plan.seconds == pytest.approx(3 * plan.seconds_per_point)
    assert told == [pytest.approx(k / 6) for k in range(1, 7)]
    assert plan.as_dict()["store_bytes"] == plan.store_bytes > 0


def test_no_point_is_tried_after_the_time(make):
    plan = plan_sweep(make(), workers=100, seconds=0.0)
    assert plan.sampled == 1
    assert plan.seconds == pytest.approx(plan.seconds_per_point)  # no more workers than points
    assert "standard error of that     nan" in str(plan)


def test_a_point_that_fails_is_told(make):
    four = [-2.0] * 4  # thresholds, but two or three locations
    plan = plan_sweep(make(parameters={"tau_minus": four, "tau_plus": 2.0}), workers=1)
    assert plan.failed == 6
    assert plan.message in str(plan)
