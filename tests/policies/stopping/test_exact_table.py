from dataclasses import replace

import numpy as np
import pytest

from popout.policies.stopping import Action
from popout.policies.stopping.exact_table import ExactTable
from popout.task import Costs

AXIS = np.linspace(-4.0, 4.0, 9)


@pytest.fixture
def table():
    """Waits where Z1 + Z2 is between -2 and 2; linear, so interpolation is exact."""
    Z1, Z2 = np.meshgrid(AXIS, AXIS, indexing="ij")
    plane = np.abs(Z1 + Z2) - 2.0
    half = float(np.log(0.5))
    return ExactTable(
        plane.astype(np.float32), (-4.0, -4.0), (1.0, 1.0), (0, 1), (half, half), Costs(time=0.2)
    )


def test_it_interpolates_and_answers_what_costs_less(table):
    np.testing.assert_allclose(table.log_ratio([[0.5, 2.25], [-9.0, 1.0]]), [0.75, 1.0], atol=1e-6)
    said = table.decide([[0.5, 0.5], [2.5, 2.0], [-2.5, -2.0]], 0.0)
    assert said.tolist() == [Action.WAIT, Action.PRESENT, Action.ABSENT]


def test_log_odds_are_those_of_the_posterior(table):
    Z = np.array([0.3, -1.2])
    assert table.log_odds(Z) == pytest.approx(np.log(0.5 * np.exp(Z).sum()))


def test_it_has_a_label_and_no_parameters(table):
    assert (table.label, table.parameters, table.n_locations) == ("optimal", {}, 2)
    assert table.scaled_test(np.zeros(1)) is None
    assert repr(table) == "ExactTable(optimal, 2 locations, 9 x 9 nodes)"


def test_the_answer_that_costs_less_depends_on_the_costs(table):
    costs = Costs(time=0.2, miss=5.0, false_alarm=0.5)
    odds = 0.5 * np.exp([-2.5, -2.0]).sum()
    careful = replace(table, costs=costs)
    assert careful.preference([-2.5, -2.0]) == pytest.approx(np.log(5.0 * odds / 0.5))
    assert careful.decide([-2.5, -2.0], 0.0) == Action.PRESENT
    assert table.decide([-2.5, -2.0], 0.0) == Action.ABSENT
