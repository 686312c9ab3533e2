"""One check: it decides only if every possible truth would."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from popout.paper.claims import Check, ErrorKind, Outcome, Relation

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
