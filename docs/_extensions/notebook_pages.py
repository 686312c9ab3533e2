"""The notebooks of ``examples/notebooks`` as pages, with the outputs that are stored in them.

Nothing is run here: the tests run every cell.
"""

import json
from base64 import b64decode
from pathlib import Path

from contents import write


def cell_text(cell, folder, name):
    """Return a cell in MyST: text as it is, code with what it showed."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    parts = [f"```python\n{source}\n```"]
    for output in cell["outputs"]:
        shown = output["data"]
        if "image/png" in shown:
            picture = folder / f"{name}-{cell['execution_count']}.png"
            picture.write_bytes(b64decode("".join(shown["image/png"])))
            parts.append(f"![What the cell above draws]({picture.name})")
        else:
            # A card that is wider than the page scrolls, by the keys as well.
            card = "".join(shown["text/html"]).replace("<figure", '<figure tabindex="0"')
            parts.append(f"```{{raw}} html\n{card}\n```")
    return "\n\n".join(parts)


def write_pages(app):
    """Write a page for each notebook."""
    folder = Path(app.srcdir) / "notebooks"
    folder.mkdir(exist_ok=True)
    for path in (Path(app.srcdir).parent / "examples" / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        parts = [cell_text(cell, folder, path.stem) for cell in cells]
        note = f"*A notebook: {{download}}`{path.name} <../../examples/notebooks/{path.name}>`.*"
        parts.insert(1, note)
        write(folder / f"{path.stem}.md", "\n\n".join(parts) + "\n")


def setup(app):
    """Register with Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}
