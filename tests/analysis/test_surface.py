import math

import numpy as np
import pytest

from popout.analysis.surface import Minimum, Surface, design, fine
from popout.policies.stopping import Parameter


def noiseless(values):
    return np.repeat(values[:, None], 5, axis=1)


def test_a_quadratic_is_found_exactly():
    rng = np.random.default_rng(0)
    for d in (1, 2, 3, 5):
        A = rng.normal(size=(d, d))
        H, u = A @ A.T + np.eye(d), rng.normal(size=d) * 0.3
        points = design(d, 1.0)
        values = 0.5 * np.einsum("ni,ij,nj->n", points - u, H, points - u)
        surface = Surface(points, noiseless(values))
        found = surface.minimum(limit=10.0)
        np.testing.assert_allclose(found.u, u, atol=1e-6)
        np.testing.assert_allclose(found.se, 0.0, atol=1e-6)
        assert surface.fits


def test_a_lopsided_valley_is_found_where_a_parabola_would_miss_it():
    """exp(-u) + u, as the risk of a threshold: the parabola is off by h**2 / 6."""
    points = design(2, 1.0)
    values = (np.exp(-points) + points).sum(axis=1)
    found = Surface(points, noiseless(values)).minimum(limit=2.0)
    assert np.abs(found.u).max() < 0.01
    parabola = np.polyfit(points[1:5, 0], np.exp(-points[1:5, 0]) + points[1:5, 0], 2)
    assert abs(parabola[1] / (2 * parabola[0])) > 0.1


def test_a_flat_direction_is_left_alone_and_reported():
    points = design(2, 1.0)
    values = (points[:, 0] - 0.4) ** 2 - 0.1 * points[:, 1] ** 2
    found = Surface(points, noiseless(values)).minimum(limit=10.0)
    np.testing.assert_allclose(found.u, [0.4, 0.0], atol=1e-6)
    assert math.isinf(found.se[1])
    assert found.se[0] < 1e-6


def noisy(rng, points, centre, noise=0.3):
    truth = ((points - centre) ** 2 @ [1.0, 3.0])[:, None]
    return Surface(points, truth + noise * rng.normal(size=(len(points), 40)))


def test_the_error_of_a_minimum_is_its_spread():
    """200 noisy parabolas: the spread of the minima against the error each one reports."""
    rng = np.random.default_rng(1)
    points = design(2, 1.0)
    found = [noisy(rng, points, [0.2, -0.1]).minimum(limit=5.0) for _ in range(200)]
    minima = np.array([one.u for one in found])
    errors = np.array([one.se for one in found])
    np.testing.assert_allclose(minima.std(axis=0), errors.mean(axis=0), rtol=0.15)
    assert (np.abs(minima.mean(axis=0) - [0.2, -0.1]) < 4 * errors.mean(axis=0) / 14).all()


@pytest.mark.parametrize("sd", [0.02, 0.2])
def test_a_prior_is_weighed_by_its_precision(sd):
    """Minima drawn from the prior: the combination errs by as much as it says, and by less."""
    rng = np.random.default_rng(2)
    points = design(2, 1.0)
    prior = Minimum(np.zeros(2), np.full(2, sd))
    wrong, alone, stated = [], [], []
    for _ in range(300):
        truth = rng.normal(scale=sd, size=2)
        surface = noisy(rng, points, truth)
        together = surface.minimum(limit=5.0, prior=prior)
        wrong.append(together.u - truth)
        stated.append(together.se)
        alone.append(surface.minimum(limit=5.0).u - truth)
    wrong, alone = (np.sqrt(np.mean(np.square(part), axis=0)) for part in (wrong, alone))
    np.testing.assert_allclose(wrong, np.mean(stated, axis=0), rtol=0.15)
    assert (wrong < 1.02 * np.minimum(alone, sd)).all()


def test_where_a_surface_says_nothing_the_prior_stays():
    points = design(2, 1.0)
    flat = Surface(points, np.random.default_rng(3).normal(size=(len(points), 40)))
    prior = Minimum(np.array([0.3, -0.2]), np.array([0.1, 0.2]))
    found = flat.minimum(limit=5.0, prior=prior)
    np.testing.assert_allclose(found.u, prior.u, atol=0.02)
    np.testing.assert_allclose(found.se, prior.se, rtol=0.05)


def test_a_kink_does_not_pass_for_a_valley():
    points = design(2, 1.0)
    noise = 1e-3 * np.random.default_rng(4).normal(size=(len(points), 40))
    smooth, kinked = (values[:, None] for values in ((points**2).sum(1), np.abs(points).sum(1)))
    assert Surface(points, smooth + noise).fits
    assert not Surface(points, kinked + noise).fits


def test_a_search_does_not_settle_beside_lower_points():
    """A valley beside a plateau: from the plateau a poor fit may show a minimum of its own."""
    rng = np.random.default_rng(5)
    noise = 1e-4 * rng.normal(size=40)
    parameter = Parameter("x", start=0.0, lower=-50.0, upper=50.0, scale=1.0)

    def batches(u):
        x = float(u[0])
        return (x + 3.0) ** 2 / (1.0 + (x + 3.0) ** 2) + noise + 1e-4 * rng.normal(size=40)

    for start in (0.0, 2.0, -6.0):
        found = fine(batches, [parameter], np.array([start]))
        assert found.converged
        assert abs(found.u[0] + 3.0) < 0.1
