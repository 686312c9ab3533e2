"""Additions of one's own, one file each, outside popout: what docs/extending.md shows."""

import importlib
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from command_line import refusal, run, run_json

import popout as po
from popout.cli.group import main
from popout.policies.stopping import RECIPES
from popout.reports.part import run_parts
from popout.task import Observation, task_from_toml, task_to_toml
from popout.task.toml import task_schema

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


TEXT = """
kind = "odd-one-out"
n_items = 1
[observation]
kind = "clicks"
rate = [[0.5], [-1]]
"""


def test_a_law_and_a_task_are_kept_in_files_whose_faults_have_lines(extension):
    clicks = extension("clicks").Clicks([[2.0, 30.0], [30.0, 2.0]])
    task = extension("odd_one_out").OddOneOut(3, clicks)
    assert task_from_toml(task_to_toml(task)) == task
    jsonschema.Draft202012Validator(task_schema()).validate(task.as_dict())
    assert "n_locations" not in task_schema()["$defs"][task.kind]["properties"]
    with pytest.raises(po.InputError) as caught:
        task_from_toml(TEXT)
    assert caught.value.lines == (
        "line 3: OddOneOut.n_items: expected an integer of at least 2, got 1; count them",
        "line 6: Clicks.rate[1][0]: expected a positive number, got -1; "
        "give a positive rate in clicks/s",
    )
    paths = [fault.as_dict()["path"] for fault in caught.value.faults]
    assert paths == [["n_items"], ["observation", "rate", 1, 0]]


def test_a_task_of_walks_is_the_same_search(extension):
    task = extension("odd_one_out").OddOneOut(3, po.GaussianWalk([-4.0, 4.0]))
    same = po.SearchTask(3, 4.0)
    assert task.search == same
    assert po.solve(task, COSTS, rtol=1e-2).risk == po.solve(same, COSTS, rtol=1e-2).risk
    strategy = po.ASPRT.for_task(task, -2.0, 2.0)
    trials, others = (po.simulate(each, strategy, 2000, seed=1) for each in (task, same))
    assert trials.task is task
    assert np.array_equal(trials.states([3]), others.states([3]))
    assert str(task).startswith("OddOneOut over 3 locations")
    assert task.describe()[1] == "Each location is observed through one channel of Gaussian noise."
    assert task.is_illustrated
    assert task.tilts == (25.0, 0.0)


def test_a_law_and_a_task_give_calibrated_evidence(extension):
    clicks = extension("clicks").Clicks([[2.0, 30.0], [30.0, 2.0]])
    task = extension("odd_one_out").OddOneOut(3, clicks, dt=0.001)
    assert "not a Gaussian walk" in task.why_no_search
    with pytest.raises(po.InputError, match="a task with an equivalent one"):
        po.solve(task, COSTS)
    sample = po.Evidence(task).sample(4000, 40, seed=1)
    S = po.Evidence(task).final(sample.increments)
    # E[exp(S) | absent] = 1; one click at most is the law up to terms of order dt.
    ratio = np.exp(S[~sample.present])
    assert ratio.mean() == pytest.approx(1.0, abs=4 * ratio.std() / np.sqrt(len(ratio)) + 0.02)
    assert S[sample.present].mean() > 0.5


def test_strategy_law_and_task_are_simulated_and_compared(extension):
    OddOneOut, Patient = extension("odd_one_out").OddOneOut, extension("patience").Patient
    walk = OddOneOut(4, po.GaussianWalk([-8.0, 8.0]))
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
