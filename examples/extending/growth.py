"""A part of a report in one file: how the evidence of one location grows."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from popout.reports.part import Part


def compute(task, progress):
    """Return d' after each time, for every location."""
    time = np.linspace(0.0, 1.0, 11)
    d_prime = np.sqrt(time)[:, None] * np.asarray(task.drifts)
    return xr.Dataset({"d_prime": (("time", "location"), d_prime)}, {"time": time})


def draw(data):
    """Draw one line per location."""
    figure = Figure()
    ax = figure.subplots()
    ax.plot(data["time"], data["d_prime"])
    ax.set(xlabel="time (s)", ylabel="d'")
    return figure


def describe(data):
    """Return the sentences under the picture."""
    return (f"After a second the best location has d' = {data['d_prime'].max():.1f}.",)


part = Part("growth", "Growth of evidence", compute, effort=0.1, draw=draw, describe=describe)
