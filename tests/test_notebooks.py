"""The notebooks of `examples`: they ship with what they show, and every cell runs.

Run in one plain namespace each, which is what a kernel does with the code of its cells; what ends a
cell is shown as a notebook would show it.
"""

import ast
import json
import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
SHOWN = {
    "first_look": {"SearchTask", "Costs", "Solution", "Trials", "Summary", "Comparison"},
    "people": {"LimitedSearchTask", "ObservedTrials", "TrialsDescription", "FittedModel"},
}


def run(source, names):
    """Run a cell; return its value, and whether a semicolon keeps it from being shown."""
    *body, last = ast.parse(source).body
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module([last], []), "cell", "exec"), names)
        return None, True
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return value, source.rstrip().endswith(";")


@pytest.fixture
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)
    yield
    plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_is_stored_with_what_it_shows(path):
    text = path.read_text()
    notebook = json.loads(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert cells[0]["outputs"] == []  # imports
    for cell in cells[1:]:
        (output,) = cell["outputs"]
        shown = output["data"]  # a warning or an error has none
        assert "image/png" in shown or "<table" in "".join(shown["text/html"])
    assert "image/png" in cells[-1]["outputs"][0]["data"]
    assert len(text) < 400_000
    assert not re.search(r"(?<![\w<+/])/(home|root|tmp|usr|work)/", text)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.usefixtures("in_root")
def test_every_cell_runs_and_shows_something(path):
    names, shown = {}, set()
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        value, silent = run("".join(cell["source"]), names)
        if isinstance(value, Axes | np.ndarray):
            assert silent  # its text beside the picture would be noise
            assert all(ax.has_data() for ax in np.ravel(value))
            shown.add("plot")
        elif value is not None:
            assert "<table" in value._repr_html_()
            shown.add(type(value).__name__)
    assert SHOWN[path.stem] | {"plot"} <= shown
