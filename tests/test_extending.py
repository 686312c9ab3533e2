"""Additions of one's own, one file each, outside popout: what docs/extending.md shows."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import refusal, run, run_json

import popout as po
from popout.cli.group import main
from popout.policies.stopping import RECIPES
from popout.reports.part import run_parts
from popout.task import Observation, task_from_toml, task_to_toml

FOLDER = Path(__file__).parents[1] / "examples" / "extending"
COSTS = po.Costs(time=2.0)
FEW = {"n_trials": 1000, "tune_trials": 1000}


@pytest.fixture
def extension(monkeypatch):
    """Return a loader of the files; what popout learned from them is forgotten afterwards."""
    monkeypatch.syspath_prepend(str(FOLDER))
    registers = (po.Task.kinds, Observation.kinds, RECIPES, main.commands)
    before = [dict(register) for register in registers]

    def load(name):
        monkeypatch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)

    yield load
    for register, old in zip(registers, before, strict=True):
        register.clear()
        register.update(old)


def test_a_law_and_a_task_give_calibrated_evidence(extension):
    clicks = extension("clicks").Clicks([[2.0, 30.0], [30.0, 2.0]])
    task = extension("odd_one_out").OddOneOut(3, clicks, dt=0.001)
    assert task_from_toml(task_to_toml(task)) == task
    sample = po.Evidence(task).sample(4000, 40, seed=1)
    S = po.Evidence(task).final(sample.increments)
    # E[exp(S) | absent] = 1; one click at most is the law up to terms of order dt.
    ratio = np.exp(S[~sample.present])
    assert ratio.mean() == pytest.approx(1.0, abs=4 * ratio.std() / np.sqrt(len(ratio)) + 0.02)
    assert S[sample.present].mean() > 0.5


def test_strategy_law_and_task_are_simulated_and_compared(extension):
    OddOneOut, Patient = extension("odd_one_out").OddOneOut, extension("patience").Patient
    walk = OddOneOut(4, po.GaussianWalk([-8.0, 8.0]))
    assert walk.search == po.SearchTask(n_locations=4, drift=8.0)
    table = po.compare(walk, COSTS, [Patient, po.SPRT], **FEW)
    assert table.strategy.tolist() == ["patient SPRT", "SPRT"]
    assert table.risk.between(0.05, 0.2).all()
    clicks = OddOneOut(3, extension("clicks").Clicks([[4.0, 60.0], [60.0, 4.0]]), dt=0.005)
    assert po.compare(clicks, COSTS, ["patient", po.SPRT], **FEW).risk.max() < 0.5
    trials = po.simulate(clicks, po.SPRT.for_task(clicks, -2.0, 2.0), 500, seed=1)
    assert trials.summary(COSTS).risk < 0.5


def test_an_attention_policy_is_solved_simulated_and_compared(extension):
    Leaning = extension("leaning").Leaning
    task = po.LimitedSearchTask(n_locations=2, information=32.0)
    leaning, even, parallel = (
        po.solve(task, COSTS, attention=policy, rtol=0.02)
        for policy in (Leaning, Leaning(0.5), po.Parallel)
    )
    assert even.risk == pytest.approx(parallel.risk, abs=even.risk_error + parallel.risk_error)
    assert leaning.risk + leaning.risk_error < parallel.risk - parallel.risk_error
    trials = po.simulate(task, po.Observer(Leaning, leaning.strategy), 2000, seed=1)
    summary = trials.summary(COSTS)
    noise = 4 * summary.risk_se + leaning.risk_error
    assert summary.risk == pytest.approx(leaning.risk, abs=noise)
    table = po.compare(task, COSTS, "sprt", attention=[Leaning, "parallel"], **FEW)
    assert table.attention.tolist() == ["leaning", "parallel"]


def test_a_part_of_a_report_is_computed_drawn_and_kept(extension, tmp_path):
    task = po.SearchTask(n_locations=2, drift=(4.0, 2.0))
    for origin in ("computed", "kept"):
        (made,) = run_parts(
            [extension("growth").part],
            lambda compute, progress: compute(task, progress),
            tmp_path,
            parameters=task.as_dict(),
            seed=1,
        )
        assert made.origin == origin
        assert all(path.stat().st_size > 1000 for path in made.pictures)
        assert made.part.caption(made.data) == ("After a second the best location has d' = 4.0.",)


def test_a_command_stands_beside_those_of_popout(extension):
    assert "'wait'" in refusal("wait")
    extension("wait")
    listed = run("--help").stdout
    assert "Simulate an observer of two thresholds." in listed
    assert "\n  solve" in listed
    result = run_json("wait", "--drift", "4", "--trials", "500")
    assert result["inputs"] == {"drift": 4.0, "trials": 500}
    assert "--drift: expected" in refusal("wait", "--drift", "-4")
    assert "did you mean wait?" in refusal("wiat")
