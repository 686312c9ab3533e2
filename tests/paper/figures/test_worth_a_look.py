"""Worth a look: the exact optimum follows the rule."""

import numpy as np
import pytest

from popout.paper.figures import worth_a_look


def test_the_exact_optimum_begins_to_look_where_the_rule_says(data):
    assert worth_a_look.bracket(data).tolist() == [[0.9, 1.1]]
    saved = 1 - data["risk"] / data["risk"].isel(factor=0)
    assert float(saved.sel(factor=0.9).squeeze()) < 0.01
    assert float(saved.sel(factor=2.0).squeeze()) > 0.04


def test_the_rule_grows_with_the_cost_of_time(data):
    rule = data["least_visibility"].to_numpy()
    assert (np.diff(rule) > 0).all()
    alone = data["least_visibility_alone"].to_numpy()
    assert (rule < alone).all()
    assert rule[0] == pytest.approx(alone[0], rel=0.01)


def test_where_nobody_looks_there_is_no_beginning(data):
    assert "0.9 and 1.1" in worth_a_look.describe(data)[1]
    never = data.assign(boundary=0.0 * data["boundary"])
    assert np.isnan(worth_a_look.bracket(never)).all()
