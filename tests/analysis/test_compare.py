import numpy as np
import pandas as pd
import pytest

import popout as po
from popout.analysis.compare import compare
from popout.exact import solve
from popout.policies.stopping import ASPRT, SPRT, Hardmax, SPRTOpt
from popout.simulation import simulate
from popout.task import Costs, InputError, MixtureSearchTask, SearchTask

COSTS = Costs(time=0.5)


@pytest.fixture(scope="module")
def table():
    tasks = [SearchTask(n_locations=m, drift=4.0) for m in (2, 8)]
    recipes = [ASPRT, SPRTOpt, SPRT, Hardmax]
    return compare(tasks, COSTS, recipes, n_trials=50_000, tune_trials=10_000)


def test_the_table_is_tidy(table):
    assert table.strategy.tolist() == ["a-SPRT", "SPRT-opt", "SPRT", "Hardmax"] * 2
    assert table.locations.tolist() == [2] * 4 + [8] * 4
    assert table.reference.tolist() == ["optimal"] * 4 + ["a-SPRT"] * 4
    assert table[["risk", "risk_se", "excess", "excess_se"]].notna().all(axis=None)


def test_excess_over_a_simulated_reference_is_paired(table):
    cell = table[table.locations == 8]
    # Errors count by their probability in the excess, as they fell in the risk.
    away = (cell.excess - (cell.risk - cell.risk.iloc[0])).abs()
    assert (away < 4 * cell.risk_se).all()
    assert (cell.excess_se < 0.1 * cell.risk_se).all()


def test_excess_over_the_exact_optimum_is_the_regret(table):
    cell = table[table.locations == 2]
    optimum = solve(SearchTask(n_locations=2, drift=4.0), COSTS, 1e-4).risk
    np.testing.assert_allclose(cell.excess, cell.risk - optimum, atol=1e-12)
    assert (cell.excess >= 0).all()
    assert cell.excess.iloc[0] < 0.2 * cell.excess.iloc[1:].min()  # a-SPRT is nearly optimal
    rivals = cell.iloc[1:]
    assert (rivals.excess_se <= 0.25 * rivals.excess).all()


def test_the_papers_order(table):
    """With eight locations Hardmax and SPRT are worse than a-SPRT; nothing is better."""
    eight = table[(table.locations == 8) & table.strategy.isin(["SPRT", "Hardmax"])]
    assert (eight.excess > 5 * eight.excess_se).all()
    assert (table.excess >= -3 * table.excess_se).all()


def test_a_finished_strategy_and_an_unnamed_reference():
    task = SearchTask(n_locations=2, drift=4.0)
    own = SPRT.for_task(task, -1.0, 1.0)
    found = compare(task, COSTS, [own], n_trials=20_000, tune_trials=5000, seed=3)
    assert found.excess.iloc[0] > 10 * found.excess_se.iloc[0]
    assert found.tau_plus.iloc[0] == 1.0
    direct = simulate(task, own, 20_000, seed=99).summary(COSTS)
    assert abs(found.risk.iloc[0] - direct.risk) < 5 * direct.risk_se


TWO = SearchTask(n_locations=2, drift=4.0)
BAD = [
    ("costs", 0.2),
    ("task", "search"),
    ("task", []),
    ("strategies", 3),
    ("strategies", "spr"),
    ("n_trials", 1e12),
    ("n_trials", 2.5),
    ("tune_trials", 10),
    ("seed", -1),
]


@pytest.mark.parametrize(("field", "value"), BAD)
def test_every_bad_input_says_what_to_do(field, value):
    arguments = {"task": TWO, "costs": COSTS, "strategies": [SPRT], "n_trials": 100}
    with pytest.raises(InputError, match=rf"^compare\.{field}: expected .+, got .+; .+$"):
        compare(**(arguments | {field: value}))


def test_the_optimum_is_a_rival_at_any_number_of_locations():
    task = SearchTask(n_locations=4, drift=4.0, dt=0.1)
    table = compare(task, Costs(time=2.0), ["optimal", SPRT], n_trials=2000)
    assert table.reference.tolist() == ["optimal"] * 2
    assert table.is_reference.tolist() == [True, False]
    assert table.excess.iloc[1] > 0.0


NOTES = {
    "milliseconds for seconds": (
        SearchTask(n_locations=8, drift=4.0, dt=10.0),
        Costs(time=0.2),
        "One look of 10 s costs 2, and answering at once risks only 0.5",
    ),
    "the default step at drift 12": (
        SearchTask(n_locations=4, drift=12.0),
        Costs(time=1.0),
        "The step of 10 ms is 35 % of the mean response time (29 ms): it raises the risk by some "
        "9 %. Take a shorter dt, e.g. 0.001.",
    ),
    "nothing": (SearchTask(n_locations=4, drift=4.0), Costs(time=0.2), ""),
}


@pytest.mark.parametrize("case", NOTES)
def test_what_looks_wrong_is_said(case):
    task, costs, words = NOTES[case]
    table = compare(task, costs, [ASPRT, SPRT], n_trials=4000, tune_trials=2000)
    assert set(table.note) == {table.note.iloc[0]}
    assert words in table.note.iloc[0]
    assert bool(table.note.iloc[0]) == bool(words)
    assert table.note.iloc[0] in str(table)


