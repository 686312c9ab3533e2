"""Outcomes of uniform numbers, against a plain search."""

import numpy as np

from popout.noise.inversion import choose, invert


def test_the_first_outcome_whose_cumulative_probability_exceeds_u():
    cdf = np.array([0.0, 0.25, 0.25, 1.0, 1.0])
    assert [choose(cdf, u) for u in (0.0, 0.2, 0.25, 0.99)] == [1, 1, 3, 3]


def test_each_place_has_the_table_of_its_index():
    rng = np.random.default_rng(1)
    u, index = rng.random((20, 3, 2, 2)), rng.integers(0, 2, (20, 2))
    cdf = np.cumsum(rng.dirichlet(np.ones(5), (2, 2)), axis=-1)
    cdf[..., -1] = 1.0
    out = u.copy()
    invert(out, index, cdf)
    for (n, t, i, c), value in np.ndenumerate(u):
        assert out[n, t, i, c] == np.searchsorted(cdf[index[n, i], c], value, side="right")
