"""Numbers as people type them."""

import click
import pytest

from popout.cli.quantities import PerClass, Whole


@pytest.mark.parametrize(("text", "number"), [("1e4", 10_000), ("10000", 10_000), ("2.5E3", 2500)])
def test_whole_numbers_may_have_an_exponent(text, number):
    found = Whole().convert(text, None, None)
    assert (found, type(found)) == (number, int)


@pytest.mark.parametrize("text", ["1.5", "2.0", "1e-3", "1.23e1", "1e400", "nan", "inf", "e", "1e"])
def test_what_is_no_whole_number_is_refused(text):
    with pytest.raises(click.BadParameter, match="expected an integer"):
        Whole().convert(text, None, None)


def test_a_colon_makes_a_pair_and_commas_several():
    assert PerClass().convert("0.2", None, None) == 0.2
    assert PerClass().convert("present=0.1:absent=0.2", None, None) == (0.2, 0.1)
    assert PerClass(several=True).convert("absent=0.2:present=0.1,1", None, None) == (
        (0.2, 0.1),
        1.0,
    )


@pytest.mark.parametrize(
    "text",
    ["0.2:0.1", "absent=1", "absent=1:absent=2", "a=1:b=2", "0.2,0.1", "", "present=1:absent"],
)
def test_what_is_no_pair_is_refused(text):
    with pytest.raises(click.BadParameter, match="expected one number, or one for each class"):
        PerClass().convert(text, None, None)
    several = text.replace(",", ";")
    with pytest.raises(click.BadParameter, match="expected numbers, separated by commas, or one"):
        PerClass(several=True).convert(several, None, None)
