"""Solutions as pictures: the value function of one location, the regions of two, boundary curves.

With one location the optimal risk R(Z) is drawn below the risks of the two answers; it leaves them
at the thresholds. With more, the regions are those of the strategy in the plane of two locations,
all others ruled out.
"""

from __future__ import annotations

import math

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from popout.drawing.regions import name_regions
from popout.drawing.style import ABSENT, LOOKS, PRESENT, TIME_MAP, axes_for, styled
from popout.exact.boundary import Boundary
from popout.exact.deadline import DeadlineSolution
from popout.exact.solution import Solution
from popout.policies.plane_pictures import label_plane, plane_states

NODES = 201
"""Points along an axis of a picture."""
LOOKS_SHOWN = 5
BEYOND = 2.0
"""How far beyond the grid or a threshold a picture goes, in units of Z."""


@styled
def draw_solution(solution: Solution, ax: Axes | None, plane: tuple[int, int] | None) -> Axes:
    """Draw the value function or the regions; see `Solution.plot`."""
    risk = f"risk {solution.risk:.4g}"
    locations = solution.value_grid.locations
    if len(locations) == 1:
        return _value_function(solution, axes_for(ax), risk)
    first, second = plane or locations[:2]
    ax = solution.strategy.plot(ax, plane=(first, second))
    label_plane(ax, (first, second), solution.task.n_locations, [f"optimum, {risk}"])
    return ax


def _value_function(solution: Solution, ax: Axes, risk: str) -> Axes:
    """Draw R(Z), the risks of the two answers, and the thresholds."""
    ((place, weight),) = solution.value_grid.weights.items()
    shift = math.log(weight)
    lower, upper = (tau - shift for tau in solution.thresholds[place])
    Z = solution.value.coords[f"Z{place + 1}"].to_numpy()
    p = 1.0 / (1.0 + np.exp(-(Z + shift)))
    ax.plot(Z, solution.costs.miss * p, color=ABSENT, label='say "absent"')
    ax.plot(Z, solution.costs.false_alarm * (1 - p), color=PRESENT, label='say "present"')
    ax.plot(Z, solution.value, **LOOKS["optimal"].line(label="optimum", alpha=1.0, linewidth=1.8))
    for tau in (lower, upper):
        ax.axvline(tau, color="0.5", linewidth=0.8, linestyle=":")
    ax.plot(0.0, solution.risk, "o", color="black", label=f"before any evidence: {risk}")
    top = 3.0 * max(float(solution.value.max()), solution.risk)
    ends = (min(lower, 0.0) - BEYOND, max(upper, 0.0) + BEYOND)
    ax.set(xlim=ends, ylim=(0.0, top), xlabel="$Z$ (nats)", ylabel="risk")
    ax.set_title(f"wait from Z = {lower:.2f} to {upper:.2f}")
    ax.legend(loc="upper center", ncols=2)
    return ax


@styled
def draw_deadline(solution: DeadlineSolution, ax: Axes | None) -> Axes:
    """Draw how the boundaries close towards the deadline; see `DeadlineSolution.plot`."""
    values = solution.value_grid(0)
    if len(values.locations) == 1:
        ax = axes_for(ax)
        times, lower, upper = solution.thresholds()
        ax.plot(times, upper, color=PRESENT, label='say "present" above')
        ax.plot(times, lower, color=ABSENT, label='say "absent" below')
        ax.axvline(solution.deadline, color="0.5", linestyle=":", label="deadline")
        ax.set(xlabel="time (s)", ylabel="log posterior odds (nats)")
        ax.set_title(f"deadline {solution.deadline:g} s, risk {solution.risk:.4g}")
        ax.legend()
        return ax
    ax = axes_for(ax, size=(4.6, 4.0))
    plane = values.locations[:2]
    nodes = [values.axes[place].nodes for place in plane]
    Z1, Z2 = (np.linspace(z[0], z[-1] + BEYOND, NODES) for z in nodes)
    M, strategy = solution.task.n_locations, solution.strategy
    state = plane_states(plane, M, Z1, Z2)
    looks = np.unique(np.linspace(0, solution.n_looks - 1, LOOKS_SHOWN).astype(int))
    scale = mpl.cm.ScalarMappable(mpl.colors.Normalize(0.0, solution.deadline), TIME_MAP)
    for look in looks:
        t = look * solution.task.dt
        for margin in strategy.margins(state, t):
            if margin.min() < 0 < margin.max():
                ax.contour(Z1, Z2, margin.T, levels=[0.0], colors=[scale.to_rgba(t)])
    ax.figure.colorbar(scale, ax=ax, label="time (s)", shrink=0.8)
    label_plane(ax, plane, M, [f"deadline {solution.deadline:g} s, risk {solution.risk:.4g}"])
    name_regions(ax)
    return ax


@styled
def draw_boundary(boundary: Boundary, ax: Axes | None) -> Axes:
    """Draw the two curves; see `Boundary.plot`."""
    ax = axes_for(ax, size=(4.0, 4.0))
    for side, colour in (("absent", ABSENT), ("present", PRESENT)):
        curve = getattr(boundary, side).to_numpy()
        ax.plot(*curve.T, color=colour, label=f'say "{side}"')
    ax.legend(loc="center")
    label_plane(ax, boundary.plane, 2, [])
    return ax
