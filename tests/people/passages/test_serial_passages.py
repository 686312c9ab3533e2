import math

import numpy as np
import pytest
from scipy.stats import invgauss

from popout.people.passages.serial_passages import serial_distributions

TIMES = np.array([0.05, 0.2, 0.5, 1.0, 2.0, 5.0])


@pytest.mark.parametrize(("lower", "upper"), [(1.0, 1.0), (0.5, 3.0), (4.0, 1.5)])
def test_one_item_is_the_wiener_process_between_two_boundaries(wiener, lower, upper):
    levels = np.linspace(0.0, lower, 5)[1:]
    found = serial_distributions(1, levels, np.array([upper]), TIMES, 1)[:, -1, 0]
    np.testing.assert_allclose(found, wiener(TIMES, lower, upper), atol=3e-4)
    with pytest.raises(AssertionError):  # the comparison sees a rate that is 3 % off
        np.testing.assert_allclose(found, wiener(1.03 * TIMES, lower, upper), atol=3e-4)


@pytest.mark.parametrize("M", [1, 2, 18])
def test_answers_are_those_of_wald_whatever_the_set_size(M):
    levels = np.array([0.3, 1.0, 2.0, 3.0])
    absent, present = serial_distributions(M, levels, levels, np.array([400.0 * M]), 1)[..., 0]
    down, up = np.exp(-levels)[:, None], np.exp(levels)[None, :]
    alarms = (1.0 - down) / (up - down)
    np.testing.assert_allclose(present, alarms, rtol=2e-3)
    np.testing.assert_allclose(absent, 1.0 - alarms, rtol=2e-3)


def lattice_walk(M, lower, upper, n, h, random):
    """Attend to the most likely of M items, on a lattice of ratios; plain and slow."""
    Z = np.zeros((n, M))
    moves, answer = np.zeros(n), np.zeros(n, int)
    here = np.arange(n)
    while len(here):
        top = Z[here].argmax(axis=1)
        up = random.random(len(here)) < 1.0 / (1.0 + math.exp(h))  # exp(Z) is a martingale
        Z[here, top] += np.where(up, h, -h)
        moves[here] += 1
        S = np.log(np.exp(Z[here]).mean(axis=1))
        answer[here] = np.where(upper <= S, 2, np.where(-lower + 1e-9 >= S, 1, 0))
        here = here[answer[here] == 0]
    return answer, moves * h * math.tanh(h / 2.0) / 2.0


def test_three_items_agree_with_a_walk_on_a_lattice():
    lower, upper, n = 1.5, 1.0, 1500
    answer, times = lattice_walk(3, lower, upper, n, 0.05, np.random.default_rng(1))
    grid = np.linspace(0.01, 30.0, 3000)
    found = serial_distributions(3, np.linspace(0.1, lower, 8), np.array([upper]), grid, 1)[
        :, -1, 0
    ]
    for number, rising in enumerate(found, start=1):
        mine = times[answer == number]
        se = mine.std() / math.sqrt(len(mine))
        mean = ((rising[-1] - rising) / rising[-1]).sum() * (grid[1] - grid[0])
        assert abs(mine.mean() - mean) < 3.5 * se
        parallel = 1.3 * mean  # what equal shares would take
        assert abs(mine.mean() - parallel) > 3.5 * se


@pytest.mark.parametrize("M", [3, 32, 100])
def test_without_alarms_the_level_sinks_at_inverse_gaussian_times(M):
    """The M descents by tau are one descent by M tau; laws of many items are narrow."""
    levels = np.linspace(0.0, 6.0, 25)[1:]
    times = np.exp(np.linspace(-6.0, 4.0, 120)) * M
    absent = serial_distributions(M, levels, np.array([14.0]), times, 1)[0, -1, 0]
    distance = 6.0 * M  # drift 2, variance 4
    law = invgauss(2.0 / distance, scale=distance**2 / 4.0)
    np.testing.assert_allclose(absent, law.cdf(times), atol=1e-5)
    with pytest.raises(AssertionError):  # one item in 200 would be seen
        np.testing.assert_allclose(absent, law.cdf(0.995 * times), atol=1e-5)
