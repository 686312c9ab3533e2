"""Section: where gaze goes and when the observer stops, in the plane of two items.

The optimum where it is solved, or else the best rule with a gaze that the evidence decides. All
other items are ruled out. Beside it, how much each gaze is liked before any evidence; of the
optimum that is its value after the change of measure of the solver.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure

from popout.drawing.regions import draw_regions, name_regions
from popout.drawing.representation import listing
from popout.drawing.style import panel, styled
from popout.policies.looking import Random
from popout.policies.stopping import BoundaryStrategy
from popout.progress import Progress
from popout.reports.cells import NATS, labelled
from popout.reports.sections.gaze_displays import layout
from popout.reports.sections.looking_and_stopping import plane_around
from popout.reports.study import Study, StudyPart
from popout.simulation.scanpath_picture import frame_display

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "0.5")
"""Of the gazes that occur in the plane; the last is all that are rarer."""


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return the gaze and the margins of both answers in the plane, and the first gaze."""
    task: Any = study.task  # of a kind with gazes
    contest = study.contest(progress)
    best = next(each for each in contest.entries if not isinstance(each.attention, Random))
    policy: Any = best.attention
    assert isinstance(best.strategy, BoundaryStrategy)
    seen = np.array(task.location_prior) * np.array(task.look.visibility).max(axis=0)
    plane = np.sort(np.argsort(-seen, kind="stable")[: min(2, task.n_locations)])
    plane = np.resize(plane, 2)
    z, Z = plane_around(best.strategy, plane, task.n_locations)
    absent, present = best.strategy.margins(Z, 0.0)
    liking = policy.liking(np.zeros((1, task.n_locations)))[0]
    return labelled(
        {
            **layout(task),
            "gaze_taken": (("z1", "z2"), 1 + policy.gaze(Z)),
            "margin_absent": (("z1", "z2"), absent, NATS),
            "margin_present": (("z1", "z2"), present, NATS),
            "liking": (("gaze",), liking - liking.max()),
        },
        {"z1": z, "z2": z, "gaze": np.arange(1, task.n_gazes + 1)},
        {
            "plane": (plane + 1).tolist(),
            "observer": best.name,
            "is_free": int(task.is_free),
        },
    )


def _taken(data: xr.Dataset) -> tuple[np.ndarray, list[int]]:
    """Return which gaze is taken while the observer waits, NaN elsewhere; and the most frequent."""
    waits = ((data["margin_absent"] < 0) & (data["margin_present"] < 0)).to_numpy()
    taken = np.where(waits, data["gaze_taken"].to_numpy(), np.nan)
    gazes, times = np.unique(taken[waits], return_counts=True)
    frequent = gazes[np.argsort(-times, kind="stable")][: len(COLOURS) - 1]
    return taken, sorted(int(gaze) for gaze in frequent)


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw which gaze is taken, where the observer answers, and the first gaze."""
    figure = Figure(figsize=(10.0, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.1))
    panel(left, "a", "the next gaze")
    _draw_plane(left, data)
    panel(right, "b", "before any evidence")
    items, places = data["item"].to_numpy(), data["place"].to_numpy()
    liking = data["liking"].to_numpy()
    right.scatter(*items.T, marker="s", s=40, color="0.8", zorder=1)
    drawn = right.scatter(*places.T, c=liking, s=60, cmap="viridis", edgecolor="white", zorder=2)
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": "#D55E00", "zorder": 3}
    right.scatter(*places[liking.argmax()], s=200, **look)
    frame_display(right, np.vstack([items, places]))
    figure.colorbar(drawn, ax=right, label="liked less than the best", shrink=0.6)
    return figure


def _draw_plane(ax: Axes, data: xr.Dataset) -> None:
    """Draw the gazes that are taken in the plane, in colours of their own."""
    taken, frequent = _taken(data)
    number = np.full(taken.shape, np.nan)
    number[np.isfinite(taken)] = len(frequent)
    for k, gaze in enumerate(frequent):
        number[taken == gaze] = k
    z = data["z1"].to_numpy()
    colours = ListedColormap([*COLOURS[: len(frequent)], COLOURS[-1]])
    norm = BoundaryNorm(np.arange(len(frequent) + 2) - 0.5, len(frequent) + 1)
    ax.pcolormesh(z, z, number.T, cmap=colours, norm=norm, alpha=0.55, rasterized=True)
    absent, present = (data[f"margin_{side}"].to_numpy() for side in ("absent", "present"))
    draw_regions(ax, z, z, absent, present)
    name_regions(ax)
    for k, gaze in enumerate(frequent):
        ax.plot([], [], marker="s", linestyle="", color=COLOURS[k], label=f"gaze {gaze}")
    if np.nanmax(number, initial=0) == len(frequent):
        ax.plot([], [], marker="s", linestyle="", color=COLOURS[-1], label="others")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    first, second = data.attrs["plane"]
    ax.set(xlabel=f"$Z_{{{first}}}$ (nats)", ylabel=f"$Z_{{{second}}}$ (nats)", aspect="equal")


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say whose gaze it is, where it goes first, and what is worth nothing."""
    first, second = data.attrs["plane"]
    who = "the optimum" if data.attrs["observer"] == "optimal" else data.attrs["observer"]
    start = ", from where gaze is at the start" if data.attrs["is_free"] else ""
    best = int(data["gaze"][int(data["liking"].to_numpy().argmax())])
    taken, _ = _taken(data)
    never = [str(g) for g in data["gaze"].to_numpy() if not (taken == g).any()]
    unused = f" Never there: {listing(never)}." if 0 < len(never) <= 6 else ""
    return (
        f"(a) Where {who} looks next while it waits, in the plane of items {first} and {second}, "
        f"all others ruled out{start}.{unused}",
        f"(b) Before any evidence it likes gaze {best} best (ringed).",
    )


GAZE_AND_STOPPING = StudyPart(
    "where-to-look", "Where to look and when to stop", compute, 12.0, draw, describe
)
