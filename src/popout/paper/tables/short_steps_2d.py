"""Boundaries, response times and S(t) at the decision with short steps (beside Figure 4).

The boundaries and the distributions of `popout.paper.figures.strategies_2d` and the response times
of `popout.paper.tables.decisions`, for steps of a millisecond and less; the variables are those of
the figure and of the table, with the step as one more dimension.
"""

from __future__ import annotations

import xarray as xr

from popout.exact import evaluate
from popout.paper.figures.strategies_2d import COSTS, DRIFT, SLOW_DRIFT, at_decision, boundaries
from popout.paper.preset import Preset
from popout.progress import Progress
from popout.task import SearchTask

TITLE = "Strategies for two locations with short steps"
EFFORT = 25.0

MOST_TRIALS = 20_000
"""Of each class: the optimum has no compiled form."""
RTOL = 1e-3
RULES = ("optimal", "SPRT", "Hardmax")


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return boundaries, response times and distributions for every short step."""
    steps = preset.short_steps
    n = min(2 * preset.decision_trials // 5, MOST_TRIALS)
    parts = []
    for k, dt in enumerate(steps):
        progress(k / len(steps), f"steps of {1e3 * dt:g} ms")
        task = SearchTask(n_locations=2, drift=DRIFT, dt=dt)
        made, surfaces = boundaries(task, preset)
        found = [evaluate(task, made[name], COSTS, RTOL) for name in RULES]
        times = xr.Dataset(
            {
                "mean_rt": (("rule", "class"), [(f.rt_absent, f.rt_present) for f in found]),
                "rt_error": (("rule",), [f.rt_error for f in found]),
            },
            coords={"rule": list(RULES), "class": ["absent", "present"]},
        ).rename(rule="strategy")
        slow = SearchTask(n_locations=2, drift=SLOW_DRIFT, dt=dt)
        parts.append(xr.merge([surfaces, times, at_decision(slow, n, preset, seed)], join="outer"))
    return xr.concat(parts, xr.DataArray(list(steps), dims="dt", attrs={"units": "s"}, name="dt"))
