import hashlib

import numpy as np
import pandas as pd
import pytest

from popout.people.reading.datafile import Column, from_frame, letters, natural_order, read_file
from popout.task import InputError

PLAIN = "observer,rt\nag,0.5\nkm,0.6\n"


def read(tmp_path, content, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_file(path)


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", "|"),
        PLAIN.replace(",", "   "),
        PLAIN.replace(",", ";").replace(".", ","),
        "sep=;\n" + PLAIN.replace(",", ";"),
        "# made by hand\n\n" + PLAIN,
        PLAIN + "\n\n",
        PLAIN.strip(),
        "\ufeff" + PLAIN,
        PLAIN.encode("utf-16"),
        '"observer","rt"\n"ag","0.5"\n"km","0,6"\n',
        PLAIN.replace("\n", ",\n"),
        ",observer,rt\n0,ag,0.5\n1,km,0.6\n",
    ],
)
def test_the_same_table_however_it_is_written(tmp_path, content):
    found = read(tmp_path, content)
    assert found.column("observer").values == ("ag", "km")
    np.testing.assert_array_equal(found.column("rt").numbers, [0.5, 0.6])


def test_windows_encoding_and_the_hash_are_said(tmp_path):
    content = "observer;rt\nJörg;0.5\nZoë;0.6\n".encode("cp1252")
    file = read(tmp_path, content)
    assert file.column("observer").values == ("Jörg", "Zoë")
    assert "Windows-1252, separated by semicolons" in file.form
    assert file.sha256 == hashlib.sha256(content).hexdigest()


def test_quoted_fields_may_hold_separators(tmp_path):
    file = read(tmp_path, 'observer,place,rt\nag,"[1, 2]",0.5\nkm,"[3, 4]",0.6\n')
    assert file.column("place").values == ("[1, 2]", "[3, 4]")


def test_parquet_is_the_frame_it_was(tmp_path):
    frame = pd.DataFrame({"observer": ["ag", "km"], "rt": [0.5, 0.6]})
    frame.to_parquet(tmp_path / "x.parquet")
    found = read_file(tmp_path / "x.parquet")
    assert found.form == "Parquet"
    assert found.column("rt").numbers.tolist() == [0.5, 0.6]


def test_a_named_index_is_a_column():
    frame = pd.DataFrame({"rt": [0.5]}, index=pd.Index(["ag"], name="observer"))
    assert from_frame(frame).names == ("observer", "rt")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "an empty file"),
        ("observer,rt\n", "no rows"),
        ("rt\n0.5\n0.6\n", "one column"),
        ("observer,rt\nag,0.5,7,8\nkm,0.6\nkm,0.7\n", "2:"),
        ("observer,rt,rt\nag,1,2\n", "'rt' twice"),
        ("1,0.5,3\n2,0.6,4\n", "names of the columns"),
        ('observer,rt\nag,"0.5\nkm,0.6\n', "quotes"),
        (b"PK\x03\x04xxxx", "spreadsheet"),
        (b"\x00\x01\x02\xff", "bytes that are none"),
        (b"PAR1nonsense", "whole Parquet"),
    ],
)
def test_no_table(tmp_path, content, words):
    with pytest.raises(InputError, match=r"data\.csv") as caught:
        read(tmp_path, content)
    assert words in str(caught.value)


def test_every_bad_line_is_named_up_to_a_number(tmp_path):
    with pytest.raises(InputError) as caught:
        read(tmp_path, "a,b,c\n" + "1,2,x\n" * 20 + "1,2\n" * 8)
    lines = str(caught.value).split("\n")
    assert lines[0].startswith("data.csv:22: expected 3 fields")
    assert lines[-1] == "data.csv: and 3 more lines like these"


def test_no_file(tmp_path):
    for path, words in ((tmp_path / "a", "No such file"), (tmp_path, "a folder"), ("\0", "null")):
        with pytest.raises(InputError, match=words):
            read_file(path)


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
    for values, words in (
        ([1.0, np.nan, 2.5], ["1", "", "2.5"]),
        ([True, False], ["True", "False"]),
        (["x ", None, "y"], ["x", "", "y"]),
    ):
        assert Column.of("a", pd.Series(values)).words.tolist() == words


def test_what_words_mean_row_by_row():
    assert column("j", "f", "").matched({"j": 1, "f": 0}, -2).tolist() == [1, 0, -2]
    assert column("None", "x").missing.tolist() == [True, False]
