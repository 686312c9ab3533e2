"""The gallery: every script that its page lists is run, and shown with the figure it draws.

A script opens with its title and a few words in reStructuredText, and leaves one figure open. Its
figure is kept beside its page, and drawn anew when the script is newer.
"""

import contextlib
import re
import runpy
import warnings
from pathlib import Path

import matplotlib
from contents import toctree, write

ITEM = re.compile(r"\[[^\]]+\]\(\.\./examples/gallery/(\w+)\.py\)")
PAGE = """\
{title}
{line}

{words}

.. image:: {name}.png
   :alt: {title}

.. literalinclude:: ../../examples/gallery/{name}.py
   :language: python
   :start-at: import matplotlib

:download:`{name}.py <../../examples/gallery/{name}.py>`
"""


def draw(script, picture):
    """Run a script and keep its figure; what warns fails."""
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    plt.close("all")
    with warnings.catch_warnings(), contextlib.chdir(script.parents[2]):
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
        runpy.run_path(str(script))
    (number,) = plt.get_fignums()
    plt.figure(number).savefig(picture, dpi=160)
    plt.close("all")


def write_page(folder, name):
    """Write the page of a script, draw its figure if that is not there, and return its title."""
    script = folder.parents[1] / "examples" / "gallery" / f"{name}.py"
    picture = folder / f"{name}.png"
    if not picture.exists() or picture.stat().st_mtime < script.stat().st_mtime:
        draw(script, picture)
    title, words = script.read_text(encoding="utf-8").split('"""')[1].strip().split("\n", 1)
    title = title.rstrip(".")
    page = PAGE.format(title=title, line="=" * len(title), words=words.strip(), name=name)
    write(folder / f"{name}.rst", page)
    return title


def write_pages(app):
    """Write the page of every script."""
    folder = Path(app.srcdir) / "gallery"
    folder.mkdir(exist_ok=True)
    names = ITEM.findall((Path(app.srcdir) / "gallery.md").read_text(encoding="utf-8"))
    app.gallery = {name: write_page(folder, name) for name in names}


def add_cards(app, page, source):
    """Turn the list of scripts on the page ``gallery`` into cards."""
    if page == "gallery":
        card = r"[![](gallery/{0}.png) {1}](gallery/{0}.rst)"
        source[0] = ITEM.sub(lambda item: card.format(item[1], app.gallery[item[1]]), source[0])
        source[0] += toctree([f"gallery/{name}" for name in app.gallery])


def setup(app):
    """Register with Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", add_cards)
    return {"parallel_read_safe": True}
