"""All claims: named once, examined on what a run makes; on data where they hold, and do not."""

import copy
import json
import math
from functools import partial

import pytest
import xarray as xr

from popout.paper.claims import EXAMINATIONS, examine
from popout.paper.claims.claim import Verdict
from popout.paper.reproduce import PARTS, TABLES

from .fabricated import EQUAL, GREEDY, HARDMAXES, PERIODS, SIDES, base, changed, short

KIND = "kind of distractor"
LATE, EARLY = "tied distractors, once inferred", "tied distractors, not inferred yet"


def put(table, name, value, **where):
    """Return a change: these values of a variable, at these coordinates."""
    return table, name, value, where


def risk(strategy, value, **where):
    return put("homogeneous-risk", "excess", value / 100, strategy=strategy, **where)


def unequal(strategy, value, **where):
    return put("unequal-drift-risk", "risk", 1 + value / 100, strategy=strategy, **where)


def outwards(strategy, side, value):
    """Move a boundary outwards by this many nats."""
    sign = 1.0 if side == "present" else -1.0
    return put(
        "strategies-2d", "boundary", sign * value / math.sqrt(2), strategy=strategy, side=side
    )


def rt(strategy, kind, value):
    return put("decisions", "mean_rt", value, strategy=strategy, **{"class": kind})


