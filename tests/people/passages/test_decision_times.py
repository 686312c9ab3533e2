import math

import numpy as np
import pytest

from popout.people.passages.decision_times import DecisionTimes, guidance_weights
from popout.people.passages.first_passages import (
    BIN,
    EDGES,
    LEAST,
    LEVELS,
    PassageTable,
    answer_probability,
    make_passages,
)


@pytest.fixture(scope="module")
def exact(wiener):
    """A table of one item around two levels, from the closed form: no noise."""
    counts = np.zeros((1, 2, len(LEVELS), len(LEVELS), len(EDGES) - 1), np.float32)
    times = np.exp(EDGES)
    fine = times[(times > 1e-3) & (times < 60.0)]
    for k in (14, 15):
        for j in (18, 19):
            rising = wiener(fine, LEVELS[k], LEVELS[j])
            full = [np.interp(times, fine, each, left=0.0) for each in rising]
            counts[0, :, k, j] = np.diff(full, axis=1)
    counts[..., 0] += 1e-9
    return DecisionTimes([[PassageTable(1, math.inf, counts)]])


def test_between_levels_the_law_is_that_of_the_closed_form(exact, wiener):
    lower = np.array([0.5 * (LEVELS[14] + LEVELS[15])])
    upper = np.array([0.3 * LEVELS[18] + 0.7 * LEVELS[19]])
    times = np.array([0.1, 0.3, 0.6, 1.0, 2.0, 4.0])
    found = exact.distributions(lower, upper, np.ones(1), 0.0, np.log(times)[None])[0]
    expected = wiener(np.append(times, 60.0), lower[0], upper[0])
    expected = expected[:, :-1] / expected[:, -1:]
    np.testing.assert_allclose(found, expected, atol=2e-3)
    at_level = wiener(
        np.append(times, 60.0), LEVELS[14], LEVELS[18]
    )  # the control: no interpolation
    assert np.abs(at_level[:, :-1] / at_level[:, -1:] - found).max() > 1e-2


def test_variable_rates_mix_times(exact):
    tau = np.array([LEVELS[14]]), np.array([LEVELS[18]])
    times, sigma = np.log([0.2, 0.5, 1.0, 3.0]), 0.6
    blurred = exact.distributions(*tau, np.ones(1), sigma, times[None])[0]
    nodes, weights = np.polynomial.hermite_e.hermegauss(31)
    mixed = sum(
        w * exact.distributions(*tau, np.ones(1), 0.0, (times + sigma * x)[None])[0]
        for x, w in zip(nodes, weights / weights.sum(), strict=True)
    )
    np.testing.assert_allclose(blurred, mixed, atol=2e-3)


@pytest.fixture(scope="module")
def noisy():
    """A table of few paths: a bump of 300, in bins of its own noise at every level."""
    places = np.random.default_rng(1).normal(120.0, 8.0, (2, len(LEVELS), len(LEVELS), 300))
    counts = np.zeros((1, *places.shape[:-1], len(EDGES) - 1), np.float32)
    for at in np.ndindex(places.shape[:-1]):
        counts[0][at] = np.bincount(places[at].astype(int), minlength=len(EDGES) - 1)
    return DecisionTimes([[PassageTable(8, 0.0, counts)]])


@pytest.mark.parametrize("sigma", [0.0, 0.01, 0.1])
def test_what_is_moved_and_blurred_stays_a_law(noisy, sigma):
    """No probability is negative, and none comes to be where no path was near."""
    tau = np.array([2.2]), np.array([3.1])
    places = EDGES[0] + BIN * np.arange(-60.0, 300.0, 0.5)
    found = noisy.distributions(*tau, np.ones(1), sigma, places[None])[0]
    assert np.diff(found, axis=1).min() > -1e-12
    far = np.abs(places - (EDGES[0] + 120 * BIN)) > 60 * BIN
    late = places > EDGES[0] + 120 * BIN
    np.testing.assert_allclose(found[:, far & late], 1.0, atol=1e-9)
    np.testing.assert_allclose(found[:, far & ~late], 0.0, atol=1e-9)


def test_small_thresholds_are_soon_reached():
    """Mean times of answers at thresholds below the tables, against Wald's identity."""
    table = make_passages(1, math.inf)
    places = np.linspace(math.log(1e-7), math.log(60.0), 4000)
    for lower, upper in ((2.0, 0.02), (0.001, 3.0), (0.05, 0.1)):
        tau = np.array([lower]), np.array([upper])
        found = DecisionTimes([[table]]).distributions(*tau, np.ones(1), 0.0, places[None])[0]
        given = np.diff(found, axis=1) @ np.exp(0.5 * (places[1:] + places[:-1]))
        alarm, miss = answer_probability(lower, upper)[[0, 1], [1, 0]]
        # S drifts by -2 without a target, and by 2 with one, in a unit of time.
        wanted = 0.5 * (lower * (1.0 - alarm) - upper * alarm)
        assert given @ (1.0 - alarm, alarm) == pytest.approx(wanted, rel=0.02)
        wanted = 0.5 * (upper * (1.0 - miss) - lower * miss)
        assert given @ (miss, 1.0 - miss) == pytest.approx(wanted, rel=0.02)
        clipped = np.maximum(tau, LEAST)
        late = DecisionTimes([[table]]).distributions(*clipped, np.ones(1), 0.0, places[None])[0]
        late = np.diff(late, axis=1) @ np.exp(0.5 * (places[1:] + places[:-1]))
        assert late @ (miss, 1.0 - miss) > 1.5 * wanted


def test_interpolation_between_guidances_moves_before_it_mixes():
    """Two narrow laws two nats apart: half-way there is one law, not two."""
    rows = []
    for g, place in ((0.0, 160), (math.inf, 120)):
        counts = np.zeros((1, 2, len(LEVELS), len(LEVELS), len(EDGES) - 1), np.float32)
        counts[..., place - 3 : place + 4] = 1.0
        rows.append(PassageTable(1, g, counts))
    times = DecisionTimes([rows])
    one, middle = np.ones(1), EDGES[0] + BIN * 140.5
    probe = np.array([[middle - 0.5, middle, middle + 0.5]])
    found = times.distributions(one, one, guidance_weights(1.0, (0.0, math.inf)), 0.0, probe)[0, 0]
    np.testing.assert_allclose(found, [0.0, 0.5, 1.0], atol=0.02)


def test_guidance_weights_stay_between_neighbours():
    nodes = (0.0, 0.5, 1.0, math.inf)
    for g in (0.0, 0.2, 0.5, 3.0, math.inf):
        weights = guidance_weights(g, nodes)
        assert weights.sum() == pytest.approx(1.0)
        assert (weights > 0).sum() <= 2
