"""Claims: the rule of the verdict, and every claim on fabricated data of both kinds."""

import copy
import json
import math

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from popout.paper import FIGURES, TABLES
from popout.paper.claims import (
    EXAMINATIONS,
    Check,
    Claim,
    ErrorKind,
    Outcome,
    Relation,
    Verdict,
    examine,
    verdict_of,
)
from popout.paper.claims.measure import hardest
from popout.paper.claims.page import claims_page, main

# -- one check --------------------------------------------------------------------------------

numbers = st.floats(-1e3, 1e3)
errors = st.floats(0.0, 1e3)
relations = st.sampled_from(list(Relation))
kinds = st.sampled_from(list(ErrorKind))


def truths(check):
    """Return both ends of what the number may be: twice a standard error, or the bound once."""
    reach = check.error * (2.0 if check.error_kind is ErrorKind.STANDARD else 1.0)
    return check.value - reach, check.value + reach


def satisfied(check, value):
    if check.relation is Relation.BELOW:
        return value < check.bound
    if check.relation is Relation.ABOVE:
        return value > check.bound
    return abs(value - check.bound) <= check.tolerance


@given(numbers, relations, numbers, errors, kinds, st.floats(0.0, 10.0))
def test_a_check_passes_only_if_every_possible_truth_does(value, relation, bound, error, kind, d):
    check = Check("x", value, relation, bound, error=error, error_kind=kind, tolerance=d)
    low, high = truths(check)
    inside = [low, value, high]
    if low <= bound <= high:
        inside.append(bound)
    possible = [satisfied(check, one) for one in inside]
    # Rounding of sums may go either way where the interval touches the bound.
    edge = relation is Relation.NEAR or min(abs(low - bound), abs(high - bound)) < 1e-9
    if check.outcome is Outcome.PASSES:
        assert all(possible) or edge
    elif check.outcome is Outcome.FAILS:
        assert not any(possible) or edge
    else:
        assert error > 0 or edge


@given(numbers, relations, numbers, errors, kinds)
def test_more_error_never_decides(value, relation, bound, error, kind):
    sure, unsure = (
        Check("x", value, relation, bound, error=e, error_kind=kind, tolerance=1.0)
        for e in (error, 2 * error + 1e-9)
    )
    if sure.outcome is Outcome.UNDECIDED:
        assert unsure.outcome is Outcome.UNDECIDED
    assert {sure.outcome, unsure.outcome} != {Outcome.PASSES, Outcome.FAILS}


@pytest.mark.parametrize("field", ["value", "error", "bound"])
@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_no_number_no_decision_and_no_nan_in_json(field, wrong):
    fields = {"what": "x", "value": 1.0, "relation": Relation.BELOW, "bound": 2.0, field: wrong}
    check = Check(**fields)
    assert check.outcome is Outcome.UNDECIDED
    assert check.as_dict()[field] is None
    json.dumps(check.as_dict(), allow_nan=False)


# -- the verdict ------------------------------------------------------------------------------

outcomes = st.lists(st.sampled_from(list(Outcome)), max_size=8)


@given(outcomes)
def test_the_verdict_follows_the_stated_rule(found):
    passes, fails = found.count(Outcome.PASSES), found.count(Outcome.FAILS)
    expected = Verdict.UNDECIDED
    if passes and passes == len(found):
        expected = Verdict.HOLDS
    elif passes:
        expected = Verdict.IN_PART
    elif fails:
        expected = Verdict.FAILS
    assert verdict_of(found) is expected
    assert verdict_of(reversed(found)) is expected


RANK = {Verdict.FAILS: 0, Verdict.UNDECIDED: 1, Verdict.IN_PART: 2, Verdict.HOLDS: 3}


@given(outcomes.filter(len), st.data())
def test_a_check_that_comes_to_pass_never_worsens_the_verdict(found, data):
    at = data.draw(st.integers(0, len(found) - 1))
    better = [*found[:at], Outcome.PASSES, *found[at + 1 :]]
    assert RANK[verdict_of(better)] >= RANK[verdict_of(found)]


@given(st.lists(st.tuples(numbers, errors), min_size=1, max_size=6), numbers)
def test_the_hardest_point_decides_for_all(points, bound):
    values = xr.DataArray([v for v, _ in points], dims="set_size")
    spread = xr.DataArray([e for _, e in points], dims="set_size")
    for relation in (Relation.BELOW, Relation.ABOVE):
        one = hardest("x", values, relation, bound, spread)
        every = [Check("x", v, relation, bound, error=e).outcome for v, e in points]
        if one.outcome is Outcome.PASSES:
            assert set(every) == {Outcome.PASSES}
        else:
            assert set(every) != {Outcome.PASSES}


