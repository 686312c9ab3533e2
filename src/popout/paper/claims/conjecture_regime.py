r"""Claims about the conjecture itself: the surfaces, the risk, and where it fails.

**`conjecture-regime`.** Where the conjecture holds: the best two scaled SPRTs against the optimum,
over what matters.

In the limit of short steps time enters only through :math:`\mu^2 t`, so that a task with equal
drifts depends on :math:`k = c / \mu^2` and *M* alone. Here :math:`\mu = 1`, and a step is a
hundredth (50th, 25th with three and four locations) of the mean time that discrimination takes,
:math:`\tfrac b2 \tanh\tfrac b2` with :math:`k (\sinh b + b) = 1`. Everything is computed with
steps of twice that length as well: the change says how much is left of the step.

**Surfaces and risk.** The largest distance of the exact boundary from the surfaces with fitted
scales, in nats; and the excess risk of a-SPRT with the best scales, as regret on fresh trials.

**Priors and costs.** Let :math:`p_l` be the posterior odds of a target at *l*. The value times
:math:`1 + \sum p`, *U*, solves :math:`2 \mu^2 \sum p_l^2 U_{ll} + C_0 + C_1 \sum p_l = 0` with
:math:`U \le \min(c_{fa}, c_{miss} \sum p_l)`. A prior is where *p* starts and changes no surface.
Unequal costs of errors are those of equal ones with :math:`p\,c_{miss}/c_{fa}` in place of *p*
and costs of time :math:`C_0/c_{fa}` and :math:`C_1/c_{miss}`. What is left of all asymmetry are
the prior odds and the ratio :math:`C_1 / C_0`: these are varied, their geometric mean being *k*.

**Many locations.** Where looking hardly pays SPRT-opt, whose thresholds are free, is put beside
tuned a-SPRT on common trials; what it saves a-SPRT has lost.

**Along an axis,** as location 2 is ruled out (:math:`p_2 \to 0`), put :math:`U = U_0(p_1) +
p_2\,g(p_1) + o(p_2)`. Then :math:`p_1^2 g'' = -k/2`, :math:`g(e^{-b}) = 1`, :math:`g(e^b) = 0`,
and smooth fit moves the boundary by :math:`\delta p_1 = -p_2\,g'/U_0''`:

.. math::

   \frac{dp_1}{dp_2} = -\frac{e^{2b}}{1 + e^b}\Bigl(1 - e^{-b} + \frac{2b}{\sinh b}\Bigr)
   \text{ (present)}, \qquad
   \frac{dp_1}{dp_2} = \frac{e^{-2b}}{1 + e^{-b}}\Bigl(e^b - 1 - \frac{2b}{\sinh b}\Bigr)
   \text{ (absent)}.

A scaled SPRT has :math:`p_1^a + p_2^a = e^{\pm ab}`: slope 0 for :math:`a > 1`, minus infinity for
:math:`a < 1`, -1 for SPRT. No scale gives the slopes above: the conjecture is not exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from popout.analysis.regret import regret
from popout.analysis.score import Estimate, paired_difference
from popout.analysis.tune import tune
from popout.drawing.style import panel, styled
from popout.exact import Solution, solve
from popout.exact.continuous_discrimination import ContinuousDiscrimination
from popout.noise.seeds import Purpose, fresh_seed
from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS
from popout.paper.claims.claim import STANDARD_ERRORS, Check, Claims
from popout.paper.claims.measure import below, percent, within
from popout.paper.conjecture import conjecture
from popout.paper.preset import PaperPart, Preset
from popout.policies.stopping import ASPRT, SPRTOpt, Strategy
from popout.progress import Progress, stretch
from popout.reports import words
from popout.reports.cells import Variables, labelled, over
from popout.simulation import simulate
from popout.task import Costs, SearchTask

RATIOS = {2: (0.01, 0.05, 0.2, 0.5), 3: (0.2,), 4: (0.05, 0.2)}
"""Costs of time over squared drift, by set size."""
STEPS = {2: 100, 3: 50, 4: 25}
"""Steps in the mean time of discrimination, by set size."""
RTOLS = {2: 1e-5, 3: 1e-4, 4: 1e-3}
REGRET_TRIALS = 4000
SKEWED_RATIO = 0.2
PRIORS, TIME_RATIOS = (0.25, 0.5, 0.75), (0.2, 1.0, 5.0)
"""Priors of presence, and costs of time with a target over those without."""
MANY, MANY_STEP = ((8, 0.25), (32, 0.25)), 0.04
"""Set sizes and ratios at which rivals are tried; the step is the paper's at a drift of 2/s."""
TUNE_TRIALS, SCORE_TRIALS = 20_000, 100_000
SIDES = ("absent", "present")
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return distances, scales and excess over set size and cost; over priors; at many locations.

    The largest set size of the preset is left out: steps are shorter here.
    """
    cases = [(M, k) for M in preset.claim_sizes[:-1] for k in RATIOS.get(M, ())]
    skews = {"prior": PRIORS, "time_ratio": TIME_RATIOS}
    tell = [stretch(progress, *part) for part in ((0.0, 0.6), (0.6, 0.8), (0.8, 1.0))]
    return labelled(
        {
            **over({"case": cases}, partial(exact_case, seed=seed), tell[0]),
            "set_size": (("case",), [M for M, _ in cases]),
            "ratio": (("case",), [k for _, k in cases]),
            **over(skews, partial(skewed_case, seed=seed), tell[1]),
            **over({"many": MANY}, partial(many_case, seed=seed), tell[2]),
            "many_size": (("many",), [M for M, _ in MANY]),
            "many_ratio": (("many",), [k for _, k in MANY]),
        },
        {"side": SIDES} | skews,
        {"skewed_ratio": SKEWED_RATIO, "many_step": MANY_STEP},
    )


def step_of(ratio: float, steps: int) -> float:
    r"""Return a step in units of :math:`1/\mu^2`: a share of the mean time of discrimination.

    Examples
    --------
    >>> round(step_of(0.05, 100), 4)
    0.0165
    """
    b = ContinuousDiscrimination.of(1.0, Costs(time=ratio)).upper
    return b * math.tanh(b / 2) / 2 / steps


def axis_slopes(ratio: float) -> tuple[float, float]:
    """Return the slope dp1/dp2 of the exact boundaries at an axis: of "absent" and of "present".

    Examples
    --------
    >>> [round(slope, 3) for slope in axis_slopes(0.2)]
    [0.089, -11.305]
    """
    b = ContinuousDiscrimination.of(1.0, Costs(time=ratio)).upper
    more = 2 * b / math.sinh(b)
    absent = math.exp(-2 * b) / (1 + math.exp(-b)) * (math.exp(b) - 1 - more)
    return absent, -math.exp(2 * b) / (1 + math.exp(b)) * (1 - math.exp(-b) + more)


def exact_case(M: int, ratio: float, seed: int) -> Variables:
    """Return scales, distances and excess for one task, and their change with longer steps."""
    (scale, largest, fitted, best), longer = (
        _measured(M, ratio, steps, seed) for steps in (STEPS[M], STEPS[M] // 2)
    )
    sides = ("side",)
    return {
        "scale": (sides, scale),
        "scale_change": (sides, np.abs(scale - longer[0])),
        "largest": (sides, largest),
        "excess_fitted": fitted.value,
        "excess": best.value,
        "excess_se": best.se,
        "excess_change": abs(best.value - longer[3].value),
        "axis_slope": (sides, list(axis_slopes(ratio))),
    }


def _measured(M: int, ratio: float, steps: int, seed: int) -> tuple[Any, Any, Estimate, Estimate]:
    """Return scales and distances by side, and the excess with fitted and with tuned scales."""
    task = SearchTask(n_locations=M, drift=1.0, dt=step_of(ratio, steps))
    solution = solve(task, Costs(time=ratio), RTOLS[M])
    fits = solution.scales.minus, solution.scales.plus
    scale = np.array([fit.a for fit in fits])
    fitted = conjecture(solution, *scale)
    largest = [fit.largest for fit in fits]
    return scale, largest, _excess(solution, fitted, seed), _best(solution, seed)


def _excess(solution: Solution, strategy: Strategy, seed: int) -> Estimate:
    """Return the regret on trials that no tuning has seen, as a share of the optimal risk."""
    fresh = fresh_seed(seed, Purpose.RISK_FIGURE)
    lost = regret(solution, strategy, n_trials=REGRET_TRIALS, seed=fresh)
    return Estimate(lost.value / solution.risk, lost.se / solution.risk)


def _best(solution: Solution, seed: int) -> Estimate:
    """Return the excess of a-SPRT with the best scales."""
    problem = solution.task, solution.costs
    tuned = tune(ASPRT, *problem, solution=solution, n_trials=TUNE_TRIALS, seed=seed)
    return _excess(solution, tuned.strategy, seed)


def skewed_case(prior: float, time_ratio: float, seed: int) -> Variables:
    """Return the excess and its standard error for two locations, one prior and unequal costs.

    NaN where the best is to answer at once: any strategy that does so loses nothing, and nothing
    is learned about surfaces.
    """
    k, root = SKEWED_RATIO, math.sqrt(time_ratio)
    task = SearchTask(n_locations=2, drift=1.0, dt=step_of(k, STEPS[2]), prior=prior)
    solution = solve(task, Costs(time=(k / root, k * root)), RTOLS[2])
    if solution.mean_rt == 0.0:
        return {"skewed_excess": math.nan, "skewed_excess_se": math.nan}
    excess = _best(solution, seed)
    return {"skewed_excess": excess.value, "skewed_excess_se": excess.se}


def many_case(M: int, ratio: float, seed: int) -> Variables:
    """Return what SPRT-opt saves of the risk of a-SPRT, both tuned, and the standard error."""
    task, costs = SearchTask(n_locations=M, drift=1.0, dt=MANY_STEP), Costs(time=ratio)
    make = partial(tune, task=task, costs=costs, n_trials=TUNE_TRIALS, seed=seed)
    tuned = [make(recipe) for recipe in (ASPRT, SPRTOpt)]
    fresh = fresh_seed(seed, Purpose.COMPARISON)
    ours, theirs = (simulate(task, each.strategy, SCORE_TRIALS, fresh) for each in tuned)
    saved = paired_difference(ours, theirs, costs)
    return {"rival_gain": saved.value / tuned[0].risk, "rival_gain_se": saved.se / tuned[0].risk}


@styled
def draw(data: xr.Dataset) -> Figure:
    """Draw the excess over cost and set size, and over priors and costs."""
    figure = Figure(figsize=(8.4, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    panel(left, "a", "equal priors and costs")
    for number, M in enumerate(np.unique(data["set_size"])):
        at = data.isel(case=np.flatnonzero(data["set_size"] == M)).sortby("ratio")
        style = {"color": COLOURS[number % len(COLOURS)], "marker": "o", "capsize": 2}
        error = 100 * (2 * at["excess_se"] + at["excess_change"])
        left.errorbar(at["ratio"], 100 * at["excess"], error, label=f"{M} locations", **style)
    for M, k, gain, se in zip(
        *(data[n].to_numpy() for n in ("many_size", "many_ratio", "rival_gain", "rival_gain_se")),
        strict=True,
    ):
        if gain > 2 * se:
            left.errorbar(k, 100 * gain, 200 * se, color="black", marker="^", capsize=2)
            label, place = f"{M} locations, at least", (k, 100 * gain)
            left.annotate(label, place, (-6, 4), textcoords="offset points", ha="right")
    left.axhline(0.1, color="0.45", linestyle=":", linewidth=0.9)
    left.set(xscale="log", yscale="log", ylim=(1e-5, 1.0))
    left.set(xlabel="cost of time / squared drift, c / µ²", ylabel="excess of a-SPRT (% of risk)")
    left.legend(loc="upper left")
    panel(right, "b", f"two locations, c / µ² = {data.attrs['skewed_ratio']:g}")
    for number, ratio in enumerate(data["time_ratio"].to_numpy()):
        at = data.sel(time_ratio=ratio)
        style = {"color": COLOURS[number % len(COLOURS)], "marker": "o", "capsize": 2}
        error = 200 * at["skewed_excess_se"]
        right.errorbar(at["prior"], 100 * at["skewed_excess"], error, label=f"{ratio:g}", **style)
    right.axhline(0.1, color="0.45", linestyle=":", linewidth=0.9)
    right.set_yscale("symlog", linthresh=1e-3)
    right.set(ylim=(-3e-4, 1.0), xlim=(0, 1))
    for ax in (left, right):
        ax.annotate("negligible below", (0.02, 0.1), (0, -10), ("axes fraction", "data"),
                    textcoords="offset points", fontsize=7, color="0.45")  # fmt: skip
    right.set(xlabel="prior of presence", ylabel="excess of a-SPRT (% of risk)")
    right.legend(title="cost of time, present / absent", loc="upper center", ncol=3)
    return figure


def describe(data: xr.Dataset) -> tuple[str, ...]:
    """Say how large the excess becomes, and where rivals win."""
    worst = data.isel(case=int(np.argmax(data["excess"].to_numpy())))
    skewed = data["skewed_excess"]
    gain = int(np.argmax(data["rival_gain"].to_numpy()))
    return (
        "The excess of a-SPRT with its best scales over the exact optimum. (a) Steps of a "
        "hundredth of a decision or so; bars: two standard errors and what twice the step changes. "
        f"It is largest with {int(worst['set_size'])} locations at c / µ² = "
        f"{float(worst['ratio']):g}: {words.percent(float(worst['excess']))}.",
        f"With {int(data['many_size'][gain])} locations at c / µ² = "
        f"{float(data['many_ratio'][gain]):g}, where looking hardly pays, SPRT with free "
        f"thresholds saves {words.percent(float(data['rival_gain'][gain]))} of the risk of a-SPRT.",
        f"(b) With unequal priors and costs the excess is at most "
        f"{words.percent(float(skewed.max()))}; it is zero where both answer before they look.",
    )


CONJECTURE_REGIME = PaperPart(
    "conjecture-regime", "Where the conjecture holds", compute, 15.0, draw, describe
)

SURFACES = "Results, Conjecture for high-dimensional problems"


def _cases(data: xr.Dataset) -> Iterator[tuple[str, xr.Dataset]]:
    """Yield every task with its size and cost in words."""
    for number in range(data.sizes["case"]):
        case = data.isel(case=number)
        yield f"{int(case['set_size'])} locations, c/µ² = {float(case['ratio']):g}", case


CLAIMS = Claims(data=(CONJECTURE_REGIME,))


@CLAIMS.add(
    "The optimal surfaces are those of two scaled SPRTs.",
    where=f"{SURFACES}; Eqs. upper-approx, lower-approx",
    rule="With the best scale the exact boundary is nowhere more than a negligible distance from "
    "the conjectured surface, on either side, at every set size and cost. In continuous time no "
    "scale can be exact: see the page on the conjecture.",
)
def conjecture_exact(conjecture_regime: xr.Dataset) -> Iterator[Check]:
    """Check the distance of either boundary from the fitted surface."""
    for name, case in _cases(conjecture_regime):
        for side in case["side"].to_numpy():
            what = f"{name}: largest distance of the {side} boundary from the fitted surface"
            yield below(what, case["largest"].sel(side=side), NEGLIGIBLE_NATS)


@CLAIMS.add(
    "Two scaled SPRTs risk as little as the optimum with few locations of equal drift, be time "
    "cheap or expensive.",
    where=f"{SURFACES} (steps short against a decision, not tested in the paper)",
    rule="With the best scales the excess risk over the exact optimum is negligible at every set "
    "size and cost; its error counts what steps of twice the length change.",
    new=True,
)
def conjecture_in_risk(conjecture_regime: xr.Dataset) -> Iterator[Check]:
    """Check the excess of a-SPRT with the best scales."""
    for name, case in _cases(conjecture_regime):
        error = STANDARD_ERRORS * case["excess_se"] + case["excess_change"]
        what = f"{name}: excess risk of a-SPRT with the best scales"
        yield below(what, within(100 * case["excess"], 100 * error), NEGLIGIBLE)


@CLAIMS.add(
    "The same holds for unequal priors and unequal costs.",
    where="footnote on the risk (without affecting the overall analysis)",
    rule="With two locations the excess risk of a-SPRT with the best scales is negligible for "
    "every prior of presence and every ratio of the costs of time at which looking pays. Unequal "
    "costs of errors are equivalent to these: see the page on the conjecture.",
)
def conjecture_unequal_costs(conjecture_regime: xr.Dataset) -> Iterator[Check]:
    """Check the excess over priors and ratios of costs."""
    for prior in conjecture_regime["prior"].to_numpy():
        for ratio in conjecture_regime["time_ratio"].to_numpy():
            at = conjecture_regime.sel(prior=prior, time_ratio=ratio)
            if at["skewed_excess"].isnull():  # the best is to answer at once
                continue
            what = f"prior {prior:g}, cost of time {ratio:g} times as high with a target: excess"
            yield below(what, percent(at, "skewed_excess"), NEGLIGIBLE)


@CLAIMS.add(
    "Two scaled SPRTs risk as little as the optimum with many locations, even where looking hardly "
    "pays.",
    where=f"{SURFACES} (not tested in the paper)",
    rule="SPRT with free thresholds does not save more than a negligible share of the risk of "
    "tuned a-SPRT, on common trials.",
    new=True,
)
def conjecture_where_looking_hardly_pays(conjecture_regime: xr.Dataset) -> Iterator[Check]:
    """Check what SPRT-opt saves where time is expensive."""
    for number in range(conjecture_regime.sizes["many"]):
        at = conjecture_regime.isel(many=number)
        name = f"{int(at['many_size'])} locations, c/µ² = {float(at['many_ratio']):g}"
        what = f"{name}: share of the risk that SPRT-opt saves"
        yield below(what, percent(at, "rival_gain"), NEGLIGIBLE)
