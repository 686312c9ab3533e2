r"""Where to look: the optimum of looking and stopping, and how close simple policies come.

Panels: (a) two locations that are seen alike, the share of location 1 while the observer waits;
(b) the same where location 2 is seen less well; (c) what fixed, guided and serial attention, each
with its own best stopping, risk above the optimum, at two and three locations.

All risks are solved on grids. Those of serial attention and of the optimum in continuous time are
extrapolated from short steps (`popout.exact.continuous_limit`); the errors are bounds. Information
is that of the paper's task: M times the squared drift.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from popout.drawing.style import LOOKS, panel, strategy_keys, styled
from popout.exact import continuous_time, solve
from popout.paper.preset import PaperPart, Preset
from popout.policies.looking import Guided, Parallel, Serial
from popout.progress import Progress, stretch
from popout.reports.cells import PER_SECOND, Variables, labelled, over
from popout.reports.sections.looking_and_stopping import draw_shares
from popout.reports.words import fixed, percent, percent_range
from popout.task import Costs, LimitedSearchTask

CASES = ((2, 4.0, 0.2), (2, 2.0, 0.5), (2, 2.0, 0.1), (3, 4.0, 0.2))
"""Locations, drift in equal shares and cost of time."""
RTOL_MANY, RTOL_LIMIT, LONGEST = 2e-3, 5e-4, 0.16
"""Finest relative accuracy with three locations, and in continuous time."""
SHOWN = ((1.0, 1.0), (1.0, 0.4))
"""Visibilities of the two planes, with the information and the cost of the first case."""
ATTENTION = ("parallel", "guided, g = 1", "serial", "optimal")
LIMITS = ("serial", "optimal")
NODES, ROOM = 161, 1.5


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return shares and regions of two planes, and exact risks."""
    task, costs = _problem(*CASES[0])
    policies = {"serial": Serial.for_task(task), "optimal": None}
    cases, limits = stretch(progress, 0.2, 0.7), stretch(progress, 0.7, 1.0)

    def limit(name: str) -> Variables:
        goal, policy = max(preset.rtol, RTOL_LIMIT), policies[name]
        best = continuous_time(task, costs, goal, attention=policy, longest=LONGEST)
        return {"limit_risk": best.risk, "limit_risk_error": best.risk_error}

    progress(0.0, "planes")
    planes = [_plane(seen, preset.rtol) for seen in SHOWN]
    z = planes[0][0]
    locations, drifts, time_costs = map(np.array, zip(*CASES, strict=True))
    return labelled(
        {
            **over({"plane": planes}, lambda _, drawn: drawn),
            "visibility": (("plane", "location"), np.array(SHOWN)),
            **over({"case": CASES}, partial(_risks, rtol=preset.rtol), cases),
            **over({"limit": policies}, limit, limits),
            "drift": (("case",), drifts, PER_SECOND),
            "time_cost": (("case",), time_costs, PER_SECOND),
        },
        {"locations": xr.Variable("case", locations), "z1": z, "z2": z}
        | {"attention": ATTENTION, "limit": policies, "location": [1, 2]},
        {"information": task.information, "time_cost": costs.time_absent, "dt": task.dt},
    )


def _problem(M: int, drift: float, cost: float) -> tuple[LimitedSearchTask, Costs]:
    return LimitedSearchTask(n_locations=M, information=M * drift**2), Costs(time=cost)


def _plane(seen: tuple[float, float], rtol: float) -> tuple[np.ndarray, Variables]:
    """Return the axis; the share of location 1, both margins, and the risk."""
    task, costs = _problem(*CASES[0])
    solution = solve(LimitedSearchTask(information=task.information, visibility=seen), costs, rtol)
    low, high = solution.thresholds[0]
    z = np.linspace(low - 4 * ROOM, high + np.log(2.0) + ROOM, NODES)
    Z = np.stack(np.meshgrid(z, z, indexing="ij"), axis=-1)
    absent, present = solution.strategy.margins(Z, 0.0)
    assert solution.attention is not None
    share = solution.attention.shares(Z, 0.0)[..., 0]
    drawn = {"share": share, "margin_absent": absent, "margin_present": present}
    plane = {name: (("z1", "z2"), values) for name, values in drawn.items()}
    return z, {**plane, "plane_risk": solution.risk}


