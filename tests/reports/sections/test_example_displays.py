"""Displays: a target where there is one, and words for what is shown."""

from popout.reports.sections import example_displays


def test_the_target_is_where_it_says(sections):
    data = sections("displays")
    assert (data["target"].sel({"class": "absent"}) == -1).all()
    present = data.sel({"class": "present"})
    assert (present["tilt"].isel(location=present["target"]) == 0.0).all()  # upright
    assert "illustration" in example_displays.describe(data)[1]
