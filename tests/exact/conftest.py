import pytest

import popout as po
from popout.exact.axis import Axis
from popout.exact.backend import get_backend
from popout.exact.discretisation import RateDiscretisation
from popout.exact.fixed_point import stationary
from popout.exact.grid import Grid
from popout.exact.value_grid import ValueGrid


@pytest.fixture(scope="session")
def two():
    """The optimum of two equal locations."""
    return po.solve(po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2), rtol=1e-5)


@pytest.fixture(scope="session")
def pair():
    """The thresholds of one of them alone."""
    return po.thresholds(4.0, po.Costs(time=0.2), rtol=1e-8)


@pytest.fixture(scope="session")
def solve_on():
    """A function that solves a search on the nodes of the caller's choice, as a `ValueGrid`."""

    def solved(task, costs, nodes):
        problem = RateDiscretisation(task, costs, get_backend())
        spacing = (nodes[-1] - nodes[0]) / (len(nodes) - 1)
        groups = problem.groups(
            lambda place: Axis(float(nodes[0]), spacing, len(nodes), problem.sd[place])
        )
        bellman = problem.bellman(Grid(groups, get_backend()))
        return ValueGrid(problem, bellman, after=stationary(bellman, None, 1e-7).V)

    return solved
