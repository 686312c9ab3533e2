"""What fields take: stored forms, refusals, and schemas of one mind with both."""

import math

import jsonschema
import numpy as np
import pytest

from popout.task import Faults, GaussianWalk, InputError, PoissonSpikes, SearchTask
from popout.task.kinds import (
    PROBABILITY,
    Distribution,
    Integer,
    Labels,
    Number,
    OneOrEach,
    Rows,
    Spot,
)


def check(kind, value, **known):
    """Return what is stored of a value, and the faults."""
    faults = Faults("")
    return kind.check(value, Spot(faults, ("x",), "mend it", known)), faults.faults


@pytest.mark.parametrize("value", [0, 1, 1.5, -0.1, math.nan, "0.5", None])
def test_probability_is_strictly_inside(value):
    assert len(check(PROBABILITY, value)[1]) == 1


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
def test_of_bounds_only_those_hear_who_go_there(number, value, expected):
    _, (fault,) = check(number, value)
    assert fault.expected == expected


@pytest.mark.parametrize(
    "value",
    [
        [0.5, 0.6],
        [0.5, -0.5, 1.0],
        [0.5, math.nan],
        ["a", "b"],
        [],
        None,
        0.5,
        "01",
        [[0.5], [0.5]],
    ],
)
def test_distribution_refuses(value):
    assert len(check(Distribution("n"), value)[1]) == 1


def test_distribution_says_what_the_sum_is():
    _, (fault,) = check(Distribution("n"), [0.5, 0.6], n=2)
    assert "(these sum to 1.1)" in fault.expected


def test_distribution_of_six_digits_is_normalised_once_and_for_all():
    once, _ = check(Distribution("n"), [0.333333] * 3, n=3)
    assert math.fsum(once) == pytest.approx(1.0, abs=1e-15)
    assert check(Distribution("n"), once, n=(1, 2, 3))[0] == once
    assert check(Distribution("n"), np.array([0.25, 0.75]))[0] == (0.25, 0.75)


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


def test_sizes_at_the_bounds_are_taken():
    assert SearchTask(10_000, 1e-9, dt=1e9).n_locations == 10_000


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
def test_the_schema_takes_what_the_check_does(kind):
    schema = jsonschema.Draft202012Validator(kind.schema())
    ragged = [[1, 2], [3]]  # rows of one length are beyond a schema
    for value in VALUES:
        refused = bool(check(kind, value)[1])
        assert schema.is_valid(value) is not refused or value == ragged, value
