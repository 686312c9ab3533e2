import numpy as np

from popout.policies.stopping import Action
from popout.policies.stopping.deadline_table import DeadlineTable
from popout.policies.stopping.exact_table import ExactTable
from popout.task import Costs


def table_at(look):
    """One location: waits between -2 and 2 at first, between -1 and 1 at the second look."""
    Z = np.linspace(-4.0, 4.0, 17)
    values = (np.abs(Z) - (2.0 - look)).astype(np.float32)
    return ExactTable(values, (-4.0,), (0.5,), (0,), (0.0,), Costs(time=0.2))


STRATEGY = DeadlineTable(table_at, n_looks=2, dt=0.1)


def test_boundaries_close_and_the_deadline_is_kept():
    Z = [[1.5], [1.5], [0.2], [-0.2]]
    said = STRATEGY.decide(Z, [0.0, 0.1, 0.2, 0.7])
    assert said.tolist() == [Action.WAIT, Action.PRESENT, Action.PRESENT, Action.ABSENT]
    assert STRATEGY.settles == 0.2


def test_it_shows_its_deadline():
    assert STRATEGY.label == "optimal, deadline"
    assert "0.2 s" in str(STRATEGY)
    assert STRATEGY.n_locations == 1