# -- every claim ------------------------------------------------------------------------------

SIDES = ["absent", "present"]
COSTS, SIZES = [0.2, 1.0], [2, 3, 8]
EQUAL = ["a-SPRT", "SPRT-opt", "SPRT", "Hardmax"]
MEASURES = ("excess", *(f"{w}_{k}" for w in ("mean_rt", "error_rate") for k in SIDES))


def dataset(variables, coords, **attrs):
    """Return data that are zero, with named dims and coordinates."""
    sizes = {dim: len(values) for dim, values in coords.items()}
    data = {name: (dims, np.zeros([sizes[d] for d in dims])) for name, dims in variables.items()}
    return xr.Dataset(data, coords={d: (d, list(v)) for d, v in coords.items()}, attrs=attrs)


def blank():
    """Return one small dataset for every figure and table that a claim needs, all zero."""
    cell = ("time_cost", "set_size", "strategy")
    pair = ("drifts", "time_cost", "strategy")
    boundary = ("case", "remaining", "side", "difference")
    grown = ("drift", "set_size")
    return {
        "lossless": dataset({"largest_difference": ("case",)}, {"case": ["tied", "free"]}),
        "scene-bias": dataset(
            {
                name: ("visibility",)
                for name in (
                    *("rms", "towards_zero", "towards_zero_se", "information_lost"),
                    *("information_lost_se", "error_rate", "more_errors", "more_errors_se"),
                )
            },
            {"visibility": [0.0, 16.0]},
            trials=1000,
            seconds=0.5,
        ),
        "printed-equations": dataset(
            {
                name: ()
                for name in (
                    *("log_likelihood_difference", "variance", "variance_stated"),
                    *("risk_as_printed", "risk_optimal"),
                )
            },
            {},
        ),
        "horizon": dataset(
            {
                "risk": boundary[:2],
                "boundary_sum": boundary,
                "stationary_boundary_sum": ("case", "side", "difference"),
                "drift": ("case",),
                "time_cost": ("case",),
            },
            {"case": [0], "remaining": [5.0, 15.0, 30.0], "side": SIDES, "difference": [0.0, 2.0]},
        ),
        "paper-grid": dataset(
            {
                "risk": ("case", "bins"),
                "distance": ("case", "bins", "side"),
                "risk_range": ("case", "end"),
                **{n: ("case",) for n in ("risk_exact", "risk_error_exact", "drift", "time_cost")},
            },
            {"case": [0], "bins": [1000, 2000], "end": [5.0, 10.0, 20.0], "side": SIDES},
        ),
        "biased-prior": dataset(
            {
                "shift_less_log_m": ("case", "set_size", "side"),
                "shift_change": ("case", "set_size", "side"),
                "drift": ("case",),
                "time_cost": ("case",),
            },
            {"case": [0], "set_size": [1, 2], "side": SIDES},
        ),
        "scales": dataset(
            {
                "scale": ("case", "pair", "side"),
                "scale_change": ("case", "side"),
                "excess": ("case", "pair"),
                "excess_se": ("case", "pair"),
                "drift": ("case",),
                "time_cost": ("case",),
                "scale_times_tau": ("order", "side"),
            },
            {
                "case": [0, 1],
                "pair": ["fitted", "one for all costs", "printed"],
                "side": SIDES,
                "order": ["as printed", "locations exchanged"],
            },
        ),
        "larger-sets": dataset(
            {
                **{n: grown for n in ("risk", "excess", "excess_se", "excess_change", "nodes")},
                **{
                    n: (*grown, "side")
                    for n in ("scale", "scale_change", "largest", "asymptote", "asymptote_change")
                },
            },
            {"drift": [4.0], "set_size": [2, 3], "side": SIDES},
        ),
        "decisions": dataset(
            {
                "mean_rt": ("strategy", "class"),
                "rt_error": ("strategy",),
                "both_positive": ("drift",),
                "both_positive_se": ("drift",),
                "single_risk": ("single",),
                "single_risk_error": ("single",),
            },
            {
                "strategy": ["optimal", "SPRT", "Hardmax"],
                "class": SIDES,
                "drift": [2.0, 12.0],
                "single": ["optimal", "SPRT"],
            },
        ),
        "time-varying": dataset(
            {
                "optimal_risk": (),
                **{n: ("knots",) for n in ("regret", "regret_se", "gain", "gain_se")},
            },
            {"knots": [1, 7]},
        ),
        "optimal-thresholds": dataset(
            {
                **{f"risk_{n}": ("case",) for n in ("fitted", "exact")},
                **{f"risk_error_{n}": ("case",) for n in ("fitted", "exact")},
                "misfit_largest": ("case", "side"),
                "drift": ("case", "location"),
                "time_cost": ("case",),
            },
            {"case": [0, 1], "side": SIDES, "location": [1, 2]},
        ),
        "strategies-2d": dataset(
            {
                "boundary": ("strategy", "side", "difference", "location"),
                "risk": ("strategy",),
                "risk_error": ("strategy",),
                "count": ("side", "statistic", "bin"),
                "mean": ("side", "statistic"),
                "standard_deviation": ("side", "statistic"),
                "step_sd": (),
            },
            {
                "strategy": ["optimal", "a-SPRT", "SPRT", "Hardmax"],
                "side": SIDES,
                "difference": [0.0, 5.0],
                "location": [1, 2],
                "statistic": ["S", "scaled S"],
                "bin": [-1.0, 1.0],
            },
            drift=4.0,
            time_cost=0.2,
        ),
        "homogeneous-risk": dataset(
            {
                "risk": cell,
                **{n: cell for n in MEASURES},
                **{f"{n}_se": cell for n in MEASURES},
                "optimal_risk": cell[:2],
                **{f"optimal_{n}{end}": cell[:2] for n in MEASURES[1:] for end in ("", "_se")},
            },
            {"time_cost": COSTS, "set_size": SIZES, "strategy": EQUAL},
            largest_exact=3,
        ),
        "unequal-drift-risk": dataset(
            {
                "risk": pair,
                "risk_error": pair,
                "error_rate": (*pair, "condition"),
                "mean_rt": (*pair, "condition"),
                "drift": ("drifts", "location"),
            },
            {
                "drifts": [0, 1],
                "time_cost": COSTS,
                "strategy": ["optimal", "a-SPRT", "SPRT-opt", "Hardmax"],
                "condition": ["absent", "easy", "hard"],
                "location": [1, 2],
            },
        ),
    }


