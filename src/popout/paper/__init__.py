"""The figures and claims of the paper: one module each, computed and then drawn.

A figure module has ``compute(preset, seed, report)``, which returns labelled data, and
``draw(data)``, which makes the picture from them and nothing else. `FIGURES` lists the modules;
adding a figure is one module and one line. A table is a figure without a picture: numbers that a
claim needs and no figure shows; `TABLES` lists them.

==================  ===============================================================================
`preset`            how much work goes into a figure: quick, paper
`claims`            what the paper says, examined on the data of figures and tables
`reproduce`         the run over all of them
==================  ===============================================================================
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

import xarray as xr
from matplotlib.figure import Figure

from popout.paper.preset import PRESETS, Preset, Report
from popout.task import Faults
from popout.task.faults import did_you_mean

__all__ = [
    "EFFORT",
    "FIGURES",
    "PRESETS",
    "TABLES",
    "PaperFigure",
    "PaperTable",
    "Preset",
    "figure_module",
    "figure_names",
    "part_module",
    "part_names",
]

FIGURES = {
    "search-designs": "popout.paper.search_designs",
    "homogeneous-search": "popout.paper.homogeneous_search",
    "optimal-thresholds": "popout.paper.optimal_thresholds",
    "strategies-2d": "popout.paper.strategies_2d",
    "homogeneous-risk": "popout.paper.homogeneous_risk",
    "unequal-drift-risk": "popout.paper.unequal_drift_risk",
}
"""Name of each figure and its module, in the order in which they are made."""


TABLES = {
    "lossless": "popout.paper.claims.tables.lossless",
    "scene-bias": "popout.paper.claims.tables.scene_bias",
    "horizon": "popout.paper.claims.tables.horizon",
    "paper-grid": "popout.paper.claims.tables.paper_grid",
    "biased-prior": "popout.paper.claims.tables.biased_prior",
    "scales": "popout.paper.claims.tables.scales",
    "larger-sets": "popout.paper.claims.tables.larger_sets",
    "decisions": "popout.paper.claims.tables.decisions",
    "time-varying": "popout.paper.claims.tables.time_varying",
    "printed-equations": "popout.paper.claims.tables.printed_equations",
}
"""Name of each table and its module."""
EFFORT = {
    "search-designs": 2.0,
    "homogeneous-search": 3.0,
    "optimal-thresholds": 25.0,
    "strategies-2d": 6.0,
    "homogeneous-risk": 45.0,
    "unequal-drift-risk": 50.0,
    "lossless": 1.0,
    "scene-bias": 4.0,
    "horizon": 6.0,
    "paper-grid": 9.0,
    "biased-prior": 2.0,
    "scales": 8.0,
    "larger-sets": 12.0,
    "decisions": 6.0,
    "time-varying": 4.0,
    "printed-equations": 0.5,
}
"""What each takes, roughly, in seconds of the quick preset: for an estimate of the time left."""


class PaperTable(Protocol):
    """What a module of numbers offers."""

    TITLE: str

    def compute(self, preset: Preset, seed: int, report: Report) -> xr.Dataset:
        """Return the numbers."""


class PaperFigure(PaperTable, Protocol):
    """What a figure module offers."""

    PAPER_LABEL: str

    def draw(self, data: xr.Dataset) -> Figure:
        """Return the picture of these numbers."""


def figure_names(names: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the figures asked for, in the order of `FIGURES`; all of them when none is named.

    Examples
    --------
    >>> figure_names(("homogeneous-search",))
    ('homogeneous-search',)
    """
    faults = Faults("")
    for name in names:
        if name not in FIGURES:
            remedy = did_you_mean(name, FIGURES, "choose from them")
            faults.add("figure", f"one of {', '.join(FIGURES)}", name, remedy)
    faults.raise_if_any()
    return tuple(name for name in FIGURES if not names or name in names)


def figure_module(name: str) -> PaperFigure:
    """Import the module of a figure.

    Examples
    --------
    >>> figure_module("homogeneous-search").PAPER_LABEL
    'fig-sample'
    """
    return cast(PaperFigure, import_module(FIGURES[name]))


def part_names(names: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the figures and tables asked for, in the order they are made; all when none is named.

    Examples
    --------
    >>> part_names(("homogeneous-search",))
    ('homogeneous-search',)
    """
    faults = Faults("")
    known = {**FIGURES, **TABLES}
    for name in names:
        if name not in known:
            remedy = did_you_mean(name, known, "choose from them")
            faults.add("figure", f"one of {', '.join(known)}", name, remedy)
    faults.raise_if_any()
    return tuple(name for name in known if not names or name in names)


def part_module(name: str) -> PaperTable:
    """Import the module of a figure or table.

    Examples
    --------
    >>> part_module("homogeneous-search").TITLE
    'Decision strategies for homogeneous visual search'
    """
    return cast(PaperTable, import_module({**FIGURES, **TABLES}[name]))
