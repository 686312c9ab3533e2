"""Names: equal to those of the recipes, suggested when mistyped, completed by the shell."""

import os
import subprocess

import click
import pytest
from command_line import PROGRAM

from popout.analysis.making import strategy_names
from popout.cli import group
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


def complete(*words):
    """Return what bash is offered for the last of the words."""
    setting = {
        "_POPOUT_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["popout", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        PROGRAM, env=os.environ | setting, capture_output=True, text=True, check=True
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_the_shell_completes_commands_options_and_names():
    assert complete("s") == [name for name in group.COMMANDS if name.startswith("s")]
    assert complete("solve", "--time") == ["--time-cost"]
    assert complete("simulate", "--strategy", "s") == ["sprt-opt", "sprt"]
    assert complete("compare", "--strategies", "sprt,hardmax-") == [
        "sprt,hardmax-per-location",
        "sprt,hardmax-opt",
    ]
