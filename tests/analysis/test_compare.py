import numpy as np
import pytest

from popout.analysis.compare import compare
from popout.simulation import simulate
from popout.strategies import ASPRT, SPRT, Hardmax, SPRTOpt
from popout.task import Costs, InputError, SearchTask

COSTS = Costs(time=0.5)


@pytest.fixture(scope="module")
def rule(tau):
    return lambda task, costs: tau


@pytest.fixture(scope="module")
def table(rule):
    tasks = [SearchTask(n_locations=m, drift=4.0) for m in (2, 8)]
    recipes = [ASPRT, SPRTOpt, SPRT, Hardmax]
    return compare(tasks, COSTS, recipes, rule, n_trials=400_000, tune_trials=50_000)


def test_the_table_is_tidy(table):
    assert table.strategy.tolist() == ["a-SPRT", "SPRT-opt", "SPRT", "Hardmax"] * 2
    assert table.locations.tolist() == [2] * 4 + [8] * 4
    assert (table.reference == "a-SPRT").all()
    assert table[["risk", "risk_se", "excess", "excess_se"]].notna().all(axis=None)


def test_excess_is_the_difference_of_risks_with_a_smaller_error(table):
    for _, cell in table.groupby("locations"):
        base = cell.risk.iloc[0]
        np.testing.assert_allclose(cell.excess, cell.risk - base, atol=1e-12)
        assert (cell.excess_se < 0.8 * cell.risk_se).all()


def test_the_papers_order(table):
    """With eight locations Hardmax and SPRT are worse than a-SPRT; nothing is better."""
    eight = table[(table.locations == 8) & table.strategy.isin(["SPRT", "Hardmax"])]
    assert (eight.excess > 5 * eight.excess_se).all()
    assert (table.excess >= -3 * table.excess_se).all()


def test_a_finished_strategy_and_an_unnamed_reference(rule):
    task = SearchTask(n_locations=2, drift=4.0)
    own = SPRT.for_task(task, -1.0, 1.0)
    found = compare(task, COSTS, [own], rule, n_trials=20_000, tune_trials=5000, seed=3)
    assert found.excess.iloc[0] > 10 * found.excess_se.iloc[0]
    assert found.tau_plus.iloc[0] == 1.0
    direct = simulate(task, own, 20_000, seed=99).summary(COSTS)
    assert abs(found.risk.iloc[0] - direct.risk) < 5 * direct.risk_se


def test_bad_input(rule):
    with pytest.raises(InputError) as caught:
        compare([], COSTS, ["sprt"], rule)
    assert len(str(caught.value).splitlines()) == 2
