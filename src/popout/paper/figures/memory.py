r"""What memory buys: items that are reshuffled, over period, set size and way of looking.

At a reshuffle the posterior of the target's place is lost and the odds of presence are kept. All
depends on the information of a period :math:`\Lambda\tau`, where a location that gets a unit of
information moves its log likelihood ratio by two nats on average, on the set size M and on the cost
of time over the information, :math:`c/\Lambda`.

**The limit of short periods.** Right after a reshuffle all :math:`Z_l = S`, and for shares
:math:`\alpha_l` of the information, with :math:`u = \Lambda t`,

.. math:: dS = \frac{1}{M} \sum_l dZ_l, \qquad
          \operatorname{var}(dS) = \frac{4}{M^2} \sum_l \alpha_l\, du = \frac{4}{M^2}\, du,

whatever the shares. An observer without any memory of places is that of a single location with
:math:`\Lambda / M^2`, whose risk has a closed form, :math:`R_0`. If :math:`R(\tau)` is the risk at
a period and :math:`R_\infty` that of items that stay, all of it with the same way of looking, then
memory buys :math:`R_0 - R_\infty`, of which a period keeps the share

.. math:: h(\tau) = \frac{R_0 - R(\tau)}{R_0 - R_\infty} .

Panels: (a) risk over that of items that stay, two locations; (b) the same in the largest set that
has guided attention; lines at the left edge: the limit. (c) h over the information that a location
gets in a period if it is looked at: all of it where attention is serial, a share 1/M where it is
parallel.

With two and three locations looking has its best stopping, solved on grids. With more the observer
stops at two constant thresholds, tuned by simulation for each period; at two locations such
thresholds lose 0.3 % of the risk at most (``tests/paper/figures/test_memory.py``). The error of a
simulated risk is its standard error. That of a solved one is a bound, stored in the same place and
counted like a standard error. A glimpse is a step after which the items are reshuffled.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from popout.analysis.tune import MAX_EXACT, tune
from popout.drawing.style import LOOKS, key, log_axis, panel, strategy_keys, styled
from popout.exact import continuous_time, solve
from popout.paper.preset import PaperPart, Preset
from popout.policies.looking import Guided, Parallel, Serial
from popout.progress import Progress, stretch
from popout.reports.cells import PER_SECOND, Variables, labelled, over
from popout.reports.words import fixed, percent, percent_range
from popout.task import Costs, LimitedSearchTask

COST, OTHER_COST = 1e-3, 0.02
"""Cost of time over the information; three locations are solved at the other one alone."""
STEP = 0.125
"""Information of a step."""
SHORTEST_SIMULATED = 0.5
LONGEST_THREE = 8.0
MOST_GUIDED = 8
"""Least and most information of a period, where that takes long: by simulation, and solved at three
locations. Most locations with guided attention."""
GLIMPSES = ((2, 1 / 8), (2, 1 / 32), (3, 1 / 8))
"""Locations, and information of a glimpse; at the other cost of time."""
RTOL_MANY, RTOL_GLIMPSE = 5e-3, 1e-3
"""Finest relative accuracy with three locations."""
SCORE_SHARE = 1000
"""One in this many of the preset's trials is used."""
GUIDED = "guided, g = 1"
POLICIES = {"parallel": Parallel, GUIDED: Guided, "serial": Serial, "optimal": None}
STAYS = np.inf
"""The period of items that stay."""
Shares = tuple[xr.DataArray, xr.DataArray]


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return risks over set sizes, costs, ways of looking and periods, and their limit."""
    periods = [*preset.memory_periods, STAYS]
    cases = [(M, OTHER_COST) for M in preset.memory_sizes if M <= MAX_EXACT]
    cases += [(M, COST) for M in preset.memory_sizes if M != MAX_EXACT]
    glimpses = [(M, period) for M, period in GLIMPSES if M in preset.memory_sizes]
    risk = partial(_risk, preset=preset, seed=seed)

    def cell(M: int, cost: float, name: str, period: float) -> Variables:
        return risk(M, cost, name, period, STEP)

    def glimpse(M: int, period: float, name: str) -> Variables:
        return {f"glimpse_{key}": v for key, v in risk(M, OTHER_COST, name, period, period).items()}

    def limit_of_glimpse(M: int, period: float) -> Variables:
        return {"glimpse_limit": _limit(M, OTHER_COST)["limit"]}

    axes = {"case": cases, "attention": POLICIES, "period": periods}
    seen = {"glimpse": glimpses, "attention": POLICIES}
    return labelled(
        {
            **over(axes, cell, stretch(progress, 0.0, 0.7)),
            **over({"case": cases}, _limit),
            **over(seen, glimpse, stretch(progress, 0.7, 1.0)),
            **over({"glimpse": glimpses}, limit_of_glimpse),
            "glimpse_information": (("glimpse",), [period for _, period in glimpses]),
        },
        {
            "attention": POLICIES,
            "period": periods,
            "set_size": xr.Variable("case", [M for M, _ in cases]),
            "time_cost": xr.Variable("case", [cost for _, cost in cases], PER_SECOND),
            "glimpse_size": xr.Variable("glimpse", [M for M, _ in glimpses]),
        },
        {"step": STEP, "trials": _trials(preset)},
    )


def _trials(preset: Preset) -> int:
    return max(1000, preset.score_trials // SCORE_SHARE)


def _limit(M: int, cost: float) -> Variables:
    """Return the risk of a single location with 1/M^2 of the information, in closed form."""
    alone = LimitedSearchTask(n_locations=1, information=1.0 / M**2)
    return {"limit": continuous_time(alone, Costs(time=cost)).risk}


def _risk(
    M: int, cost: float, name: str, period: float, dt: float, preset: Preset, seed: int
) -> Variables:
    """Return the risk of a way of looking and its error; nothing where that takes too long."""
    policy = POLICIES[name]
    if not _is_quick(M, name, period, dt):
        return {"risk": np.nan, "risk_se": np.nan}
    task = LimitedSearchTask(
        n_locations=M, information=1.0, dt=dt, period=None if np.isinf(period) else period
    )
    costs = Costs(time=cost)
    if M <= MAX_EXACT:
        finest = 0.0 if M < MAX_EXACT else RTOL_GLIMPSE if period == dt else RTOL_MANY
        solution = solve(task, costs, max(preset.rtol, finest), attention=policy)
        return {"risk": solution.risk, "risk_se": solution.risk_error}
    tuned = tune("sprt-opt", task, costs, attention=policy, n_trials=_trials(preset), seed=seed)
    return {"risk": tuned.risk, "risk_se": tuned.risk_se}


def _is_quick(M: int, name: str, period: float, dt: float) -> bool:
    is_best = name == "optimal"
    if M > MAX_EXACT:
        many = name == GUIDED and M > MOST_GUIDED
        return period >= SHORTEST_SIMULATED and not (is_best or many)
    long = LONGEST_THREE < period < STAYS
    return M < MAX_EXACT or period == dt or not (is_best or long)


def share_kept(data: xr.Dataset) -> Shares:
    """Return the share of what memory buys that every period keeps, and its error.

    Examples
    --------
    >>> risks = xr.DataArray([[0.3, 0.2]], dims=("case", "period"), coords={"period": [1.0, STAYS]})
    >>> data = xr.Dataset({"risk": risks, "risk_se": 0.0 * risks, "limit": ("case", [0.4])})
    >>> share_kept(data)[0].values
    array([[0.5]])
    """
    stays = data.sel(period=STAYS)
    moves = data.sel(period=data["period"] != STAYS)
    bought = data["limit"] - stays["risk"]
    share = (data["limit"] - moves["risk"]) / bought
    error = (moves["risk_se"] ** 2 + (share * stays["risk_se"]) ** 2) ** 0.5 / bought
    return share, error


def looked_at(data: xr.Dataset, name: str) -> xr.DataArray:
    """Return the largest share of the information that a way of looking gives to a location."""
    size = data["set_size"].astype(float)
    return 1.0 / size if name == "parallel" else xr.ones_like(size)


def kept_at(data: xr.Dataset, name: str, information: float) -> Shares:
    """Return the share kept if a location that is looked at gets some information in a period.

    Between two periods it is read off a straight line over the logarithm of the period. NaN beyond
    those that were computed.
    """
    both = [shares.sel(attention=name) for shares in share_kept(data)]
    at = np.log(information / looked_at(data, name).to_numpy())
    log_period = np.log(both[0]["period"].to_numpy())

    def read(shares: xr.DataArray) -> xr.DataArray:
        rows = shares.transpose("case", "period").to_numpy()
        known = [np.isfinite(row) for row in rows]
        values = [
            np.interp(x, log_period[ok], row[ok], left=np.nan, right=np.nan) if ok.any() else np.nan
            for x, row, ok in zip(at, rows, known, strict=True)
        ]
        return xr.DataArray(values, dims="case", coords=data["set_size"].coords)

    return read(both[0]), read(both[1])


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw risks over periods for two set sizes, and the share kept for all."""
    figure = Figure(figsize=(10.4, 3.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    ordinary = data.sel(case=data["time_cost"] == data["time_cost"].isel(case=-1))
    guided = ordinary["risk"].sel(attention=GUIDED, period=STAYS)
    for ax, letter, at in ((left, "a", 0), (middle, "b", int(guided.notnull().sum()) - 1)):
        shown = ordinary.isel(case=at)
        panel(ax, letter, f"{int(shown['set_size'])} locations")
        _risks(ax, shown)
    panel(right, "c", "what a period keeps")
    _kept(right, data)
    names = [name for name in POLICIES if name != "optimal"]
    keys = [*strategy_keys(names), Line2D([], [], **LOOKS["optimal"].points())]
    keys += [key("places never remembered", linestyle="--"), key("items stay", linestyle=":")]
    figure.legend(handles=keys, loc="outside lower center", ncols=6)
    return figure


def _risks(ax: Axes, shown: xr.Dataset) -> None:
    """Draw the risk over that of items that stay, and its limit at short periods."""
    moves = shown["period"] != STAYS
    period = shown["period"][moves].to_numpy()
    for name in reversed(POLICIES):
        risk, se = (shown[each].sel(attention=name) for each in ("risk", "risk_se"))
        if not bool(np.isfinite(risk).any()):
            continue
        stays, look = float(risk.sel(period=STAYS)), LOOKS[name]
        ax.errorbar(period, risk[moves] / stays, se[moves] / stays, capsize=2, **look.points())
        edge = float(shown["limit"]) / stays
        ax.plot([period[0] / 2.5, period[0] / 1.3], [edge] * 2, color=look.colour, linestyle="--")
    ax.axhline(1.0, color="0.3", linestyle=":", linewidth=1.0)
    log_axis(ax, period[:: 1 + len(period) // 6], digits=3)
    ax.set(xlabel="information in a period, Λτ", ylabel="risk / risk if items stay")
    ax.set_ylim(bottom=0.9)


def _kept(ax: Axes, shown: xr.Dataset) -> None:
    """Draw the share kept over the information of a location; darker for larger sets."""
    share, error = share_kept(shown)
    sizes = np.unique(shown["set_size"])
    for name in ("parallel", "serial"):
        for k, largest in enumerate(looked_at(shown, name)):
            kept, bar = (100 * x.isel(case=k).sel(attention=name) for x in (share, error))
            rank = np.searchsorted(sizes, largest["set_size"]) / (len(sizes) - 1)
            look = LOOKS[name].points(alpha=0.35 + 0.65 * float(rank))
            ax.errorbar(share["period"] * float(largest), kept, bar, capsize=2, **look)
    ax.axhline(50.0, color="0.3", linestyle=":", linewidth=1.0)
    log_axis(ax, (0.03, 0.125, 0.5, 2, 8, 32), digits=3)
    ax.set(xlabel="information in a period, where one looks")
    ax.set_ylabel("share of what memory buys (%)")
    words = f"pale to dark:\n{', '.join(f'{size:g}' for size in sizes)} locations"
    ax.text(0.97, 0.05, words, transform=ax.transAxes, ha="right")


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Describe what memory buys, and what periods keep of it."""
    ordinary = data.sel(case=data["time_cost"] == data["time_cost"].isel(case=-1))
    last = ordinary.isel(case=-1)
    size = int(last["set_size"])
    bought = last["limit"] / last["risk"].sel(period=STAYS)
    half = {name: kept_at(data, name, 0.5)[0] for name in ("serial", "parallel")}
    glimpses = (data["glimpse_risk"] / data["glimpse_limit"] - 1).sel(attention=list(POLICIES)[:3])
    return (
        "Items are reshuffled every τ seconds: the observer keeps the odds of presence and forgets "
        f"the place. (a) Solved, (b) with thresholds tuned for each period, {data.attrs['trials']} "
        f"trials each; a unit of time costs {float(last['time_cost']):g} of the information.",
        "(a, b) The shorter the period, the closer all ways of looking come to the risk of an "
        "observer who never remembers a place (dashed), that of a single location with 1/M² of the "
        f"information. With a reshuffle after every glimpse they are within "
        f"{percent(float(abs(glimpses).max()))} of it. At {size} locations that is "
        f"{fixed(float(bought.sel(attention='serial')))} times the risk of serial attention to "
        f"items that stay, and {fixed(float(bought.sel(attention='parallel')))} times that of "
        "parallel attention.",
        "(c) The share of what memory buys that is kept, with few locations at a cost of "
        f"{float(data['time_cost'][0]):g} too. If the location that is looked at gets "
        "half a unit of information in a period, one nat on average, serial attention keeps "
        f"{percent_range(half['serial'].dropna('case').to_numpy())} of it and parallel attention "
        f"{percent_range(half['parallel'].dropna('case').to_numpy())}, whatever the set size.",
    )


TITLE = "With limited information: what memory buys"
MEMORY = PaperPart("memory", TITLE, compute, 18.0, draw, describe)
