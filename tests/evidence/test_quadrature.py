"""Distractors of any orientation, against integrals by an adaptive rule."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from popout.evidence import Evidence, quadrature_error
from popout.task import InputError, MixtureSearchTask

BETWEEN, PLACES = (15.0, 90.0), (0.5, 0.3, 0.2)


def drift(angle):
    return 4.0 * math.cos(math.radians(2 * angle))


def density(angle):
    return math.exp(-angle / 30.0)


def task(nodes, tied):
    return MixtureSearchTask.continuous(
        3,
        [0],
        BETWEEN,
        drift,
        density=density,
        tied=tied,
        nodes=nodes,
        location_prior=(0.5, 0.3, 0.2),
    )


def likelihood(x, t, angle):
    return math.exp(drift(angle) * x - drift(angle) ** 2 * t / 2)


def integral(f):
    whole = quad(density, *BETWEEN)[0]
    return quad(lambda angle: f(angle) * density(angle) / whole, *BETWEEN, epsabs=1e-13)[0]


def reference(x, t, tied):
    """S of one display; the integral over a common orientation, or one for each place."""

    def together(values):
        return integral(lambda angle: math.prod(likelihood(v, t, angle) for v in values))

    def apart(values):
        return math.prod(together([v]) for v in values)

    distractors, present = together if tied else apart, 0.0
    for place, there in enumerate(PLACES):
        others = [each for k, each in enumerate(x) if k != place]
        present += there * likelihood(x[place], t, 0) * distractors(others)
    return math.log(present / distractors(x))


@pytest.mark.parametrize("tied", [True, False])
def test_the_ratio_is_that_of_the_integral(tied):
    evidence, t = Evidence(task(24, tied)), 0.3
    x = evidence.sample(12, 30, seed=3).observations
    S = evidence.log_likelihood_ratio(evidence.log_likelihood(x, t))
    expected = [reference(np.ravel(each).tolist(), t, tied) for each in x]
    np.testing.assert_allclose(S, expected, atol=1e-9)
    coarse = Evidence(task(2, tied))  # the negative control
    S = coarse.log_likelihood_ratio(coarse.log_likelihood(x, t))
    assert np.abs(S - expected).max() > 1e-3


def test_the_error_falls_faster_than_any_power():
    errors = [quadrature_error(task(n, True), task(32, True), 0.3, 200) for n in (4, 8, 16)]
    assert errors[0] > 30 * errors[1]
    assert errors[1] > 1e3 * errors[2]


def test_bad_ranges_and_other_tasks_are_refused():
    with pytest.raises(InputError, match="two angles"):
        MixtureSearchTask.continuous(3, [0], (90, 20), drift)
    with pytest.raises(InputError, match="nodes"):
        MixtureSearchTask.continuous(3, [0], (20, 90), drift, nodes=1)
    with pytest.raises(InputError, match="same task"):
        quadrature_error(task(2, True), MixtureSearchTask.continuous(2, [0], BETWEEN, drift), 0.3)
