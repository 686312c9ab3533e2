"""What a user gets: the files of wheel and sdist, and the wheel in an environment of its own.

The environment has what the wheel requires and nothing else: no extras, no development tools. The
libraries are links to those of this environment, so that the test needs no network.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement

import popout as po

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PAGES = re.compile(r"popout/web/static/[\w.-]+\.(html|css|js|svg|woff2|txt)")
CODE = re.compile(r"popout/([\w/]+\.py|__init__\.pyi|py\.typed|reports/templates/page\.(css|html))")
SCHEMAS = {f"popout/schemas/{name}.schema.json" for name in ("experiment", "sweep", "task")}


@pytest.fixture(scope="module", autouse=True)
def no_hooks():
    """The pages are those that are there; `tests/test_pages_hook.py` is about building them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HATCH_BUILD_NO_HOOKS", "true")
        yield


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    return Path(path)


def test_the_wheel_holds_code_pages_and_schemas_alone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    about = f"popout-{po.__version__}.dist-info/"
    meta = {about + name for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")}
    meta.add(about + "licenses/LICENSE")
    pages = {name for name in names if PAGES.fullmatch(name)}
    code = {name for name in names if CODE.fullmatch(name)}
    assert names == code | pages | SCHEMAS | meta
    # The pages are in the wheel of a machine on which they are built.
    assert bool(pages) == (ROOT / "src/popout/web/static/explorer.html").is_file()
    files = {f"popout/{path.relative_to(ROOT / 'src/popout')}" for path in sources()}
    assert code == files
    assert wheel.stat().st_size < 3e6


def test_the_wheel_holds_the_pages_with_the_licences_of_what_is_in_them(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {Path(name).name for name in archive.namelist() if PAGES.fullmatch(name)}
        if not names:
            reason = "the pages are not built: make pages (needs Node 20 or newer)"
            (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
        licences = archive.read("popout/web/static/licences.txt").decode()
    wanted = {"explorer.html", "laboratory.html", "researcher.html", "explorer.js", "lab.js"}
    assert wanted <= names
    fonts = [name for name in names if name.endswith(".woff2")]
    assert len(fonts) == 12  # three of them, in Latin, more of Latin, Greek and Cyrillic
    for library in ("@observablehq/plot", "jspsych", "@fontsource-variable/source-sans-3"):
        assert f"{library} " in licences


def sources():
    """Return the files of the package that are neither made nor pages."""
    made = {"__pycache__", "static"}
    files = (ROOT / "src/popout").rglob("*")
    return [path for path in files if path.is_file() and not made & set(path.parts)]


def test_the_sdist_holds_the_same_and_builds_the_wheel(wheel, tmp_path):
    (path,) = SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    top = {name for name in files if not name.startswith(("src/popout/", "schemas/"))}
    ours = {"CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "pyproject.toml"}
    ours |= {"hatch_build.py"}
    assert top - ours <= {"PKG-INFO", ".gitignore"}
    (again,) = WheelBuilder(str(folder)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(again) as second, zipfile.ZipFile(wheel) as first:
        assert sorted(second.namelist()) == sorted(first.namelist())


# -- in an environment of its own (40 s: everything is compiled anew) ----------------------------


def requirements(names):
    """Return the distributions that some need, theirs included, without any extra."""
    wanted, known = list(names), {}
    while wanted:
        package = distribution(wanted.pop())
        if known.setdefault(package.name, package) is package:
            needs = map(Requirement, package.requires or ())
            wanted += [
                need.name
                for need in needs
                if not need.marker or need.marker.evaluate({"extra": ""})
            ]
    return known.values()


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """The path of an environment in which the wheel is installed."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"popout-{po.__version__}.dist-info/METADATA").decode()
    needs = [Requirement(line) for line in re.findall(r"(?m)^Requires-Dist: (.*)$", metadata)]
    core = [need.name for need in needs if not need.marker]
    for package in requirements(core):
        for top in {Path(file).parts[0] for file in package.files} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(package.locate_file(top).resolve())
    pip = [sys.executable, "-m", "pip", "--python", folder, "install", "--quiet", "--no-index"]
    subprocess.run([*pip, "--no-deps", wheel], check=True)
    return folder


def run(environment, command, *words):
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [environment / "bin" / command, *words],
        capture_output=True,
        text=True,
        cwd=environment,
        env=settings,
    )


def test_the_wheel_alone_does_what_the_readme_says(environment):
    for tool in ("pytest", "hypothesis", "fastapi", "sphinx", "arviz_base"):
        assert run(environment, "python", "-c", f"import {tool}").returncode == 1
    where = run(environment, "python", "-c", "import popout; print(popout.__file__)").stdout
    assert where.startswith(str(environment))

    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    said = re.search(r"```text\n(.*?)```", README, re.DOTALL)[1]
    ran = run(environment, "python", "-c", code)
    assert ran.stdout == said, ran.stderr

    search = ("--drift", "4", "--time-cost", "0.2")
    pair = run(environment, "popout", "thresholds", *search, "--json")
    assert json.loads(pair.stdout)["upper"] == pytest.approx(4.546, abs=2e-3)
    best = run(environment, "popout", "solve", *search, "--locations", "2", "--json")
    assert json.loads(best.stdout)["risk"] == pytest.approx(0.044, abs=1e-4)
    words = ("--strategy", "sprt", "--locations", "8", "--trials", "2000", "--json")
    trials = run(environment, "popout", "simulate", *search, *words)
    assert json.loads(trials.stdout)["undecided"] == 0

    refused = run(environment, "popout", "serve")
    assert refused.returncode == 2
    assert "pip install popout[web]" in refused.stderr
