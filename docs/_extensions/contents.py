"""The table of contents follows from the links in the pages, so that there is no second list.

Each page of `SECTIONS` lists its pages as Markdown links at the start of a list item, which a
reader of the file can follow as well. Here a hidden ``toctree`` of the same pages is added. Some
files outside the folder become pages, and links to them lead there.
"""

import re
from pathlib import Path

SECTIONS = ["index", "tutorials", "guides", "paper", "about"]
ITEM = re.compile(r"^(?:-|\d+\.) +\[[^\]]+\]\(([\w/-]+)\.md\)", re.MULTILINE)
OUTSIDE = {
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
    "SECURITY.md": "security",
}


def copy_outside_pages(app):
    """Copy the pages of the repository's root into ``made``, with links that hold there."""
    root = Path(app.srcdir).parent
    for name, page in OUTSIDE.items():
        text = (root / name).read_text(encoding="utf-8").replace("](docs/", "](../")
        write(Path(app.srcdir) / "project" / f"{page}.md", text)


def write(path, text):
    """Write a page unless it is there already: what has not changed is not built again."""
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def toctree(pages, depth=1):
    """Return a hidden table of contents in MyST."""
    return "\n".join(["", "```{toctree}", ":hidden:", f":maxdepth: {depth}", "", *pages, "```", ""])


def add_contents(app, page, source):
    """Add the table of contents to a page of `SECTIONS`, and mend links to the outside."""
    for name, made in OUTSIDE.items():
        source[0] = source[0].replace(f"](../{name})", f"](project/{made}.md)")
    source[0] = re.sub(
        r"\]\(\.\./examples/notebooks/(\w+)\.ipynb\)", r"](notebooks/\1.md)", source[0]
    )
    # Doctest wants an empty line after the last output, a reader does not.
    source[0] = source[0].replace("\n\n```\n", "\n```\n")
    if page in SECTIONS:
        source[0] += toctree(ITEM.findall(source[0]))


def setup(app):
    """Register with Sphinx."""
    app.connect("builder-inited", copy_outside_pages)
    app.connect("source-read", add_contents)
    return {"parallel_read_safe": True}
