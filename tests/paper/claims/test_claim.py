"""The rule of the verdict, and how a claim is written."""

import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from popout.paper.claims import Check, Outcome, Relation, Verdict, verdict_of
from popout.paper.claims.claim import claim

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
