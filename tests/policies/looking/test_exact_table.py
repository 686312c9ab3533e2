"""Shares from a table."""

import numpy as np

from popout.policies.looking import AttentionTable

NODES = np.linspace(-2.0, 2.0, 9)
FIRST = 0.5 + 0.1 * NODES[:, None] - 0.05 * NODES[None, :]
TABLE = AttentionTable(
    np.stack([FIRST, 1.0 - FIRST], axis=-1), (-2.0, -2.0), (0.5, 0.5), (0, 2), 3, "mine"
)


def test_multilinear_between_nodes_and_constant_beyond():
    Z = np.array([[0.3, 99.0, -0.7], [9.0, 0.0, -9.0]])
    shares = TABLE.shares(Z, 0.0)
    np.testing.assert_allclose(shares[0], [0.565, 0.0, 0.435])
    np.testing.assert_allclose(shares[1], [0.8, 0.0, 0.2])


def test_it_says_what_it_is():
    assert repr(TABLE) == "AttentionTable(mine, 3 locations, 9 x 9 nodes)"
    assert "9 x 9" in str(TABLE.card())
