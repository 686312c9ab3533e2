"""Short steps: the same variables as the figures have, and risks that fit together."""

import numpy as np
import pytest


@pytest.mark.parametrize(
    ("table", "figure"),
    [
        ("short-steps-equal", "homogeneous-risk"),
        ("short-steps-unequal", "unequal-drift-risk"),
        ("short-steps-2d", "strategies-2d"),
    ],
)
def test_a_table_has_what_its_figure_has(computed, table, figure):
    data, shown = computed(table)[0], computed(figure)[0]
    missing = set(shown.data_vars) - set(data.data_vars)
    assert missing <= {"risk", "risk_error"}  # of the boundaries
    for name in set(shown.data_vars) & set(data.data_vars):
        assert set(data[name].dims) - {"dt"} == set(shown[name].dims), name


def test_shorter_steps_have_a_lower_risk_at_the_optimum(computed):
    """Who may look more often can do no worse: 4 ms are not a multiple of 3, but of nearly so."""
    paper = computed("homogeneous-risk")[0]["optimal_risk"].sel(set_size=2, time_cost=0.5)
    risk = computed("short-steps-equal")[0]["optimal_risk"].sel(set_size=2, time_cost=0.5)
    assert float(risk.isel(dt=1)) < float(risk.isel(dt=0)) < float(paper)


def test_risks_of_trials_agree_with_their_parts(computed):
    data, _ = computed("short-steps-unequal")
    own = data.sel(strategy="Hardmax").isel(dt=0, drifts=0)
    weight = np.array([0.5, 0.25, 0.25])
    parts = ((own["error_rate"] + own["time_cost"] * own["mean_rt"]) * weight).sum("condition")
    assert (abs(parts - own["risk"]) < 3 * own["risk_error"] + 0.02).all()
    best = data["risk"].sel(strategy="optimal")
    assert (data["risk"] >= best - data["risk_error"]).where(best.notnull(), True).all()


def test_the_spread_of_s_remains_when_steps_get_short(computed):
    """The overshoot goes with the step, the spread of S at a given time does not."""
    figure, table = computed("strategies-2d")[0], computed("short-steps-2d")[0]
    ratio = [
        float(own.sel(side="absent", statistic="S") / own.sel(side="absent", statistic="scaled S"))
        for own in (figure["spread_at_time"], table["spread_at_time"].isel(dt=-1))
    ]
    assert ratio[1] > ratio[0] > 1.0
