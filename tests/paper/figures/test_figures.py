"""Every figure: labelled, finite, drawn, and described by captions that follow the data."""

import io
import re

import numpy as np
import pytest
import xarray as xr

from popout.drawing.style import picture
from popout.paper.figures import FIGURES, homogeneous_risk, unequal_drift_risk
from popout.paper.reproduce import TABLES

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
        "gap",
        "gap_se",
        "lower_bound",
        "lower_bound_se",
    }  # where the optimum is not solved
    | {
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


@pytest.fixture(params=FIGURES, ids=lambda part: part.name)
def part(request):
    return request.param


def all_axes(figure):
    return [ax for ax in figure.get_axes() if ax.axison and ax.get_xticks().size]


def test_data_are_labelled_and_finite(computed, part):
    data, _ = computed(part.name)
    assert isinstance(data, xr.Dataset)
    for key, values in data.data_vars.items():
        if key not in HOLED.get(part.name, ()) and key not in ("a_minus", "a_plus"):  # Hardmax: inf
            assert np.isfinite(values).all(), key
        assert not np.isnan(values).all(), key


def test_reports_never_go_back(computed, part):
    _, reports = computed(part.name)
    assert reports == sorted(reports)
    assert all(0 <= share <= 1 for share in reports)


def test_drawing_labels_every_axis_and_gives_whole_pictures(computed, part):
    data, _ = computed(part.name)
    figure = part.draw(data)
    axes = all_axes(figure)
    # The top rows of shared axes carry their label on the lowest row.
    bottom = [ax for ax in axes if not ax.get_shared_x_axes().get_siblings(ax)[1:]]
    assert all(ax.get_xlabel() or ax.get_ylabel() for ax in bottom)
    assert picture(figure, "png").startswith(b"\x89PNG")
    assert picture(figure, "svg").rstrip().endswith(b"</svg>")


def test_data_survive_the_file(computed, part):
    data, _ = computed(part.name)
    content = bytes(data.to_netcdf(engine="scipy", format="NETCDF3_64BIT"))
    with xr.open_dataset(io.BytesIO(content), engine="scipy") as back:
        xr.testing.assert_equal(back.load(), data)


@pytest.mark.parametrize("module", [homogeneous_risk, unequal_drift_risk])
def test_no_marker_touches_the_edge_of_its_panel(computed, module):
    data, _ = computed(module.__name__.rpartition(".")[2].replace("_", "-"))
    for ax in all_axes(module.draw(data)):
        low, high = ax.transData.transform(np.c_[[0.5, 0.5], ax.get_ylim()])[:, 1]
        for line in ax.get_lines():
            y = np.asarray(line.get_ydata(), dtype=float)
            if line.get_marker() in ("", "None") or not np.isfinite(y).any():
                continue
            at = ax.transData.transform(np.c_[np.full(len(y), 0.5), y])[:, 1]
            at = at[np.isfinite(at)]
            assert (at > low + 0.01 * (high - low)).all()
            assert (at < high - 0.01 * (high - low)).all()


def changed(data, name):
    """Return fabricated data that turn what a caption says around."""
    data = data.copy(deep=True)
    if name == "search-designs":
        data["tilt"] = data["tilt"].where(data["tilt"] != 30, 45.0)
    elif name == "homogeneous-search":
        data["tau"] = 2 * data["tau"]
    elif name == "optimal-thresholds":
        data["risk_fitted"] = 1.5 * data["risk_exact"]
    elif name == "strategies-2d":
        boundary = data["boundary"].copy()
        boundary.loc[{"strategy": "SPRT"}] = 0.5 * data["boundary"].sel(strategy="SPRT")
        data["boundary"] = boundary
    elif name == "homogeneous-risk":
        data["mean_rt_absent"] = 1 / data["mean_rt_absent"]
    else:
        data["error_rate"] = 1 - data["error_rate"]
    return data


def test_captions_follow_the_data(computed, part):
    data, _ = computed(part.name)
    caption = part.caption(data)
    assert caption == part.caption(data)
    assert caption != part.caption(changed(data, part.name))
    text = " ".join(caption)
    assert "nan" not in text
    assert re.search(r"\d", text)
    assert text.endswith(".")


def test_six_figures_of_the_paper():
    assert [part.label for part in FIGURES] == [f"Figure {k}" for k in range(1, 7)]


UNBOUNDED = ("lower_bound", "gap")
"""Variables of a figure that its table with short steps leaves out."""


@pytest.mark.parametrize("table", [part.name for part in TABLES])
def test_tables_are_labelled_finite_and_survive_the_file(computed, table):
    data, reports = computed(table)
    assert reports == sorted(reports)
    for key, values in data.data_vars.items():
        if not table.startswith("short-steps"):
            assert np.isfinite(values).all(), key
        elif not str(key).startswith(UNBOUNDED):  # these have holes, see their own tests
            assert not np.isnan(values).all(), key
    content = bytes(data.to_netcdf(engine="scipy", format="NETCDF3_64BIT"))
    with xr.open_dataset(io.BytesIO(content), engine="scipy") as back:
        xr.testing.assert_equal(back.load(), data)
