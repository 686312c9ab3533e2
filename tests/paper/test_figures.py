"""Every figure: labelled, finite, drawn; and what each must satisfy whatever the numbers are."""

import io
import math

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_hex

from popout.analysis.curves import differences, strategy_curves
from popout.drawing.style import LOOKS, picture
from popout.paper import FIGURES, PRESETS, figure_module, figure_names
from popout.paper.search_designs import tasks
from popout.strategies import ASPRT, Hardmax
from popout.task import InputError, SearchTask

# Variables that may hold NaN: padding after a decision, blanks, what is not solved or not printed.
HOLED = {
    "homogeneous-search": {"S_sprt", "Z_optimal"},
    "search-designs": {"tilt"},
    "optimal-thresholds": {
        "boundary_printed",
        "risk_printed",
        "risk_error_printed",
        "scale_printed",
    },
    "homogeneous-risk": {
        f"optimal_{what}{end}"
        for what in (
            "risk",
            "risk_error",
            "a_minus",
            "a_plus",
            "mean_rt_absent",
            "mean_rt_present",
            "error_rate_absent",
            "error_rate_present",
        )
        for end in ("", "_se")
    },
    "unequal-drift-risk": {"scale_se"},  # where fitted scales are good enough
}


def all_axes(figure):
    return [ax for ax in figure.get_axes() if ax.axison and ax.get_xticks().size]


def test_data_are_labelled_and_finite(computed, name):
    data, _ = computed(name)
    assert isinstance(data, xr.Dataset)
    for key, values in data.data_vars.items():
        if key not in HOLED.get(name, ()) and key not in ("a_minus", "a_plus"):  # Hardmax: inf
            assert np.isfinite(values).all(), key
        assert not np.isnan(values).all(), key


def test_reports_never_go_back(computed, name):
    _, reports = computed(name)
    assert reports == sorted(reports)
    assert all(0 <= share <= 1 for share in reports)


def test_drawing_labels_every_axis_and_gives_whole_pictures(computed, name):
    data, _ = computed(name)
    figure = figure_module(name).draw(data)
    axes = all_axes(figure)
    # The top rows of shared axes carry their label on the lowest row.
    bottom = [ax for ax in axes if not ax.get_shared_x_axes().get_siblings(ax)[1:]]
    assert all(ax.get_xlabel() or ax.get_ylabel() for ax in bottom)
    assert picture(figure, "png").startswith(b"\x89PNG")
    assert picture(figure, "svg").rstrip().endswith(b"</svg>")


def test_pictures_are_the_same_every_time(computed):
    data, _ = computed("search-designs")
    module = figure_module("search-designs")
    assert picture(module.draw(data), "png") == picture(module.draw(data), "png")


def test_data_survive_the_file(computed, name):
    data, _ = computed(name)
    content = bytes(data.to_netcdf(engine="scipy", format="NETCDF3_64BIT"))
    with xr.open_dataset(io.BytesIO(content), engine="scipy") as back:
        xr.testing.assert_equal(back.load(), data)


def test_names_keep_the_order_of_the_table():
    assert figure_names(("strategies-2d", "search-designs")) == ("search-designs", "strategies-2d")
    assert figure_names() == tuple(FIGURES)
    with pytest.raises(InputError, match=r"figure: expected one of .*got 'fig-9'"):
        figure_names(("fig-9",))


def test_six_figures_of_the_paper():
    labels = {figure_module(name).PAPER_LABEL for name in FIGURES}
    assert len(labels) == 6


def test_paper_preset_takes_at_least_the_papers_trials():
    assert PRESETS["paper"].decision_trials >= 1_000
    assert PRESETS["paper"].score_trials >= 10_000


def test_strategies_have_colours_of_their_own():
    assert len({to_hex(look.colour) for look in LOOKS.values()}) == len(LOOKS)


# -- curves -----------------------------------------------------------------------------------


