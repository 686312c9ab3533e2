"""Every figure and table: labelled, finite, stored; drawn, with captions that follow the data."""

import io
import re

import numpy as np
import pytest
import xarray as xr

from popout.drawing.style import picture
from popout.paper.figures import FIGURES, homogeneous_risk, unequal_drift_risk
from popout.paper.reproduce import PARTS

# Variables, by how their names begin, that have no number somewhere: where the optimum is not
# solved, fitted scales are good enough, a trial is over, a location is blank, or it takes
# too long.
HOLED = {
    "homogeneous-search": ("S_sprt", "Z_optimal"),
    "search-designs": ("tilt",),
    "optimal-thresholds": ("boundary_pr", "risk_pr", "risk_error_pr", "scale_pr"),
    "homogeneous-risk": ("gap", "lower_bound", "optimal_", "a_minus", "a_plus"),  # Hardmax: inf
    "unequal-drift-risk": ("scale_se",),
    "memory": ("risk",),
}
UNBOUNDED = ("lower_bound", "gap")
"""Variables of a figure that its table with short steps leaves out."""
# What turns around what a caption says.
CHANGES = {
    "search-designs": lambda data: {"tilt": data["tilt"].where(data["tilt"] != 30, 45.0)},
    "homogeneous-search": lambda data: {"tau": 2 * data["tau"]},
    "optimal-thresholds": lambda data: {"risk_fitted": 1.5 * data["risk_exact"]},
    "strategies-2d": lambda data: {"risk": data["risk"] ** 2},
    "homogeneous-risk": lambda data: {"excess": 10 * data["excess"]},
    "unequal-drift-risk": lambda data: {"error_rate": 1 - data["error_rate"]},
    "conjecture-regime": lambda data: {"excess": 10 * data["excess"]},
    "where-to-look": lambda data: {"risk": data["risk"] * [2.0, 1.0, 1.0, 1.0]},
    "slopes-and-errors": lambda data: {"error_rate_present": 2 * data["error_rate_present"]},
    "worth-a-look": lambda data: {"risk": data["risk"] ** 2},
    "memory": lambda data: {"limit": 2 * data["limit"]},
    "greedy-gaze": lambda data: {"risk": data["risk"] ** 2},
    "fixation-durations": lambda data: {"duration": 2 * data["duration"]},
    "many-places": lambda data: {"excess": 2 * data["excess"]},
}
DRAWN = pytest.mark.parametrize(
    "part", [part for part in PARTS if part.is_drawn], ids=lambda part: part.name
)


def all_axes(figure):
    return [ax for ax in figure.get_axes() if ax.axison and ax.get_xticks().size]


@pytest.mark.parametrize("name", [part.name for part in PARTS])
def test_data_are_labelled_and_finite_and_survive_the_file(computed, name):
    data, reports = computed(name)
    assert reports == sorted(reports)
    assert all(0 <= share <= 1 for share in reports)
    for key, values in data.data_vars.items():
        if not str(key).startswith(UNBOUNDED):
            assert not np.isnan(values).all(), key
        # Tables with short steps have holes, see their own tests.
        if not name.startswith("short-steps") and not str(key).startswith(HOLED.get(name, "-")):
            assert np.isfinite(values).all(), key
    content = bytes(data.to_netcdf(engine="scipy", format="NETCDF3_64BIT"))
    with xr.open_dataset(io.BytesIO(content), engine="scipy") as back:
        xr.testing.assert_equal(back.load(), data)


@DRAWN
def test_drawing_labels_every_axis_and_gives_whole_pictures(computed, part):
    data, _ = computed(part.name)
    figure = part.draw(data)
    axes = all_axes(figure)
    # The top rows of shared axes carry their label on the lowest row.
    bottom = [ax for ax in axes if not ax.get_shared_x_axes().get_siblings(ax)[1:]]
    assert all(ax.get_xlabel() or ax.get_ylabel() for ax in bottom)
    assert picture(figure, "png").startswith(b"\x89PNG")
    assert picture(figure, "svg").rstrip().endswith(b"</svg>")


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


@DRAWN
def test_captions_follow_the_data(computed, part):
    data, _ = computed(part.name)
    caption = part.caption(data)
    assert caption == part.caption(data)
    assert caption != part.caption(data.assign(CHANGES[part.name](data)))
    text = " ".join(caption)
    assert "nan" not in text
    assert re.search(r"\d", text)
    assert text.endswith(".")


def test_six_figures_of_the_paper():
    assert [part.label for part in FIGURES] == [f"Figure {k}" for k in range(1, 7)]