SCENE = partial(put, "scene-bias")
UNSURE = partial(put, "uncertainty")
HORIZON = partial(put, "horizon")
GRID = partial(put, "paper-grid")
LARGER = partial(put, "larger-sets")
SURFACE = partial(put, "optimal-thresholds")
PLANE = partial(put, "strategies-2d")
REGIME = partial(put, "conjecture-regime")
CHEAP = partial(put, "asymptotics")
SCALES = partial(put, "scales")
VARYING = partial(put, "time-varying")
EQUALS = partial(put, "homogeneous-risk")
UNEQUALS = partial(put, "unequal-drift-risk")
LOOK = partial(put, "where-to-look")
SLOPES = partial(put, "slopes-and-errors")
WORTH = partial(put, "worth-a-look")
MEMORY = partial(put, "memory")
GAZE = partial(put, "greedy-gaze")
LASTS = partial(put, "fixation-durations")
MANY = partial(put, "many-places")
LOST = {"information": 8.0, "spacing": 1.0}  # where a rule loses
WORSE = [GAZE("risk", 1.2, rule=rule, **LOST) for rule in GREEDY]
CENTRE = 4  # of the gazes in the square; gaze 0 is an item, on the line the middle
SCALED = [
    PLANE("spread_at_time", 0.1, statistic="scaled S"),
    PLANE("step_sd", 0.5),
    PLANE("count", 1e6),
]
RIVALS = ["SPRT-opt", *HARDMAXES]
MISSES = SLOPES("error_rate_present", 0.05, set_size=18)
ALARMS = SLOPES("error_rate_absent", 0.05, set_size=18)
# Changes on which a claim holds, and on which it does not: none where it is not named.
HOLDS = {
    "scene-bias-conservative": [SCENE("towards_zero", 1.0)],
    "uncertainty-has-a-price": [
        UNSURE("risk_unknown", 1.2, unknown=KIND),
        UNSURE("risk_unknown_se", 0.002),
    ],
    "not-reduced-before": [UNSURE("step_difference", 4.0, state=EARLY)],
    "horizon-sufficient": [HORIZON("stationary_boundary_sum", 9.0)],
    "grid-most-economic": [GRID("risk", 1.1, bins=1000), GRID("risk_range", 1.1, end=5.0)],
    "extension-matches": [SURFACE("misfit_largest", 0.5, case=0)],
    "conjecture-larger-sets": [LARGER("largest", 1.0, set_size=2)],
    "conjecture-certified": [put("certified-sets", "gap", 0.0005)],
    "conjecture-in-risk": [REGIME("excess", 0.0005)],
    "conjecture-where-looking-hardly-pays": [REGIME("rival_gain", -0.01)],
    "sprt-asymptotically-optimal": [CHEAP("excess", [0.3, 0.2, 0.05])],
    "approximations-of-methods": [CHEAP("threshold_off", 0.05)],
    "printed-scales": [SCALES("scale", 2.0, pair="printed")],
    "printed-scales-in-decades": [SCALES("scale", 2.303, pair="printed")],
    "scales-around-one": [
        LARGER("scale", 1.6, side="absent"),
        LARGER("scale", 0.7, side="present"),
    ],
    "surfaces-differ": [outwards(s, side, 1.0) for s in ("SPRT", "Hardmax") for side in SIDES],
    "sprt-conservative": [outwards("SPRT", side, 1.0) for side in SIDES]
    + [rt("SPRT", k, 1.1) for k in SIDES],
    "hardmax-fast-absent-slow-present": [
        outwards("Hardmax", "absent", -1.0),
        outwards("Hardmax", "present", 1.0),
        rt("Hardmax", "absent", 0.9),
        rt("Hardmax", "present", 1.1),
    ],
    "s-widely-spread": SCALED,
    "no-time-varying-threshold": [VARYING("regret", 0.01)],
    "time-varying-still-loses": [VARYING("regret", 0.01)],
    "easy-tasks-rarely-ambiguous": [put("decisions", "both_positive", 0.2, drift=2.0)],
    "risk-order-equal-drifts": [risk("SPRT-opt", 1.0), risk("SPRT", 2.0), risk("Hardmax", 3.0)],
    "hardmax-and-sprt-highly-suboptimal": [
        risk("SPRT", 2.0, set_size=8),
        risk("Hardmax", 2.0, set_size=8),
    ],
    "losses-noticeable-equal-drifts": [
        risk(s, 0.5, set_size=8) for s in ("SPRT-opt", "SPRT", "Hardmax")
    ],
    "hardmax-suboptimal-in-all-cases": [risk("Hardmax", 0.01)],
    "sprt-suboptimal-at-high-cost": [risk("SPRT", 0.01, time_cost=1.0)],
    "sprt-opt-close-at-low-cost": [risk("SPRT-opt", 0.5, time_cost=1.0)],
    "sprt-opt-worse-at-high-cost": [risk("SPRT-opt", 0.5, time_cost=1.0)],
    "sprt-opt-slightly-worse": [risk("SPRT-opt", 0.5)],
    "existing-models-suboptimal": [risk(s, 0.01) for s in EQUAL[1:]]
    + [unequal(s, 0.01) for s in RIVALS],
    "unequal-drifts-suboptimal": [unequal(s, 0.01) for s in RIVALS],
    "losses-noticeable-unequal-drifts": [unequal(s, 1.0) for s in RIVALS],
    "worse-with-heterogeneity": [unequal(s, 1.0, drifts=1) for s in RIVALS],
    "hardmax-equal-tradeoff": [UNEQUALS("error_rate", 0.5, strategy="SPRT-opt", condition="hard")],
    "others-sacrifice-hard-location": [
        UNEQUALS("error_rate", 0.5, condition="hard"),
        *(UNEQUALS("mean_rt", 2.0, strategy=s) for s in HARDMAXES),
    ],
    "hardmax-suboptimal-almost-everywhere": [
        risk("Hardmax", 0.01),
        *(unequal(s, 0.01) for s in HARDMAXES),
    ],
    "dividing-costs": [LOOK("risk", 1.3, attention="parallel")],
    "slopes-two-to-one": [SLOPES("rt_slope_absent", 2.2)],
    "misses-grow-alarms-do-not": [MISSES],
    "parallel-errs-both-ways": [MISSES, ALARMS],
    "worth-a-look-rule": [
        WORTH("boundary", -3.0, factor=[1.1, 2.0]),
        WORTH("risk", 0.9, factor=2.0),
    ],
    "guided-attention-needs-time": [MEMORY("risk", 3.0, attention="guided, g = 1", period=2.0)],
    "every-greedy-rule-fails": WORSE,
    "map-needs-a-good-start": [GAZE("end_first", 1.2, display="line", **LOST)],
    "better-of-two-is-close": [GAZE("risk", 1.2, rule="ELM")],
    "lost-with-the-first-fixation": [
        *WORSE,
        GAZE("path", 1, rule="optimal", display="line"),
        GAZE("path", CENTRE, rule="optimal", display="square"),
    ],
    "elm-counts-looks-as-small": [*WORSE, GAZE("path", CENTRE, rule="optimal", display="square")],
    "ideal-searcher-short-sighted": [
        *WORSE,
        GAZE("path", CENTRE, rule="ideal searcher", display="square"),
    ],
    "fixations-grow-with-saccades": [LASTS("duration", 0.2, saccade=0.16)],
    "fixations-shrink-with-information": [LASTS("duration", 0.2, rate=10.0)],
    "ideal-searcher-best-at-many": [MANY("excess", 0.01, rule=["MAP", "ELM"])],
    "random-gaze-costs": [MANY("excess", 0.2, rule="random but for 3")],
}
FAILS = {
    "evidence-lossless": [put("lossless", "largest_difference", 1.0)],
    "scene-bias-conservative": [SCENE("towards_zero", -1.0)],
    "scene-bias-negligible": [
        SCENE(name, 1.0) for name in ("rms", "information_lost", "more_errors")
    ],
    "uncertainty-has-a-price": [
        UNSURE("risk_unknown", 0.9, unknown=KIND),
        UNSURE("risk_unknown", 1.1, unknown="set size"),
    ],
    "discrimination-one-dimensional": [UNSURE("step_difference", 4.0)],
    "reduces-to-homogeneous-search": [UNSURE("step_difference", 4.0, state=LATE)],
    "boundaries-constant-in-time": [
        HORIZON("boundary_sum", 1.0, remaining=15.0),
        HORIZON("stationary_boundary_sum", 2.0),
    ],
    "horizon-sufficient": [
        HORIZON("boundary_sum", 1.0, remaining=5.0),
        HORIZON("risk", 2.0, remaining=15.0),
    ],
    "grid-sufficient": [GRID("risk", 1.1, bins=2000), GRID("distance", 0.5, bins=2000)],
    "one-location-is-sprt": [put("decisions", "single_risk", 1.1, single="SPRT")],
    "asymptotic-thresholds": [LARGER("asymptote", 0.5)],
    "prior-shifts-by-log-m": [put("biased-prior", "shift_less_log_m", 0.5)],
    "conjecture-matches": [
        SURFACE("misfit_largest", 0.5),
        SURFACE("risk_fitted", 1.1),
        outwards("a-SPRT", "present", 1.0),
        PLANE("risk", 1.1, strategy="a-SPRT"),
    ],
    "extension-matches": [
        SURFACE("misfit_largest", 0.5, case=1),
        SURFACE("risk_fitted", 1.1, case=1),
    ],
    "conjecture-larger-sets": [LARGER("largest", 1.0), LARGER("excess", 0.01)],
    "conjecture-certified": [put("certified-sets", "gap", 0.002)],
    "extension-elsewhere": [unequal("a-SPRT", 1.0)],
    "conjecture-exact": [REGIME("largest", 0.02)],
    "conjecture-in-risk": [REGIME("excess", 0.002), REGIME("excess_change", 0.0005)],
    "conjecture-unequal-costs": [REGIME("skewed_excess", 0.002)],
    "conjecture-where-looking-hardly-pays": [REGIME("rival_gain", 0.002)],
    "sprt-asymptotically-optimal": [CHEAP("excess", [0.2, 0.3, 0.4])],
    "approximations-of-methods": [CHEAP("rt_off", 20.0), CHEAP("threshold_off", 0.3)],
    "reference-location-arbitrary": [SCALES("scale_times_tau", 1.1, order="locations exchanged")],
    "printed-scales": [SCALES("scale", 4.61, pair="printed", side="absent")],
    "printed-scales-in-decades": [SCALES("scale", 2.0, pair="printed")],
    "printed-scales-suffice": [
        SCALES("excess", 0.01, pair=pair) for pair in ("printed", "printed, in decades")
    ],
    "one-pair-for-all-costs": [SCALES("excess", 0.01, pair="one for all costs")],
    "scales-around-one": [
        LARGER("scale", 0.7, side="absent"),
        LARGER("scale", 1.6, side="present"),
    ],
    "scales-same-for-all-sets": [LARGER("scale", 2.0, set_size=3)],
    "sprt-conservative": [outwards("SPRT", side, -1.0) for side in SIDES]
    + [rt("SPRT", k, 0.9) for k in SIDES],
    "hardmax-fast-absent-slow-present": [
        outwards("Hardmax", "absent", 1.0),
        outwards("Hardmax", "present", -1.0),
        rt("Hardmax", "absent", 1.1),
        rt("Hardmax", "present", 0.9),
    ],
    "s-widely-spread": [
        *SCALED,
        PLANE("standard_deviation", 0.05, statistic="S"),
        PLANE("spread_at_time", 0.05, statistic="S"),
    ],
    "no-time-varying-threshold": [VARYING("regret", -0.01)],
    "time-varying-still-loses": [VARYING("gain", 0.01), VARYING("regret", -0.01)],
    "easy-tasks-rarely-ambiguous": [put("decisions", "both_positive", 0.2, drift=12.0)],
    "risk-order-equal-drifts": [
        risk("a-SPRT", 3.0),
        risk("SPRT-opt", 2.0),
        risk("SPRT", 1.0),
        risk("Hardmax", 0.0),
    ],
    "hardmax-and-sprt-highly-suboptimal": [risk("SPRT", 0.5), risk("Hardmax", 0.5)],
    "losses-noticeable-equal-drifts": [risk(s, 0.05) for s in ("SPRT-opt", "SPRT", "Hardmax")],
    "hardmax-suboptimal-in-all-cases": [risk("Hardmax", 0.5), risk("Hardmax", 0.0, set_size=2)],
    "sprt-suboptimal-at-high-cost": [risk("SPRT", 0.5, time_cost=0.2)],
    "sprt-opt-close-at-low-cost": [risk("SPRT-opt", 0.5, time_cost=0.2)],
    "sprt-opt-worse-at-high-cost": [risk("SPRT-opt", 0.5, time_cost=0.2)],
    "sprt-opt-slightly-worse": [risk("SPRT-opt", 2.0)],
    "sprt-opt-similar-to-a-sprt": [
        EQUALS(f"{what}_{kind}", 2.0, strategy="SPRT-opt")
        for what in ("mean_rt", "error_rate")
        for kind in SIDES
    ],
    "unequal-drifts-suboptimal": [unequal(s, 1.0, time_cost=1.0) for s in RIVALS],
    "losses-noticeable-unequal-drifts": [unequal(s, 0.01) for s in RIVALS],
    "worse-with-heterogeneity": [unequal(s, 1.0, drifts=0) for s in RIVALS],
    "hardmax-equal-tradeoff": [
        UNEQUALS(name, value, strategy=strategy, condition="hard")
        for name, value in (("error_rate", 0.5), ("mean_rt", 2.0))
        for strategy in HARDMAXES
    ],
    "others-sacrifice-hard-location": [UNEQUALS("error_rate", 0.5, condition="easy")],
    "sprt-opt-similar-to-optimum": [
        UNEQUALS("mean_rt", 2.0, strategy="SPRT-opt"),
        UNEQUALS("error_rate", 0.5, strategy="SPRT-opt"),
        *(EQUALS(f"optimal_mean_rt_{kind}", 2.0) for kind in SIDES),
        *(EQUALS(f"optimal_error_rate_{kind}", 0.5) for kind in SIDES),
    ],
    "hardmax-suboptimal-almost-everywhere": [
        risk("Hardmax", 1.0, set_size=2),
        *(unequal(s, 1.0, drifts=0) for s in HARDMAXES),
    ],
    "serial-close-to-optimal": [LOOK("risk", 1.2, attention="serial")],
    "guided-close-to-optimal": [LOOK("risk", 1.2, attention="guided, g = 1")],
    "serial-optimal-in-continuous-time": [LOOK("limit_risk", 1.01, limit="serial")],
    "parallel-slopes-one-to-one": [SLOPES("rt_slope_absent", 2.2)],
    "misses-grow-alarms-do-not": [ALARMS],
    "worth-a-look-rule": [WORTH("boundary", -3.0, factor=2.0), WORTH("risk", 0.9, factor=0.9)],
    "without-memory-looking-is-alike": [MEMORY("glimpse_risk", 1.1)],
    "equal-shares-best-in-a-glimpse": [MEMORY("glimpse_risk", 1.01, attention="parallel")],
    "horizon-of-memory-is-an-item": [MEMORY("risk", 1.2, period=PERIODS)],
    "horizon-whatever-time-costs": [MEMORY("risk", 1.2, period=PERIODS, case=0)],
    "guided-attention-needs-time": [
        MEMORY("risk", 1.2, attention="guided, g = 1", period=math.inf)
    ],
    "equal-shares-lose-too": [MEMORY("risk", 1.0, attention="parallel", period=2.0)],
    "all-close-on-a-line": [GAZE("risk", 1.2, rule=rule) for rule in GREEDY],
    "better-of-two-is-close": [GAZE("risk", 1.2, rule=["ELM", "ideal searcher"])],
    "lost-with-the-first-fixation": WORSE,
    "elm-counts-looks-as-small": [GAZE("risk", 1.2, rule="ELM", information=2.0)],
    "ideal-searcher-short-sighted": WORSE,
    "ideal-searcher-best-at-many": [MANY("excess", -0.01, rule=["MAP", "ELM"])],
    "rules-close-at-many": [MANY("excess", 0.2, rule=["MAP", "ELM"])],
}
# The grid is the paper's, whatever was computed; sizes that are solved are coordinates.
NEVER_FAIL = ("dynamic-programming-scaling", "adaptive-grid-goes-further")


