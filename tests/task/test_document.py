"""Documents: faults name file and line, and lines are those where the keys were written."""

import os
import tomllib

import pytest

from popout.task import Fault, InputError
from popout.task.document import Document, DocumentFaults, locate


def fault(load, argument):
    with pytest.raises(InputError) as caught:
        load(argument)
    (line,) = caught.value.lines
    return line


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a = 1\nb = \n", "task.toml:2: expected valid TOML, got 'b ='; Invalid value, column 5"),
        (b"a = 1\na = 2\n", "task.toml:2: expected valid TOML"),
        (b"a = [1,\n", "task.toml:1: expected valid TOML"),
        (b"a = " + b"9" * 5000, "task.toml: expected valid TOML"),
        (b"a = " + b"[" * 5000, "task.toml: expected valid TOML"),
        (b"a = 1\n\nb = '\xff'\n", "task.toml:3: expected a file in UTF-8"),
        ("a = 1".encode("utf-16"), "task.toml: expected a file in UTF-8, got UTF-16"),
        (b"\x7fELF\x02\x01\x00", "task.toml:1: expected valid TOML"),
        (b"a = 1\x00", "task.toml:1: expected valid TOML"),
    ],
)
def test_content_that_is_no_toml(tmp_path, data, expected):
    path = tmp_path / "task.toml"
    path.write_bytes(data)
    line = fault(Document.load, path)
    assert expected in line
    assert line.startswith(str(tmp_path))
    assert len(line) < 400


def test_a_byte_order_mark_before_utf_8_is_dropped(tmp_path):
    path = tmp_path / "task.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1\r\nb = 2\r\n")
    document = Document.load(path)
    assert document.values == {"a": 1, "b": 2}
    assert document.line(("b",)) == 2


def test_paths_that_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")  # would wait for a writer
    (tmp_path / "huge").write_bytes(b"#" * (2**20 + 1))
    for name, expected in {
        "": "got a folder",
        "none.toml": "No such file",
        "pipe": "no ordinary file",
        "huge": "at most 1 MiB",
        "huge/task.toml": "Not a directory",
        "x" * 300: "File name too long",
        "a\0b": "null",
    }.items():
        assert expected in fault(Document.load, tmp_path / name)


def test_faults_come_in_the_order_of_the_document():
    faults = DocumentFaults(Document.parse("a = 1\nb = [\n1,\n2]\n", "x.toml"))
    faults.at(("b", 1), "b[1]", "less", 2, "lower it")
    faults.at(("a",), "a", "more", 1, "raise it")
    faults.absorb(InputError([Fault("Thing", ("b", 0), "c", "1", "d"), Fault(text="e: f")]))
    with pytest.raises(InputError) as caught:
        faults.raise_if_any()
    assert [line.split(": ")[0] for line in caught.value.lines] == [
        "x.toml:1",
        "x.toml:1",
        "x.toml:2",
        "x.toml:2",
    ]


# Values as they may be typed, with everything that could lead a reader astray.
SCALARS = [
    "1",
    "-4.5e-3",
    "inf",
    "true",
    "1979-05-27 07:32:00",
    "07:32:00",
    '"a # b = [c]"',
    r'"quote \" and \\"',
    "'C:\\new # x'",
    '""',
    "''",
    '"""one"""',
    '"""\nx = 1\n[y]\n\\" \\\n"""',
    "'''\n[[z]] # no\n'''",
    '""""quoted""""',
    "'''''two'''''",
]


@pytest.mark.parametrize("windows", [False, True])
def test_lines_are_those_where_the_keys_were_written(windows):
    text, expected = "# a comment\n", {}
    for number, value in enumerate([*SCALARS, "[\n  1, # [x\n  2\n]", "{ a = [1] }"]):
        expected[f"k{number}",] = text.count("\n") + 1
        text += f"k{number} = {value} # y = 2\n\n"
    expected["k17", "a"] = expected["k17",]
    tomllib.loads(text)  # it is a document
    assert locate(text.replace("\n", "\r\n") if windows else text) == expected


def test_a_document_by_hand():
    text = '''# a comment
kind = "search" # = "no"
costs.time = 0.2
costs.miss = 2

[a."b c".d] # e = 1
e = """
f = 1
"""
g = { h = [1, { i = 2 }], j.k = 3 }

[[points]]
x = [
  1, 2, # three
  3,
]
[points.sub]
y = 1
[[points]]
x = []
'''
    assert locate(text) == {
        ("kind",): 2,
        ("costs",): 3,
        ("costs", "time"): 3,
        ("costs", "miss"): 4,
        ("a",): 6,
        ("a", "b c"): 6,
        ("a", "b c", "d"): 6,
        ("a", "b c", "d", "e"): 7,
        ("a", "b c", "d", "g"): 10,
        ("a", "b c", "d", "g", "h"): 10,
        ("a", "b c", "d", "g", "j"): 10,
        ("a", "b c", "d", "g", "j", "k"): 10,
        ("points",): 12,
        ("points", 0): 12,
        ("points", 0, "x"): 13,
        ("points", 0, "sub"): 17,
        ("points", 0, "sub", "y"): 18,
        ("points", 1): 19,
        ("points", 1, "x"): 20,
    }
