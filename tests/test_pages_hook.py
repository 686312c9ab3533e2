"""The pages are built while the package is: by npm where it is, never twice, and not from an sdist.

A stub stands in for npm: it notes what it was asked for and writes the last file of the pages.
"""

import os
import tarfile
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[1]
PAGE = "popout/web/static/licences.txt"
NPM = """#!/bin/sh
echo "$@" >> ../asked
[ -e ../broken ] && exit 1
[ "$1" = run ] || exit 0
mkdir -p ../src/popout/web/static
echo built > ../src/popout/web/static/licences.txt
"""


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A repository of the smallest size with the build of this one, and npm on the path."""
    clone = tmp_path / "clone"
    for name in ("src/popout", "web/src", "web/pages", "web/styles", "schemas", "tools"):
        (clone / name).mkdir(parents=True)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        (clone / name).write_text((ROOT / name).read_text())
    for name in ("CHANGELOG.md", "CITATION.cff", "src/popout/__init__.py", "schemas/a.json"):
        (clone / name).touch()
    (clone / "src/popout/_version.py").write_text("__version__ = '1'")
    for name in ("package.json", "package-lock.json", "build.mjs", "src/main.ts"):
        (clone / "web" / name).touch()
    npm = clone / "tools" / "npm"
    npm.write_text(NPM)
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{clone / 'tools'}:/usr/bin:/bin")
    monkeypatch.delenv("HATCH_BUILD_NO_HOOKS", raising=False)
    return clone


def without_npm(clone, monkeypatch):
    (clone / "tools" / "npm").unlink()
    monkeypatch.setenv("PATH", str(clone / "tools"))


def asked(clone):
    """Return what npm was asked for so far."""
    path = clone / "asked"
    return path.read_text().splitlines() if path.exists() else []


def files_of_wheel(clone, version="standard"):
    (path,) = WheelBuilder(str(clone)).build(directory=str(clone / "dist"), versions=[version])
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def test_npm_builds_the_pages_once_and_again_when_a_source_is_newer(clone):
    assert PAGE in files_of_wheel(clone)
    assert asked(clone) == ["ci", "run build"]
    assert PAGE in files_of_wheel(clone)
    assert len(asked(clone)) == 2
    now = (clone / "src" / PAGE).stat().st_mtime
    os.utime(clone / "web/src/main.ts", (now + 1, now + 1))
    files_of_wheel(clone)
    assert len(asked(clone)) == 4


def test_an_editable_installation_builds_them_in_its_place(clone):
    files_of_wheel(clone, "editable")
    assert (clone / "src" / PAGE).read_text() == "built\n"


@pytest.mark.parametrize("broken", [False, True])
def test_without_npm_or_where_it_fails_the_wheel_is_built_all_the_same(clone, monkeypatch, broken):
    if broken:
        (clone / "broken").touch()
    else:
        without_npm(clone, monkeypatch)
    files = files_of_wheel(clone)
    assert "popout/__init__.py" in files
    assert PAGE not in files
    assert asked(clone) == (["ci"] if broken else [])


def test_pages_that_are_there_need_no_npm(clone, monkeypatch):
    (clone / "src" / PAGE).parent.mkdir(parents=True)
    (clone / "src" / PAGE).touch()
    without_npm(clone, monkeypatch)
    assert PAGE in files_of_wheel(clone)


def test_an_sdist_has_the_pages_and_its_wheel_needs_no_npm(clone, tmp_path, monkeypatch):
    (path,) = SdistBuilder(str(clone)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
    without_npm(clone, monkeypatch)
    assert PAGE in files_of_wheel(tmp_path / "popout-1")


def test_an_sdist_without_pages_is_refused(clone, tmp_path, monkeypatch):
    without_npm(clone, monkeypatch)
    with pytest.raises(SystemExit, match="install Node 20 or newer"):
        list(SdistBuilder(str(clone)).build(directory=str(tmp_path), versions=["standard"]))