def test_one_that_guesses_does_not_say_that_looking_never_pays():
    """Hardmax answers before it looks; a-SPRT, the reference, does not."""
    task = SearchTask(n_locations=24, drift=4.0)
    table = compare(task, Costs(time=2.0), "hardmax", n_trials=2000, tune_trials=2000)
    assert table.mean_rt_present.iloc[0] == 0.0
    assert not table.note.iloc[0].startswith("Looking never pays")


def test_every_number_says_on_how_many_trials_it_rests(table):
    two, eight = table[table.locations == 2], table[table.locations == 8]
    assert (two.risk_trials == two.excess_trials).all()
    assert two.excess_trials.isin([2000, 20_000, 50_000]).all()
    assert (eight[["risk_trials", "excess_trials"]] == 50_000).all(axis=None)
    assert (table.trials == 50_000).all()
    assert eight.is_reference.tolist() == [True, False, False, False]
    assert "reference" in str(table)
    assert " 0  " not in str(table)


def test_slopes_are_in_every_row_of_their_series(table):
    for label, rows in table.groupby("strategy"):
        rt = rows.set_index("locations").mean_rt_absent
        assert rows.rt_slope_absent.to_numpy() == pytest.approx(1e3 * (rt[8] - rt[2]) / 6)
        assert (rows.rt_slope_absent > 5 * rows.rt_slope_absent_se).all(), label
    slopes = table.slopes()
    assert slopes.strategy.tolist() == ["a-SPRT", "SPRT-opt", "SPRT", "Hardmax"]


def test_names_recipes_and_the_optimum_are_taken_alike():
    task, few = SearchTask(n_locations=2, drift=4.0), {"n_trials": 2000, "tune_trials": 1000}
    named = compare(task, COSTS, ["sprt", "optimal"], **few)
    made = compare(task, COSTS, [SPRT, solve(task, COSTS).strategy], **few)
    assert named.strategy.tolist() == ["SPRT", "optimal"]
    pd.testing.assert_frame_equal(pd.DataFrame(named), pd.DataFrame(made))
    assert named.excess.iloc[1] < 1e-3 * named.excess.iloc[0]


def test_progress_runs_from_nothing_to_the_last_score():
    told = []
    compare(
        SearchTask(n_locations=2, drift=4.0),
        [COSTS, Costs(time=1.0)],
        [SPRT, Hardmax],
        n_trials=100,
        progress=lambda share, words: told.append((share, words)),
    )
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert told[-1] == (0.875, "2 locations, scoring Hardmax")


TIED = MixtureSearchTask.tied(3, [10], [0, 20], {0: -4, 10: 4, 20: 0})


def test_unknown_distractors_are_compared_with_tuned_sprt_opt():
    few, costly = {"n_trials": 2000, "tune_trials": 1000, "seed": 1}, Costs(time=4.0)
    coarse = MixtureSearchTask.tied(2, [10], [0, 20], {0: -4, 10: 4, 20: 0}, dt=0.05)
    own = SPRT.for_task(coarse, -3.0, 3.0)
    table = compare(coarse, costly, [own, "sprt-opt", "sprt"], **few)
    assert table.reference.tolist() == ["SPRT-opt"] * 3
    assert table.excess.iloc[1] == table.excess_se.iloc[1] == 0.0
    assert table.excess.iloc[0] > 10 * table.excess_se.iloc[0]  # far too patient
    assert abs(table.excess.iloc[2]) < 4 * table.excess_se.iloc[2]  # thresholds of a coarse grid
    assert abs(table.excess - (table.risk - table.risk.iloc[1])).max() < 1e-9  # the same trials
    assert "drift" not in str(table)
    assert table.as_dict()[0]["drift"] is None


def test_tests_of_single_locations_need_evidence_of_each():
    with pytest.raises(InputError) as caught:
        compare(TIED, COSTS, ["a-sprt", SPRTOpt, Hardmax, "optimal"])
    lines = str(caught.value).splitlines()
    assert [line.split("got ")[1].split(";")[0] for line in lines] == [
        "'a-sprt'",
        "'hardmax'",
        "'optimal'",
    ]


@pytest.mark.parametrize("locations", [2, 4])
def test_a_class_without_trials_leaves_the_answers_before_looking_alike(locations):
    """A target in one of ten thousand trials, and a hundred trials: everybody says absent.

    The grid knows what that risks; a simulation without targets cannot know.
    """
    task = SearchTask(n_locations=locations, drift=4.0, prior=1e-4)
    rivals = [ASPRT, SPRTOpt, SPRT]
    table = compare(task, Costs(time=0.2), rivals, n_trials=100, tune_trials=1000)
    risk = 1e-4 if locations == 2 else np.nan
    assert table.risk.to_numpy() == pytest.approx(risk, abs=1e-9, nan_ok=True)
    assert not table.excess.to_numpy().any()
    assert (table.is_reference | (table.excess_se == 1 / table.excess_trials)).all()


