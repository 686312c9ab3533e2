"""The documentation site: every page, public name and figure has its place in it.

``make docs`` builds it and refuses broken links; the tests in ``tests/web/browser`` look at it in
Chromium.
"""

import inspect
import os
import re
import sys
from pathlib import Path

import pytest

import popout as po

ROOT = Path(__file__).parents[1]
DOCS, SITE = ROOT / "docs", ROOT / "site"
SECTIONS = ("index", "tutorials", "guides", "paper", "about")
PUBLIC = sorted(set(po.__all__) - {"__version__"})
ELSEWHERE = re.compile(
    r"""<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=["'](?:\w+:)?//"""
)


@pytest.fixture(scope="module")
def reference():
    """The module that lists the pages of the reference."""
    sys.path.insert(0, str(DOCS / "_extensions"))
    try:
        import reference
    finally:
        sys.path.pop(0)
    return reference


@pytest.fixture(scope="module")
def site():
    """The site as it was built."""
    if not (SITE / "index.html").is_file():
        reason = "the site is not built: make docs"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return SITE


def links(page):
    """Return the pages that a page of `SECTIONS` lists."""
    text = (DOCS / f"{page}.md").read_text()
    return re.findall(r"^(?:-|\d\.) \[[^\]]+\]\(([^)#]+)\)", text, re.MULTILINE)


def test_every_page_is_listed_once():
    listed = [link for page in SECTIONS for link in links(page)]
    pages = [path.name for path in DOCS.glob("*.md") if path.name != "index.md"]
    notebooks = [f"../{path.relative_to(ROOT)}" for path in ROOT.glob("examples/notebooks/*.ipynb")]
    assert sorted(listed) == sorted(
        [*pages, *notebooks, "../CONTRIBUTING.md", "../CHANGELOG.md", "../SECURITY.md"]
    )


def test_the_example_of_the_front_page_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "index.md").read_text(), re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out.startswith("risk 0.044")


def test_the_gallery_lists_every_script():
    scripts = {f"../examples/gallery/{path.name}" for path in ROOT.glob("examples/gallery/*.py")}
    assert len(scripts) >= 10
    assert sorted(links("gallery")) == sorted(scripts)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_words_and_an_example(name):
    words = vars(getattr(po, name)).get("__doc__") or inspect.getdoc(getattr(po, name))
    assert re.search(r"^ *Examples\n *-{8}$", words, re.MULTILINE)
    assert ">>> " in words


def test_every_public_name_has_a_page(reference):
    by_layer = reference.names_by_layer()
    assert sorted(name for names in by_layer.values() for name in names) == PUBLIC


def test_the_built_site_has_a_page_for_every_name_and_figure(site):
    wanted = [f"reference/popout.{name}" for name in PUBLIC]
    wanted += [f"gallery/{Path(link).stem}" for link in links("gallery")]
    wanted += [f"notebooks/{path.stem}" for path in ROOT.glob("examples/notebooks/*.ipynb")]
    wanted += [path.stem for path in DOCS.glob("*.md")]
    assert [page for page in wanted if not (site / f"{page}.html").is_file()] == []


def test_no_page_loads_anything_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 150
    assert [page for page in pages if ELSEWHERE.search(page.read_text())] == []
    assert ELSEWHERE.search('<script defer src="https://cdn.example/x.js"></script>')


def test_formulas_are_written_out(site):
    notation = (site / "notation.html").read_text()
    assert notation.count("<math") > 100
    assert not re.search(r"\\(frac|mathcal|delta|log)\b", notation)


def test_the_site_stays_small(site):
    size = sum(path.stat().st_size for path in site.rglob("*") if ".doctrees" not in path.parts)
    assert size < 20e6
