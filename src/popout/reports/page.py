"""One self-contained HTML page: pictures inside, no network, no script.

A `Page` is a title, a summary and sections; a section is made of text, pictures, tables and judged
statements. `render` fills the one template. Everything that comes from outside, a task's name for
example, is escaped.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from popout.reports.store import write_whole

MIME = {"svg": "image/svg+xml", "png": "image/png"}


@dataclass(frozen=True)
class Text:
    """Paragraphs.

    Attributes
    ----------
    paragraphs : tuple of str
    """

    kind: ClassVar[str] = "text"
    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class Code:
    """Lines shown as they are.

    Attributes
    ----------
    lines : str
    title : str
    """

    kind: ClassVar[str] = "code"
    lines: str
    title: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture and its caption.

    Attributes
    ----------
    name : str
        Becomes the anchor.
    title : str
    caption : tuple of str
        Sentences.
    content : bytes
        Of the file.
    suffix : {"svg", "png"}
    files : tuple of str
        Names of the files beside the page that hold data and pictures.
    """

    kind: ClassVar[str] = "picture"
    name: str
    title: str
    caption: tuple[str, ...]
    content: bytes
    suffix: str
    files: tuple[str, ...] = ()

    @property
    def uri(self) -> str:
        """The picture as a data URI."""
        return f"data:{MIME[self.suffix]};base64,{base64.b64encode(self.content).decode()}"

    @property
    def alternative(self) -> str:
        """What is read aloud in place of the picture."""
        return " ".join((f"{self.title}.", *self.caption[:1]))


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    columns : tuple of str
    rows : tuple of tuple of str
        The first cell heads its row.
        Without headings it is a list of names and values.
    title, note : str
    """

    kind: ClassVar[str] = "table"
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    note: str = ""

    @property
    def style(self) -> str:
        """How it is set."""
        return "data" if any(self.columns) else "pairs"


@dataclass(frozen=True)
class Statement:
    """A statement that was judged, and on what grounds.

    Attributes
    ----------
    name, text, where : str
    verdict : str
        The word that is shown.
    tone : {"good", "mixed", "bad", "open"}
        Its colour.
    rule : str
        How the grounds decide.
    grounds : Table
    """

    name: str
    text: str
    where: str
    verdict: str
    tone: str
    rule: str
    grounds: Table


@dataclass(frozen=True)
class Judged:
    """A table of judged statements.

    Attributes
    ----------
    statements : tuple of Statement
    title, note : str
    """

    kind: ClassVar[str] = "judged"
    statements: tuple[Statement, ...]
    title: str = ""
    note: str = ""


Block = Text | Code | Picture | Table | Judged


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes
    ----------
    name : str
        Becomes the anchor.
    title : str
    blocks : tuple of Text, Code, Picture, Table or Judged
    """

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """A report.

    Attributes
    ----------
    title, subtitle : str
    summary : tuple of str
        Paragraphs under the title.
    sections : tuple of Section
    foot : str
    """

    title: str
    subtitle: str
    summary: tuple[str, ...]
    sections: tuple[Section, ...]
    foot: str = ""


def render(page: Page) -> str:
    """Return the page as HTML.

    Examples
    --------
    >>> text = Text(("Risks are prior averages.",))
    >>> html = render(Page("<b>", "", (), (Section("risk", "Risk", (text,)),)))
    >>> "<b>" in html, "&lt;b&gt;" in html, "Risks are prior averages." in html
    (False, True, True)
    """
    return _template().render(page=page)


def write_page(page: Page, path: Path) -> Path:
    """Write the page, whole or not at all, and return its path."""
    write_whole(path, render(page).encode())
    return path


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("popout.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html")
