r"""Homogeneous search: the task, the evidence, and two ways to stop (Figure 2).

Panels: (a) a display; (b) the generative model; (c, d) :math:`Z_l(t)` at a distractor and at the
target location; (e) SPRT: one-dimensional :math:`S(t)` (Equation 2) between two thresholds;
(f) the optimum: trajectories in the plane of :math:`(Z_1, Z_2)` inside the exact boundary. Time is
the colour in (f), cooler is earlier; in (e), where it is an axis, colour is the class.

Notes
-----
The caption names neither drift nor cost; drift 2/s and cost 0.1/s give trials that are long enough
to be seen. Of the trials that are stored, (e) shows two of each class, those at the quartiles of
duration, and (f) one, the median.
"""

from __future__ import annotations

import math
from typing import Any

import matplotlib as mpl
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from numpy.typing import NDArray

from popout.analysis.curves import SIDES, differences, exact_curves
from popout.analysis.thresholds import threshold_pair
from popout.drawing.display_picture import draw_display, draw_graph
from popout.drawing.style import ABSENT, GREY, PRESENT, TIME_MAP, dot, panel, styled
from popout.evidence import llr_step, log_likelihood_ratio_search
from popout.exact import solve
from popout.paper.preset import PaperPart, Preset
from popout.policies.stopping import SPRT, Strategy
from popout.progress import Progress
from popout.reports.cells import NATS, labelled
from popout.reports.words import fixed
from popout.simulation import Trials, simulate
from popout.task import Costs, SearchTask

