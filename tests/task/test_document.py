"""Documents: faults name file and line, and lines are those where the keys were written."""

import os
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
        "x.toml:3",
        "x.toml:4",
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
KEYS = ["a", "b-1", "_", "3", '"a b"', '"#"', "'x.y'", r'"\u00e9\""', '""', "'\"'", '"a.b" ']
BLANKS = ["", "\n", "  # [no] = 1\n", "\t", "\n\n# \"''' \n"]


def plain(key):
    """Return the key that `tomllib` reads."""
    return next(iter(tomllib.loads(f"{key} = 1")))


class Writer:
    """Write a document piece by piece, noting the line of every key and element."""

    def __init__(self, draw):
        self.draw = draw
        self.text = ""
        self.lines = {}

    def note(self, path):
        self.lines.setdefault(path, self.text.count("\n") + 1)

    def pick(self, choices):
        return self.draw(st.sampled_from(choices))

    def keys(self, most):
        return self.draw(st.lists(st.sampled_from(KEYS), max_size=most, unique_by=plain))

    def value(self, path, depth, inline):
        kind = self.draw(st.integers(0, 3)) if depth else 0
        if kind == 1:
            self.text += "["
            count = self.draw(st.integers(0, 3))
            for index in range(count):
                self.text += self.pick(BLANKS)
                self.note((*path, index))
                self.value((*path, index), depth - 1, inline=True)
                self.text += self.pick(BLANKS)
                if index < count - 1 or self.draw(st.booleans()):
                    self.text += ","
            self.text += self.pick(BLANKS) + "]"
        elif kind == 2:
            self.text += "{"
            for index, key in enumerate(self.keys(3)):
                self.text += ", " if index else " "
                self.assign(path, key, depth - 1, inline=True)
            self.text += "}"
        else:
            self.text += self.pick(SCALARS)

    def assign(self, table, key, depth, inline=False):
        path = (*table, plain(key))
        self.note(path)
        self.text += key
        for part in self.keys(2) if self.draw(st.booleans()) else []:
            path = (*path, plain(part))
            self.note(path)
            self.text += self.pick([".", " . "]) + part
        self.text += self.pick(["=", " = ", "\t="])
        self.value(path, depth, inline)

    def body(self, path):
        for key in self.keys(3):
            self.text += self.pick(["", "  "])
            self.assign(path, key, depth=2)
            self.text += self.pick(["\n", "  # comment\n", "\n\n"])

    def header(self, parts, paths, many):
        self.text += "[[" if many else "["
        for path in paths:
            self.note(path)
        self.text += self.pick([".", " . "]).join(parts) + ("]]" if many else "]") + "\n"


@st.composite
def documents(draw):
    writer = Writer(draw)
    writer.text += draw(st.sampled_from(BLANKS))
    writer.body(())
    for number in range(draw(st.integers(0, 3))):
        name = f"t{number}"
        if draw(st.booleans()):
            # A table [t.u], whose parent is named in passing, or [t] itself.
            parts = [name, draw(st.sampled_from(KEYS))][: draw(st.integers(1, 2))]
            path = tuple(plain(part) for part in parts)
            writer.header(parts, [path[:1], path], many=False)
            writer.body(path)
            continue
        for index in range(draw(st.integers(1, 3))):
            writer.header([name], [(name,), (name, index)], many=True)
            writer.body((name, index))
            if draw(st.booleans()):  # a table below the last element
                path = (name, index, "below")
                writer.header([name, "below"], [path], many=False)
                writer.body(path)
    return writer.text, writer.lines


def paths(value, path=()):
    """Return the path of everything that `tomllib` found."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = set()
    for key, item in items:
        found.add((*path, key))
        if isinstance(item, dict | list):
            found |= paths(item, (*path, key))
    return found


@settings(max_examples=80, deadline=None)
@given(documents(), st.booleans())
def test_lines_are_those_where_the_keys_were_written(document, windows):
    text, expected = document
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # dotted keys may meet in one table; tomllib refuses that
        return
    found = locate(text.replace("\n", "\r\n") if windows else text)
    assert set(found) == paths(values)
    assert found == expected


def test_the_writer_writes_documents_that_count():
    """Most generated documents are TOML: the property above is not empty."""
    good = []

    @settings(max_examples=60, deadline=None, database=None)
    @given(documents())
    def count(document):
        try:
            good.append(len(tomllib.loads(document[0])))
        except tomllib.TOMLDecodeError:
            good.append(-1)

    count()
    assert sum(size >= 1 for size in good) > 30


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
        ("a", "b c", "d", "g", "h", 0): 10,
        ("a", "b c", "d", "g", "h", 1): 10,
        ("a", "b c", "d", "g", "h", 1, "i"): 10,
        ("a", "b c", "d", "g", "j"): 10,
        ("a", "b c", "d", "g", "j", "k"): 10,
        ("points",): 12,
        ("points", 0): 12,
        ("points", 0, "x"): 13,
        ("points", 0, "x", 0): 14,
        ("points", 0, "x", 1): 14,
        ("points", 0, "x", 2): 15,
        ("points", 0, "sub"): 17,
        ("points", 0, "sub", "y"): 18,
        ("points", 1): 19,
        ("points", 1, "x"): 20,
    }


def test_what_is_not_toml_is_refused_not_walked_for_ever():
    with pytest.raises(ValueError, match="no TOML at line 2"):
        locate("a = 1\n= 2")
