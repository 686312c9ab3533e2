r"""Homogeneous search: the task, the evidence, and two ways to stop (fig-sample).

Panels: (a) a display; (b) the generative model; (c, d) :math:`Z_l(t)` at a distractor and at the
target location; (e) SPRT: one-dimensional :math:`S(t)` (Eq. homo-search) between two thresholds;
(f) the optimum: trajectories in the plane of :math:`(Z_1, Z_2)` inside the exact boundary. Time is
the colour in (e) and (f), cooler is earlier.

Notes
-----
The caption names neither drift nor cost; drift 2/s and cost 0.1/s give trials that are long enough
to be seen. Panels c and d share one pair of axes here; f is shown for either class.
"""

from __future__ import annotations

import math

import matplotlib as mpl
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from popout.analysis.curves import SIDES, differences, exact_curves
from popout.analysis.thresholds import threshold_pair
from popout.drawing.displays import draw_display, draw_graph
from popout.drawing.style import ABSENT, PRESENT, TIME_MAP, panel, styled
from popout.evidence import llr_step, log_likelihood_ratio_search
from popout.exact import solve
from popout.paper.preset import Preset
from popout.progress import Progress
from popout.report.words import fixed
from popout.simulation import Trials, simulate
from popout.strategies import SPRT, ScaledSPRT, Strategy
from popout.task import Costs, SearchTask

TITLE = "Decision strategies for homogeneous visual search"
EFFORT = 3.0
PAPER_LABEL = "fig-sample"

