"""The sections of a report, and what several of them need."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Protocol, cast

import xarray as xr
from matplotlib.figure import Figure

from popout.noise.seeds import Purpose, fresh_seed
from popout.study.contest import Contest, run_contest
from popout.study.paths import Paths, draw_paths
from popout.study.problem import Problem

__all__ = ["SECTIONS", "Report", "SectionModule", "Study", "section_module"]

Report = Callable[[float, str], None]
"""Called with the share of a section's work that is done, and a few words."""
SECTIONS = {
    "displays": "popout.study.displays",
    "evidence": "popout.study.evidence",
    "strategies": "popout.study.strategies",
    "boundary": "popout.study.boundary",
    "response-times": "popout.study.response_times",
    "cost": "popout.study.cost",
}
"""Name of each section and its module, in the order in which they are computed."""


class SectionModule(Protocol):
    """What a section offers; some have tables as well."""

    TITLE: str

    def compute(self, study: Study, report: Report) -> xr.Dataset:
        """Return the numbers of the section."""

    def draw(self, data: xr.Dataset) -> Figure:
        """Return the picture of these numbers."""

    def describe(self, data: xr.Dataset) -> tuple[str, ...]:
        """Return the sentences under the picture."""


class Study:
    """A problem, and what several sections need of it, made when it is first asked for.

    Parameters
    ----------
    problem : Problem

    Attributes
    ----------
    data : dict of str to Dataset
        Of the sections that are done.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.data: dict[str, xr.Dataset] = {}
        self._contest: Contest | None = None

    @cached_property
    def paths(self) -> Paths:
        """Log posterior odds along trials, for the evidence and for tuning."""
        return draw_paths(self.problem, fresh_seed(self.problem.seed, Purpose.STUDY_TUNING))

    @property
    def scales(self) -> tuple[float, float]:
        """The scales of a-SPRT under the costs of the task, from the section on strategies."""
        found = self.data["strategies"]["parameter"]
        if "a-SPRT" not in found["strategy"]:
            return 1.0, 1.0  # not used: one location, or unknown distractors
        own = found.sel(strategy="a-SPRT")
        return float(own.sel(parameter_name="a_minus")), float(own.sel(parameter_name="a_plus"))

    def contest(self, report: Report) -> Contest:
        """Return the strategies, tuned and scored under the costs of the task."""
        if self._contest is None:
            self._contest = run_contest(self.problem, self.problem.costs, self.paths, report)
        return self._contest


def section_module(name: str) -> SectionModule:
    """Import the module of a section.

    Examples
    --------
    >>> section_module("displays").TITLE
    'Displays'
    """
    return cast(SectionModule, import_module(SECTIONS[name]))
