"""The table of docs/paper.md: every file and every test that it names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (.+?) \| `(.+?)` \| `(.+?)::(.+?)` \|$", re.MULTILINE)
TEXT = (ROOT / "docs/paper.md").read_text(encoding="utf-8")
ROWS = ROW.findall(TEXT)


def fault(file, tests, name):
    """Say what a row names that is not there."""
    if not (ROOT / "src/popout" / file).is_file():
        return f"no file {file}"
    path = ROOT / "tests" / tests
    if not path.is_file():
        return f"no file {tests}"
    there = f"\ndef {name}(" in path.read_text(encoding="utf-8")
    return "" if there else f"no {name} in {tests}"


@pytest.mark.parametrize(("item", "file", "tests", "name"), ROWS, ids=[row[0] for row in ROWS])
def test_what_the_page_names_is_there(item, file, tests, name):
    assert fault(file, tests, name) == ""


def test_every_row_is_read_and_what_is_missing_is_told():
    table = TEXT[TEXT.index("| in the paper |") :].strip().splitlines()
    assert len(ROWS) == len(table) - 2 > 25
    assert {f"Figure {k}" for k in range(1, 7)} <= {row[0] for row in ROWS}
    assert fault("evidence/none.py", "x.py", "y")
    assert fault("evidence/ratio.py", "evidence/test_brute_force.py", "y")
    assert fault("evidence/ratio.py", "evidence/test_ratio.py", "test_that_is_not_there")
