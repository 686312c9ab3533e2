"""Probabilities that sum to one: refused, or normalised once and for all."""

import math

import numpy as np
import pytest

from popout.task.kinds import Distribution, Uniform, uniform


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
def test_distribution_refuses(check, value):
    assert len(check(Distribution("n"), value)[1]) == 1


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
