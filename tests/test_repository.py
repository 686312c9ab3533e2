"""The repository as a newcomer meets it: set-up, first page, layers and public names."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import popout as po

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
LOCK = (ROOT / "requirements.lock").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def lock_entries():
    """Return {name: number of hashes} of the lock file."""
    lines = LOCK.replace("\\\n", " ").splitlines()
    entries = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return {entry.split("==")[0].lower(): entry.count("--hash=sha256:") for entry in entries}


def requirement_name(requirement):
    return re.match(r"[\w.-]+", requirement)[0].lower()


# -- set-up -----------------------------------------------------------------------------------


def test_lock_has_hashes_for_every_entry():
    entries = lock_entries()
    assert len(entries) > 20
    # At least a wheel and a source archive: the public files, not one local build.
    assert {name: n for name, n in entries.items() if n < 2} == {}


def test_lock_has_no_address():
    assert not re.search(r"://|file:/|@ |^-", LOCK, re.MULTILINE)


def test_lock_covers_every_requirement():
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *PROJECT["build-system"]["requires"], *extras["dev"]]
    named = re.search(r"popout\[(.*)\]", wanted[-len(extras["dev"])])[1].split(",")
    wanted += [item for extra in named for item in extras[extra]]
    assert {"arviz", "web", "docs"} <= set(named)
    missing = {requirement_name(item) for item in wanted} - set(lock_entries())
    assert missing == {"popout"}


@pytest.mark.parametrize("command", re.findall(r"^    make (\w+)", README, re.MULTILINE))
def test_readme_commands_are_targets(command):
    assert re.search(rf"^{command}:.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)


# -- first page -------------------------------------------------------------------------------


def test_readme_is_one_screen():
    assert len(README.splitlines()) <= 60


def test_readme_shows_a_picture_and_how_to_install():
    (picture,) = re.findall(r"!\[[^\]]+\]\(([^)]+\.png)\)", README)
    assert (ROOT / picture).stat().st_size < 100_000
    assert re.search(r"^    pip install \.", README, re.MULTILINE)
    for word in ("Risk", "SPRT", "SPRT-opt", "Hardmax", "a-SPRT"):
        assert f"*{word}*" in README


PAGES = sorted(
    str(page.relative_to(ROOT)) for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text()
    targets = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
    missing = [link for link in targets if not ((ROOT / page).parent / link).exists()]
    assert missing == []


def test_citation_names_the_paper_and_this_version():
    citation = (ROOT / "CITATION.cff").read_text()
    assert citation.startswith("cff-version: 1.2.0\n")
    assert "title: Towards an optimal decision strategy of visual search\n" in citation
    assert set(re.findall(r"\bversion: (.*)", citation)) - {"1.2.0"} == {po.__version__}


def test_tables_of_the_notation_are_whole():
    lines = (ROOT / "docs" / "notation.md").read_text().splitlines()
    # A bar inside a cell would split it; every table has five columns, that of the slips three.
    bars = [len(re.split(r"(?<!\\)\|", line)) for line in lines if line.startswith("|")]
    assert set(bars) == {5, 7}


def test_names_of_the_notation_exist():
    text = (ROOT / "docs" / "notation.md").read_text()
    drift = {0: 1.0, 20: -1.0, "blank": -2.0}
    search = po.SearchTask(n_locations=2, drift=1.0)
    owners = {
        "task": [
            search,
            po.MixtureSearchTask.tied(2, [0], [20], {0: 1.0, 20: -1.0}),
            po.SceneSearchTask.from_sets(2, [0], [20], [1], drift),
        ],
        "costs": [po.Costs(time=1.0)],
        "GaussianWalk": [po.GaussianWalk([1.0, -1.0])],
        "Sample": [po.Evidence(search).sample(1, 1, seed=1)],
    }
    names = set(re.findall(r"`(task|costs|[A-Z]\w+)\.(\w+)", text))
    assert len(names) > 15
    for owner, name in names:
        known = owners.get(owner) or [getattr(po, owner)]
        bases = {base for thing in known for base in getattr(thing, "__mro__", ())}
        fields = {field for base in bases for field in vars(base).get("__annotations__", ())}
        assert name in fields or any(hasattr(thing, name) for thing in known), (owner, name)


# -- layers and public names ------------------------------------------------------------------


def test_layers_are_the_documented_ones():
    (contract,) = PROJECT["tool"]["importlinter"]["contracts"]
    layers = [re.sub(r"[()]|popout\.", "", layer) for layer in contract["layers"]]
    assert f"    {'  >  '.join(layers)}\n" in (ROOT / "CONTRIBUTING.md").read_text()
    packages = {path.parent.name for path in (ROOT / "src" / "popout").glob("*/__init__.py")}
    assert packages <= set(re.findall(r"\w+", " ".join(layers)))


def test_public_names_resolve():
    assert all(getattr(po, name) is not None for name in po.__all__)
    assert sorted(po.__all__) == dir(po)
    with pytest.raises(AttributeError, match="no attribute 'Divination'"):
        po.Divination  # noqa: B018


def test_type_checkers_see_the_same_names():
    tree = ast.parse((ROOT / "src" / "popout" / "__init__.pyi").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert len(imports) == len(tree.body) - 1, "a docstring, and one import for each public name"
    seen = {alias.asname: node.module for node in imports for alias in node.names}
    assert seen == po._MODULE_OF


@pytest.mark.parametrize("module", ["task", "evidence", "policies.stopping", "exact", "simulation"])
def test_public_names_are_public_in_their_module(module):
    public = import_module(f"popout.{module}").__all__
    ours = [name for name, where in po._MODULE_OF.items() if where == f"popout.{module}"]
    assert ours
    assert set(ours) <= set(public)


def test_import_loads_nothing_else():
    code = "import sys; before = set(sys.modules); import popout; "
    code += "print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [name for name in done.stdout.split() if name[:6] == "popout" or "." not in name]
    ours = [name for name in loaded if name.split(".")[0] not in sys.stdlib_module_names]
    assert ours == ["popout", "popout._version"]
