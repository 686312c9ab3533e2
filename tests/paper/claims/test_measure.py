"""From arrays to checks: the hardest point decides, and errors are carried along."""

import math

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from popout.paper.claims import bounds
from popout.paper.claims.bounds import Bound
from popout.paper.claims.claim import Check, ErrorKind, Outcome, Relation
from popout.paper.claims.measure import (
    above,
    below,
    cases,
    computed_excess,
    excess_of,
    pairs,
    with_se,
    within,
)

numbers = st.floats(-1e3, 1e3)
errors = st.floats(0.0, 1e3)


@given(st.lists(st.tuples(numbers, errors), min_size=1, max_size=6), numbers)
def test_the_hardest_point_decides_for_all(points, bound):
    value, error = (xr.DataArray(list(each), dims="set_size") for each in zip(*points, strict=True))
    for check, relation in ((below, Relation.BELOW), (above, Relation.ABOVE)):
        hardest = check("x", with_se(value, error), Bound(bound))
        every = [Check("x", v, relation, bound, error=e).outcome for v, e in points]
        if hardest.outcome is Outcome.PASSES:
            assert set(every) == {Outcome.PASSES}
        else:
            assert set(every) != {Outcome.PASSES}


def test_a_check_takes_unit_and_reason_of_its_bound_and_the_kind_of_error():
    check = below("x", within(1.0, 0.25), Bound(2.0, "nats", "a reason"))
    assert (check.unit, check.reason, check.error_kind) == ("nats", "a reason", ErrorKind.BOUND)
    assert check.error == 0.25
    nothing = above(
        "x", xr.DataArray([math.nan, math.nan], dims="set_size"), -Bound(1.0).because("y")
    )
    assert (nothing.outcome, nothing.bound, nothing.reason) == (Outcome.UNDECIDED, -1.0, "y")


@pytest.mark.parametrize(("make", "error"), [(with_se, 5.0), (within, 7.0)])
def test_errors_of_a_difference(make, error):
    difference = make(xr.DataArray(3.0), xr.DataArray(3.0)) - make(
        xr.DataArray(1.0), xr.DataArray(4.0)
    )
    assert float(difference.value) == 2.0
    assert float(difference.error) == error
    assert float((100 * difference).error) == 100 * error


def test_the_largest_point_takes_its_error_along():
    value = xr.DataArray([[1.0, math.nan], [5.0, 2.0]], dims=("a", "b"))
    most = with_se(value, xr.DataArray([0.1, 0.2], dims="a")).largest
    assert (float(most.value), float(most.error)) == (5.0, 0.2)


def test_cases_and_pairs_are_named():
    data = xr.Dataset(
        {
            "drift": (("case", "location"), [[2.0, 2.0], [8.0, 3.0]]),
            "time_cost": ("case", [0.5, 0.2]),
        }
    )
    assert [name for name, _ in cases(data)] == [
        "drift 2/s, cost 0.5/s",
        "drifts 8 and 3/s, cost 0.2/s",
    ]
    renamed = data.rename(case="drifts")
    assert [name for name, _ in pairs(renamed)] == ["drift 2/s", "drifts 8 and 3/s"]
    single = xr.Dataset({"drift": ("case", [4.0]), "time_cost": ("case", [0.2])})
    assert [name for name, _ in cases(single)] == ["drift 4/s, cost 0.2/s"]


def test_excess_is_over_the_optimum_where_solved_and_over_a_sprt_elsewhere():
    sizes = {"set_size": [2, 8], "strategy": ["a-SPRT", "SPRT"]}
    data = xr.Dataset(
        {
            "risk": (("set_size", "strategy"), [[0.5, 0.6], [2.0, 2.2]]),
            "excess": (("set_size", "strategy"), [[0.1, 0.2], [0.0, 0.2]]),
            "excess_se": (("set_size", "strategy"), np.full((2, 2), 0.01)),
            "optimal_risk": (("set_size",), [0.4, math.nan]),
        },
        sizes,
        {"largest_exact": 2},
    )
    over = excess_of(data, "SPRT", "a-SPRT")
    np.testing.assert_allclose(over.value, [25.0, 10.0])
    np.testing.assert_allclose(over.error, [2.5 * math.sqrt(2), 0.5 * math.sqrt(2)])
    np.testing.assert_allclose(excess_of(data, "SPRT", "optimal").value, [50.0, math.nan])


def test_computed_excess_adds_both_errors():
    data = xr.Dataset(
        {"risk": ("strategy", [0.5, 0.6]), "risk_error": ("strategy", [0.01, 0.02])},
        {"strategy": ["optimal", "Hardmax"]},
    )
    excess = computed_excess(data, "Hardmax")
    assert float(excess.value) == pytest.approx(20.0)
    assert float(excess.error) == pytest.approx(6.0)
    assert excess.kind is ErrorKind.BOUND


def test_every_bound_in_words_is_positive_and_has_a_reason():
    named = [value for value in vars(bounds).values() if isinstance(value, Bound)]
    assert named
    for bound in named:
        assert bound.reason
        assert bound is bounds.NOTHING or bound.value > 0