BY_NAME = {each.name: each for each in EXAMINATIONS}


def test_every_claim_has_its_cases_and_needs_only_what_a_run_makes():
    assert {*HOLDS, *FAILS, *NEVER_FAIL} == set(BY_NAME)
    assert len(BY_NAME) == len(EXAMINATIONS) >= 40  # a name of its own each
    looked_at = {name for each in EXAMINATIONS for name in each.claim.data}
    assert {part.name for part in TABLES} <= looked_at <= {part.name for part in PARTS}
    # The standard procedure is judged by the paper's grid alone.
    assert BY_NAME["dynamic-programming-scaling"].claim.data == ("paper-grid",)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_verdict_follows_the_data_and_without_numbers_nothing_is_decided(name):
    claim = BY_NAME[name].examine(changed(HOLDS.get(name, [])))
    assert claim.verdict is Verdict.HOLDS, [c for c in claim.checks if c.outcome != "passes"]
    if name not in NEVER_FAIL:
        claim = BY_NAME[name].examine(changed(FAILS.get(name, [])))
        assert claim.verdict is Verdict.FAILS, [c for c in claim.checks if c.outcome != "fails"]
    data = base()
    for table in data.values():
        for key in set(table.data_vars) - {"drift", "time_cost"}:
            table[key][...] = math.nan
    claim = BY_NAME[name].examine(data | short(data))
    assert claim.verdict is Verdict.UNDECIDED
    json.dumps(claim.as_dict(), allow_nan=False)


