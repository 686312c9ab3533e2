"""Displays: a target where there is one, and words for what is shown."""

from popout.study.sections import displays


def test_the_target_is_where_it_says(sections):
    data = sections("displays")
    assert (data["target"].sel({"class": "absent"}) == -1).all()
    present = data.sel({"class": "present"})
    assert (present["tilt"].isel(location=present["target"]) == 0.0).all()  # upright
    assert "illustration" in displays.describe(data)[1]
