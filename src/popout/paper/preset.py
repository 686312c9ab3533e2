"""Presets: how much work goes into the figures.

The tasks and costs are the paper's; a preset settles accuracy, numbers of trials, set sizes and the
density of the grids of costs. Everything here is part of what a stored result is known by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from popout.progress import Progress, stretch
from popout.reports.cells import PER_SECOND
from popout.reports.part import Part


@dataclass(frozen=True)
class Gaze:
    """The effort of the chapter on eye movements.

    Attributes
    ----------
    spacings : tuple of float
        Between items, in units of the distance at which visibility falls to 1/e.
    information : tuple of float
        Of a fixation, at the point of gaze.
    costs : tuple of float
        Of the time of a fixation with its saccade.
    rtol_line, rtol_square : float
        Relative accuracy of the exact risks of either display.
    rates, saccades : tuple of float
        Of information, in 1/s, and seconds of a saccade where durations are free.
    step : float
        Seconds between choices there; saccades are whole steps.
    places : tuple of int
        Items of the larger displays: 7, 19, 37, 61.
    trials, tune_trials : int
        As for `popout.compare`.
    """

    spacings: tuple[float, ...] = (1.0, 4.0)
    information: tuple[float, ...] = (8.0,)
    costs: tuple[float, ...] = (0.01,)
    rtol_line: float = 1e-2
    rtol_square: float = 1e-2
    rates: tuple[float, ...] = (10.0, 40.0)
    saccades: tuple[float, ...] = (0.04, 0.16)
    step: float = 0.02
    places: tuple[int, ...] = (19,)
    trials: int = 5_000
    tune_trials: int = 2_000


@dataclass(frozen=True)
class Preset:
    """The effort of a run; that of the quick preset where nothing else is said.

    Attributes
    ----------
    name : str
    rtol : float
        Relative accuracy of exact risks.
    curve_points : int
        Points along each decision boundary.
    n_paths : int
        Sample paths shown in one panel.
    decision_trials : int
        Trials of each class for the distribution of S(t) at the decision.
    set_sizes : tuple of int
        Set sizes of the comparison at equal drifts.
    exact_sizes : tuple of int
        Set sizes at which the optimum is solved there.
    score_trials : int
        Trials on which the strategies are compared.
    tune_trials, tune_trials_exact : int
        Effort of tuning, see `popout.tune`: on simulated risk, and on the exact regret.
    drift_costs : tuple of float
        Costs of time of the comparison at unequal drifts.
    claim_sizes : tuple of int
        Set sizes at which the conjecture is held against the exact optimum.
    claim_drifts : tuple of float
        Drifts at which that is examined.
    grid_drifts : tuple of tuple of float
        Drifts of the two locations at which the paper's grid is examined.
    certified_drifts : tuple of float
        Drifts at which it is held against a lower bound, at larger set sizes.
    short_steps : tuple of float
        Steps, in seconds, at which claims are judged beside the paper's 10 ms.
    short_sizes : tuple of int
        Set sizes of the comparison at equal drifts with these steps; the first is solved.
    memory_sizes : tuple of int
        Set sizes of displays whose items are reshuffled.
    memory_periods : tuple of float
        Information between two reshuffles.
    gaze : Gaze
        Of the chapter on eye movements.

    Examples
    --------
    >>> PRESETS["paper"].set_sizes[0]
    2
    """

    name: str
    rtol: float = 1e-3
    curve_points: int = 241
    n_paths: int = 8
    decision_trials: int = 5_000
    set_sizes: tuple[int, ...] = (2, 3, 4, 8, 16)
    exact_sizes: tuple[int, ...] = (2, 3, 4)
    score_trials: int = 1_000_000
    tune_trials: int = 200_000
    tune_trials_exact: int = 80_000
    drift_costs: tuple[float, ...] = (0.2, 0.5, 1.0)
    claim_sizes: tuple[int, ...] = (2, 3, 4)
    claim_drifts: tuple[float, ...] = (4.0, 12.0)
    grid_drifts: tuple[tuple[float, float], ...] = ((4.0, 4.0), (15.0, 3.0))
    certified_drifts: tuple[float, ...] = (12.0,)
    short_steps: tuple[float, ...] = (0.001,)
    short_sizes: tuple[int, ...] = (2, 8)
    memory_sizes: tuple[int, ...] = (2, 4)
    memory_periods: tuple[float, ...] = (0.125, 0.5, 2.0, 8.0)
    gaze: Gaze = Gaze()


PaperPart = Part[Callable[[Preset, int, Progress], xr.Dataset]]
"""A figure or table of the paper: computed from preset, seed and progress."""


def at_short_steps(
    preset: Preset, progress: Progress, compute: Callable[[float, Progress], xr.Dataset]
) -> xr.Dataset:
    """Return what is computed at each short step of a preset, the step as one more dimension."""
    steps = preset.short_steps
    parts = [
        compute(dt, stretch(progress, k / len(steps), (k + 1) / len(steps)))
        for k, dt in enumerate(steps)
    ]
    axis = xr.DataArray(list(steps), dims="dt", attrs={"units": "s"}, name="dt")
    return xr.concat(parts, axis, join="outer")


def named_cases(cases: Sequence[tuple[Any, float]]) -> dict[str, Any]:
    """Return drift and cost of time of every case as variables; two drifts for two locations."""
    drifts, costs = zip(*cases, strict=True)
    axes = ("case", "location")[: np.ndim(drifts)]
    return {
        "drift": (axes, list(drifts), PER_SECOND),
        "time_cost": ("case", list(costs), PER_SECOND),
    }


PRESETS = {
    "quick": Preset("quick"),
    "paper": Preset(
        name="paper",
        rtol=1e-4,
        curve_points=801,
        decision_trials=50_000,
        set_sizes=(2, 3, 4, 5, 8, 12, 16, 24),
        exact_sizes=(2, 3, 4, 5),
        score_trials=4_000_000,
        tune_trials=400_000,
        tune_trials_exact=100_000,
        drift_costs=(0.1, 0.2, 0.3, 0.5, 0.7, 1.0),
        claim_sizes=(2, 3, 4, 5),
        claim_drifts=(2.0, 4.0, 12.0),
        grid_drifts=((2.0, 2.0), (4.0, 4.0), (8.0, 3.0), (15.0, 3.0)),
        certified_drifts=(4.0, 12.0),
        short_steps=(0.001, 0.0005),
        short_sizes=(2, 8, 24),
        memory_sizes=(2, 3, 4, 8, 16),
        memory_periods=(0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0),
        gaze=Gaze(
            spacings=(0.5, 1.0, 1.5, 2.0, 3.0, 4.0),
            information=(1.0, 4.0, 8.0, 16.0),
            costs=(0.01, 0.03),
            rtol_line=2e-3,
            rtol_square=1e-2,
            rates=(10.0, 20.0, 40.0),
            saccades=(0.02, 0.04, 0.08, 0.16),
            step=0.01,
            places=(19, 61),
            trials=20_000,
            tune_trials=8_000,
        ),
    ),
}
