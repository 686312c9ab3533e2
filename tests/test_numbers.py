"""Every command that the docs name for their numbers is listed, with the version that ran it."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from popout import __version__

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import renew  # noqa: E402

ENTRIES = tomllib.loads(renew.ENTRIES.read_text(encoding="utf-8"))


def words(path):
    return " ".join(path.read_text(encoding="utf-8").replace("\\\n", " ").split())


def test_every_command_of_a_page_is_listed_with_it():
    named = {
        (page.name, script)
        for page in renew.DOCS.glob("*.md")
        if page != renew.LIST
        for script in re.findall(r"benchmarks/(\w+\.py)", words(page))
    }
    listed = {
        (entry["page"], script)
        for entry in ENTRIES.values()
        for script in re.findall(r"benchmarks/(\w+\.py)", entry["command"])
    }
    assert named <= listed, "add an entry to docs/numbers.toml"
    assert listed <= named, "no page names these commands any more"


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_is_whole(name):
    entry = ENTRIES[name]
    assert entry["command"].split(" --")[0] in words(renew.DOCS / entry["page"])
    for script in re.findall(r"benchmarks/\w+\.py", entry["command"]):
        assert (ROOT / script).exists()


def test_the_page_lists_what_is_known():
    assert renew.LIST.read_text(encoding="utf-8") == renew.the_list(ENTRIES)


def test_numbers_of_another_version_are_found():
    entries = {"old": {"version": "0.0.1"}, "new": {"version": __version__}}
    assert renew.stale(entries) == ["old"]


def test_a_page_takes_over_the_tables_that_a_command_prints(tmp_path, monkeypatch):
    page = ["Before", "", "| a | b |", "|---|---|", "| 1 | 2 |", "| 3 | 4 |", "", "After"]
    (tmp_path / "page.md").write_text("\n".join(page), encoding="utf-8")
    script = tmp_path / "prints.py"
    script.write_text("print('| a | b |\\n|---|---|\\n| 3 | 5 |')", encoding="utf-8")
    monkeypatch.setattr(renew, "DOCS", tmp_path)
    entry = {"page": "page.md", "command": f"python {script}", "version": "0.0.1", "key": 1}
    renew.renew("name", entry, by_hand=False)
    text = (tmp_path / "page.md").read_text(encoding="utf-8").split("\n")
    assert text == [*page[:5], "| 3 | 5 |", *page[6:]]
    assert entry["version"] == __version__
    script.write_text("print('no table')", encoding="utf-8")
    with pytest.raises(SystemExit, match="expected a table"):
        renew.renew("name", entry, by_hand=False)
