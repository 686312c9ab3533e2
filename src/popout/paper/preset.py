"""Presets: how much work goes into the figures.

The tasks and costs are the paper's; a preset settles accuracy, numbers of trials, set sizes and the
density of the grids of costs. Everything here is part of what a stored result is known by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import xarray as xr

from popout.progress import Progress, stretch
from popout.reports.part import Part

NATS, PER_SECOND = {"units": "nats"}, {"units": "1/s"}
DIFFERENCE = {"units": "nats", "long_name": "Z1 - Z2"}
"""What variables of the data are measured in."""


@dataclass(frozen=True)
class Preset:
    """The effort of a run.

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

    Examples
    --------
    >>> PRESETS["paper"].set_sizes[0]
    2
    """

    name: str
    rtol: float
    curve_points: int
    n_paths: int
    decision_trials: int
    set_sizes: tuple[int, ...]
    exact_sizes: tuple[int, ...]
    score_trials: int
    tune_trials: int
    tune_trials_exact: int
    drift_costs: tuple[float, ...]
    claim_sizes: tuple[int, ...]
    claim_drifts: tuple[float, ...]
    grid_drifts: tuple[tuple[float, float], ...]
    certified_drifts: tuple[float, ...]
    short_steps: tuple[float, ...]
    short_sizes: tuple[int, ...]


PaperPart = Part[Callable[[Preset, int, Progress], xr.Dataset]]
"""A figure or table of the paper: computed from preset, seed and progress."""


def short_steps(preset: Preset, progress: Progress) -> Iterator[tuple[float, Progress]]:
    """Yield each short step of a preset, with the progress of its part of the work."""
    steps = preset.short_steps
    for k, dt in enumerate(steps):
        yield dt, stretch(progress, k / len(steps), (k + 1) / len(steps))


def step_axis(preset: Preset) -> xr.DataArray:
    """Return the short steps as one more dimension of the data."""
    return xr.DataArray(list(preset.short_steps), dims="dt", attrs={"units": "s"}, name="dt")


PRESETS = {
    "quick": Preset(
        name="quick",
        rtol=1e-3,
        curve_points=241,
        n_paths=8,
        decision_trials=5_000,
        set_sizes=(2, 3, 4, 8, 16),
        exact_sizes=(2, 3, 4),
        score_trials=1_000_000,
        tune_trials=200_000,
        tune_trials_exact=80_000,
        drift_costs=(0.2, 0.5, 1.0),
        claim_sizes=(2, 3, 4),
        claim_drifts=(4.0, 12.0),
        grid_drifts=((4.0, 4.0), (15.0, 3.0)),
        certified_drifts=(12.0,),
        short_steps=(0.001,),
        short_sizes=(2, 8),
    ),
    "paper": Preset(
        name="paper",
        rtol=1e-4,
        curve_points=801,
        n_paths=8,
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
    ),
}
