"""The picture of the first page: what each strategy loses to the ideal observer.

``python -m popout.paper.excess_picture results docs/pictures/excess.png`` draws it from the data of
``popout reproduce``: the excess risk against set size at equal drifts, and against the cost of time
where one location is easy and the other hard.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import xarray as xr
from matplotlib.figure import Figure

from popout.drawing.style import log_axis, strategy_keys, styled
from popout.paper.figures import homogeneous_risk, unequal_drift_risk
from popout.reports.store import write_whole

COST = -1
"""Which cost of time is shown at equal drifts: the highest."""
PAIR = 0
"""Which drifts are shown at unequal ones: the first, which are the least unequal."""


@styled
def draw_losses(equal: xr.Dataset, unequal: xr.Dataset) -> Figure:
    """Return the picture.

    Parameters
    ----------
    equal, unequal : Dataset
        Of the figures ``homogeneous-risk`` and ``unequal-drift-risk``.
    """
    figure = Figure(figsize=(7.6, 3.1), layout="constrained")
    left, right = figure.subplots(1, 2)
    at_cost = equal.isel(time_cost=COST)
    left.set_title(f"all locations alike, cost of time {float(at_cost['time_cost']):g}/s")
    homogeneous_risk.draw_excess(left, at_cost)
    log_axis(left, at_cost["set_size"].to_numpy(), base=2)
    left.set(xlabel="set size", ylabel="risk above the optimum (%)")
    at_drifts = unequal.isel(drifts=PAIR)
    first, second = at_drifts["drift"].to_numpy()
    right.set_title(f"an easy and a hard location, drifts {first:g} and {second:g}/s")
    unequal_drift_risk.draw_excess(right, at_drifts)
    log_axis(right, at_drifts["time_cost"].to_numpy())
    right.set(xlabel="cost of time (1/s)", ylabel="risk above the optimum (%)")
    names = dict.fromkeys((*homogeneous_risk.RECIPES, *unequal_drift_risk.STRATEGIES[1:]))
    figure.legend(handles=strategy_keys(names), loc="outside lower center", ncol=5)
    return figure


def main(arguments: Sequence[str]) -> None:
    """Draw the picture: the folder of a run, then the path of the picture."""
    folder, path = map(Path, arguments)
    datasets = []
    for name in ("homogeneous-risk", "unequal-drift-risk"):
        with xr.open_dataset(folder / f"{name}.nc", engine="scipy") as data:
            datasets.append(data.load())
    stream = io.BytesIO()
    draw_losses(*datasets).savefig(stream, format="png", dpi=130, metadata={"Software": None})
    write_whole(path, stream.getvalue())


if __name__ == "__main__":
    main(sys.argv[1:])
