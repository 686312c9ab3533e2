"""What fields take: numbers, distributions, labels, lists and parts, checked and as schemas."""

import math

import jsonschema
import numpy as np
import pytest

from popout.task import (
    Costs,
    Faults,
    GaussianWalk,
    InputError,
    Observation,
    PoissonSpikes,
    SearchTask,
)
from popout.task.kinds import (
    PROBABILITY,
    Choice,
    Distribution,
    Each,
    Flag,
    Integer,
    Labels,
    Number,
    OneOrEach,
    Optional,
    Part,
    Rows,
    Spot,
    Text,
    Uniform,
    as_label,
    uniform,
)


@pytest.fixture(scope="session")
def check():
    """Return a function that returns what is stored of a value, and the faults."""

    def checked(kind, value, **known):
        faults = Faults("")
        return kind.check(value, Spot(faults, ("x",), "mend it", known)), faults.faults

    return checked


VALUES = [None, "a", True, 0, 1, 2, -1, 0.5, 1e12, [], [1], [1, 2], [0.5, 0.5], [[1, 2], [3, 4]],
          [[1, 2], [3]], ["blank", 20], [20, 20]]  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    [
        Number(above=0.0, below=1e10),
        Number(above=0.0, low=1e-9, high=1e9),
        PROBABILITY,
        Integer(1, 10),
        OneOrEach(Number(above=0.0), "a pair", length=2),
        Rows(Number(), flat=True),
        Rows(Number(above=0.0)),
        Labels(),
    ],
    ids=lambda kind: type(kind).__name__,
)
def test_the_schema_takes_what_the_check_does(check, kind):
    schema = jsonschema.Draft202012Validator(kind.schema())
    ragged = [[1, 2], [3]]  # rows of one length are beyond a schema
    for value in VALUES:
        refused = bool(check(kind, value)[1])
        assert schema.is_valid(value) is not refused or value == ragged, value


NO_DISTRIBUTIONS = [[0.5, 0.6], [0.5, -0.5, 1.0], [0.5, math.nan], ["a", "b"], [], None, 0.5, "01",
                    [[0.5], [0.5]]]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (PROBABILITY, [0, 1, 1.5, -0.1, math.nan, "0.5", None]),
        (Distribution("n"), NO_DISTRIBUTIONS),
        (Labels(), [[20, 20.0], [], "blank", ["empty"], [math.nan], None]),
    ],
    ids=lambda kind: type(kind).__name__,
)
def test_what_is_refused_is_one_fault(check, kind, values):
    assert [len(check(kind, value)[1]) for value in values] == [1] * len(values)


@pytest.mark.parametrize(
    ("number", "value", "expected"),
    [
        (Number(), "4", "a finite number"),
        (Number(above=0.0), -1, "a positive number"),
        (Number(above=0.0, below=1e3), 1e6, "a positive number below 1000"),
        (Number(above=-1e3), -1e6, "a finite number above -1000"),
        (Number(above=0.0, low=1e-9, high=1e9), 1e300, "a number from 1e-09 to 1e+09"),
        (Integer(1, 10), 11, "an integer from 1 to 10"),
        (Integer(1, 10), 0, "an integer of at least 1"),
    ],
)
def test_of_bounds_only_those_hear_who_go_there(check, number, value, expected):
    _, (fault,) = check(number, value)
    assert fault.expected == expected


def test_texts_flags_and_choices(check):
    assert check(Text(5, least=1), " ")[1]
    assert check(Text(5, pattern="[a-z]+"), "abc") == ("abc", [])
    assert check(Text(5, pattern="[a-z]+"), "abc1")[1]
    assert check(Flag(), True) == (True, [])
    assert check(Flag(), 1)[1][0].expected == "true or false"
    assert check(Choice(("exact", "tuned")), "exact") == ("exact", [])
    assert check(Optional(Flag()), None) == (None, [])
    assert check(Optional(Flag()), "no")[1]


