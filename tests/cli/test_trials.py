import click
import pytest

from popout.cli.trials import Pairs, Words


def test_pairs():
    pairs = Pairs("rt=RT", "ROLE=NAME")
    assert pairs.convert("rt=RT, observer = Sub ject", None, None) == {
        "rt": "RT",
        "observer": "Sub ject",
    }
    for wrong in ("rt", "rt=", "=RT", "rt=RT,", "rt=a,rt=b", ""):
        with pytest.raises(click.BadParameter, match="write e"):
            pairs.convert(wrong, None, None)


def test_words():
    assert Words().convert("1, ag", None, None) == ("1", "ag")
    for wrong in ("", "1,,2", ","):
        with pytest.raises(click.BadParameter, match="commas"):
            Words().convert(wrong, None, None)
