r"""Is a location worth a look? Two locations, the second one seen less and less well.

Panels: (a) the visibility from which on location 2 is surely worth a look, against the cost of time
in units of the information, in continuous time: the rule of `popout.exact.worth_a_look` (line), and
its limit where location 1 is ruled out by then, :math:`v = \frac{c}{\Lambda}(\sinh\log 2 + \log 2)`
(dashed). Below it a look at location 2 does not pay by itself; it may pay a little if the observer
can turn back to location 1. Boxes: between which visibilities the exact optimum begins to look
there. (b) How much risk a look at location 2 saves, exact: the risk at the smallest visibility,
where nobody looks there, less the risk at larger ones.

With steps, thresholds lie closer together than in continuous time; for the comparison with the
exact optimum the rule is evaluated with the same steps. The exact optimum looks at location 2 if,
with no evidence from there, it waits where location 1 by itself would have it say "absent".
"""

from __future__ import annotations

import math

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from numpy.typing import NDArray

from popout.drawing.representation import listing
from popout.drawing.style import GREY, panel, styled
from popout.exact import Solution, solve
from popout.exact.crossings import line_crossings
from popout.exact.worth_a_look import least_visibility
from popout.paper.preset import PaperPart, Preset
from popout.progress import Progress, stretch
from popout.reports.cells import NATS, Variables, over
from popout.reports.words import fixed, percent
from popout.task import Costs, LimitedSearchTask

