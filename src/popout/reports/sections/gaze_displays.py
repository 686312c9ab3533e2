"""Section: the display of a task with gazes, and what gaze lets each item be seen.

Panels: the items under three of the gazes, from the middle outwards, shaded by their visibility;
and visibility against eccentricity, with a dot for each item from each gaze.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from popout.drawing.representation import count
from popout.drawing.style import GREY, panel, styled
from popout.progress import Progress
from popout.reports.study import Study, StudyPart
from popout.reports.words import fixed
from popout.simulation.scanpath_picture import ROOM, frame_display

SHOWN = 3
DEGREES = {"units": "degrees"}
AREA = 600.0
"""Of an item that surely holds a target if there is one, in square points; some more for all."""


def layout(task: Any) -> dict[str, Any]:
    """Return the places of items and gazes as variables."""
    return {
        "item": (("location", "axis"), np.array(task.items), DEGREES),
        "place": (("gaze", "axis"), np.array(task.places), DEGREES),
    }


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return places, visibilities and eccentricities."""
    task: Any = study.task  # of a kind with gazes
    items, places = np.array(task.items), np.array(task.places)
    away = np.linalg.norm(places[:, None] - items, axis=-1)
    return xr.Dataset(
        {
            **layout(task),
            "visibility": (("gaze", "location"), np.array(task.look.visibility)),
            "eccentricity": (("gaze", "location"), away, DEGREES),
            "location_prior": (("location",), np.array(task.location_prior)),
        },
        {"gaze": 1 + np.arange(task.n_gazes), "location": 1 + np.arange(task.n_locations)},
        {"home": task.home + 1, "is_free": int(task.is_free)},
    )


def height_of(data: xr.Dataset, width: float) -> float:
    """Return the inches that a panel of this width needs, in equal scales."""
    points = np.vstack([data["item"], data["place"]])
    x, y = np.ptp(points, axis=0) + 2 * ROOM
    return float(np.clip(0.75 * width * y / x + 0.9, 1.5, 4.2))


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw what some gazes see, and how visibility falls."""
    items, places = data["item"].to_numpy(), data["place"].to_numpy()
    outwards = np.argsort(np.linalg.norm(places - items.mean(axis=0), axis=1), kind="stable")
    picked = np.unique(np.linspace(0, len(places) - 1, SHOWN).round().astype(int))
    size = (10.4, max(2.4, height_of(data, 10.4 / (len(picked) + 1))))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(1, len(picked) + 1)
    letters = iter("abcd")
    for ax, gaze in zip(axes, outwards[picked], strict=False):
        panel(ax, next(letters), f"gaze {gaze + 1}")
        seen = data["visibility"].isel(gaze=gaze)
        look: dict[str, Any] = {"vmin": 0.0, "vmax": 1.0, "cmap": "Greys", "edgecolor": "0.3"}
        sizes = 30.0 + AREA * data["location_prior"] / max(6, len(items))
        image = ax.scatter(*items.T, s=sizes, c=seen, marker="s", **look)
        ax.scatter(*places.T, marker="+", s=22, color=GREY, linewidth=0.8)
        ax.scatter(*places[gaze], marker="+", s=90, color="#D55E00", linewidth=2.0)
        frame_display(ax, np.vstack([items, places]))
    figure.colorbar(image, ax=list(axes[:-1]), label="visibility")
    panel(axes[-1], next(letters), "how visibility falls")
    far, visible = (data[name].to_numpy().ravel() for name in ("eccentricity", "visibility"))
    axes[-1].plot(far, visible, marker="o", linestyle="", color="#0072B2", alpha=0.6)
    axes[-1].set(xlabel="eccentricity (degrees)", ylabel="visibility", ylim=(0, 1.05))
    return figure


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say what the pictures show."""
    nearest = data["visibility"].max("gaze").to_numpy()
    others = data["visibility"].where(data["eccentricity"] > 0).to_numpy()
    words = (
        f"{count(data.sizes['location'], 'item')} and {count(data.sizes['gaze'], 'place')} where "
        "gaze may rest (crosses; the heavy one is where it is). Items are shaded by how well they "
        "are seen from there; larger ones hold the target more often."
    )
    spread = "Every item can be looked at"
    if nearest.min() < 1.0:
        spread = f"Under its best gaze the worst item has a visibility of {fixed(nearest.min())}"
    if np.isfinite(others).any():
        low, high = float(np.nanmin(others)), float(np.nanmax(others))
        spread += f"; away from gaze visibility runs from {fixed(high)} to {fixed(low)}"
    start = f" The display comes on while gaze is at place {data.attrs['home']}."
    return (words, spread + "." + start * data.attrs["is_free"])


GAZE_DISPLAYS = StudyPart("displays", "Display and gaze", compute, 0.5, draw, describe)
