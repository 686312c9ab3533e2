"""Names: equal to those of the recipes, suggested when mistyped."""

import click
import pytest

from popout.analysis.making import strategy_names
from popout.cli.names import STRATEGIES, Name


def test_names_are_those_of_the_recipes():
    assert strategy_names() == STRATEGIES


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("asprt", "a-sprt"), ("SPRT", "sprt"), ("hard-max", "hardmax"), ("optimum", "optimal")],
)
def test_a_slip_gets_a_suggestion(typed, meant):
    with pytest.raises(click.BadParameter, match=rf"did you mean {meant}\?"):
        Name("NAME", STRATEGIES).convert(typed, None, None)


def test_lists_are_tuples():
    names = Name("NAME[,...]", STRATEGIES, several=True)
    assert names.convert("sprt,hardmax", None, None) == ("sprt", "hardmax")
