import numpy as np
import pytest
from scipy.stats import lognorm

from popout.people.models.search_density import (
    STEP,
    Decision,
    Residual,
    residual_masses,
    search_density,
)

LONGEST = 6.0


def density(tables, lapse=0.0, slip=0.0, variability=0.0, longest=LONGEST):
    tau = np.array([1.5, 1.5]), np.array([2.0, 2.0])
    decision = Decision(*tau, np.array([8.0, 8.0]), np.ones(1), variability)
    residual = Residual(mean=0.3, sd=0.05, constant=0.5, absent_extra=0.1, lapse=lapse, slip=slip)
    return search_density(tables.decision_times((0.0,)), decision, residual, longest)


def test_answers_and_times_add_up_to_one(tables):
    for more in ({}, {"lapse": 0.1, "slip": 0.05, "variability": 0.4}):
        total = density(tables, **more).sum(axis=(2, 3)) * STEP
        np.testing.assert_allclose(total, 1.0 - more.get("lapse", 0.0), atol=0.01)


def test_slips_swap_answers_and_lapses_leave_the_rest(tables):
    plain, slipped = density(tables), density(tables, slip=0.1)
    np.testing.assert_allclose(slipped, 0.9 * plain + 0.1 * plain[:, :, ::-1])
    lapsed = density(tables, lapse=0.2)
    np.testing.assert_allclose(lapsed, 0.8 * plain)


def plain_observer(n, random):
    """One item, target present: a walk in steps of 50 us, then a lognormal; plain and slow."""
    rate, dt = 8.0, 0.00005
    Z, t = np.zeros(n), np.zeros(n)
    here = np.arange(n)
    while len(here):
        noise = random.standard_normal(len(here))
        Z[here] += 2.0 * rate * dt + 2.0 * np.sqrt(rate * dt) * noise
        t[here] += dt
        here = here[(Z[here] > -1.5) & (Z[here] < 2.0)]
    s = np.sqrt(np.log1p((0.05 / 0.15) ** 2))
    t += 0.15 + np.exp(np.log(0.15) - s**2 / 2 + s * random.standard_normal(n))
    said = Z > 0.0
    return said, t + 0.1 * ~said


def test_one_item_agrees_with_a_plain_simulation(tables):
    said, t = plain_observer(4000, np.random.default_rng(2))
    found = density(tables)[0, 1]
    times = STEP * np.arange(found.shape[1])
    rising = np.cumsum(found, axis=1) * STEP
    for answer in (0, 1):
        mine = np.sort(t[said == bool(answer)])
        share = len(mine) / len(t)
        se = np.sqrt(share * (1 - share) / len(t))
        assert abs(share - rising[answer, -1]) < 4 * se + 0.002
        place = np.interp(mine, times, rising[answer] / rising[answer, -1])
        distance = np.abs(place - np.arange(1, len(mine) + 1) / len(mine)).max()
        # Both are drawn: the trials here, and nearly half of 10,000 paths behind each answer.
        limit = 1.63 * np.sqrt(1 / len(mine) + 1 / 4_000)
        assert distance < limit
        late = np.interp(mine + 0.04, times, rising[answer] / rising[answer, -1])
        assert np.abs(late - np.arange(1, len(mine) + 1) / len(mine)).max() > limit


@pytest.mark.parametrize("variability", [0.5, 1.5])
def test_variability_keeps_the_answers(tables, variability):
    steady, varying = (
        density(tables, variability=each, longest=60.0).sum(axis=-1) * STEP
        for each in (0.0, variability)
    )
    np.testing.assert_allclose(steady, varying, atol=0.01)


@pytest.mark.parametrize(("mean", "sd", "constant"), [(0.4, 0.1, 0.5), (0.3, 0.02, 0.0)])
def test_masses_are_those_of_a_shifted_lognormal_under_hats(mean, sd, constant):
    edges = np.arange(0.0, 1.5, 0.01)
    mass = residual_masses(mean, sd, constant, edges)
    rest = mean * (1 - constant)
    s = np.sqrt(np.log1p((sd / rest) ** 2))
    law = lognorm(s, loc=mean * constant, scale=rest / np.exp(s**2 / 2))
    shifts = 0.01 * (np.arange(400) + 0.5) / 400 - 0.005  # a hat is a box that moves
    expected = np.mean([np.diff(law.cdf(edges + shift)) for shift in shifts], axis=0)
    np.testing.assert_allclose(mass, expected, atol=1e-6)
    assert law.mean() == pytest.approx(mean)
    assert law.std() == pytest.approx(sd)
