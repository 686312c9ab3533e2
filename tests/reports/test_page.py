"""The page: whole, self-contained, escaped."""

import base64
import re

import pytest
from html_reader import Reader

from popout.reports.page import (
    Code,
    Judged,
    Page,
    Picture,
    Section,
    Statement,
    Table,
    Text,
    render,
    write_page,
)
from popout.task import InputError

HOSTILE = "<script>alert('x')</script>&\"'"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"></svg>'


def outside(reader):
    """Return every address that a browser would fetch from somewhere else."""
    keys = ("src", "href", "srcset", "data", "action")
    fetched = [tag for tag, _ in reader.tags if tag in ("script", "link", "iframe", "object")]
    for _, attrs in reader.tags:
        values = [attrs[key] for key in keys if attrs.get(key)]
        fetched += [value for value in values if not value.startswith(("data:", "#"))]
    return fetched


def make(text="words", suffix="svg", content=SVG):
    grounds = Table(("check", "value"), ((text, "1"), ("b", "2")))
    statement = Statement("one", text, text, "holds", "good", text, grounds)
    blocks = (
        Text((text,)),
        Code(text, title=text),
        Picture("fig", text, (text, "more."), content, suffix, (text,)),
        Table(("a", "b"), ((text, "2"),), title=text, note=text),
        Judged((statement,), title=text),
    )
    return Page(text, text, (text,), (Section("part", text, blocks),), foot=text)


def test_page_is_well_formed_and_says_everything():
    reader = Reader(render(make("seventeen")))
    assert sum("seventeen" in text for text in reader.texts) >= 14
    assert [attrs.get("href") for attrs in reader.named("a")] == ["#part"]
    assert {attrs.get("id") for attrs in reader.named("section")} >= {"summary", "part"}
    assert len(reader.named("details")) == 1
    assert Table(("", ""), ()).style == "pairs"  # a table without headings
    assert Table(("a", ""), ()).style == "data"


def test_page_needs_nothing_from_outside():
    html = render(make())
    reader = Reader(html)
    assert outside(reader) == []
    reader.handle_starttag("img", [("src", "https://example.org/x.png")])
    assert outside(reader) == ["https://example.org/x.png"]  # it would be noticed
    assert reader.named("script") == []
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize(("suffix", "mime"), [("svg", "image/svg+xml"), ("png", "image/png")])
def test_pictures_are_inside(suffix, mime):
    content = bytes(range(256))
    (image,) = Reader(render(make(suffix=suffix, content=content))).named("img")
    head, _, body = image["src"].partition(",")
    assert head == f"data:{mime};base64"
    assert base64.b64decode(body) == content
    assert image["alt"]


def test_hostile_words_are_escaped_everywhere():
    html = render(make(HOSTILE))
    assert "<script>" not in html
    reader = Reader(html)
    assert reader.named("script") == []
    assert any(HOSTILE in text for text in reader.texts)


def test_figures_are_numbered_through_the_page():
    sections = tuple(
        Section(f"s{k}", "t", (Picture(f"f{k}", "t", ("c.",), SVG, "svg"),)) for k in range(3)
    )
    html = render(Page("t", "", (), sections))
    assert re.findall(r"Figure (\d)\.", html) == ["1", "2", "3"]


def test_the_page_is_written_whole_or_not_at_all(tmp_path):
    path = write_page(make(), tmp_path / "report.html")
    assert path.read_text() == render(make())
    with pytest.raises(InputError, match="expected a folder that takes files"):
        write_page(make(), tmp_path / "nowhere" / "report.html")