def test_another_field_says_how_large_an_integer_may_be(check):
    assert check(Integer(up_to="n"), 3, n=3) == (3, [])
    assert check(Integer(up_to="n"), 4, n=3)[1][0].expected == "an integer from 0 to 3"


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: SearchTask(2, 1e300), "SearchTask.drift"),
        (lambda: SearchTask(drift=(4.0, 1e-300)), "SearchTask.drift[1]"),
        (lambda: SearchTask(2, 4.0, dt=1e-300), "SearchTask.dt"),
        (lambda: SearchTask(10**9, 4.0), "SearchTask.n_locations"),
        (lambda: SearchTask(10**400, 4.0), "SearchTask.n_locations"),
        (lambda: GaussianWalk([1.0, -1e300]), "GaussianWalk.drift[1]"),
        (lambda: PoissonSpikes([[1.0, 1e300]]), "PoissonSpikes.rate[0][1]"),
    ],
)
def test_sizes_without_meaning_are_refused(make, field):
    with pytest.raises(InputError) as caught:
        make()
    assert [line.split(": ")[0] for line in caught.value.lines] == [field]


def test_distribution_says_what_the_sum_is(check):
    _, (fault,) = check(Distribution("n"), [0.5, 0.6], n=2)
    assert "(these sum to 1.1)" in fault.expected


def test_distribution_of_six_digits_is_normalised_once_and_for_all(check):
    once, _ = check(Distribution("n"), [0.333333] * 3, n=3)
    assert math.fsum(once) == pytest.approx(1.0, abs=1e-15)
    assert check(Distribution("n"), once, n=(1, 2, 3))[0] == once
    assert check(Distribution("n"), np.array([0.25, 0.75]))[0] == (0.25, 0.75)


def test_only_a_uniform_one_that_nobody_typed_stretches(check):
    kind = Distribution("n", uniform=True)
    assert check(kind, None, n=4) == (uniform(4), [])
    assert check(kind, uniform(2), n=4) == (uniform(4), [])
    assert isinstance(check(kind, uniform(2), n=4)[0], Uniform)
    assert check(kind, [0.5, 0.5], n=4)[1]


def test_what_is_no_orientation():
    assert [as_label(item) for item in ("tilted", float("inf"), None, 30)] == [None] * 3 + [30.0]


def test_faults_name_the_member(check):
    _, faults = check(Each(Integer(1), "some"), [1, 0, -1])
    assert [fault.path for fault in faults] == [("x", 1), ("x", 2)]
    _, (fault,) = check(Rows(Number(above=0.0)), [[1.0, 2.0], [3.0, -4.0]])
    assert fault.path == ("x", 1, 1)


def test_how_many_and_whether_all_differ(check):
    kind = Each(Integer(0), "two or three different ones", distinct=True, least=2, most=3)
    assert check(kind, [1, 2]) == ((1, 2), [])
    for wrong in ([1], [1, 1], [1, 2, 3, 4], None):
        assert [fault.expected for fault in check(kind, wrong)[1]] == [kind.expected]


def test_equal_ones_are_stored_as_one(check):
    kind = OneOrEach(Number(), "one for each", over="n")
    assert check(kind, [2, 2, 2], n=3) == (2.0, [])
    assert check(kind, [2, 3], n=2) == ((2.0, 3.0), [])
    assert check(kind, [2, 3], n=3)[1][0].expected == "one for each"


def test_a_single_number_stands_for_a_row(check):
    assert check(Rows(Number(), flat=True), [1, 2]) == ((1.0, 2.0), [])
    assert check(Rows(Number()), [1, 2])[1]


COSTS, WALK = Costs(time=0.5), GaussianWalk([1.0, -1.0])


def test_parts_are_taken_as_they_are_and_others_refused_by_name(check):
    law, costs = Part(Observation), Part(Costs)
    assert check(law, WALK) == (WALK, [])
    assert check(costs, COSTS) == (COSTS, [])
    assert "a GaussianWalk or a PoissonSpikes" in check(law, COSTS)[1][0].expected
    assert check(costs, WALK)[1][0].expected == "a Costs"
    assert law.schema() == {"$ref": "#/$defs/observation"}
    assert costs.schema() == Costs.schema()