def base():
    """Return data on which nothing is divided by zero; what a claim asks is set on top."""
    data = blank()
    for table, name in (
        *(("scene-bias", "error_rate"), ("printed-equations", "variance_stated")),
        *(("printed-equations", "risk_optimal"), ("horizon", "risk"), ("paper-grid", "risk")),
        *(("paper-grid", "risk_range"), ("paper-grid", "risk_exact"), ("scales", "scale")),
        *(("scales", "scale_times_tau"), ("larger-sets", "risk"), ("larger-sets", "scale")),
        *(("decisions", "mean_rt"), ("decisions", "single_risk"), ("larger-sets", "nodes")),
        *(("time-varying", "optimal_risk"), ("optimal-thresholds", "risk_exact")),
        *(("optimal-thresholds", "risk_fitted"), ("strategies-2d", "risk")),
        *(("strategies-2d", "count"), ("strategies-2d", "standard_deviation")),
        *(("strategies-2d", "step_sd"), ("homogeneous-risk", "risk")),
        *(("homogeneous-risk", "optimal_risk"), ("unequal-drift-risk", "risk")),
        *(("unequal-drift-risk", "mean_rt"),),
    ):
        data[table][name][...] = 1.0
    for kind in SIDES:
        data["homogeneous-risk"][f"mean_rt_{kind}"][...] = 1.0
        data["homogeneous-risk"][f"optimal_mean_rt_{kind}"][...] = 1.0
    data["scales"]["drift"][...] = 2.0
    data["optimal-thresholds"]["drift"][...] = [[2.0, 2.0], [8.0, 3.0]]
    data["unequal-drift-risk"]["drift"][...] = [[5.0, 1.0], [20.0, 1.0]]
    return data


def put(table, name, value, **where):
    """Return a change: these values of a variable, at these coordinates."""
    return table, name, value, where


def risk(strategy, value, **where):
    return put("homogeneous-risk", "excess", value / 100, strategy=strategy, **where)


def unequal(strategy, value, **where):
    return put("unequal-drift-risk", "risk", 1 + value / 100, strategy=strategy, **where)


def outwards(strategy, side, value):
    """Move a boundary outwards by so many nats."""
    sign = 1.0 if side == "present" else -1.0
    return put(
        "strategies-2d", "boundary", sign * value / math.sqrt(2), strategy=strategy, side=side
    )


def rt(strategy, kind, value):
    return put("decisions", "mean_rt", value, strategy=strategy, **{"class": kind})