Array = NDArray[np.float64]
TASK = SearchTask(n_locations=2, drift=2.0)
COSTS = Costs(time=0.1)
SECONDS = 1.0
"""Length of the free sample paths of panels c and d."""
CLASSES = ("absent", "present")
REACH = 20.0
SHOWN_SPRT, SHOWN_OPTIMUM = (0.25, 0.75), (0.5,)
"""Quantiles of duration: the trials of each class that (e) and (f) show, few enough to follow."""
MARKERS = {"absent": "s", "present": "o"}
ANSWERED = "0.92"
"""Colour of the regions where the observer has answered."""


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return sample paths, thresholds and the exact boundary."""
    progress(0.1, "solving")
    solution = solve(TASK, COSTS, preset.rtol)
    tau_minus, tau_plus = threshold_pair(TASK, COSTS)
    sprt = SPRT.for_task(TASK, tau_minus, tau_plus)
    progress(0.7, "simulating")
    never = SPRT.for_task(TASK, -1e6, 1e6)
    n = preset.n_paths
    free = simulate(TASK, never, n, seed, condition=0, time_limit=SECONDS, threads=1)
    Z = np.stack([free.path(i) for i in range(len(free))])
    law = llr_step(TASK)
    t = np.arange(Z.shape[1]) * TASK.dt
    d = differences(REACH, preset.curve_points)
    under_sprt, under_optimum = (_paths(each, n, seed) for each in (sprt, solution.strategy))
    S = log_likelihood_ratio_search(np.nan_to_num(under_sprt, nan=-1.0), TASK.location_prior)
    S = np.where(np.isnan(under_sprt[..., 0]), np.nan, S)
    looks = {"time_sprt": under_sprt.shape[2], "time_optimal": under_optimum.shape[2]}
    times = {"time": t} | {name: np.arange(n) * TASK.dt for name, n in looks.items()}
    return labelled(
        {
            "Z_distractor": (("trial", "time"), Z[:, :, 1], NATS),
            "Z_target": (("trial", "time"), Z[:, :, 0], NATS),
            "mean_distractor": (("time",), law.mean_distractor[0] * t / TASK.dt, NATS),
            "mean_target": (("time",), law.mean_target[0] * t / TASK.dt, NATS),
            "S_sprt": (("class", "trial", "time_sprt"), S, NATS),
            "Z_optimal": (("class", "trial", "time_optimal", "location"), under_optimum, NATS),
            "boundary": (("side", "difference", "location"), exact_curves(solution, d), NATS),
            "tau": (("side",), np.array([sprt.tau_minus, sprt.tau_plus]), NATS),
        },
        times | {"difference": d, "class": CLASSES, "side": SIDES, "location": [1, 2]},
        {"drift": TASK.drifts[0], "time_cost": COSTS.time_absent, "dt": TASK.dt},
    )


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
    """Draw the six panels: four above, the two ways to stop below."""
    figure = Figure(figsize=(10.0, 6.6), layout="constrained")
    halves: Any = figure.subfigures(2, 1, height_ratios=(1, 1.45))
    upper = halves[0].subplots(1, 4, width_ratios=(1, 1.15, 1.2, 1.2))
    panel(upper[0], "a", "find 0° among 20°")
    draw_display(upper[0], [20.0, 20.0, 0.0, 20.0, 20.0, 20.0], target=2)
    upper[0].set_xlabel("target in colour\nfor the reader only")
    upper[0].set_anchor("N")
    _model(upper[1])
    _free(upper[2], data, "distractor", "c")
    _free(upper[3], data, "target", "d")
    furthest = 1.05 * max(float(abs(data[f"Z_{kind}"]).max()) for kind in ("target", "distractor"))
    for ax in upper[2:]:
        ax.set_ylim(-furthest, furthest)
    lower = halves[1].subplots(1, 2, width_ratios=(1.25, 1))
    S, Z = _few(data["S_sprt"], SHOWN_SPRT), _few(data["Z_optimal"], SHOWN_OPTIMUM)
    longest = max(_looks(paths).max() for shown in (S, Z) for paths in shown.values())
    norm = Normalize(0, float(longest - 1) * data.attrs["dt"])
    _sprt(lower[0], data, S, norm)
    _plane(lower[1], data, Z, norm)
    scale = mpl.cm.ScalarMappable(norm, TIME_MAP)
    halves[1].colorbar(scale, ax=lower[1], label="time (s)", shrink=0.85, aspect=30)
    ends = [
        dot(words, color="black", marker=MARKERS[kind], mfc=face)
        for kind, face, words in (
            ("present", "black", "end of a trial with the target, at location 1"),
            ("absent", "white", "end of a trial without"),
        )
    ]
    halves[1].legend(handles=ends, loc="outside lower center", ncol=2)
    return figure


def _model(ax: Axes) -> None:
    """Draw the generative model."""
    panel(ax, "b", "generative model")
    draw_graph(
        ax,
        {"C": (0, 3), "l_T": (0, 2), "Y_l": (0, 1), "X_l": (0, 0)},
        [("C", "l_T"), ("l_T", "Y_l"), ("Y_l", "X_l")],
        observed=["X_l"],
        notes={"C": "present?", "l_T": "where? 0: nowhere", "Y_l": "item", "X_l": "observations"},
        plate=(-0.45, -0.6, 2.5, 2.05, "$l = 1 \\ldots M$"),
    )
    ax.set(xlim=(-0.6, 2.6), ylim=(-0.7, 3.4))


def _free(ax: Axes, data: xr.Dataset, kind: str, letter: str) -> None:
    """Draw the local log likelihood ratio at a distractor or at the target; thick is the mean."""
    panel(ax, letter, f"$Z_l$ at {'the target' if kind == 'target' else 'a distractor'}")
    colour = PRESENT if kind == "target" else ABSENT
    ax.axhline(0.0, color=GREY, linewidth=0.6)
    ax.plot(data["time"], data[f"Z_{kind}"].T, color=colour, linewidth=0.7, alpha=0.6)
    ax.plot(data["time"], data[f"mean_{kind}"], color=colour, linewidth=2.5)
    ax.set(xlabel="time (s)", ylabel="$Z_l$ (nats)", xlim=(0, float(data["time"][-1])))


def _sprt(ax: Axes, data: xr.Dataset, shown: dict[str, Array], norm: Normalize) -> None:
    """Draw S(t) between the thresholds of SPRT."""
    panel(ax, "e", "SPRT: two thresholds on $S(t)$")
    t = data["time_sprt"].to_numpy()
    for kind, paths in shown.items():
        for S in paths:
            _path(ax, t, S, colour=PRESENT if kind == "present" else ABSENT, kind=kind)
    low, high = data["tau"].to_numpy()
    room, last = 0.3 * (high - low), float(norm.vmax or 0.0)
    ax.set(xlim=(0, 1.04 * last), ylim=(low - room, high + room))
    for tau, side, edge in ((low, "absent", low - room), (high, "present", high + room)):
        ax.axhspan(tau, edge, color=ANSWERED, zorder=0, linewidth=0)
        ax.axhline(tau, color="black", linewidth=1.2)
        ax.text(0.97 * last, tau + 0.75 * (edge - tau), f'say "{side}"', ha="right", va="center")
    ax.set(xlabel="time (s)", ylabel="$S$ (nats)")


def _plane(ax: Axes, data: xr.Dataset, shown: dict[str, Array], norm: Normalize) -> None:
    """Draw trajectories in the plane of the two locations, and the exact boundary."""
    panel(ax, "f", "optimum: a boundary on $(Z_1, Z_2)$")
    t = data["time_optimal"].to_numpy()
    for kind, paths in shown.items():
        for Z in paths:
            _path(ax, Z[:, 0], Z[:, 1], time=t, norm=norm, kind=kind)
    least = min(float(np.nanmin(paths)) for paths in shown.values())
    top = math.ceil(float(data["tau"].max())) + 3
    low = math.floor(min(least, float(data["tau"].min()) - 4)) - 1
    absent, present = (data["boundary"].sel(side=side).to_numpy() for side in SIDES)
    far = top + 2 * REACH  # beyond the axes; the curves run from the upper left to the lower right
    for curve, corner in (
        (absent, [[-far, -far]]),
        (present, [[far, -far], [far, far], [-far, far]]),
    ):
        ax.fill(*np.vstack([curve, corner]).T, color=ANSWERED, zorder=0, linewidth=0)
        ax.plot(*curve.T, color="black", linewidth=1.2)
    ax.set(xlim=(low, top), ylim=(low, top), aspect="equal")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(4.0))
    ax.set(xlabel="$Z_1$ (nats)", ylabel="$Z_2$ (nats)")
    ax.text(top - 0.4, top - 0.5, 'say "present"', ha="right", va="top")
    ax.text(low + 0.4, low + 0.5, 'say "absent"', ha="left", va="bottom")


def _few(trials: xr.DataArray, quantiles: tuple[float, ...]) -> dict[str, Array]:
    """Return the trials to show, by class: those at these quantiles of duration."""
    shown = {}
    for kind in CLASSES:
        paths = trials.sel({"class": kind}).to_numpy()
        order = np.argsort(_looks(paths), kind="stable")
        shown[kind] = paths[order[np.round(np.array(quantiles) * (len(order) - 1)).astype(int)]]
    return shown


def _looks(paths: Array) -> Any:
    """Return the number of looks of each trial; what follows its decision is padding."""
    return np.isfinite(paths).reshape(*paths.shape[:2], -1).all(axis=-1).sum(axis=1)


def _path(
    ax: Axes,
    x: Array,
    y: Array,
    *,
    kind: str,
    colour: str = "",
    time: Array | None = None,
    norm: Normalize | None = None,
) -> None:
    """Draw a path in one colour, or in those of the time, and a marker at its end."""
    shown = ~np.isnan(y)
    points = np.stack([x[shown], y[shown]], axis=1)
    if time is None:
        ax.plot(*points.T, color=colour, linewidth=1.2)
    else:
        segments = list(np.stack([points[:-1], points[1:]], axis=1))
        parts = LineCollection(segments, cmap=TIME_MAP, norm=norm, linewidths=1.2)
        parts.set_array(time[shown][:-1])
        ax.add_collection(parts)
    face = "black" if kind == "present" else "white"
    ax.plot(*points[-1], marker=MARKERS[kind], color="black", mfc=face, markersize=5, zorder=4)


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Describe sample paths and thresholds."""
    low, high = data["tau"].to_numpy()
    t = float(data["time"][-1])
    gain, loss = (float(data[f"mean_{kind}"][-1]) / t for kind in ("target", "distractor"))
    spread = float(data["Z_target"].isel(time=-1).std("trial", ddof=1))
    rt = {
        str(kind): float(_looks(data["Z_optimal"].sel({"class": kind}).to_numpy()).mean() - 1)
        * data.attrs["dt"]
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
        f"(cost of time {data.attrs['time_cost']:g}/s). {data.sizes['trial']} trials of each class "
        f"take {fixed(rt['absent'], 2)} s on average without a target and "
        f"{fixed(rt['present'], 2)} s with one. Shown of each class are those at the quartiles of "
        "duration in (e) and the median one in (f), where colour is time; grey is where the "
        "observer has answered.",
    )


TITLE = "Decision strategies for homogeneous visual search"
HOMOGENEOUS_SEARCH = PaperPart(
    "homogeneous-search", TITLE, compute, 3.0, draw, describe, label="Figure 2"
)