COSTLY = Costs(time=1.0)
LIMITED = po.LimitedSearchTask(n_locations=2, information=8.0)


@pytest.fixture(scope="module")
def looks():
    wanted = ["sprt-opt", "optimal"]
    policies = ["parallel", "serial", "optimal"]
    return po.compare(
        LIMITED, COSTLY, wanted, attention=policies, n_trials=20_000, tune_trials=4000
    )


@pytest.fixture(scope="module")
def best():
    return po.solve(LIMITED, COSTLY, 3e-4)


def row(table, attention, strategy):
    found = table[(table.attention == attention) & (table.strategy == strategy)]
    return found.iloc[0]


@pytest.mark.parametrize("policy", [po.Parallel, po.Serial])
def test_the_excess_of_the_best_stopping_is_that_of_the_solver(looks, policy):
    attention = policy.for_task(LIMITED)
    best = po.solve(LIMITED, COSTLY, 1e-3)
    found = row(looks, attention.label, "optimal")
    exact = po.solve(LIMITED, COSTLY, 1e-3, attention=attention).risk - best.risk
    assert found.excess == pytest.approx(exact, abs=1e-12)
    assert found.excess_trials == 0


@pytest.mark.parametrize("policy", [po.Parallel, po.Serial])
def test_the_excess_of_a_tuned_strategy_agrees_with_its_exact_evaluation(looks, best, policy):
    attention = policy.for_task(LIMITED)
    found = row(looks, attention.label, "SPRT-opt")
    stop = po.SPRT.for_task(LIMITED, found.tau_minus, found.tau_plus)
    exact = po.evaluate(LIMITED, po.Observer(attention, stop), COSTLY, 1e-3)
    excess = exact.risk - best.risk
    allowed = 4 * found.excess_se + exact.risk_error + best.risk_error
    assert found.excess == pytest.approx(excess, abs=allowed)
    # Thresholds that are wrong by one nat are told apart.
    wrong = po.SPRT.for_task(LIMITED, found.tau_minus + 1.0, found.tau_plus)
    other = po.evaluate(LIMITED, po.Observer(attention, wrong), COSTLY, 1e-2).risk - best.risk
    assert found.excess != pytest.approx(other, abs=allowed)


def test_pairing_with_the_optimum_sharpens(looks):
    # Serial attention sees what the optimum sees, most of the time.
    found = row(looks, "serial", "SPRT-opt")
    assert found.excess_se < 0.2 * looks.error_rate_present_se.max()
    assert 0 < found.excess < 0.02 * found.risk
    assert row(looks, "optimal", "optimal").is_reference
    assert looks.is_reference.sum() == 1


def test_with_more_locations_the_best_is_the_reference():
    task = po.LimitedSearchTask(n_locations=6, information=30.0)
    table = po.compare(task, COSTLY, po.SPRTOpt, n_trials=4000, tune_trials=2000)
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

    stop = po.SPRT.for_task(LIMITED, -2.0, 2.0)
    few = {"n_trials": 500, "tune_trials": 1000}
    table = po.compare(LIMITED, COSTLY, stop, attention=Halves(), **few)
    assert table.attention.tolist() == ["halves"]
    assert (table.excess > 0).all()
    assert po.compare(LIMITED, COSTLY, po.Observer(Halves(), stop), **few).as_dict() == (
        table.as_dict()
    )
    with pytest.raises(po.InputError) as caught:
        po.compare(
            [LIMITED, po.SearchTask(n_locations=2, drift=2.0)],
            COSTLY,
            ["luck"],
            attention=["serail", po.Serial((0.0,) * 3), 7],
        )
    said = str(caught.value)
    for words in ("did you mean serial", "one for 2 locations", "an attention policy",
                  "a SearchTask observes by itself", "got 'luck'"):  # fmt: skip
        assert words in said


def test_a_class_of_policies_stands_for_the_one_of_the_task():
    """As classes of strategies do; every function that takes a policy takes its class."""
    stop = po.SPRT.for_task(LIMITED, -3.0, 3.0)
    few = {"n_trials": 1000, "tune_trials": 1000}
    by_class, by_name = (
        po.compare(LIMITED, COSTLY, [stop], attention=[wanted], **few)
        for wanted in (po.Serial, "serial")
    )
    assert by_class.as_dict() == by_name.as_dict()
    assert po.simulate(LIMITED, po.Observer(po.Serial, stop), 100).attention.label == "serial"
    found = [
        po.evaluate(LIMITED, po.Observer(policy, stop), COSTLY, rtol=1e-2).risk
        for policy in (po.Serial, po.Serial.for_task(LIMITED))
    ]
    assert found[0] == found[1]


def test_a_class_that_needs_more_than_the_task_says_so():
    class Mine(po.Attention):
        def __init__(self, weight):
            self.weight = weight

        def shares(self, Z, t):
            return Z

    with pytest.raises(po.InputError, match="make one and pass that"):
        po.compare(LIMITED, COSTLY, ["sprt"], attention=[Mine])
