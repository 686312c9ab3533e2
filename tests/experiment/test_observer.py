"""What the displays of a design are to an observer."""

import math
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from popout.experiment import Block
from popout.experiment.design import ExpectedObserver
from popout.experiment.layout import Ring
from popout.experiment.observer import cells_of, ideal_rows, mean_search, task_of
from popout.task import Costs

from .designs import make_design


def test_practice_does_not_count():
    assert [(cell.block.name, cell.set_size, cell.n) for cell in cells_of(make_design())] == [
        ("Main", 2, 6.0),
        ("Main", 4, 6.0),
    ]


def test_drift_follows_angle_and_contrast():
    design = make_design(distractors=[30], observer=ExpectedObserver(drift=8.0))
    tilted = 8.0 * (1 - math.cos(math.radians(60))) / 2
    assert task_of(design, design.blocks[1], 4).drift == pytest.approx(tilted)
    two = {"layout": Ring(places=2), "set_sizes": [2], "contrast": [1.0, 0.5]}
    design = make_design(**two, distractors=[90])
    assert task_of(design, design.blocks[1], 2).drifts == pytest.approx((6.0, 3.0))


def test_several_orientations_make_a_mixture():
    design = make_design(distractors=[30, 90])
    tied = task_of(design, design.blocks[1], 4)
    assert tied.kind == "mixture-search"
    assert tied.search is None
    separations = [1 - math.cos(math.radians(60)), 2.0]
    assert mean_search(tied).drift == pytest.approx(6.0 * sum(separations) / 4)


@pytest.mark.parametrize("distractors", [[90], [60, 90]], ids=["known", "unknown"])
def test_the_ideal_observer_takes_longer_with_more_items(monkeypatch, distractors):
    monkeypatch.setattr("popout.experiment.observer.TUNE_TRIALS", 1000)
    monkeypatch.setattr("popout.experiment.observer.TRIALS", 4000)
    design = make_design(blocks=[Block("Main", 12)], distractors=distractors, set_sizes=[2, 8])
    rows = {(row["set_size"], row["present"]): row for row in ideal_rows(design)}
    rest = design.observer.non_decision_time
    assert rows[8, False]["mean_rt"] > rows[2, False]["mean_rt"] > rest
    assert all(0 < row["error_rate"] < 0.2 for row in rows.values())


def test_blocks_count_by_their_trials(monkeypatch):
    class Side(NamedTuple):
        error_rate: float
        mean_rt: float

    def perform(task, costs, *more, **settings):
        side = Side(0.0, costs.time_present)
        return SimpleNamespace(summary=SimpleNamespace(absent=side, present=side))

    monkeypatch.setattr("popout.experiment.observer.perform", perform)
    blocks = [Block("Few", 10, costs=Costs(time=0.4)), Block("Many", 30, costs=Costs(time=0.8))]
    design = make_design(blocks=blocks, set_sizes=[4])
    times = [row["mean_rt"] for row in ideal_rows(design)]
    assert times == pytest.approx([(10 * 0.4 + 30 * 0.8) / 40 + 0.35] * 2)


def test_every_task_has_the_prior_of_the_design():
    for design in (make_design(prior=0.2), make_design(prior=0.2, distractors=[30, 90])):
        task = task_of(design, design.blocks[1], 4)
        assert (task.prior, mean_search(task).prior if task.search is None else 0.2) == (0.2, 0.2)
