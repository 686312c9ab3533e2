import numpy as np
import pytest
from scipy.stats import lognorm

from popout.people.residual_time import residual_masses


@pytest.mark.parametrize(("mean", "sd", "constant"), [(0.4, 0.1, 0.5), (0.3, 0.02, 0.0)])
def test_masses_are_those_of_a_shifted_lognormal(mean, sd, constant):
    edges = np.arange(0.0, 1.5, 0.01)
    mass = residual_masses(mean, sd, constant, edges)
    rest = mean * (1 - constant)
    s = np.sqrt(np.log1p((sd / rest) ** 2))
    law = lognorm(s, loc=mean * constant, scale=rest / np.exp(s**2 / 2))
    np.testing.assert_allclose(mass, np.diff(law.cdf(edges)), atol=1e-12)
    assert law.mean() == pytest.approx(mean)
    assert law.std() == pytest.approx(sd)
