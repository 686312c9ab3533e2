"""Which code counts: what a part imports, however it does so, and nothing else."""

import ast
import shutil
import time
from pathlib import Path

import pytest

import popout
from popout.paper.reproduce import PARTS
from popout.report.sources import Sources
from popout.study.analyse import SECTIONS

ROOT = Path(popout.__file__).parent
OURS = {part.name: part.path for part in (*PARTS, *SECTIONS)}


@pytest.fixture
def package(tmp_path):
    """Return a function that writes modules and returns them as sources."""

    def write(**modules):
        root = tmp_path / "pack"
        for name, text in {"__init__": "", **modules}.items():
            path = root.joinpath(*name.split("__in__")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return Sources(root, ignored=("shown",))

    return write


@pytest.mark.parametrize(
    "statement",
    [
        "import pack.b",
        "import pack.b as other",
        "from pack import b",
        "from pack.b import x",
        "from . import b",
        "from .b import x",
        "def compute():\n    from pack.b import x",
        "class A:\n  def f(self):\n    if 1:\n      with self:\n        import pack.b",
        "try:\n    import numpy\nexcept ImportError:\n    import pack.b",
        "if typing.TYPE_CHECKING:\n    import os\nelse:\n    import pack.b",
    ],
)
def test_every_way_to_import_counts(package, statement):
    sources = package(a=statement, b="x = 1", c="x = 2")
    assert sources.behind("pack.a") == ("pack.a", "pack.b")


@pytest.mark.parametrize(
    "statement",
    [
        "import numpy",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pack.b import x",
        "import typing\nif typing.TYPE_CHECKING:\n    from pack.b import x",
        "from pack.shown.style import colour",
        "text = 'import pack.b'",
    ],
)
def test_what_no_number_can_come_from_does_not_count(package, statement):
    sources = package(a=statement, b="x = 1", shown__in__style="from pack import b")
    assert sources.behind("pack.a") == ("pack.a",)


def test_packages_count_with_what_they_import(package):
    sources = package(
        a="from pack.sub.deep import x",
        b="x = 1",
        sub__in____init__="from .. import b",
        sub__in__deep="from .beside import x",
        sub__in__beside="x = 1",
    )
    expected = ("pack.a", "pack.b", "pack.sub", "pack.sub.beside", "pack.sub.deep")
    assert sources.behind("pack.a") == expected


def test_what_is_known_otherwise_can_be_left_out(package):
    ours = package(a="import pack.b\nimport pack.c", b="x = 1", c="y = 1")
    before = ours.hash("pack.a"), ours.hash("pack.a", ("pack.b",))
    changed = package(a="import pack.b\nimport pack.c", b="x = 2", c="y = 1")
    assert changed.hash("pack.a") != before[0]
    assert changed.hash("pack.a", ("pack.b",)) == before[1]
    assert changed.hash("pack.a", ("pack.c",)) != before[1]


def test_circles_end(package):
    sources = package(a="import pack.b", b="import pack.a")
    assert sources.behind("pack.a") == sources.behind("pack.b") == ("pack.a", "pack.b")


# -- our own parts --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ours():
    return Sources(ROOT)


def test_an_edit_makes_exactly_those_parts_stale_that_import_it(ours, tmp_path):
    copy = tmp_path / "popout"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("paper/recursion.py", "cli/reproduce.py", "paper/claims/risks.py"):
        with (copy / file).open("a") as module:
            module.write("\nEDITED = 1\n")
    edited = Sources(copy)
    stale = {name for name, path in OURS.items() if ours.hash(path) != edited.hash(path)}
    assert stale == {"horizon", "paper-grid", "biased-prior"}


@pytest.mark.parametrize(
    ("module", "parts"),
    [
        ("popout.paper.figures.strategies_2d", {"strategies-2d", "short-steps-2d"}),
        ("popout.study.contest", {part.name for part in SECTIONS}),
        ("popout.evidence.ratio", set(OURS)),
        ("popout.drawing.style", set()),
        ("popout.report.words", set()),
        ("popout.paper.report", set()),
    ],
)
def test_who_imports_what(ours, module, parts):
    assert {name for name, path in OURS.items() if module in ours.behind(path)} == parts


def test_the_solver_is_behind_what_solves_and_nothing_else(ours):
    solving = {name for name, path in OURS.items() if "popout.exact.solver" in ours.behind(path)}
    assert solving >= {"horizon", "optimal-thresholds", "scales", "boundary"}
    assert not solving & {"search-designs", "lossless", "scene-bias"}


def test_no_part_takes_names_from_the_table_of_public_names(ours):
    """They are looked up when they are used, where no reading of the source can follow."""
    for module in {module for path in OURS.values() for module in ours.behind(path)}:
        for node in ast.walk(ast.parse(ours._path(module).read_bytes())):
            if isinstance(node, ast.Import):
                assert "popout" not in [alias.name for alias in node.names], module
            elif isinstance(node, ast.ImportFrom) and node.module == "popout":
                for alias in node.names:
                    assert ours._path(f"popout.{alias.name}") is not None, module


def test_all_parts_are_hashed_at_once():
    began = time.process_time()
    ours = Sources(ROOT)
    assert len({ours.hash(path) for path in OURS.values()}) == len(OURS)
    assert time.process_time() - began < 3.0  # some 0.2 s where nothing else runs