Array = NDArray[np.float64]
TASK = SearchTask(n_locations=2, drift=2.0)
COSTS = Costs(time=0.1)
SECONDS = 1.0
"""Length of the free sample paths of panels c and d."""
CLASSES = ("absent", "present")
REACH = 20.0


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return sample paths, thresholds and the exact boundary."""
    progress(0.1, "solving")
    solution = solve(TASK, COSTS, preset.rtol)
    tau_minus, tau_plus = threshold_pair(TASK, COSTS)
    sprt = SPRT.for_task(TASK, tau_minus, tau_plus)
    progress(0.7, "simulating")
    free = simulate(
        TASK, _never(), preset.n_paths, seed, condition=0, time_limit=SECONDS, threads=1
    )
    Z = np.stack([free.path(i) for i in range(len(free))])
    law = llr_step(TASK)
    t = np.arange(Z.shape[1]) * TASK.dt
    d = differences(REACH, preset.curve_points)
    under_sprt = _paths(sprt, preset.n_paths, seed)
    under_optimum = _paths(solution.strategy, preset.n_paths, seed)
    S = log_likelihood_ratio_search(np.nan_to_num(under_sprt, nan=-1.0), TASK.location_prior)
    S = np.where(np.isnan(under_sprt[..., 0]), np.nan, S)
    look_sprt, look_optimum = under_sprt.shape[2], under_optimum.shape[2]
    nats = {"units": "nats"}
    return xr.Dataset(
        {
            "Z_distractor": (("trial", "time"), Z[:, :, 1], nats),
            "Z_target": (("trial", "time"), Z[:, :, 0], nats),
            "mean_distractor": (("time",), law.mean_distractor[0] * t / TASK.dt, nats),
            "mean_target": (("time",), law.mean_target[0] * t / TASK.dt, nats),
            "S_sprt": (("class", "trial", "time_sprt"), S, nats),
            "Z_optimal": (("class", "trial", "time_optimal", "location"), under_optimum, nats),
            "boundary": (("side", "difference", "location"), exact_curves(solution, d), nats),
            "tau": (("side",), np.array([sprt.tau_minus, sprt.tau_plus]), nats),
        },
        coords={
            "time": ("time", t, {"units": "s"}),
            "time_sprt": ("time_sprt", np.arange(look_sprt) * TASK.dt, {"units": "s"}),
            "time_optimal": ("time_optimal", np.arange(look_optimum) * TASK.dt, {"units": "s"}),
            "difference": ("difference", d, {"units": "nats", "long_name": "Z1 - Z2"}),
            "class": ("class", list(CLASSES)),
            "side": ("side", list(SIDES)),
            "location": ("location", [1, 2]),
        },
        attrs={"drift": TASK.drifts[0], "time_cost": COSTS.time_absent, "dt": TASK.dt},
    )


def _never() -> ScaledSPRT:
    """Return a strategy that goes on looking."""
    return SPRT.for_task(TASK, -1e6, 1e6)


def _paths(strategy: Strategy, n: int, seed: int) -> Array:
    """Return whole trials, shape (class, n, looks, M), NaN after the decision."""
    runs: list[Trials] = [
        simulate(TASK, strategy, n, seed + 1, condition=condition, threads=1)
        for condition in ("absent", 0)
    ]
    longest = max(int(trials.steps.max()) for trials in runs) + 1
    paths = np.full((len(runs), n, longest, TASK.n_locations), np.nan)
    for k, trials in enumerate(runs):
        for i in range(n):
            path = trials.path(i)
            paths[k, i, : len(path)] = path
    return paths


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw the six panels."""
    figure = Figure(figsize=(10.0, 6.4), layout="constrained")
    axes = figure.subplots(2, 3)
    panel(axes[0, 0], "a", "find 0° among 20°")
    draw_display(axes[0, 0], [20.0, 20.0, 0.0, 20.0, 20.0, 20.0], target=2)
    axes[0, 0].set_xlabel("target in colour for the reader only")
    panel(axes[0, 1], "b", "generative model")
    draw_graph(
        axes[0, 1],
        {"C": (0, 3), "l_T": (0, 2), "Y_l": (0, 1), "X_l": (0, 0)},
        [("C", "l_T"), ("l_T", "Y_l"), ("Y_l", "X_l")],
        observed=["X_l"],
        notes={
            "C": "is a target present?",
            "l_T": "where (0: nowhere)",
            "Y_l": "item: target or distractor",
            "X_l": "observations",
        },
        plate=(-0.45, -0.45, 3.3, 1.9, "$l = 1 \\ldots M$"),
    )
    axes[0, 1].set_xlim(-0.7, 3.1)
    _free(axes[0, 2], data)
    _sprt(axes[1, 0], data)
    _plane(axes[1, 1], data, "absent", figure)
    _plane(axes[1, 2], data, "present", figure)
    return figure


def _free(ax: Axes, data: xr.Dataset) -> None:
    """Draw the local log likelihood ratios at a distractor and at the target."""
    panel(ax, "c,d", "local log likelihood ratio $Z_l(t)$")
    for kind, colour, label in (
        ("target", PRESENT, "at the target"),
        ("distractor", ABSENT, "at a distractor"),
    ):
        ax.plot(data["time"], data[f"Z_{kind}"].T, color=colour, linewidth=0.7, alpha=0.6)
        ax.plot(data["time"], data[f"mean_{kind}"], color=colour, linewidth=2.5, label=label)
    ax.set(xlabel="time (s)", ylabel="$Z_l$ (nats)")
    ax.legend(title="thick: mean", loc="upper left")


def _sprt(ax: Axes, data: xr.Dataset) -> None:
    """Draw S(t) between the thresholds of SPRT."""
    panel(ax, "e", "SPRT: thresholds on $S(t)$")
    t = data["time_sprt"].to_numpy()
    for kind in CLASSES:
        for S in data["S_sprt"].sel({"class": kind}).to_numpy():
            _coloured(ax, t, S, t, float(t[-1]), "-" if kind == "present" else ":")
    for side, tau in zip(SIDES, data["tau"].to_numpy(), strict=True):
        ax.axhline(tau, color="black", linewidth=1.2)
        edge = "bottom" if side == "present" else "top"
        ax.text(0.99, tau, f'say "{side}"', ha="right", va=edge, transform=ax.get_yaxis_transform())
    ax.margins(y=0.15)
    ax.autoscale_view()
    ax.set(xlabel="time (s), solid: target present, dotted: absent", ylabel="$S$ (nats)")


