"""Attention compared: the excess over the joint optimum, and over the best where there is none."""

import pytest

import popout as po
from popout.analysis.joint_compare import JointCell

COSTS = po.Costs(time=1.0)
TWO = po.LimitedSearchTask(n_locations=2, information=8.0)


@pytest.fixture(scope="module")
def table():
    wanted = ["sprt-opt", "optimal"]
    policies = ["parallel", "serial", "optimal"]
    return po.compare(TWO, COSTS, wanted, attention=policies, n_trials=20_000, tune_trials=4000)


@pytest.fixture(scope="module")
def best():
    return po.solve(TWO, COSTS, 3e-4)


def row(table, attention, strategy):
    found = table[(table.attention == attention) & (table.strategy == strategy)]
    return found.iloc[0]


@pytest.mark.parametrize("policy", [po.Parallel, po.Serial])
def test_the_excess_of_the_best_stopping_is_that_of_the_solver(table, policy):
    attention = policy.for_task(TWO)
    best = po.solve(TWO, COSTS, 1e-3)
    found = row(table, attention.label, "optimal")
    exact = po.solve(TWO, COSTS, 1e-3, attention=attention).risk - best.risk
    assert found.excess == pytest.approx(exact, abs=1e-12)
    assert found.excess_trials == 0


@pytest.mark.parametrize("policy", [po.Parallel, po.Serial])
def test_the_excess_of_a_tuned_strategy_agrees_with_its_exact_evaluation(table, best, policy):
    attention = policy.for_task(TWO)
    found = row(table, attention.label, "SPRT-opt")
    stop = po.SPRT.for_task(TWO, found.tau_minus, found.tau_plus)
    exact = po.evaluate(TWO, po.Observer(attention, stop), COSTS, 1e-3)
    excess = exact.risk - best.risk
    allowed = 4 * found.excess_se + exact.risk_error + best.risk_error
    assert found.excess == pytest.approx(excess, abs=allowed)
    # Thresholds that are wrong by one nat are told apart.
    wrong = po.SPRT.for_task(TWO, found.tau_minus + 1.0, found.tau_plus)
    other = po.evaluate(TWO, po.Observer(attention, wrong), COSTS, 1e-2).risk - best.risk
    assert found.excess != pytest.approx(other, abs=allowed)


def test_pairing_with_the_optimum_sharpens(table):
    # Serial attention sees what the optimum sees, most of the time.
    found = row(table, "serial", "SPRT-opt")
    assert found.excess_se < 0.2 * table.error_rate_present_se.max()
    assert 0 < found.excess < 0.02 * found.risk
    assert row(table, "optimal", "optimal").is_reference
    assert table.is_reference.sum() == 1


def test_with_more_locations_the_best_is_the_reference():
    task = po.LimitedSearchTask(n_locations=6, information=30.0)
    table = po.compare(task, COSTS, po.SPRTOpt, n_trials=4000, tune_trials=2000)
    assert table.attention.tolist() == ["parallel", "guided, g = 1", "serial"]
    reference = table[table.is_reference].iloc[0]
    assert reference.risk == table.risk.min()
    assert reference.reference == f"{reference.attention}, SPRT-opt"
    assert (table.excess[~table.is_reference] > -4 * table.excess_se[~table.is_reference]).all()
    axes = table.plot()
    assert len(axes) == 3
    assert [tick.get_text() for tick in axes[0].get_xticklabels()] == table.attention.tolist()


def test_a_policy_of_your_own_and_faults():
    class Halves(po.Attention):
        label = "halves"

        def shares(self, Z, t):
            return 0.0 * Z + 0.5

    stop = po.SPRT.for_task(TWO, -2.0, 2.0)
    cell = JointCell(TWO, COSTS, 500, 1000, 1, None)
    (only,) = cell.rows([Halves()], [stop], lambda share, words: None)
    assert only["attention"] == "halves"
    assert only["excess"] > 0
    with pytest.raises(po.InputError) as caught:
        po.compare(
            [TWO, po.SearchTask(n_locations=2, drift=2.0)],
            COSTS,
            ["luck"],
            attention=["serail", po.Serial((0.0,) * 3), 7],
        )
    said = str(caught.value)
    for words in ("did you mean serial", "policies for 2 locations", "names or attention policies",
                  "expected a LimitedSearchTask", "got 'luck'"):  # fmt: skip
        assert words in said


def test_a_class_of_policies_stands_for_the_one_of_the_task():
    """As classes of strategies do; every function that takes a policy takes its class."""
    stop = po.SPRT.for_task(TWO, -3.0, 3.0)
    few = {"n_trials": 1000, "tune_trials": 1000}
    by_class, by_name = (
        po.compare(TWO, COSTS, [stop], attention=[wanted], **few)
        for wanted in (po.Serial, "serial")
    )
    assert by_class.as_dict() == by_name.as_dict()
    assert po.simulate(TWO, po.Observer(po.Serial, stop), 100).attention.label == "serial"
    found = [
        po.evaluate(TWO, po.Observer(policy, stop), COSTS, rtol=1e-2).risk
        for policy in (po.Serial, po.Serial.for_task(TWO))
    ]
    assert found[0] == found[1]


def test_a_class_that_needs_more_than_the_task_says_so():
    class Mine(po.Attention):
        def __init__(self, weight):
            self.weight = weight

        def shares(self, Z, t):
            return Z

    with pytest.raises(po.InputError, match="make one and pass that"):
        po.compare(TWO, COSTS, ["sprt"], attention=[Mine])
