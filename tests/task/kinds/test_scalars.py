"""Single values: what is refused, and what is said of bounds."""

import math

import pytest

from popout.task import GaussianWalk, InputError, PoissonSpikes, SearchTask
from popout.task.kinds import PROBABILITY, Choice, Flag, Integer, Number, Optional, Text


@pytest.mark.parametrize("value", [0, 1, 1.5, -0.1, math.nan, "0.5", None])
def test_probability_is_strictly_inside(check, value):
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


def test_sizes_at_the_bounds_are_taken():
    assert SearchTask(10_000, 1e-9, dt=1e9).n_locations == 10_000