def _plane(ax: Axes, data: xr.Dataset, kind: str, figure: Figure) -> None:
    """Draw trajectories in the plane of the two locations, and the exact boundary."""
    where = "target at location 1" if kind == "present" else "target absent"
    panel(ax, "f", f"optimum, {where}")
    t = data["time_optimal"].to_numpy()
    last = float(t[-1])
    for Z in data["Z_optimal"].sel({"class": kind}).to_numpy():
        _coloured(ax, Z[:, 0], Z[:, 1], t, last, "-")
        end = Z[~np.isnan(Z[:, 0])][-1]
        ax.plot(*end, marker="o", color="black", markersize=3, zorder=4)
    for side in SIDES:
        ax.plot(*data["boundary"].sel(side=side).to_numpy().T, color="black", linewidth=1.5)
    tau = math.ceil(float(data["tau"].max()))
    ax.set(xlim=(-10, tau + 3), ylim=(-10, tau + 3), aspect="equal")
    ax.set(xlabel="$Z_1$ (nats)", ylabel="$Z_2$ (nats)")
    ax.text(tau + 2.7, tau + 2.7, 'say "present"', ha="right", va="top")
    ax.text(-9.7, -9.7, 'say "absent"', ha="left", va="bottom")
    if kind == "present":
        scale = mpl.cm.ScalarMappable(mpl.colors.Normalize(0, last), TIME_MAP)
        figure.colorbar(scale, ax=ax, label="time (s)", shrink=0.8)


def _coloured(ax: Axes, x: Array, y: Array, t: Array, last: float, dash: str) -> None:
    """Draw a path whose colour is the time."""
    shown = ~np.isnan(y)
    points = np.stack([x[shown], y[shown]], axis=1)
    parts = LineCollection(
        list(np.stack([points[:-1], points[1:]], axis=1)),
        cmap=TIME_MAP,
        norm=mpl.colors.Normalize(0, last),
        linewidths=1.1,
        linestyles=dash,
    )
    parts.set_array(t[shown][:-1])
    ax.add_collection(parts)


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Describe sample paths and thresholds."""
    low, high = data["tau"].to_numpy()
    t = float(data["time"][-1])
    gain, loss = (float(data[f"mean_{kind}"][-1]) / t for kind in ("target", "distractor"))
    spread = float(data["Z_target"].isel(time=-1).std("trial", ddof=1))
    rt = {
        str(kind): float(_looks(data["Z_optimal"].sel({"class": kind})).mean()) * data.attrs["dt"]
        for kind in data["class"].to_numpy()
    }
    return (
        "(a) Find the item that is tilted differently. (b) The model: presence, place, item, "
        f"observation. (c, d) At drift {data.attrs['drift']:g}/s the local log likelihood ratio "
        f"changes by {fixed(gain, 2)} nats per second on average at the target and by "
        f"{fixed(loss, 2)} at a distractor (thick lines); after {t:g} s the trials shown at the "
        f"target have a standard deviation of {fixed(spread, 2)} nats.",
        f"(e) SPRT watches one number S(t), and stops at {fixed(low)} or {fixed(high)} nats.",
        "(f) The optimum watches the pair of local ratios and stops at a curved boundary "
        f"(cost of time {data.attrs['time_cost']:g}/s). The {data.sizes['trial']} trials of each "
        f"class shown here take {fixed(rt['absent'], 2)} s on average without a target and "
        f"{fixed(rt['present'], 2)} s with one; colour is time.",
    )


def _looks(Z: xr.DataArray) -> xr.DataArray:
    """Return the number of steps of each trial: the looks that are not padding, less the first."""
    return Z.isel(location=0).notnull().sum("time_optimal") - 1
