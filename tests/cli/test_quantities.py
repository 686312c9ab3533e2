"""Numbers as people type them."""

import click
import pytest

from popout.cli.quantities import PerClass, Quantity, Several, Whole


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Whole(), "1e4", 10_000),
        (Whole(), "2.5E3", 2500),
        (Whole(0, 3), "3", 3),
        (Quantity("seconds", "60"), "1.5", 1.5),
        (Several(int, "integer"), "2,4,8", (2, 4, 8)),
        (PerClass(), "0.2", 0.2),
        (PerClass(), "present=0.1:absent=0.2", (0.2, 0.1)),
        (PerClass(several=True), "absent=0.2:present=0.1,1", ((0.2, 0.1), 1.0)),
    ],
)
def test_what_is_typed_is_read(kind, text, value):
    result = kind.convert(text, None, None)
    assert (result, type(result)) == (value, type(value))


WHOLE = ["1.5", "2.0", "1e-3", "1.23e1", "1e400", "nan", "inf", "e", "1e", "9" * 5000]
PAIRS = ["0.2:0.1", "absent=1", "absent=1:absent=2", "a=1:b=2", "0.2;0.1", "", "present=1:absent"]
BAD = [
    (Whole(), "expected an integer, got .*; choose another", WHOLE),
    (Whole(1, 9), "expected an integer from 1 to 9, got", ["0", "10"]),
    (Quantity("seconds", "60"), "a number of seconds, got .*; write e.g. 60", ["", "1 s", "1,5"]),
    (Several(float, "number"), "one number, or several .*; write e.g. 8", ["8;3", "8,,3", "", "x"]),
    (Several(int, "integer"), "one integer, or several", ["2,4.5"]),
    (PerClass(), "one number, or one for each class, got .*; write e.g.", [*PAIRS, "0.2,0.1"]),
    (PerClass(several=True), "numbers, separated by commas, or one .*; write e.g.", PAIRS),
]


@pytest.mark.parametrize(
    ("kind", "words", "text"),
    [(kind, words, text) for kind, words, texts in BAD for text in texts],
    ids=range(sum(len(texts) for _, _, texts in BAD)),
)
def test_what_is_none_is_refused_with_what_to_write(kind, words, text):
    with pytest.raises(click.BadParameter, match=words):
        kind.convert(text, None, None)
