"""Section: where to look and when to stop, in the plane of the two best-seen locations.

The optimum of looking and stopping where it is solved (up to three locations that can hold the
target); with more, attention to the most likely location with tuned thresholds. All other locations
are ruled out.
Beside it, which locations are worth a look at all (`popout.exact.worth_a_look`): 1 yes, 0 no, -1
where that cannot be told.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from popout.analysis.making import Workshop
from popout.analysis.tune import MAX_EXACT
from popout.drawing.regions import draw_regions, name_regions
from popout.drawing.representation import listing
from popout.drawing.style import styled
from popout.exact.worth_a_look import leftover_odds, worth_a_look
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.plane_pictures import FAR, SHARES
from popout.policies.stopping import BoundaryStrategy
from popout.progress import Progress
from popout.reports.cells import NATS, labelled
from popout.reports.study import Study, StudyPart
from popout.reports.words import fixed

NODES, ROOM = 161, 2.0


def compute(study: Study, progress: Progress) -> xr.Dataset:
    """Return the share of one location, and where the observer answers."""
    task: Any = study.task  # of a kind that shares out information
    few = sum(p > 0 for p in task.location_prior) <= MAX_EXACT
    progress(0.1, "optimum" if few else "tuning")
    workshop = Workshop(
        task,
        study.costs,
        attention="optimal" if few else "serial",
        n_trials=study.effort.tune_trials,
        seed=fresh_seed(study.seed, Purpose.STUDY_TUNING),
    )
    observer = workshop.make("optimal" if few else "sprt-opt")
    assert observer.attention is not None
    seen = np.array(task.location_prior) * np.array(task.look.visibility)
    plane = np.sort(np.argsort(-seen, kind="stable")[:2])
    strategy = observer.strategy
    assert isinstance(strategy, BoundaryStrategy)
    z, Z = plane_around(strategy, plane, task.n_locations)
    absent, present = strategy.margins(Z, 0.0)
    shares = observer.attention.shares(Z, 0.0)
    first, second = shares[..., plane[0]], shares[..., plane[1]]
    verdicts = [-1 if worth is None else int(worth) for worth in worth_a_look(task, study.costs)]
    return labelled(
        {
            "share": (("z1", "z2"), first / np.maximum(first + second, 1e-12)),
            "margin_absent": (("z1", "z2"), absent, NATS),
            "margin_present": (("z1", "z2"), present, NATS),
            "odds_left": (("location",), list(leftover_odds(task, study.costs))),
            "worth_a_look": (("location",), np.array(verdicts, dtype=np.int8)),
        },
        {"z1": z, "z2": z, "location": np.arange(1, task.n_locations + 1)},
        {
            "plane": (plane + 1).tolist(),
            "observer": observer.label,
            "solved": int(few),
            "risk": observer.solution.risk if observer.solution else np.nan,
            "risk_error": observer.solution.risk_error if observer.solution else np.nan,
        },
    )


def plane_around(
    strategy: BoundaryStrategy, plane: np.ndarray, M: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return values of Z around where the strategy waits on either axis, and the plane they span.

    All other locations are ruled out; the plane has shape (NODES, NODES, M).
    """
    z = np.linspace(-30.0, 30.0, 601)
    ends = [0.0]
    for place in plane:
        Z = np.full((z.size, M), -FAR)
        Z[:, place] = z
        inside = z[np.maximum(*strategy.margins(Z, 0.0)) < 0]
        ends += [float(inside[0]), float(inside[-1])] if inside.size else []
    z = np.linspace(min(ends) - 2 * ROOM, max(ends) + ROOM, NODES)
    Z = np.full((NODES, NODES, M), -FAR)
    Z[..., plane[0]], Z[..., plane[1]] = np.meshgrid(z, z, indexing="ij")
    return z, Z


def draw_shares(ax: Axes, data: xr.Dataset) -> Any:
    """Draw the share of the first location while the observer waits, and where it answers."""
    z = data["z1"].to_numpy()
    absent, present = (data[f"margin_{side}"].to_numpy() for side in ("absent", "present"))
    share = np.where(np.maximum(absent, present) < 0, data["share"].to_numpy(), np.nan)
    image = ax.pcolormesh(z, z, share.T, cmap=SHARES, vmin=0.0, vmax=1.0, rasterized=True)
    draw_regions(ax, z, z, absent, present)
    name_regions(ax)
    return image


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw where the observer looks, and where it answers."""
    figure = Figure(figsize=(5.2, 4.4), layout="constrained")
    ax = figure.subplots()
    image = draw_shares(ax, data)
    first, second = data.attrs["plane"]
    ax.set(xlabel=f"$Z_{{{first}}}$ (nats)", ylabel=f"$Z_{{{second}}}$ (nats)", aspect="equal")
    bar = figure.colorbar(image, ax=ax, fraction=0.046, ticks=[0.0, 0.5, 1.0])
    bar.set_label(f"share of location {first}")
    return figure


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say what the observer does, and which locations are worth a look."""
    first, second = data.attrs["plane"]
    others = ", all others ruled out" if data.sizes["location"] > 2 else ""
    words = f"In colour, the share of location {first} while the observer waits{others}."
    if data.attrs["solved"]:
        risk, error = (float(data.attrs[name]) for name in ("risk", "risk_error"))
        words += f" The optimum of looking and stopping risks {fixed(risk, 4)} (error {error:.1g})."
    else:
        words += (
            " With this many locations the optimum is not solved; shown is attention to the most "
            f"likely location with tuned thresholds, between locations {first} and {second}."
        )
    return (words, *_verdicts(data["worth_a_look"].to_numpy()))


def _verdicts(worth: np.ndarray) -> list[str]:
    """Say which locations are worth a look, in a sentence for each verdict that occurs."""
    if (worth == 1).all():
        return ["In continuous time every location is worth a look."]
    words = []
    for verdict, sentence in (
        (0, "In continuous time {} not worth a look."),
        (-1, "From looks at one location at a time it cannot be told whether {} worth a look."),
    ):
        places = [str(place + 1) for place in np.flatnonzero(worth == verdict)]
        if places:
            noun, verb = ("locations", "are") if len(places) > 1 else ("location", "is")
            words.append(sentence.format(f"{noun} {listing(places)} {verb}"))
    return words


WHERE_TO_LOOK = StudyPart("where-to-look", "Where to look", compute, 8.0, draw, describe)
