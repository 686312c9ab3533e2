"""All claims: named once, examined on what a run makes; on data where they hold, and do not."""

import copy

import pytest
import xarray as xr

from popout.paper.claims import EXAMINATIONS, examine
from popout.paper.claims.claim import Verdict
from popout.paper.reproduce import PARTS, TABLES

from .fabricated import (
    EQUAL,
    HARDMAXES,
    SIDES,
    base,
    changed,
    follows,
    outwards,
    put,
    risk,
    rt,
    unequal,
)

KIND = "kind of distractor"
LATE, EARLY = "tied distractors, once inferred", "tied distractors, not inferred yet"
SCALED = [
    put("strategies-2d", "spread_at_time", 0.1, statistic="scaled S"),
    put("strategies-2d", "step_sd", 0.5),
    put("strategies-2d", "count", 1e6),
]
RIVALS = ["SPRT-opt", *HARDMAXES]
LOOK, SLOPES, WORTH = "where-to-look", "slopes-and-errors", "worth-a-look"
MISSES = put(SLOPES, "error_rate_present", 0.05, set_size=18)
ALARMS = put(SLOPES, "error_rate_absent", 0.05, set_size=18)
# For each claim: changes on which it holds, and changes on which it does not hold.
CASES = {
    # lossless
    "evidence-lossless": ([], [put("lossless", "largest_difference", 1.0)]),
    "scene-bias-conservative": (
        [put("scene-bias", "towards_zero", 1.0)],
        [put("scene-bias", "towards_zero", -1.0)],
    ),
    "scene-bias-negligible": (
        [],
        [put("scene-bias", name, 1.0) for name in ("rms", "information_lost", "more_errors")],
    ),
    # uncertainty
    "uncertainty-has-a-price": (
        [
            put("uncertainty", "risk_unknown", 1.2, unknown=KIND),
            put("uncertainty", "risk_unknown_se", 0.002),
        ],
        [
            put("uncertainty", "risk_unknown", 0.9, unknown=KIND),
            put("uncertainty", "risk_unknown", 1.1, unknown="set size"),
        ],
    ),
    "discrimination-one-dimensional": ([], [put("uncertainty", "step_difference", 4.0)]),
    "reduces-to-homogeneous-search": ([], [put("uncertainty", "step_difference", 4.0, state=LATE)]),
    "not-reduced-before": ([put("uncertainty", "step_difference", 4.0, state=EARLY)], []),
    # dynamic_programming
    "boundaries-constant-in-time": (
        [],
        [
            put("horizon", "boundary_sum", 1.0, remaining=15.0),
            put("horizon", "stationary_boundary_sum", 2.0),
        ],
    ),
    "horizon-sufficient": (
        [put("horizon", "stationary_boundary_sum", 9.0)],
        [
            put("horizon", "boundary_sum", 1.0, remaining=5.0),
            put("horizon", "risk", 2.0, remaining=15.0),
        ],
    ),
    "grid-sufficient": (
        [],
        [put("paper-grid", "risk", 1.1, bins=2000), put("paper-grid", "distance", 0.5, bins=2000)],
    ),
    "grid-most-economic": (
        [put("paper-grid", "risk", 1.1, bins=1000), put("paper-grid", "risk_range", 1.1, end=5.0)],
        [],
    ),
    "dynamic-programming-scaling": ([], None),  # the grid is the paper's, whatever was computed
    "adaptive-grid-goes-further": ([], None),  # sizes that are solved are coordinates, see below
    # conjecture
    "one-location-is-sprt": ([], [put("decisions", "single_risk", 1.1, single="SPRT")]),
    "asymptotic-thresholds": ([], [put("larger-sets", "asymptote", 0.5)]),
    "prior-shifts-by-log-m": ([], [put("biased-prior", "shift_less_log_m", 0.5)]),
    "conjecture-matches": (
        [],
        [
            put("optimal-thresholds", "misfit_largest", 0.5),
            put("optimal-thresholds", "risk_fitted", 1.1),
            outwards("a-SPRT", "present", 1.0),
            put("strategies-2d", "risk", 1.1, strategy="a-SPRT"),
        ],
    ),
    "extension-matches": (
        [put("optimal-thresholds", "misfit_largest", 0.5, case=0)],
        [
            put("optimal-thresholds", "misfit_largest", 0.5, case=1),
            put("optimal-thresholds", "risk_fitted", 1.1, case=1),
        ],
    ),
    "conjecture-larger-sets": (
        [put("larger-sets", "largest", 1.0, set_size=2)],
        [put("larger-sets", "largest", 1.0), put("larger-sets", "excess", 0.01)],
    ),
    "conjecture-certified": (
        [put("certified-sets", "gap", 0.0005)],
        [put("certified-sets", "gap", 0.002)],
    ),
    "extension-elsewhere": ([], [unequal("a-SPRT", 1.0)]),
    # conjecture_regime
    "conjecture-exact": ([], [put("conjecture-regime", "largest", 0.02)]),
    "conjecture-in-risk": (
        [put("conjecture-regime", "excess", 0.0005)],
        [
            put("conjecture-regime", "excess", 0.002),
            put("conjecture-regime", "excess_change", 0.0005),
        ],
    ),
    "conjecture-unequal-costs": ([], [put("conjecture-regime", "skewed_excess", 0.002)]),
    "conjecture-where-looking-hardly-pays": (
        [put("conjecture-regime", "rival_gain", -0.01)],
        [put("conjecture-regime", "rival_gain", 0.002)],
    ),
    # asymptotics
    "sprt-asymptotically-optimal": (
        [put("asymptotics", "excess", [0.3, 0.2, 0.05])],
        [put("asymptotics", "excess", [0.2, 0.3, 0.4])],
    ),
    "approximations-of-methods": (
        [put("asymptotics", "threshold_off", 0.05)],
        [put("asymptotics", "rt_off", 20.0), put("asymptotics", "threshold_off", 0.3)],
    ),
    # scales
    "reference-location-arbitrary": (
        [],
        [put("scales", "scale_times_tau", 1.1, order="locations exchanged")],
    ),
    "printed-scales": (
        [put("scales", "scale", 2.0, pair="printed")],
        [put("scales", "scale", 4.61, pair="printed", side="absent")],
    ),
    "printed-scales-in-decades": (
        [put("scales", "scale", 2.303, pair="printed")],
        [put("scales", "scale", 2.0, pair="printed")],
    ),
    "printed-scales-suffice": (
        [],
        [put("scales", "excess", 0.01, pair=pair) for pair in ("printed", "printed, in decades")],
    ),
    "one-pair-for-all-costs": ([], [put("scales", "excess", 0.01, pair="one for all costs")]),
    "scales-around-one": (
        [
            put("larger-sets", "scale", 1.6, side="absent"),
            put("larger-sets", "scale", 0.7, side="present"),
        ],
        [
            put("larger-sets", "scale", 0.7, side="absent"),
            put("larger-sets", "scale", 1.6, side="present"),
        ],
    ),
    "scales-same-for-all-sets": ([], [put("larger-sets", "scale", 2.0, set_size=3)]),
    # surfaces
    "surfaces-differ": (
        [outwards(s, side, 1.0) for s in ("SPRT", "Hardmax") for side in SIDES],
        [],
    ),
    "sprt-conservative": (
        [outwards("SPRT", side, 1.0) for side in SIDES] + [rt("SPRT", k, 1.1) for k in SIDES],
        [outwards("SPRT", side, -1.0) for side in SIDES] + [rt("SPRT", k, 0.9) for k in SIDES],
    ),
    "hardmax-fast-absent-slow-present": (
        [
            outwards("Hardmax", "absent", -1.0),
            outwards("Hardmax", "present", 1.0),
            rt("Hardmax", "absent", 0.9),
            rt("Hardmax", "present", 1.1),
        ],
        [
            outwards("Hardmax", "absent", 1.0),
            outwards("Hardmax", "present", -1.0),
            rt("Hardmax", "absent", 1.1),
            rt("Hardmax", "present", 0.9),
        ],
    ),
    "s-widely-spread": (
        SCALED,
        [
            *SCALED,
            put("strategies-2d", "standard_deviation", 0.05, statistic="S"),
            put("strategies-2d", "spread_at_time", 0.05, statistic="S"),
        ],
    ),
    "no-time-varying-threshold": (
        [put("time-varying", "regret", 0.01)],
        [put("time-varying", "regret", -0.01)],
    ),
    "time-varying-still-loses": (
        [put("time-varying", "regret", 0.01)],
        [put("time-varying", "gain", 0.01), put("time-varying", "regret", -0.01)],
    ),
    "easy-tasks-rarely-ambiguous": (
        [put("decisions", "both_positive", 0.2, drift=2.0)],
        [put("decisions", "both_positive", 0.2, drift=12.0)],
    ),
    # risks
    "risk-order-equal-drifts": (
        [risk("SPRT-opt", 1.0), risk("SPRT", 2.0), risk("Hardmax", 3.0)],
        [risk("a-SPRT", 3.0), risk("SPRT-opt", 2.0), risk("SPRT", 1.0), risk("Hardmax", 0.0)],
    ),
    "hardmax-and-sprt-highly-suboptimal": (
        [risk("SPRT", 2.0, set_size=8), risk("Hardmax", 2.0, set_size=8)],
        [risk("SPRT", 0.5), risk("Hardmax", 0.5)],
    ),
    "losses-noticeable-equal-drifts": (
        [risk(s, 0.5, set_size=8) for s in ("SPRT-opt", "SPRT", "Hardmax")],
        [risk(s, 0.05) for s in ("SPRT-opt", "SPRT", "Hardmax")],
    ),
    "hardmax-suboptimal-in-all-cases": (
        [risk("Hardmax", 0.01)],
        [risk("Hardmax", 0.5), risk("Hardmax", 0.0, set_size=2)],
    ),
    "sprt-suboptimal-at-high-cost": (
        [risk("SPRT", 0.01, time_cost=1.0)],
        [risk("SPRT", 0.5, time_cost=0.2)],
    ),
    "sprt-opt-close-at-low-cost": (
        [risk("SPRT-opt", 0.5, time_cost=1.0)],
        [risk("SPRT-opt", 0.5, time_cost=0.2)],
    ),
    "sprt-opt-worse-at-high-cost": (
        [risk("SPRT-opt", 0.5, time_cost=1.0)],
        [risk("SPRT-opt", 0.5, time_cost=0.2)],
    ),
    "sprt-opt-slightly-worse": ([risk("SPRT-opt", 0.5)], [risk("SPRT-opt", 2.0)]),
    "sprt-opt-similar-to-a-sprt": (
        [],
        [
            put("homogeneous-risk", f"{what}_{kind}", 2.0, strategy="SPRT-opt")
            for what in ("mean_rt", "error_rate")
            for kind in SIDES
        ],
    ),
    # unequal_risks
    "existing-models-suboptimal": (
        [risk(s, 0.01) for s in EQUAL[1:]] + [unequal(s, 0.01) for s in RIVALS],
        [],
    ),
    "unequal-drifts-suboptimal": (
        [unequal(s, 0.01) for s in RIVALS],
        [unequal(s, 1.0, time_cost=1.0) for s in RIVALS],
    ),
    "losses-noticeable-unequal-drifts": (
        [unequal(s, 1.0) for s in RIVALS],
        [unequal(s, 0.01) for s in RIVALS],
    ),
    "worse-with-heterogeneity": (
        [unequal(s, 1.0, drifts=1) for s in RIVALS],
        [unequal(s, 1.0, drifts=0) for s in RIVALS],
    ),
    "hardmax-equal-tradeoff": (
        [put("unequal-drift-risk", "error_rate", 0.5, strategy="SPRT-opt", condition="hard")],
        [
            put("unequal-drift-risk", name, value, strategy=strategy, condition="hard")
            for name, value in (("error_rate", 0.5), ("mean_rt", 2.0))
            for strategy in HARDMAXES
        ],
    ),
    "others-sacrifice-hard-location": (
        [
            put("unequal-drift-risk", "error_rate", 0.5, condition="hard"),
            *(put("unequal-drift-risk", "mean_rt", 2.0, strategy=s) for s in HARDMAXES),
        ],
        [put("unequal-drift-risk", "error_rate", 0.5, condition="easy")],
    ),
    "sprt-opt-similar-to-optimum": (
        [],
        [
            put("unequal-drift-risk", "mean_rt", 2.0, strategy="SPRT-opt"),
            put("unequal-drift-risk", "error_rate", 0.5, strategy="SPRT-opt"),
            *(put("homogeneous-risk", f"optimal_mean_rt_{kind}", 2.0) for kind in SIDES),
            *(put("homogeneous-risk", f"optimal_error_rate_{kind}", 0.5) for kind in SIDES),
        ],
    ),
    "hardmax-suboptimal-almost-everywhere": (
        [risk("Hardmax", 0.01), *(unequal(s, 0.01) for s in HARDMAXES)],
        [risk("Hardmax", 1.0, set_size=2), *(unequal(s, 1.0, drifts=0) for s in HARDMAXES)],
    ),
    # limited_information
    "serial-close-to-optimal": ([], [put(LOOK, "risk", 1.2, attention="serial")]),
    "guided-close-to-optimal": ([], [put(LOOK, "risk", 1.2, attention="guided, g = 1")]),
    "serial-optimal-in-continuous-time": ([], [put(LOOK, "limit_risk", 1.01, limit="serial")]),
    "dividing-costs": ([put(LOOK, "risk", 1.3, attention="parallel")], []),
    "slopes-two-to-one": ([put(SLOPES, "rt_slope_absent", 2.2)], []),
    "parallel-slopes-one-to-one": ([], [put(SLOPES, "rt_slope_absent", 2.2)]),
    "misses-grow-alarms-do-not": ([MISSES], [ALARMS]),
    "parallel-errs-both-ways": ([MISSES, ALARMS], []),
    "worth-a-look-rule": (
        [put(WORTH, "boundary", -3.0, factor=[1.1, 2.0]), put(WORTH, "risk", 0.9, factor=2.0)],
        [put(WORTH, "boundary", -3.0, factor=2.0), put(WORTH, "risk", 0.9, factor=0.9)],
    ),
}


