"""From results to the page and the same as data."""

import getpass
import json
import platform
import re
from dataclasses import dataclass

import numpy as np
import pytest

from popout.reports import publish
from popout.reports.page import Picture, Table, Text
from popout.reports.part import run_parts
from popout.reports.publish import check_no_other_report, section_of, write_report
from popout.task import Faults


@dataclass(frozen=True)
class Little:
    name: str = "little"
    sizes: tuple[int, ...] = (2, 3)


@pytest.fixture
def results(cheap, tmp_path):
    return list(
        run_parts(cheap, lambda make, tell: make(5.0, tell), tmp_path, parameters={}, seed=1)
    )


def test_a_section_holds_preface_picture_and_tables(results, monkeypatch):
    section = section_of(results[0])
    text, picture, table = section.blocks
    assert (section.name, section.title) == ("with-picture", "With picture")
    assert text == Text(("Before.",))
    assert isinstance(table, Table)
    assert isinstance(picture, Picture)
    assert picture.caption == ("The first is 5.",)
    assert picture.files == ("in the paper: fig-x", "with-picture.nc", "with-picture.svg")
    assert (picture.content, picture.suffix) == (b"svg", "svg")
    monkeypatch.setattr(publish, "MOST_SVG", 2)
    assert section_of(results[0]).blocks[1].suffix == "png"
    assert section_of(results[1]).blocks == ()  # without a picture


def test_page_and_data_say_where_the_numbers_come_from(results, tmp_path):
    path = write_report(
        tmp_path,
        "popout analyse",
        title="A report",
        preset=Little(),
        seed=7,
        results=results,
        seconds=1.5,
        summary=("In short.",),
        sections=[section_of(results[0])],
        numbers={"risk": 0.25},
        method=("How it was done.",),
    )
    html = path.read_text()
    for words in ("A report", "preset little", "seed 7", "In short.", "How it was done.", "2, 3"):
        assert words in html
    content = json.loads((tmp_path / "report.json").read_text())
    assert content["numbers"] == {"risk": 0.25}
    parts = content["run"]["parts"]
    assert [(part["name"], part["kept"]) for part in parts] == [
        ("with-picture", False),
        ("of-numbers", False),
    ]


@pytest.mark.parametrize("with_data", [True, False])
def test_the_foot_names_files_that_are_there(results, tmp_path, with_data):
    some = results if with_data else ()
    words = {"title": "A report", "summary": (), "sections": [], "numbers": {}}
    path = write_report(
        tmp_path, "popout fit", preset=Little(), seed=7, results=some, seconds=1.5, **words
    )
    assert ("NetCDF files beside it" in path.read_text()) == with_data
    assert "report.json" in path.read_text()


def test_the_report_of_another_command_is_not_written_over(results, tmp_path):
    how = {"preset": Little(), "seed": 7, "results": (), "seconds": 1.5, "title": "A report"}
    faults = Faults("")
    check_no_other_report(tmp_path, "popout fit", faults)  # no report
    write_report(tmp_path, "popout fit", **how, summary=(), sections=[], numbers={})
    check_no_other_report(tmp_path, "popout fit", faults)
    assert not faults
    check_no_other_report(tmp_path, "popout analyse", faults)
    (line,) = faults.lines
    assert "out: expected a folder without a report of popout fit" in line
    (tmp_path / "report.json").write_text("[1]")
    check_no_other_report(tmp_path, "popout fit", faults)  # says nothing
    assert len(faults.lines) == 1


def test_provenance_names_no_person_and_no_computer():
    text = json.dumps([publish.machine(), publish.versions(), publish.now()])
    host, user = platform.node(), getpass.getuser()
    assert not host or host not in text
    assert not re.search(rf"\b{re.escape(user)}\b", text)
    versions = publish.versions()
    assert (versions["numpy"], versions["python"]) == (np.__version__, platform.python_version())
    assert "unknown" not in versions.values()
