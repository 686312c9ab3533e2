"""The rule of the verdict, and how a claim is written."""

import json
import math

import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from popout.paper.claims.claim import (
    Check,
    Claims,
    ErrorKind,
    Outcome,
    Relation,
    Verdict,
    verdict_of,
)
from popout.paper.claims.page import claims_page
from popout.paper.preset import PaperPart

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
    possible = [satisfied(check, truth) for truth in inside]
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


outcomes = st.lists(st.sampled_from(list(Outcome)), max_size=8)
RANK = {Verdict.FAILS: 0, Verdict.UNDECIDED: 1, Verdict.IN_PART: 2, Verdict.HOLDS: 3}


@given(outcomes)
def test_the_verdict_follows_the_stated_rule(reached):
    passes, fails = reached.count(Outcome.PASSES), reached.count(Outcome.FAILS)
    expected = Verdict.UNDECIDED
    if passes and passes == len(reached):
        expected = Verdict.HOLDS
    elif passes:
        expected = Verdict.IN_PART
    elif fails:
        expected = Verdict.FAILS
    assert verdict_of(reached) is expected
    assert verdict_of(reversed(reached)) is expected


@given(outcomes.filter(len), st.data())
def test_a_check_that_comes_to_pass_never_worsens_the_verdict(reached, data):
    at = data.draw(st.integers(0, len(reached) - 1))
    better = [*reached[:at], Outcome.PASSES, *reached[at + 1 :]]
    assert RANK[verdict_of(better)] >= RANK[verdict_of(reached)]


def part(name):
    return PaperPart(name, "", lambda preset, seed, progress: xr.Dataset(), 1.0)


def test_a_claim_is_named_after_its_function():
    needs = (part("some-table"), part("figure-2d"))
    claims = Claims()

    @claims.add("It is small.", data=needs, where="Results", rule="Below one.", new=True)
    def one_is_small(some_table, figure_2d):
        yield Check("size", float(some_table["x"] + figure_2d["x"]), Relation.BELOW, 1.0)

    assert one_is_small.name == "one-is-small"
    assert one_is_small.claim.data == ("some-table", "figure-2d")
    assert claims.examinations == [one_is_small]
    data = {name: xr.Dataset({"x": 0.25}) for name in one_is_small.claim.data}
    assert one_is_small.possible(data)
    assert not one_is_small.possible({"some-table": data["some-table"]})
    claim = one_is_small.examine(data)
    assert (claim.verdict, claim.passed, claim.new) == (Verdict.HOLDS, 1, True)
    assert claim.as_dict()["checks"][0]["value"] == 0.5


def test_a_claim_is_examined_at_every_step_and_says_so():
    data, short = (part("homogeneous-risk"),), (part("short-steps-equal"),)

    @Claims().add("It is small.", data=data, where="Results", rule="Below one.", short=short)
    def small(homogeneous_risk):
        yield Check("size", float(homogeneous_risk["risk"].max()), Relation.BELOW, 1.0)

    assert small.claim.data == ("homogeneous-risk", "short-steps-equal")
    paper = xr.Dataset({"risk": ("time_cost", [2.0, 2.0])}, {"time_cost": [0.2, 1.0]})
    # Nothing was computed at the lower cost with the shorter step: left out, not undecided.
    steps = xr.DataArray([0.001, 0.0005], dims="dt", name="dt")
    shorter = xr.Dataset(
        {"risk": (("dt", "time_cost"), [[0.5, 0.5], [math.nan, 0.5]])},
        {"time_cost": [0.2, 1.0], "dt": steps},
    )
    data = {"homogeneous-risk": paper, "short-steps-equal": shorter}
    assert not small.possible({"homogeneous-risk": paper})
    claim = small.examine(data)
    assert [check.step for check in claim.checks] == ["10 ms", "1 ms", "0.5 ms"]
    assert claim.by_step == {"10 ms": Verdict.FAILS, "1 ms": Verdict.HOLDS, "0.5 ms": Verdict.HOLDS}
    assert claim.verdict is Verdict.IN_PART
    stored = claim.as_dict()
    content = {"preset": {"name": "p"}, "seed": 1, "claims": [stored], "not_examined": []}
    words = "steps of 10 ms: does not hold; steps of 1 ms: holds; steps of 0.5 ms: holds"
    assert claims_page(content).count(words) == 2
