"""The spline through the nodes of a table."""

import numpy as np

from popout.policies.stopping.exact_table import ExactTable
from popout.policies.stopping.table_spline import TableSpline
from popout.task import Costs

LOWER, SPACING, N = (-3.0, -2.0), (0.25, 0.2), (25, 21)
NODES = [low + step * np.arange(n) for low, step, n in zip(LOWER, SPACING, N, strict=True)]


def smooth(Z1, Z2):
    return 0.3 * np.sin(0.5 * Z1) * np.cos(0.4 * Z2)


def spline():
    table = smooth(NODES[0][:, None], NODES[1][None, :]).astype(np.float32)
    weight = (np.log(0.5),) * 2
    return TableSpline.of(ExactTable(table, LOWER, SPACING, (0, 1), weight, Costs(time=0.2)))


def test_it_meets_every_node_those_at_the_ends_as_well():
    Z = np.stack([z.ravel() for z in np.meshgrid(*NODES, indexing="ij")])
    np.testing.assert_allclose(spline()(Z), smooth(*Z), atol=1e-7)


def test_between_nodes_it_is_close():
    Z = np.random.default_rng(1).uniform(-0.6, 0.6, (2, 500))
    np.testing.assert_allclose(spline()(Z), smooth(*Z), atol=2e-6)


def test_beyond_its_range_it_is_constant():
    found = spline()
    assert found.upper.tolist() == [NODES[0][-1], NODES[1][-1]]
    far = np.array([[9.0, -9.0], [0.1, 0.1]])
    edge = np.array([[NODES[0][-1], NODES[0][0]], [0.1, 0.1]])
    np.testing.assert_array_equal(found(far), found(edge))