BY_NAME = {each.name: each for each in EXAMINATIONS}


def test_every_claim_has_its_cases():
    assert set(CASES) == set(BY_NAME)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(BY_NAME[name], *CASES[name])


def test_solving_four_locations_goes_further_and_three_do_not():
    for sizes, verdict in (([2, 3, 4], Verdict.HOLDS), ([1, 2, 3], Verdict.FAILS)):
        data = {"larger-sets": base()["larger-sets"].assign_coords(set_size=sizes)}
        claim = BY_NAME["adaptive-grid-goes-further"].examine(data)
        assert claim.verdict is verdict


def test_the_standard_procedure_is_judged_by_the_papers_grid_alone():
    assert BY_NAME["dynamic-programming-scaling"].claim.data == ("paper-grid",)


def test_every_claim_has_a_name_of_its_own():
    names = [one.name for one in EXAMINATIONS]
    assert len(set(names)) == len(names) >= 40


def test_claims_without_their_data_are_named():
    data = {"lossless": base()["lossless"]}
    claims, missing = examine(data)
    assert [claim.name for claim in claims] == ["evidence-lossless"]
    assert set(missing) == {one.name for one in EXAMINATIONS} - {"evidence-lossless"}


def test_claims_need_only_what_a_run_makes():
    looked_at = {name for one in EXAMINATIONS for name in one.claim.data}
    assert looked_at <= {part.name for part in PARTS}
    assert looked_at >= {part.name for part in TABLES}


def test_examining_changes_no_data():
    data = changed([])
    before = copy.deepcopy(data)
    examine(data)
    for name, one in data.items():
        xr.testing.assert_identical(one, before[name])


def test_every_check_says_why_its_bound_and_those_of_risk_speak_of_risk():
    claims, _ = examine(changed([]))
    checks = [check for claim in claims for check in claim.checks]
    assert [check.what for check in checks if not check.reason] == []
    of_risk = [check for check in checks if check.bound == 0.1 and check.unit == "%"]
    assert len(of_risk) > 20
    assert all("risk" in check.reason and "odds" not in check.reason for check in of_risk)
