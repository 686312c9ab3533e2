"""What the displays of a design are to an observer."""

import math

import pytest

from popout.experiment.design import ExpectedObserver
from popout.experiment.layout import Ring
from popout.experiment.observer import cells_of, mean_search, task_of

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


def test_every_task_has_the_prior_of_the_design():
    for design in (make_design(prior=0.2), make_design(prior=0.2, distractors=[30, 90])):
        task = task_of(design, design.blocks[1], 4)
        assert (task.prior, mean_search(task).prior if task.search is None else 0.2) == (0.2, 0.2)
