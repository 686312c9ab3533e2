"""Sample displays of a design, drawn to scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import Affine2D

from popout.experiment.design import ExperimentDesign
from popout.experiment.trials import PlannedTrial, plan_trials

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 6


def draw_trial(ax: Axes, design: ExperimentDesign, trial: PlannedTrial) -> None:
    """Draw a display as a participant sees it, with degrees of visual angle as units."""
    layout = design.layout
    background: float = getattr(layout, "background")  # noqa: B009  # a field of every kind
    bar: float = getattr(layout, "bar")  # noqa: B009
    length: float = getattr(layout, "bar_length")  # noqa: B009
    width: float = getattr(layout, "bar_width")  # noqa: B009
    reach = 1.15 * layout.reach
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=[], yticks=[], aspect="equal")
    ax.set_facecolor(str(background))
    ax.plot(0, 0, "+", color="0.1" if background > 0.4 else "0.9", markersize=4)
    for item in trial.items:
        grey = background + item.contrast * (bar - background)
        turned = Affine2D().rotate_deg(-item.orientation).translate(item.x, item.y)
        ax.add_patch(
            Rectangle(
                (-width / 2, -length / 2),
                width,
                length,
                color=str(grey),
                linewidth=0,
                transform=turned + ax.transData,
            )
        )
    said = "target" if trial.present else "no target"
    ax.set_title(f"{trial.set_size} items, {said}", fontsize=8)


def draw_samples(design: ExperimentDesign) -> Figure:
    """Draw one display of every set size with a target and without, for each block that differs.

    Parameters
    ----------
    design : ExperimentDesign
    """
    trials = plan_trials(design, number=1)
    rows = []
    seen = set()
    for k, block in enumerate(design.blocks):
        look = tuple(
            design.of_block(block, name)
            for name in ("set_sizes", "targets", "distractors", "tied", "contrast")
        )
        if look not in seen:
            seen.add(look)
            rows.append((block.name, [trial for trial in trials if trial.block == k]))
    rows = rows[:MOST_ROWS]
    chosen = [(name, _one_of_each(of_block)) for name, of_block in rows]
    columns = max(len(samples) for _, samples in chosen)
    figure = Figure(figsize=(1.7 * columns + 0.5, 2.0 * len(rows) + 0.2), layout="constrained")
    axes = figure.subplots(len(rows), columns, squeeze=False)
    for row, (name, samples) in zip(axes, chosen, strict=True):
        for k, ax in enumerate(row):
            if k < len(samples):
                draw_trial(ax, design, samples[k])
            else:
                ax.set_axis_off()
        row[0].set_ylabel(name, fontsize=8)
    return figure


def _one_of_each(trials: list[PlannedTrial]) -> list[PlannedTrial]:
    found = {(trial.set_size, not trial.present): trial for trial in trials}
    return [found[key] for key in sorted(found)][: 2 * math.ceil(MOST_ROWS)]
