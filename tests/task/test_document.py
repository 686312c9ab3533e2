"""Files that are no TOML files: one message each, with the line where there is one."""

import os

import pytest

from popout.task import Fault, InputError
from popout.task.document import Document, DocumentFaults


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
