import numpy as np

from popout.analysis.search import fine
from popout.policies.stopping import Parameter


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
