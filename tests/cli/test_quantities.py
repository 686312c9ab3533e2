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
    assert PerClass().convert("0.2:0.1", None, None) == (0.2, 0.1)
    assert PerClass(several=True).convert("0.2:0.1,1", None, None) == ((0.2, 0.1), 1.0)


@pytest.mark.parametrize("text", ["0.2:", ":0.1", "1:2:3", "0.2,0.1", "", "a:b"])
def test_what_is_no_pair_is_refused(text):
    with pytest.raises(click.BadParameter, match="expected one number, or a pair absent:present"):
        PerClass().convert(text, None, None)
    several = text.replace(",", ";")
    with pytest.raises(click.BadParameter, match="expected numbers or pairs absent:present, sep"):
        PerClass(several=True).convert(several, None, None)
