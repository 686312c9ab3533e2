"""Trials with gaze: compiled as in plain NumPy, on the same noise, with the exact risk."""

import numpy as np
import pytest

import popout as po
from popout.simulation import simulator

TASK = po.GazeTask(
    [(0, 0), (1, 0), (2, 0)], [(0, 0), (1, 0), (2, 0), (0.5, 0.3)], information=20.0, falloff=0.8,
    prior=0.4, location_prior=(0.5, 0.2, 0.3),
)  # fmt: skip
COSTS = po.Costs(time=0.2, miss=1.5)
POLICIES = [po.MAP, po.ELM, po.IdealSearcher, po.StayAt(3), "optimal"]
RANDOM = po.Random(2)


@pytest.fixture(scope="module")
def optimum():
    return po.solve(TASK, COSTS)


def policy_of(wanted, optimum):
    return optimum.attention if wanted == "optimal" else wanted


@pytest.mark.parametrize("wanted", [*POLICIES, RANDOM], ids=str)
def test_compiled_trials_are_those_of_the_general_way(wanted, optimum, monkeypatch):
    for strategy in (po.SPRT.for_task(TASK, COSTS), optimum.strategy):
        observer = po.Observer(policy_of(wanted, optimum), strategy)
        compiled = po.simulate(TASK, observer, 1500, seed=2)
        with monkeypatch.context() as patch:
            patch.setattr(simulator, "compiled_shares", lambda *given: None)
            general = po.simulate(TASK, observer, 1500, seed=2)
        assert (compiled.response == general.response).all()
        assert (compiled.steps == general.steps).all()
        assert np.allclose(compiled.S, general.S, rtol=0.0, atol=1e-9)
        assert (compiled.looks == general.looks).all()


@pytest.mark.parametrize("wanted", POLICIES, ids=str)
def test_the_simulated_risk_is_the_exact_one(wanted, optimum):
    solution = optimum
    if wanted != "optimal":
        solution = po.solve(TASK, COSTS, attention=wanted)
    summary = po.simulate(TASK, solution.observer, 60_000, seed=3).summary(COSTS)
    assert abs(summary.risk - solution.risk) < 4 * summary.risk_se + solution.risk_error
    assert abs(summary.risk - 1.06 * solution.risk) > 4 * summary.risk_se  # what it can tell apart


def test_policies_see_the_same_observations():
    """A look at an item brings the same noise, whoever looks and however well it is seen."""
    sprt = po.SPRT.for_task(TASK, -6.0, 6.0)
    trials = [po.simulate(TASK, po.Observer(each, sprt), 5, seed=4) for each in (po.MAP, po.ELM)]
    noise = []
    for run in trials:
        Z, parts = run.history(0)
        d = 2 * TASK.information * TASK.fixation * parts
        sign = np.where(np.arange(3) == run.target[0], 1.0, -1.0)
        noise.append((np.diff(Z, axis=0) - sign * d) / np.sqrt(2 * d))
    n = min(map(len, noise))
    assert np.allclose(noise[0][:n], noise[1][:n], atol=1e-9)


def test_compare_by_name_knows_the_optimum():
    costs = po.Costs(time=0.2)
    task = po.GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.5)
    names = ["map", "elm", "stay:1"]
    table = po.compare(task, costs, "optimal", attention=names, n_trials=2000, tune_trials=1000)
    assert table.attention.tolist() == ["MAP", "ELM", "stay at 1"]
    assert (table.excess > -table.excess_se).all()
    exact = po.solve(task, costs, attention=po.StayAt(0)).risk
    assert table.risk.iloc[2] == pytest.approx(exact, rel=1e-9)
    usual = po.compare(task, costs, "sprt", n_trials=1000, tune_trials=1000)
    assert usual.attention.tolist() == ["MAP", "ELM", "ideal searcher", "random", "stay at 1"]