def test_solving_four_locations_goes_further_and_three_do_not():
    for sizes, verdict in (([2, 3, 4], Verdict.HOLDS), ([1, 2, 3], Verdict.FAILS)):
        data = {"larger-sets": base()["larger-sets"].assign_coords(set_size=sizes)}
        claim = BY_NAME["adaptive-grid-goes-further"].examine(data)
        assert claim.verdict is verdict


def test_claims_without_their_data_are_named():
    data = {"lossless": base()["lossless"]}
    claims, missing = examine(data)
    assert [claim.name for claim in claims] == ["evidence-lossless"]
    assert set(missing) == {each.name for each in EXAMINATIONS} - {"evidence-lossless"}


def test_examining_changes_no_data():
    data = changed([])
    before = copy.deepcopy(data)
    examine(data)
    for name, table in data.items():
        xr.testing.assert_identical(table, before[name])


def test_every_check_says_why_its_bound_and_those_of_risk_speak_of_risk():
    claims, _ = examine(changed([]))
    checks = [check for claim in claims for check in claim.checks]
    assert [check.what for check in checks if not check.reason] == []
    of_risk = [check for check in checks if check.bound == 0.1 and check.unit == "%"]
    assert len(of_risk) > 20
    assert all("risk" in check.reason and "odds" not in check.reason for check in of_risk)
