"""Displays follow their design, and pictures are the same every time."""

from popout.drawing.style import picture
from popout.paper.figures import search_designs


def test_displays_follow_their_design(data):
    for design, task in zip(data["design"].to_numpy(), search_designs.tasks(), strict=True):
        display = data.sel(design=design)
        assert (display["target"].sel({"class": "absent"}) == -1).all()
        assert (display["tilt"].sel({"class": "absent"}).fillna(30.0) > 0).all()
        present = display.sel({"class": "present"})
        at_target = present["tilt"].isel(location=present["target"])
        assert (at_target <= 0).all()
        # Where targets vary, the two examples show it.
        assert len(set(at_target.to_numpy().tolist())) == (2 if design == data["design"][0] else 1)
        assert display.sizes["location"] == task.n_locations
    tied = data["tilt"].sel(design="tied distractors")
    distractors = tied.where(tied != 0)
    assert (distractors.max("location") == distractors.min("location")).all()
    shown = data["tilt"].sel(design="unknown set size").notnull().sum("location")
    assert set(shown.to_numpy().ravel().tolist()) == {3, 6}


def test_pictures_are_the_same_every_time(data):
    assert picture(search_designs.draw(data), "png") == picture(search_designs.draw(data), "png")
