"""The numbers of one point: those that the library gives when asked directly."""

import pytest

import popout as po
from popout.analysis.cluster import VersionError
from popout.analysis.sweep.case import Case
from popout.analysis.sweep.point import compute, point_seed, run_points

TASK = po.SearchTask(n_locations=2, drift=4.0)
COSTS = po.Costs(time=0.5)
TABLE = {"kind": "search", "n_locations": 2, "drift": 4.0, "costs": {"time": 0.5}}


def values(**settings):
    return compute(Case.of({**TABLE, **settings}))


def test_exact_optimum():
    found = values(result="exact")
    solution = po.solve(TASK, COSTS, 1e-3)
    assert (found["risk"], found["risk_error"]) == (solution.risk, solution.risk_error)
    # The rates are those of the same strategy: their risk is the optimal one.
    rates = [found[f"error_rate_{side}"] for side in ("absent", "present")]
    times = [found[f"mean_rt_{side}"] for side in ("absent", "present")]
    assert 0.5 * (sum(rates) + 0.5 * sum(times)) == pytest.approx(solution.risk, rel=2e-3)
    assert "error_rate_absent" not in values(result="exact", rates=False)


def test_exact_strategy():
    pair = po.thresholds(4.0, COSTS)
    wanted = po.evaluate(TASK, po.SPRT.for_task(TASK, pair.lower, pair.upper), COSTS, 1e-2)
    found = values(result="exact", strategy="sprt", rtol=1e-2)
    assert found["risk"] == wanted.risk
    assert found["error_rate_present"] == wanted.miss
    assert found["mean_rt_absent"] == wanted.rt_absent
    assert (found["tau_plus"], found["a_plus"]) == (pair.upper, 1.0)


def test_simulated_strategy_is_reproduced_from_its_seed():
    given = {"tau_minus": -2.0, "tau_plus": 1.5}
    settings = {"strategy": "hardmax", "parameters": given, "n_trials": 5000, "time_limit": 0.3}
    found = values(result="simulated", **settings)
    strategy = po.Hardmax.for_task(TASK, -2.0, 1.5)
    tally = po.simulate(TASK, strategy, 5000, found["point_seed"], time_limit=0.3, keep=False)
    summary = tally.summary(COSTS)
    assert (found["risk"], found["risk_se"]) == (summary.risk, summary.risk_se)
    assert found["mean_rt_present_se"] == summary.present.mean_rt_se
    assert found["undecided"] == summary.undecided > 0


def test_given_scales_are_used_and_those_left_out_are_tuned():
    given = {"a_minus": 1.2, "a_plus": 0.8, "tau_minus": -2, "tau_plus": 2}
    settings = {"strategy": "a-sprt", "n_trials": 1000, "tune_trials": 1000, "n_locations": 4}
    found = values(result="simulated", parameters=given, **settings)
    assert {name: found[name] for name in given} == given
    found = values(result="simulated", **settings)
    assert found["a_minus"] not in (1.2, 1.7)
    assert found["a_minus_se"] > 0


def test_tuned_thresholds_bear_the_names_of_the_strategy():
    settings = {"strategy": "sprt-opt", "n_trials": 1000, "tune_trials": 1000, "n_locations": 4}
    found = values(result="tuned", **settings)
    task = po.SearchTask(n_locations=4, drift=4.0)
    tuned = po.tune(po.SPRTOpt, task, COSTS, n_trials=1000, seed=found["point_seed"])
    assert (found["risk"], found["risk_se"]) == (tuned.risk, tuned.risk_se)
    assert found["tau_minus"] == tuned.strategy.tau_minus
    assert found["tau_minus_se"] == tuned.parameters_se["lower"]
    assert found["error_rate_absent"] > 0


