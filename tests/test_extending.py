"""A strategy, an observation law and a kind of task of one's own: one file each, outside popout."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import popout as po
from popout.policies.stopping import RECIPES
from popout.task import Observation, task_from_toml, task_to_toml

FOLDER = Path(__file__).parents[1] / "examples" / "extending"
COSTS = po.Costs(time=2.0)


@pytest.fixture
def extension(monkeypatch):
    """Load the three files, and forget them afterwards: other tests count what popout knows."""
    monkeypatch.syspath_prepend(str(FOLDER))
    names = ("clicks", "odd_one_out", "patience")
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    before = [dict(known) for known in (po.Task.kinds, Observation.kinds, RECIPES)]
    clicks, odd_one_out, patience = (importlib.import_module(name) for name in names)
    yield clicks.Clicks, odd_one_out.OddOneOut, patience.Patient
    for known, old in zip((po.Task.kinds, Observation.kinds, RECIPES), before, strict=True):
        known.clear()
        known.update(old)


def test_a_law_and_a_task_give_calibrated_evidence(extension):
    Clicks, OddOneOut, _ = extension
    task = OddOneOut(3, Clicks([[2.0, 30.0], [30.0, 2.0]]), dt=0.001)
    assert task_from_toml(task_to_toml(task)) == task
    sample = po.Evidence(task).sample(4000, 40, seed=1)
    S = po.Evidence(task).final(sample.increments)
    # E[exp(S) | absent] = 1; one click at most is the law up to terms of order dt.
    ratio = np.exp(S[~sample.present])
    assert ratio.mean() == pytest.approx(1.0, abs=4 * ratio.std() / np.sqrt(len(ratio)) + 0.02)
    assert S[sample.present].mean() > 0.5


def test_all_three_are_simulated_and_compared(extension):
    Clicks, OddOneOut, Patient = extension
    walk = OddOneOut(4, po.GaussianWalk([-8.0, 8.0]))
    assert walk.search == po.SearchTask(n_locations=4, drift=8.0)
    table = po.compare(walk, COSTS, [Patient, po.SPRT], n_trials=1000, tune_trials=1000)
    assert table.strategy.tolist() == ["patient SPRT", "SPRT"]
    assert table.risk.between(0.05, 0.2).all()
    clicks = OddOneOut(3, Clicks([[4.0, 60.0], [60.0, 4.0]]), dt=0.005)
    table = po.compare(clicks, COSTS, ["patient", po.SPRT], n_trials=1000, tune_trials=1000)
    assert table.risk.max() < 0.5
    trials = po.simulate(clicks, po.SPRT.for_task(clicks, -2.0, 2.0), 500, seed=1)
    assert trials.summary(COSTS).risk < 0.5
