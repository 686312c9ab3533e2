"""Parts: found by the order of their package, chosen by name."""

import pytest

from popout.report.part import chosen_parts, parts_in
from popout.task import InputError


def test_a_part_is_its_module(cheap):
    picture, numbers = cheap
    assert (picture.name, picture.path) == ("with-picture", "cheap_parts.with_picture")
    assert (picture.title, picture.effort, picture.paper_label) == ("With picture", 3.0, "fig-x")
    data = picture.module.compute(7.0, lambda share, words: None)
    assert picture.caption(data) == ("The first is 7.",)  # without the empty sentence
    assert picture.preface(data) == ("Before.",)
    assert len(picture.tables(data)) == 1
    assert not numbers.is_drawn
    assert (numbers.paper_label, numbers.caption(data), numbers.preface(data)) == ("", (), ())


def test_chosen_parts_keep_their_order(cheap):
    assert chosen_parts(cheap, ()) == cheap
    assert chosen_parts(cheap, ("of-numbers", "with-picture")) == cheap
    with pytest.raises(InputError, match=r"figure: .*got 'of-number'.*of-numbers\?"):
        chosen_parts(cheap, ("of-number",), "figure")


@pytest.mark.parametrize(
    "package", ["popout.paper.figures", "popout.paper.tables", "popout.study.sections"]
)
def test_every_part_of_ours_has_what_the_runner_needs(package):
    for part in parts_in(package):
        assert part.title
        assert part.effort > 0
        assert callable(part.module.compute)
        assert part.is_drawn == hasattr(part.module, "describe")
        assert part.is_drawn or package == "popout.paper.tables"
