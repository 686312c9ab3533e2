"""Risks against set size: accounts that must balance, whatever the numbers are."""

import numpy as np

from popout.paper.figures import homogeneous_risk


def test_excess_over_the_optimum_is_not_negative(data):
    exact = data.sel(set_size=2)
    assert (exact["excess"] >= 0).all()
    np.testing.assert_allclose(exact["risk"], exact["optimal_risk"] + exact["excess"], rtol=2e-3)
    assert (data["excess"].sel(set_size=8, strategy="a-SPRT") == 0).all()


def test_at_four_locations_regret_and_trials_tell_the_same(data):
    four = data.sel(set_size=4)
    away = four["risk"] - four["optimal_risk"] - four["excess"]
    error = np.hypot(four["risk_se"], four["excess_se"]) + four["optimal_risk_error"]
    assert (np.abs(away) < 4 * error).all()
    own = four.sel(strategy="a-SPRT")
    for name in ("mean_rt_absent", "mean_rt_present", "error_rate_absent", "error_rate_present"):
        noise = np.hypot(own[f"{name}_se"], four[f"optimal_{name}_se"])
        assert (np.abs(own[name] - four[f"optimal_{name}"]) < 4 * noise).all()


def test_tuned_a_sprt_is_never_beaten_by_its_special_case(data):
    sprt, own = (data.sel(strategy=name) for name in ("SPRT", "a-SPRT"))
    error = np.hypot(sprt["excess_se"], own["excess_se"])
    assert (sprt["excess"] > own["excess"] - 3 * error).all()
    assert np.isfinite(data["a_minus_se"]).all()


def test_risk_is_made_of_errors_and_time(data):
    parts = sum(
        0.5 * (data[f"error_rate_{k}"] + data["time_cost"] * data[f"mean_rt_{k}"])
        for k in ("absent", "present")
    )
    np.testing.assert_allclose(parts.transpose(*data["risk"].dims), data["risk"], rtol=1e-3)


def test_simulated_values_of_the_optimum_are_drawn_apart_and_called_so(data):
    figure = homogeneous_risk.draw(data)
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {"optimum (exact)", "optimum (simulated)"} <= set(names)
    assert figure.get_axes()[0].get_ylim()[0] == 0  # the axis of risk
    rates = figure.get_axes()[-1]
    grey = [line for line in rates.get_lines() if line.get_label() == "optimum (exact)"]
    assert grey
    for line in grey:
        assert np.isnan(
            np.asarray(line.get_ydata(), dtype=float)[np.asarray(data["set_size"]) > 3]
        ).all()
    assert "computed up to 3 locations and simulated above" in " ".join(
        homogeneous_risk.describe(data)
    )


def test_a_bound_stands_in_for_the_optimum_where_it_is_not_solved(data):
    solved = data["optimal_risk"].notnull()
    assert (data["lower_bound"].isnull() == solved).all()
    eight = data.sel(set_size=8)
    risk = eight["risk"].sel(strategy="a-SPRT")
    assert (eight["lower_bound"] <= risk).all()
    assert (eight["lower_bound"] > 0.99 * risk).all()  # a prophet would pay half of it
    assert "none could save more than" in " ".join(homogeneous_risk.describe(data))
