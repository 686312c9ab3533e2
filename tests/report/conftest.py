"""A small package of parts, so that the runner can be tried without computing much."""

import sys
from types import ModuleType

import pytest
import xarray as xr
from matplotlib.figure import Figure

from popout.report import runner
from popout.report.page import Table
from popout.report.part import parts_in

PACKAGE = "cheap_parts"


def drawn(title, effort):
    """Return a module with a picture, a preface and a table."""
    module = ModuleType(title)
    module.TITLE, module.EFFORT, module.PAPER_LABEL = title, effort, "fig-x"
    module.computed = []

    def compute(factor, progress):
        module.computed.append(factor)
        progress(0.5, "half")
        return xr.Dataset({"x": ("k", [factor * 1.0, 2.0])})

    module.compute = compute
    module.draw = lambda data: Figure()
    module.describe = lambda data: (f"The first is {float(data['x'][0]):g}.", "")
    module.preface = lambda data: ("Before.",)
    module.tables = lambda data: (Table(("a", "b"), (("one", "2"),)),)
    return module


@pytest.fixture
def cheap(monkeypatch):
    """Return the parts: one with a picture, and one of numbers alone."""
    package = ModuleType(PACKAGE)
    package.ORDER = ("with-picture", "of-numbers")
    numbers = drawn("Of numbers", 1.0)
    for name in ("draw", "describe", "preface", "tables", "PAPER_LABEL"):
        delattr(numbers, name)
    modules = {"with_picture": drawn("With picture", 3.0), "of_numbers": numbers}
    monkeypatch.setitem(sys.modules, PACKAGE, package)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, f"{PACKAGE}.{name}", module)
    monkeypatch.setattr(runner, "picture", lambda figure, kind: f"<{kind}>".encode())
    monkeypatch.setattr("popout.report.store.source_hash", lambda module: f"code of {module}")
    return parts_in(PACKAGE)
