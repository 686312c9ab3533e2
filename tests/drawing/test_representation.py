"""Cards: alignment, rounding to the error, escaping, and HTML that a browser can read."""

import math
import re

import pytest
from html_reader import Reader
from hypothesis import given
from hypothesis import strategies as st

from popout.drawing.representation import Card, HasCard, with_error

finite = st.floats(-1e6, 1e6)


CARD = Card(
    "Trials of <b>mine</b>",
    [("seed", "1"), ("risk & error", "0.1 +- 0.2")],
    ["", "errors", "RT (s)"],
    [["absent", "0.01", "0.2"], ["present", "0.001", "12.5"]],
    "a <note>",
)


def test_columns_of_the_text_are_aligned():
    title, *facts, head, absent, present, note = CARD.text().splitlines()
    assert title == "Trials of <b>mine</b>"
    assert [line.index("  ", 3) for line in facts] == [6, 14]
    assert {line.index(value) for line, value in zip(facts, ("1", "0.1"), strict=True)} == {16}
    assert {len(head), len(absent), len(present)} == {len(head)}
    assert head.rindex("errors") + 6 == absent.rindex("0.01") + 4 == present.rindex("0.001") + 5
    assert note == "  a <note>"


def test_html_is_well_formed_and_escaped():
    tree = Reader(CARD.html())
    assert "Trials of <b>mine</b>" in tree.texts  # as text, after unescaping
    assert not tree.named("b") + tree.named("note")
    assert "0.1 ± 0.2" in tree.texts
    assert len(tree.named("th")) == 3 + 2 + 2
    assert {name for _, attrs in tree.tags for name in attrs} <= {"scope", "style"}
    assert not re.search(r"color|background|http|script", CARD.html())


@given(st.text(), st.text())
def test_nothing_the_user_names_gets_out_of_its_cell(title, value):
    tree = Reader(Card(title, [("name", value)]).html())
    tags = ["figure", "figcaption", "strong", "table", "tbody", "tr", "th", "td"]
    assert [tag for tag, _ in tree.tags] == tags


@given(finite, st.floats(1e-9, 1e3))
def test_the_shown_value_is_within_a_digit_of_its_error(value, error):
    shown, spread = (float(part) for part in with_error(value, error).split(" +- "))
    assert abs(shown - value) <= 0.051 * error + 1e-12 * abs(value)
    assert abs(spread - error) <= 0.051 * error


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [
        (0.0439801, 0.00012, "0.04398 +- 0.00012"),
        (12.345, 3.2, "12.3 +- 3.2"),
        (123.4, 56.0, "123 +- 56"),
        (0.19488, 0.000998, "0.1949 +- 0.0010"),
        (4.21e-5, 3.9e-6, "4.21e-05 +- 3.9e-06"),
        (-2e-7, 3e-6, "-2e-07 +- 3.0e-06"),
        (0.25, 0.0, "0.25"),
        (0.25, math.nan, "0.25 +- unknown"),
        (0.7, math.inf, "0.7 +- unknown"),
        (math.nan, math.nan, "unknown +- unknown"),
    ],
)
def test_values_with_errors(value, error, shown):
    assert with_error(value, error) == shown


def test_an_object_without_a_card_of_its_own_shows_its_name():
    class Plain(HasCard):
        pass

    assert str(Plain()) == "Plain"
    assert "Plain" in Reader(Plain()._repr_html_()).texts