COSTS = (0.03, 0.1, 0.2)
"""Cost of time in units of the information, of the exact solutions."""
FACTORS = (0.4, 0.9, 1.1, 1.5, 2.0)
"""Visibilities that are solved, in units of what the rule gives; nobody looks at the first."""
STEP = 0.05
"""Information of a step, Lambda dt."""
CURVE = tuple(np.geomspace(0.003, 0.5, 31).tolist())
COLOURS = ("#0072B2", "#E69F00", "#009E73")
BOX = 1.15
"""Half the width of a box, as a factor of the cost."""
MOVED = 0.05
"""Nats by which a boundary has moved if it has."""


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return the rule over costs, and exact risks and boundaries over visibilities."""
    progress(0.0, "rule")
    rule = [_rule(cost, 0.0) for cost in CURVE]
    alone = [cost * (math.sinh(math.log(2.0)) + math.log(2.0)) for cost in CURVE]
    with_steps = [_rule(cost, STEP) for cost in COSTS]
    rules = dict(zip(COSTS, with_steps, strict=True))

    def cell(cost: float, factor: float) -> Variables:
        seen = (1.0, factor * rules[cost])
        task = LimitedSearchTask(information=1.0, visibility=seen, dt=STEP)
        solution = solve(task, Costs(time=cost), max(preset.rtol, 2e-4))
        return {
            "risk": solution.risk,
            "risk_error": solution.risk_error,
            "boundary": ((), _lower_boundary(solution), NATS),
        }

    return xr.Dataset(
        {
            "least_visibility": (("curve_cost",), rule),
            "least_visibility_alone": (("curve_cost",), alone),
            "rule_with_steps": (("time_cost",), with_steps),
            **over({"time_cost": COSTS, "factor": FACTORS}, cell, stretch(progress, 0.1, 1.0)),
        },
        coords={"curve_cost": list(CURVE), "time_cost": list(COSTS), "factor": list(FACTORS)},
        attrs={"step": STEP, "moved": MOVED},
    )


def _rule(cost: float, dt: float) -> float:
    task = LimitedSearchTask(n_locations=2, information=1.0)
    return least_visibility(task, Costs(time=cost), dt=dt)


def _lower_boundary(solution: Solution) -> float:
    """Return Z1 at which the optimum, without evidence from location 2, stops waiting."""
    z = np.linspace(solution.thresholds[0][0] - 2.0, 0.0, 401)
    Z = np.stack([z, np.zeros_like(z)], axis=-1)
    A = solution.strategy.log_ratio(Z)
    roots, _ = line_crossings(z, A[:, None])
    return float(roots.max()) if roots.size else float(z[0])


def looked_at(data: xr.Dataset) -> NDArray[np.bool_]:
    """Return at which visibilities the exact optimum looks at location 2, shape (cost, factor)."""
    boundary = data["boundary"]
    moved = boundary < boundary.isel(factor=0) - data.attrs["moved"]
    return np.asarray(moved.transpose("time_cost", "factor").to_numpy())


def bracket(data: xr.Dataset) -> NDArray[np.float64]:
    """Return the factors between which the optimum begins to look, shape (cost, 2); NaN if not."""
    factors = data["factor"].to_numpy()
    looks = looked_at(data)
    first = looks.argmax(axis=1)
    ends = np.stack([factors[np.maximum(first - 1, 0)], factors[first]], axis=1)
    never = np.flatnonzero(~np.asarray(looks.any(axis=1)))
    ends[never] = np.nan
    return ends


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw the rule with what the exact optimum does, and what looking saves."""
    figure = Figure(figsize=(8.4, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    panel(left, "a", "least visibility that is worth a look")
    cost = data["curve_cost"].to_numpy()
    left.fill_between(cost, data["least_visibility"], 1e-3, color="0.92", linewidth=0)
    left.plot(cost, data["least_visibility"], color="black", label="rule")
    alone = data["least_visibility_alone"]
    left.plot(cost, alone, color=GREY, linestyle="--", label="location 1 ruled out: 1.44 c / Λ")
    ends = bracket(data) * data["rule_with_steps"].to_numpy()[:, None]
    for number, (ratio, (low, high)) in enumerate(
        zip(data["time_cost"].to_numpy(), ends, strict=True)
    ):
        colour = COLOURS[number % len(COLOURS)]
        steps = float(data["rule_with_steps"][number])
        label = "the exact optimum begins in here" if number == 0 else None
        box = [ratio / BOX, ratio * BOX]
        left.fill_between(box, low, high, color=colour, alpha=0.5, linewidth=0, label=label)
        words = f"rule, steps of Λ dt = {data.attrs['step']:g}" if number == 0 else None
        left.plot(ratio, steps, marker="_", color="black", markersize=12, linestyle="", label=words)
    left.text(0.1, 6e-3, "not worth a look by itself", ha="center")
    left.set(xscale="log", yscale="log", ylim=(3e-3, 1.0), xlim=(cost[0], cost[-1]))
    left.set(xlabel="cost of time / information, c / Λ", ylabel="visibility of location 2")
    left.legend(loc="upper left")
    panel(right, "b", "what a look there saves")
    right.axhline(0.0, color=GREY, linewidth=0.8)
    right.axvline(1.0, color=GREY, linewidth=0.8, linestyle=":")
    for number, ratio in enumerate(data["time_cost"].to_numpy()):
        at_cost = data.sel(time_cost=ratio)
        without = float(at_cost["risk"][0])
        saved, error = 100 * (1 - at_cost["risk"] / without), 100 * at_cost["risk_error"] / without
        look = {"color": COLOURS[number % len(COLOURS)], "marker": "o", "capsize": 2}
        right.errorbar(data["factor"], saved, error, label=f"c / Λ = {ratio:g}", **look)
    right.set(xlabel="visibility / what the rule says", ylabel="risk saved (%)")
    right.legend()
    return figure


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Describe the rule and the exact optimum."""
    rule = data["least_visibility"].to_numpy()
    cost = data["curve_cost"].to_numpy()
    ends = listing(list(dict.fromkeys(f"{low:g} and {high:g}" for low, high in bracket(data))))
    at = float(np.exp(np.interp(math.log(0.01), np.log(cost), np.log(rule))))
    last = data.isel(factor=-1)
    saved = 1 - last["risk"] / data["risk"].isel(factor=0)
    spared = 1 - (data["risk"] / data["risk"].isel(factor=0)).where(data["factor"] < 1.0)
    return (
        "Two locations that hold the target equally often; location 1 has visibility 1. (a) Above "
        "the line location 2 is worth a look: once looking at location 1 no longer pays, its odds "
        "lie above the lower threshold of the discrimination that is left. Below it a look there "
        "does not pay by itself; it may with the option to turn back. Where a second "
        f"costs a hundredth of the information, the line is at {percent(at)} of the visibility of "
        "location 1.",
        "The exact optimum begins to look between "
        f"{ends} times what the rule says with the same steps (boxes).",
        f"(b) Below the rule looking saves at most {percent(float(spared.max()))} of the risk; at "
        f"{fixed(float(data['factor'][-1]), 2)} times "
        f"the visibility it saves {percent(float(saved.min()))} to {percent(float(saved.max()))}.",
    )


WORTH_A_LOOK = PaperPart(
    "worth-a-look", "With limited information: what is worth a look", compute, 12.0, draw, describe
)
