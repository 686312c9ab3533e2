"""Solutions as pictures: the value function of one location, the regions of two, boundary curves.

With one location the optimal risk R(Z) is drawn below the risks of the two answers; it leaves them
at the thresholds. With more, the regions are those of the plane of two locations with all others
ruled out, from the logarithm of (value of waiting / value of the better answer) between the nodes
(`boundary`).
"""

from __future__ import annotations

import math

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from popout.drawing.regions import draw_regions, name_regions
from popout.drawing.style import ABSENT, LOOKS, PRESENT, TIME_MAP, axes_for, styled
from popout.exact.boundary import Boundary
from popout.exact.deadline import DeadlineSolution
from popout.exact.solution import Solution

NODES = 401
"""Most points along an axis of a picture."""
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
    cut = solution.value_grid.plane(plane or (locations[0], locations[1]))
    ax = axes_for(ax, size=(4.0, 4.0))
    A, (Z1, Z2) = cut.log_ratio, cut.Z
    stride = [max(1, len(Z) // NODES) for Z in (Z1, Z2)]
    # Beyond the upper ends of the grid all is as it is there.
    A = np.pad(A[:: stride[0], :: stride[1]], ((0, 1), (0, 1)), mode="edge")
    Z1, Z2 = (
        np.append(Z[::step], Z[-1] + BEYOND) for Z, step in zip((Z1, Z2), stride, strict=True)
    )
    preference = cut.preference(Z1[:, None], Z2[None, :])
    draw_regions(ax, Z1, Z2, np.minimum(A, -preference), np.minimum(A, preference))
    others = "\nother locations ruled out" if solution.task.n_locations > 2 else ""
    ax.set_title(f"optimum, {risk}{others}")
    name_regions(ax)
    _name_plane(ax, cut.locations)
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
    Z1, Z2 = (np.linspace(z[0], z[-1] + BEYOND, NODES // 2) for z in nodes)
    state = np.full((len(Z1), len(Z2), solution.task.n_locations), -80.0)
    state[..., plane[0]], state[..., plane[1]] = np.meshgrid(Z1, Z2, indexing="ij")
    strategy = solution.strategy
    looks = np.unique(np.linspace(0, solution.n_looks - 1, LOOKS_SHOWN).astype(int))
    scale = mpl.cm.ScalarMappable(mpl.colors.Normalize(0.0, solution.deadline), TIME_MAP)
    for look in looks:
        t = look * solution.task.dt
        for margin in strategy.margins(state, t):
            if margin.min() < 0 < margin.max():
                ax.contour(Z1, Z2, margin.T, levels=[0.0], colors=[scale.to_rgba(t)])
    ax.figure.colorbar(scale, ax=ax, label="time (s)", shrink=0.8)
    others = "\nother locations ruled out" if solution.task.n_locations > 2 else ""
    ax.set_title(f"deadline {solution.deadline:g} s, risk {solution.risk:.4g}{others}")
    name_regions(ax)
    _name_plane(ax, plane)
    return ax


@styled
def draw_boundary(boundary: Boundary, ax: Axes | None) -> Axes:
    """Draw the two curves; see `Boundary.plot`."""
    ax = axes_for(ax, size=(4.0, 4.0))
    for side, colour in (("absent", ABSENT), ("present", PRESENT)):
        curve = getattr(boundary, side).to_numpy()
        ax.plot(*curve.T, color=colour, label=f'say "{side}"')
    ax.legend(loc="center")
    _name_plane(ax, boundary.plane)
    return ax


def _name_plane(ax: Axes, plane: tuple[int, ...]) -> None:
    first, second = (f"$Z_{{{place + 1}}}$ (nats)" for place in plane)
    ax.set(xlabel=first, ylabel=second, aspect="equal")
