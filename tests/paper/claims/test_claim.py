"""The rule of the verdict, and how a claim is written."""

import math

import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from popout.paper.claims import Check, Outcome, Relation, Verdict, verdict_of
from popout.paper.claims.claim import claim
from popout.paper.claims.page import claims_page

outcomes = st.lists(st.sampled_from(list(Outcome)), max_size=8)
RANK = {Verdict.FAILS: 0, Verdict.UNDECIDED: 1, Verdict.IN_PART: 2, Verdict.HOLDS: 3}


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


@given(outcomes.filter(len), st.data())
def test_a_check_that_comes_to_pass_never_worsens_the_verdict(found, data):
    at = data.draw(st.integers(0, len(found) - 1))
    better = [*found[:at], Outcome.PASSES, *found[at + 1 :]]
    assert RANK[verdict_of(better)] >= RANK[verdict_of(found)]


def test_a_claim_is_named_after_its_function_and_needs_what_that_takes():
    @claim("It is small.", where="Results", rule="Below one.", quote="small", new=True)
    def one_is_small(some_table, figure_2d):
        yield Check("size", float(some_table["x"] + figure_2d["x"]), Relation.BELOW, 1.0)

    assert one_is_small.name == "one-is-small"
    assert one_is_small.needs == ("some-table", "figure-2d")
    data = {name: xr.Dataset({"x": 0.25}) for name in one_is_small.needs}
    assert one_is_small.possible(data)
    assert not one_is_small.possible({"some-table": data["some-table"]})
    found = one_is_small.examine(data)
    assert (found.verdict, found.passed, found.new) == (Verdict.HOLDS, 1, True)
    assert found.as_dict()["checks"][0]["value"] == 0.5


def test_a_claim_is_examined_at_every_step_and_says_so():
    @claim("It is small.", where="Results", rule="Below one.", short_steps=True)
    def small(homogeneous_risk):
        yield Check("size", float(homogeneous_risk["risk"].max()), Relation.BELOW, 1.0)

    assert small.sources == ("homogeneous-risk", "short-steps-equal")
    paper = xr.Dataset({"risk": ("time_cost", [2.0, 2.0])}, {"time_cost": [0.2, 1.0]})
    # Nothing was computed at the lower cost with the shorter step: left out, not undecided.
    steps = xr.DataArray([0.001, 0.0005], dims="dt", name="dt")
    shorter = xr.Dataset(
        {"risk": (("dt", "time_cost"), [[0.5, 0.5], [math.nan, 0.5]])},
        {"time_cost": [0.2, 1.0], "dt": steps},
    )
    data = {"homogeneous-risk": paper, "short-steps-equal": shorter}
    assert not small.possible({"homogeneous-risk": paper})
    found = small.examine(data)
    assert [check.step for check in found.checks] == ["10 ms", "1 ms", "0.5 ms"]
    assert found.by_step == {
        "10 ms": Verdict.FAILS,
        "1 ms": Verdict.HOLDS,
        "0.5 ms": Verdict.HOLDS,
    }
    assert found.verdict is Verdict.IN_PART
    stored = found.as_dict()
    content = {"preset": {"name": "p"}, "seed": 1, "claims": [stored], "not_examined": []}
    words = "steps of 10 ms: does not hold; steps of 1 ms: holds; steps of 0.5 ms: holds"
    assert claims_page(content).count(words) == 2
