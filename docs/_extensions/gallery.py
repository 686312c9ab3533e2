"""The gallery: every script that its page lists is run, and shown with the figure it draws.

A script opens with its title and a few words in reStructuredText, and leaves one figure open. Its
figure is kept beside its page, and drawn anew when the script or popout's version changes.
"""

import contextlib
import hashlib
import re
import runpy
import warnings
from pathlib import Path

import matplotlib
from contents import toctree, write

import popout

ITEM = re.compile(r"\]\(\.\./examples/gallery/(\w+)\.py\)")


def words_of(script):
    """Return the title and the words of a script, and its code."""
    _, words, code = script.read_text(encoding="utf-8").split('"""', 2)
    title, words = words.strip().split("\n", 1)
    return title.rstrip("."), words.strip(), code.strip()


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


def write_page(script, folder):
    """Write the page of a script, draw its figure if it is not there, and return its name."""
    title, words, code = words_of(script)
    stamp = hashlib.sha256(f"{code} {popout.__version__}".encode()).hexdigest()[:12]
    picture = folder / f"{script.stem}-{stamp}.png"
    if not picture.exists():
        for old in folder.glob(f"{script.stem}-????????????.png"):
            old.unlink()
        draw(script, picture)
    path = f"../../examples/gallery/{script.name}"
    lines = [title, "=" * len(title), "", words, ""]
    lines += [f".. image:: {picture.name}", f"   :alt: {title}", ""]
    lines += [
        f".. literalinclude:: {path}",
        "   :language: python",
        "   :start-at: import matplotlib",
        "",
    ]
    lines += [f":download:`{script.name} <{path}>`", ""]
    write(folder / f"{script.stem}.rst", "\n".join(lines))
    return picture.name


def write_pages(app):
    """Write the page of every script."""
    folder = Path(app.srcdir) / "gallery"
    folder.mkdir(exist_ok=True)
    page = (Path(app.srcdir) / "gallery.md").read_text(encoding="utf-8")
    app.gallery = {
        name: write_page(Path(app.srcdir).parent / "examples" / "gallery" / f"{name}.py", folder)
        for name in ITEM.findall(page)
    }


def add_cards(app, page, source):
    """Turn the list of scripts on the page ``gallery`` into cards."""
    if page != "gallery":
        return
    for name, picture in app.gallery.items():
        title = words_of(Path(app.srcdir).parent / "examples" / "gallery" / f"{name}.py")[0]
        card = f"[![](gallery/{picture}) {title}](gallery/{name}.rst)"
        source[0] = re.sub(rf"\[[^\]]+\]\(\.\./examples/gallery/{name}\.py\)", card, source[0])
    source[0] += toctree([f"gallery/{name}" for name in app.gallery])


def setup(app):
    """Register with Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", add_cards)
    return {"parallel_read_safe": True}
