"""Boundaries, risks, and S at the decision."""

import numpy as np
import pytest

from popout.paper.figures import strategies_2d


def test_no_strategy_beats_the_optimum_in_two_dimensions(data):
    risk, error = data["risk"].to_numpy(), data["risk_error"].to_numpy()
    assert (risk[1:] >= risk[0] - error[1:] - error[0]).all()


def test_histograms_hold_the_correct_trials(data, tiny):
    inside = data["count"].sum("bin")
    assert (inside == data["correct_trials"]).all()
    assert (data["correct_trials"] <= tiny.decision_trials).all()
    # The optimum decides beyond its boundary, near S = tau on either side.
    near = np.abs(data["mean"] - data["tau"])
    assert (near < 3 * data["step_sd"]).all()


def test_spread_among_equal_times_is_that_of_a_plain_reference():
    rng = np.random.default_rng(1)
    steps = rng.integers(3, 40, 4000)
    S = 0.1 * steps + rng.normal(0.0, 0.3, steps.size)
    groups = [S[steps == step] for step in np.unique(steps)]
    squares = sum(((group - group.mean()) ** 2).sum() for group in groups)
    sd, se = strategies_2d.spread_at_equal_times(S, steps)
    assert sd == pytest.approx(np.sqrt(squares / (S.size - len(groups))))
    assert abs(sd - 0.3) < 4 * se
    assert se == pytest.approx(0.3 / np.sqrt(2 * S.size), rel=0.1)
    assert S.std() > 3 * sd  # negative control: over all times the trend counts
