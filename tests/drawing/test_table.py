"""Tables: aligned, as wide as the terminal, and with every number whole."""

import pytest

from popout.drawing.representation import Card
from popout.drawing.table import table

ROWS = [("a-SPRT", 2, 0.2, 0.0440123, 0.000277), ("Hardmax", 8, 0.5, 0.1234567, 0.000123)]
HEADINGS = ("strategy", "locations", "cost of time", "risk", "standard error")
NUMBERS = ("2", "8", "0.2", "0.5", "0.04401", "0.1235", "0.000277", "0.000123")


@pytest.mark.parametrize("width", [24, 30, 40, 50, 60, 80, 120])
def test_a_card_fits_the_terminal_and_cuts_no_number(width):
    facts = [("what is compared", "strategies on common trials")]
    card = Card("Strategies on common trials", facts, HEADINGS, ROWS, "A note that says a lot.")
    lines = card.text(width).splitlines()
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    assert all(number in words for number in NUMBERS)


def test_columns_that_say_what_a_row_is_are_repeated():
    words = table(HEADINGS, ROWS, width=42, keys=2).split()
    assert words.count("a-SPRT") == words.count("locations") == 2
    assert words.count("risk") == 1
    assert "1" * 30 in table(("x", "y"), [("a" * 15, "1" * 30)], width=20)  # numbers run on


def test_headings_break_before_text_does():
    shown = table(("a long heading", "n"), [("two words", 1)], width=16).splitlines()
    assert [line.split() for line in shown] == [
        ["a", "long", "n"],
        ["heading"],
        ["two", "words", "1"],
    ]


@pytest.mark.parametrize("width", range(12, 80, 4))
def test_a_number_is_never_parted_from_its_error(width):
    rows = [("a-SPRT", "0.04932 +- 0.00061", "reference"), ("SPRT", "12.3 +- 1.0", "far +- away")]
    shown = table(("strategy", "risk of each", "excess over all"), rows, width)
    for cell in ("0.04932 +- 0.00061", "12.3 +- 1.0"):
        assert cell in shown
    note = Card("Risk 0.04932 +- 0.00061", note=f"It was {'long ' * 9}0.5 +- 0.1").text(width)
    assert "0.5 +- 0.1" in note
    # Negative control: what is no number with its error still breaks.
    assert "It was long long" not in note or width >= 16