SCALED = [
    put("strategies-2d", "standard_deviation", 0.1, statistic="scaled S"),
    put("strategies-2d", "step_sd", 0.5),
    put("strategies-2d", "count", 1e6),
]
# For each claim: changes on which it holds, and changes on which it does not hold.
CASES = {
    "evidence-lossless": ([], [put("lossless", "largest_difference", 1.0)]),
    "scene-bias-conservative": (
        [put("scene-bias", "towards_zero", 1.0)],
        [put("scene-bias", "towards_zero", -1.0)],
    ),
    "scene-bias-negligible": (
        [],
        [put("scene-bias", name, 1.0) for name in ("rms", "information_lost", "more_errors")],
    ),
    "equations-as-printed": (
        [
            put("printed-equations", "variance", 1.0),
            put("printed-equations", "risk_as_printed", 1.0),
        ],
        [
            put("printed-equations", "log_likelihood_difference", 3.0),
            put("printed-equations", "risk_as_printed", 2.0),
        ],
    ),
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
        [
            put("paper-grid", "risk", 1.1, bins=2000),
            put("paper-grid", "distance", 0.5, bins=2000),
        ],
    ),
    "grid-most-economic": (
        [
            put("paper-grid", "risk", 1.1, bins=1000),
            put("paper-grid", "risk_range", 1.1, end=5.0),
        ],
        [],
    ),
    "dynamic-programming-scaling": (
        [put("larger-sets", "nodes", 50.0, set_size=3)],
        None,  # a run always solves some size: what is not solved cannot fail
    ),
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
    "reference-location-arbitrary": (
        [],
        [put("scales", "scale_times_tau", 1.1, order="locations exchanged")],
    ),
    "printed-scales": ([], [put("scales", "scale", 4.61, pair="printed")]),
    "printed-scales-suffice": ([], [put("scales", "excess", 0.01, pair="printed")]),
    "one-pair-for-all-costs": ([], [put("scales", "excess", 0.01, pair="one for all costs")]),
    "conjecture-larger-sets": (
        [put("larger-sets", "largest", 1.0, set_size=2)],
        [put("larger-sets", "largest", 1.0), put("larger-sets", "excess", 0.01)],
    ),
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
    "extension-elsewhere": ([], [unequal("a-SPRT", 1.0)]),
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
        [*SCALED, put("strategies-2d", "standard_deviation", 0.05, statistic="S")],
    ),
    "no-time-varying-threshold": (
        [put("time-varying", "regret", 0.01)],
        [put("time-varying", "regret", -0.01)],
    ),
    "time-varying-still-loses": (
        [put("time-varying", "regret", 0.01)],
        [put("time-varying", "gain", 0.01)],
    ),
    "easy-tasks-rarely-ambiguous": (
        [put("decisions", "both_positive", 0.2, drift=2.0)],
        [put("decisions", "both_positive", 0.2, drift=12.0)],
    ),
    "existing-models-suboptimal": (
        [risk(s, 1.0) for s in EQUAL[1:]] + [unequal(s, 1.0) for s in ("SPRT-opt", "Hardmax")],
        [],
    ),
    "risk-order-equal-drifts": (
        [risk("SPRT-opt", 1.0), risk("SPRT", 2.0), risk("Hardmax", 3.0)],
        [risk("a-SPRT", 3.0), risk("SPRT-opt", 2.0), risk("SPRT", 1.0), risk("Hardmax", 0.0)],
    ),
    "hardmax-and-sprt-highly-suboptimal": (
        [risk("SPRT", 2.0, set_size=8), risk("Hardmax", 2.0, set_size=8)],
        [risk("SPRT", 0.5), risk("Hardmax", 0.5)],
    ),
    "hardmax-suboptimal-in-all-cases": (
        [risk("Hardmax", 0.5)],
        [risk("Hardmax", 0.5), risk("Hardmax", 0.0, set_size=2)],
    ),
    "sprt-suboptimal-at-high-cost": (
        [risk("SPRT", 0.5, time_cost=1.0)],
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
    "unequal-drifts-suboptimal": (
        [unequal("SPRT-opt", 1.0), unequal("Hardmax", 1.0)],
        [unequal(s, 1.0, time_cost=1.0) for s in ("SPRT-opt", "Hardmax")],
    ),
    "worse-with-heterogeneity": (
        [unequal(s, 1.0, drifts=1) for s in ("SPRT-opt", "Hardmax")],
        [unequal(s, 1.0, drifts=0) for s in ("SPRT-opt", "Hardmax")],
    ),
    "hardmax-equal-tradeoff": (
        [put("unequal-drift-risk", "error_rate", 0.5, strategy="SPRT-opt", condition="hard")],
        [
            put("unequal-drift-risk", "error_rate", 0.5, strategy="Hardmax", condition="hard"),
            put("unequal-drift-risk", "mean_rt", 2.0, strategy="Hardmax", condition="hard"),
        ],
    ),
    "others-sacrifice-hard-location": (
        [
            put("unequal-drift-risk", "error_rate", 0.5, condition="hard"),
            put("unequal-drift-risk", "mean_rt", 2.0, strategy="Hardmax"),
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
        [risk("Hardmax", 1.0), unequal("Hardmax", 1.0)],
        [risk("Hardmax", 1.0, set_size=2), unequal("Hardmax", 1.0, drifts=0)],
    ),
}


def changed(changes):
    data = base()
    for table, name, value, where in changes:
        data[table][name].loc[where] = value
    return data


def named(claims):
    return {claim.name: claim for claim in claims}


def test_every_claim_has_its_cases():
    assert [one.name for one in EXAMINATIONS] == list({one.name: None for one in EXAMINATIONS})
    assert set(CASES) == {one.name for one in EXAMINATIONS}


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    holding, failing = CASES[name]
    (examination,) = [one for one in EXAMINATIONS if one.name == name]
    claim = examination.examine(changed(holding))
    assert claim.verdict is Verdict.HOLDS, [c for c in claim.checks if c.outcome != "passes"]
    if failing is not None:
        claim = examination.examine(changed(failing))
        assert claim.verdict is Verdict.FAILS, [c for c in claim.checks if c.outcome != "fails"]


def test_solving_four_locations_speaks_against_the_limit_of_three():
    (examination,) = [one for one in EXAMINATIONS if one.name == "dynamic-programming-scaling"]
    data = changed([put("larger-sets", "nodes", 50.0, set_size=3)])
    more = {"larger-sets": data["larger-sets"].assign_coords(set_size=[3, 4])}
    assert examination.examine(more).verdict is Verdict.IN_PART


@pytest.mark.parametrize("name", CASES)
def test_without_numbers_nothing_is_decided(name):
    (examination,) = [one for one in EXAMINATIONS if one.name == name]
    data = base()
    labels = {"drift", "time_cost"}
    for one in data.values():
        for key in set(one.data_vars) - labels:
            one[key][...] = math.nan
    claim = examination.examine(data)
    assert claim.verdict is Verdict.UNDECIDED
    json.dumps(claim.as_dict(), allow_nan=False)


def test_claims_without_their_data_are_named():
    data = {"lossless": base()["lossless"]}
    claims, missing = examine(data)
    assert [claim.name for claim in claims] == ["evidence-lossless"]
    assert set(missing) == set(CASES) - {"evidence-lossless"}


def test_claims_need_only_what_a_run_makes():
    assert {name for one in EXAMINATIONS for name in one.needs} <= {*FIGURES, *TABLES}
    assert {name for one in EXAMINATIONS for name in one.needs} >= set(TABLES)


def test_examining_changes_no_data():
    data = base()
    before = copy.deepcopy(data)
    examine(data)
    for name, one in data.items():
        xr.testing.assert_identical(one, before[name])


# -- the page ---------------------------------------------------------------------------------


def test_the_page_holds_every_claim_and_every_check(tmp_path):
    claims, missing = examine({"lossless": base()["lossless"], "horizon": base()["horizon"]})
    content = {
        "preset": {"name": "tiny"},
        "seed": 5,
        "claims": [claim.as_dict() for claim in claims],
        "not_examined": list(missing),
    }
    (tmp_path / "claims.json").write_text(json.dumps(content), encoding="utf-8")
    main([str(tmp_path / "claims.json"), str(tmp_path / "claims.md")])
    page = (tmp_path / "claims.md").read_text(encoding="utf-8")
    assert page == claims_page(content)
    assert "--preset tiny --seed 5" in page
    for claim in claims:
        assert claim.statement in page
        assert page.count(f"### {claim.name}\n") == 1
        assert all(f"| {check.what} |" in page for check in claim.checks)
    assert all(name in page for name in missing)


def test_the_page_shows_what_a_bound_on_the_error_is():
    check = Check("x", 1.0, Relation.BELOW, 2.0, error=0.25, error_kind=ErrorKind.BOUND)
    claim = Claim("c", "A claim.", "there", "", "rule", (check,), ("lossless",))
    content = {"preset": {"name": "p"}, "seed": 1, "claims": [claim.as_dict()], "not_examined": []}
    assert "1 ± at most 0.25" in claims_page(content)