def test_curves_lie_on_the_surface_of_the_conjecture():
    task = SearchTask(n_locations=2, drift=4.0)
    strategy = ASPRT.for_task(task, -3.0, 3.0, a_minus=2.0, a_plus=0.7)
    d = differences(10.0, 21)
    curves = strategy_curves(strategy, d)
    for Z, tau, a in zip(curves, (-3.0, 3.0), (2.0, 0.7), strict=True):
        np.testing.assert_allclose(Z[:, 0] - Z[:, 1], d, atol=1e-9)
        S = np.log(np.exp(a * (Z - math.log(2))).sum(axis=1)) / a
        np.testing.assert_allclose(S, tau, atol=1e-9)


def test_curves_of_hardmax_are_corners():
    task = SearchTask(n_locations=2, drift=4.0)
    curves = strategy_curves(Hardmax.for_task(task, -3.0, 3.0), differences(4.0, 9))
    np.testing.assert_allclose(curves[0].max(axis=1), -3.0 + math.log(2))
    np.testing.assert_allclose(curves[1].max(axis=1), 3.0 + math.log(2))


# -- what each figure must satisfy --------------------------------------------------------------


def test_displays_follow_their_design(computed):
    data, _ = computed("search-designs")
    for design, task in zip(data["design"].to_numpy(), tasks(), strict=True):
        one = data.sel(design=design)
        assert (one["target"].sel({"class": "absent"}) == -1).all()
        assert (one["tilt"].sel({"class": "absent"}) != 0).all()
        present = one.sel({"class": "present"})
        at_target = present["tilt"].isel(location=present["target"])
        assert (at_target == 0).all()
        assert one.sizes["location"] == task.n_locations
    tied = data["tilt"].sel(design="tied distractors")
    distractors = tied.where(tied != 0)
    assert (distractors.max("location") == distractors.min("location")).all()
    shown = data["tilt"].sel(design="unknown set size").notnull().sum("location")
    assert set(shown.to_numpy().ravel().tolist()) == {3, 6}


def test_sample_paths_start_at_zero_and_stop_at_the_boundary(computed):
    data, _ = computed("homogeneous-search")
    assert (data["Z_optimal"].isel(time_optimal=0) == 0).all()
    assert (data["Z_target"].isel(time=0) == 0).all()
    S = data["S_sprt"].to_numpy()
    low, high = data["tau"].to_numpy()
    for path in S.reshape(-1, S.shape[-1]):
        path = path[~np.isnan(path)]
        assert ((path[:-1] > low) & (path[:-1] < high)).all()
        assert path[-1] <= low or path[-1] >= high


def test_conjecture_fits_and_is_no_better_than_the_optimum(computed):
    data, _ = computed("optimal-thresholds")
    excess = data["risk_fitted"] - data["risk_exact"]
    error = data["risk_error_fitted"] + data["risk_error_exact"]
    assert (excess >= -error).all()
    assert (data["risk_printed"] > data["risk_exact"]).sum() == 1
    gap = np.abs(data["boundary_exact"] - data["boundary_fitted"]).max(("difference", "location"))
    # A distance of points of equal Z1 - Z2 is at most sqrt(2) times that to the nearest point.
    assert (gap <= 2 * data["misfit_largest"] + 0.01).all()


def test_exact_boundary_is_symmetric_for_equal_drifts(computed):
    data, _ = computed("optimal-thresholds")
    Z = data["boundary_exact"].isel(case=0).to_numpy()
    np.testing.assert_allclose(Z, Z[:, ::-1, ::-1], atol=1e-6)


def test_no_strategy_beats_the_optimum_in_two_dimensions(computed):
    data, _ = computed("strategies-2d")
    risk, error = data["risk"].to_numpy(), data["risk_error"].to_numpy()
    assert (risk[1:] >= risk[0] - error[1:] - error[0]).all()


def test_histograms_hold_the_correct_trials(computed, tiny):
    data, _ = computed("strategies-2d")
    inside = data["count"].sum("bin")
    assert (inside == data["correct_trials"]).all()
    assert (data["correct_trials"] <= tiny.decision_trials).all()
    # The optimum decides beyond its boundary, near S = tau on either side.
    near = np.abs(data["mean"] - data["tau"])
    assert (near < 3 * data["step_sd"]).all()


