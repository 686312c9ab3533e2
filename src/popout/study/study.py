"""What several sections need of one assignment, made when it is first asked for."""

from __future__ import annotations

from functools import cached_property

import xarray as xr

from popout.noise.seeds import Purpose, fresh_seed
from popout.progress import Progress
from popout.study.assignment import Assignment
from popout.study.contest import Contest, run_contest
from popout.study.paths import OddsPaths, draw_paths


class Study:
    """An assignment, and what several sections need of it.

    Parameters
    ----------
    assignment : Assignment

    Attributes
    ----------
    data : dict of str to Dataset
        Of the sections that are done.
    """

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.data: dict[str, xr.Dataset] = {}
        self._contest: Contest | None = None

    @cached_property
    def paths(self) -> OddsPaths:
        """Log posterior odds along trials, for the evidence and for tuning."""
        return draw_paths(self.assignment, fresh_seed(self.assignment.seed, Purpose.STUDY_TUNING))

    @property
    def scales(self) -> tuple[float, float]:
        """The scales of a-SPRT under the costs of the task, from the section on strategies."""
        found = self.data["strategies"]["parameter"]
        if "a-SPRT" not in found["strategy"]:
            return 1.0, 1.0  # not used: one location, or unknown distractors
        own = found.sel(strategy="a-SPRT")
        return float(own.sel(parameter_name="a_minus")), float(own.sel(parameter_name="a_plus"))

    def contest(self, progress: Progress) -> Contest:
        """Return the strategies, tuned and scored under the costs of the task."""
        if self._contest is None:
            self._contest = run_contest(
                self.assignment, self.assignment.costs, self.paths, progress
            )
        return self._contest
