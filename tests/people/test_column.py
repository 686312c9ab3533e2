import numpy as np
import pandas as pd
import pytest

from popout.people.column import Column, letters, natural_order


def column(*words):
    return Column("x", np.array(words, dtype=object))


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (("512", "1e3", "-4"), (512, 1000, -4)),
        (("0,512", "1,024"), (0.512, 1.024)),
        (("512", "1,024"), (512, 1024)),  # thousands, as others have none
        (("512.5", "1,024.5"), (512.5, 1024.5)),
        (("512", "x", "", "inf", "NA"), (512, np.nan, np.nan, np.nan, np.nan)),
    ],
)
def test_numbers(words, numbers):
    np.testing.assert_array_equal(column(*words).numbers, numbers)


def test_whole_numbers_are_one_value_however_written():
    assert column("1", "1.0", "2", "nan", "").values == ("1", "2")
    assert column("1", "1.0", "2").counts == {"1": 2, "2": 1}


def test_values_come_in_natural_order():
    assert natural_order(["s10", "s9", "b", "2", "11"]) == ["2", "11", "b", "s9", "s10"]
    assert letters(" Target-Present (1/0)") == "targetpresent10"


def test_numeric_columns_are_told_from_words():
    assert column("1", "2", "oops", "").is_numeric
    assert not column("f", "j", "1").is_numeric
    assert not column("", "NA").is_numeric


def test_columns_of_a_frame():
    frame = pd.DataFrame(
        {"a": [1.0, np.nan, 2.5], "b": [True, False, True], "c": ["x ", None, "y"]}
    )
    assert Column.of("a", frame["a"]).words.tolist() == ["1", "", "2.5"]
    assert Column.of("b", frame["b"]).words.tolist() == ["True", "False", "True"]
    assert Column.of("c", frame["c"]).words.tolist() == ["x", "", "y"]


def test_what_words_mean_row_by_row():
    assert column("j", "f", "").matched({"j": 1, "f": 0}, -2).tolist() == [1, 0, -2]
    assert column("None", "x").missing.tolist() == [True, False]