def test_excess_over_the_optimum_is_not_negative(computed):
    data, _ = computed("homogeneous-risk")
    exact = data.sel(set_size=2)
    assert (exact["excess"] >= 0).all()
    np.testing.assert_allclose(
        exact["risk"],
        exact["optimal_risk"] + exact["excess"],
        rtol=2e-3,
    )
    assert (data["excess"].sel(set_size=8, strategy="a-SPRT") == 0).all()


def test_at_four_locations_regret_and_trials_tell_the_same(computed):
    data, _ = computed("homogeneous-risk")
    four = data.sel(set_size=4)
    away = four["risk"] - four["optimal_risk"] - four["excess"]
    error = np.hypot(four["risk_se"], four["excess_se"]) + four["optimal_risk_error"]
    assert (np.abs(away) < 4 * error).all()
    for kind in ("absent", "present"):
        for what in ("mean_rt", "error_rate"):
            near = np.abs(
                four[f"{what}_{kind}"].sel(strategy="a-SPRT") - four[f"optimal_{what}_{kind}"]
            )
            noise = np.hypot(
                four[f"{what}_{kind}_se"].sel(strategy="a-SPRT"), four[f"optimal_{what}_{kind}_se"]
            )
            assert (near < 4 * noise).all()


def test_tuned_a_sprt_is_never_beaten_by_its_special_case(computed):
    data, _ = computed("homogeneous-risk")
    sprt, own = (data.sel(strategy=name) for name in ("SPRT", "a-SPRT"))
    error = np.hypot(sprt["excess_se"], own["excess_se"])
    assert (sprt["excess"] > own["excess"] - 3 * error).all()
    assert np.isfinite(data["a_minus_se"]).all()


def test_tuned_scales_are_no_worse_than_fitted_ones(computed):
    data, _ = computed("unequal-drift-risk")
    risk, error = (data[key].sel(strategy="a-SPRT") for key in ("risk", "risk_error"))
    assert (risk < data["risk_fitted"] * (1 + 1e-3) + error).all()


@pytest.mark.parametrize("name", ["homogeneous-risk", "unequal-drift-risk"])
def test_no_marker_touches_the_edge_of_its_panel(computed, name):
    data, _ = computed(name)
    for ax in all_axes(figure_module(name).draw(data)):
        low, high = ax.transData.transform(np.c_[[0.5, 0.5], ax.get_ylim()])[:, 1]
        for line in ax.get_lines():
            y = np.asarray(line.get_ydata(), dtype=float)
            if line.get_marker() in ("", "None") or not np.isfinite(y).any():
                continue
            at = ax.transData.transform(np.c_[np.full(len(y), 0.5), y])[:, 1]
            at = at[np.isfinite(at)]
            assert (at > low + 0.01 * (high - low)).all()
            assert (at < high - 0.01 * (high - low)).all()


def test_risk_is_made_of_errors_and_time(computed):
    data, _ = computed("homogeneous-risk")
    parts = sum(
        0.5 * (data[f"error_rate_{k}"] + data["time_cost"] * data[f"mean_rt_{k}"])
        for k in ("absent", "present")
    )
    np.testing.assert_allclose(parts.transpose(*data["risk"].dims), data["risk"], rtol=1e-3)


def test_unequal_drifts_obey_the_same_accounts(computed):
    data, _ = computed("unequal-drift-risk")
    weight = xr.DataArray([0.5, 0.25, 0.25], dims="condition")
    parts = ((data["error_rate"] + data["time_cost"] * data["mean_rt"]) * weight).sum("condition")
    np.testing.assert_allclose(parts.transpose(*data["risk"].dims), data["risk"], rtol=1e-3)
    optimal = data["risk"].sel(strategy="optimal")
    assert (data["risk"] >= optimal - data["risk_error"]).all()