def _risks(M: int, drift: float, cost: float, rtol: float) -> Variables:
    """Return the risk of every policy with its best stopping, and of the optimum; with errors."""
    task, costs = _problem(M, drift, cost)
    goal = rtol if M <= 2 else max(rtol, RTOL_MANY)
    policies = (Parallel.for_task(task), Guided.for_task(task), Serial.for_task(task))
    solutions = [solve(task, costs, goal, attention=policy) for policy in (*policies, None)]
    return {
        "risk": (("attention",), [each.risk for each in solutions]),
        "risk_error": (("attention",), [each.risk_error for each in solutions]),
    }


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw two planes and the excess of the policies."""
    figure = Figure(figsize=(10.4, 3.5), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    for k, (ax, letter) in enumerate(((left, "a"), (middle, "b"))):
        shown = data.isel(plane=k)
        seen = shown["visibility"].to_numpy()
        panel(ax, letter, f"visibility {seen[0]:g} and {seen[1]:g}")
        image = draw_shares(ax, shown)
        ax.set(xlabel="$Z_1$ (nats)", ylabel="$Z_2$ (nats)", aspect="equal")
    bar = figure.colorbar(image, ax=[left, middle], fraction=0.03, ticks=[0.0, 0.5, 1.0])
    bar.set_label("share of location 1")
    _excess(right, data)
    figure.legend(handles=strategy_keys(ATTENTION[:-1], ""), loc="outside lower right", ncol=3)
    return figure


def _excess(ax: Axes, data: xr.Dataset) -> None:
    panel(ax, "c", "excess risk over the optimum")
    best = data["risk"].sel(attention="optimal")
    for name in ATTENTION[:-1]:
        excess = 100 * (data["risk"].sel(attention=name) / best - 1)
        error = 100 * (data["risk_error"].sel(attention=name) / best)
        style = LOOKS[name].points(linestyle="")
        ax.errorbar(np.arange(len(excess)), excess, error, capsize=2, **style)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_xticks(
        range(data.sizes["case"]),
        [
            f"M = {int(case['locations'])}\nμ = {float(case['drift']):g}/s\n"
            f"c = {float(case['time_cost']):g}/s"
            for case in (data.isel(case=k) for k in range(data.sizes["case"]))
        ],
    )
    ax.set_xlim(-0.5, data.sizes["case"] - 0.5)
    ax.set_ylabel("excess risk (%)")
    ax.set_box_aspect(1.0)  # as tall as the planes


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Describe the policy and the excesses."""
    best = data["risk"].sel(attention="optimal")
    excess = data["risk"] / best - 1
    serial, optimal = (data["limit_risk"].sel(limit=name) for name in LIMITS)
    return (
        "A rate of information is shared out among the locations, anew at every step, so as to "
        "have the least risk together with the stopping.",
        f"(a, b) In colour, the share of location 1 while the observer waits (information "
        f"{data.attrs['information']:g}/s, cost of time {data.attrs['time_cost']:g}/s). The "
        "optimum looks at one location at a time, the more likely one, and divides its attention "
        'only close to the corner where it is about to say "absent". A location that is seen less '
        "well is looked at where it is clearly the more likely one.",
        "(c) With its own best stopping each, equal shares risk "
        f"{percent_range(excess.sel(attention='parallel').to_numpy())} more than the optimum, "
        "shares in proportion to the posterior "
        f"{percent_range(excess.sel(attention='guided, g = 1').to_numpy())}, and attention to the "
        f"most likely location alone {percent_range(excess.sel(attention='serial').to_numpy())}. "
        "In continuous time, in the first case, the last loses "
        f"{percent(float(serial / optimal - 1))}, with an error of at most "
        f"{fixed(100 * float(data['limit_risk_error'].sum() / optimal), 2)} %.",
    )


WHERE_TO_LOOK = PaperPart(
    "where-to-look", "With limited information: where to look", compute, 14.0, draw, describe
)
