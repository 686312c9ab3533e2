"""JSON that any reader accepts, and cards that fit the terminal."""

import io
import json
import sys
from dataclasses import dataclass

import pytest

from popout.cli.output import show, write_card
from popout.drawing.representation import Card, HasCard


@dataclass(frozen=True)
class Coin(HasCard):
    heads: float

    def card(self):
        return Card("A coin of which much could be said", [("P(heads)", self.heads)])


def test_a_result_is_shown_as_its_card_or_as_json(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "24")
    show(Coin(0.123456), as_json=False)
    assert capsys.readouterr().out == "A coin of which much\ncould be said\n  P(heads)  0.1235\n"
    show(Coin(0.123456), as_json=True)
    assert json.loads(capsys.readouterr().out) == {"heads": 0.123456}


@pytest.mark.parametrize(
    ("setting", "value", "bold"),
    [("TERM", "xterm", True), ("TERM", "dumb", False), ("NO_COLOR", "1", False)],
)
def test_bold_only_on_a_terminal_that_wants_it(monkeypatch, setting, value, bold):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(setting, value)
    monkeypatch.setattr("sys.stdout", Terminal())
    write_card(Card("Title"))
    assert ("\x1b[" in sys.stdout.getvalue()) is bold
    monkeypatch.setattr("sys.stdout", io.StringIO())
    write_card(Card("Title"))
    assert "\x1b[" not in sys.stdout.getvalue()