def test_streams_depend_on_seed_and_task_alone():
    other = po.SearchTask(n_locations=2, drift=4.0, prior=0.4)
    seeds = {point_seed(seed, task) for seed in (1, 2) for task in (TASK, other)}
    assert len(seeds) == 4
    assert all(0 <= seed < 2**63 for seed in seeds)
    # Strategies and costs face the same trials; equal drifts are one task however written.
    settings = {"result": "simulated", "n_trials": 100, "parameters": {"tau_minus": -1}}
    same = [
        values(strategy="sprt", **settings),
        values(strategy="hardmax", **settings),
        values(strategy="sprt", **settings, costs={"time": 0.7}),
        values(strategy="sprt", **settings, drift=[4, 4]),
    ]
    assert {found["point_seed"] for found in same} == {point_seed(1, TASK)}


def test_a_point_that_fails_is_recorded_and_the_others_go_on():
    # Each threshold is a number, but the lower one must not be above the upper.
    given = {"result": "simulated", "strategy": "sprt", "n_trials": 100}
    upper = {"parameters.tau_plus": [1.0, -2.0, 2.0]}
    sweep = po.Sweep(TABLE, axes=upper, parameters={"tau_minus": -1.0}, **given)
    bad, good = run_points(sweep, [1, 2])
    assert (bad.index, good.index) == (1, 2)
    assert bad.message.startswith("InputError: SPRT.tau_minus: expected not above tau_plus")
    assert (bad.values, good.message) == ({}, "")
    assert good.values["risk"] > 0


def test_another_version_computes_nothing():
    with pytest.raises(VersionError, match=r"popout 9\.9, got a worker with"):
        run_points(None, [], "9.9")


def test_attention_at_a_point_is_what_the_library_computes():
    table = {"kind": "limited-search", "n_locations": 2, "information": 8.0, "costs": {"time": 0.5}}
    task, costs = po.LimitedSearchTask(n_locations=2, information=8.0), po.Costs(time=0.5)
    found = {
        name: compute(Case.of({**table, "result": "exact", "rates": False, "attention": name}))
        for name in ("serial", "optimal")
    }
    assert found["optimal"]["risk"] == po.solve(task, costs, 1e-3).risk
    policy = po.Serial.for_task(task)
    assert found["serial"]["risk"] == po.solve(task, costs, 1e-3, attention=policy).risk
    drawn = {"result": "simulated", "strategy": "sprt", "n_trials": 20_000, "attention": "serial"}
    simulated = compute(Case.of({**table, **drawn}))
    exact = compute(Case.of({**table, **drawn, "result": "exact"}))
    assert abs(simulated["risk"] - exact["risk"]) < 4 * simulated["risk_se"]
    parallel = compute(Case.of({**table, **drawn, "attention": "parallel"}))
    assert abs(parallel["risk"] - exact["risk"]) > 4 * simulated["risk_se"]


@pytest.mark.parametrize("given", [{"answer": "place"}, {"fixation": "free", "step": 0.03}, {}])
def test_gaze_at_a_point_has_its_exact_risk_and_rates_where_they_are_computed(given):
    table = {"items": [[0, 0], [1, 0]], "information": 20.0, "falloff": 0.8, **given}
    about = {"kind": "gaze-search", "costs": {"time": 0.5}, "result": "exact", "rtol": 1e-2}
    found = compute(Case.of({**table, **about, "attention": "optimal"}))
    assert found["risk"] == po.solve(po.GazeTask(**table), COSTS, 1e-2).risk
    assert ("error_rate_absent" in found) is not bool(given)


def test_a_task_with_an_equivalent_search_has_its_exact_numbers():
    drifts = {0: 4.0, 20: -4.0}
    task = po.MixtureSearchTask.independent(2, [0], [20], drifts).as_dict()
    same = {"costs": {"time": 0.5}, "result": "exact", "rates": False, "rtol": 1e-2}
    found, expected = (compute(Case.of({**table, **same})) for table in (task, TABLE))
    assert found["risk"] == expected["risk"]
    assert found["point_seed"] != expected["point_seed"]  # another kind of task
