"""The paper's treatment of scene complexity against the exact one."""

import math
from dataclasses import replace

import numpy as np
import pytest

from popout.evidence import Evidence, scene_complexity_bias, visible_blanks_bias
from popout.task import GaussianWalk, InputError, SceneSearchTask, SearchTask


def scene(blank_contrast, counts=(1, 3), **rest):
    """Items and blanks differ by `blank_contrast` in a channel of its own."""
    b = blank_contrast
    walk = GaussianWalk([[-2, b], [0, -b], [2, b]])
    return SceneSearchTask.from_sets(7, [0], [20], counts, walk, **rest)


def test_both_treatments_see_the_same_observations():
    task = scene(3.0)
    sample = Evidence(task).sample(3000, 50, seed=1)
    difference = Evidence(task.as_mixture()).final(sample.increments) - Evidence(task).final(
        sample.increments
    )
    bias = scene_complexity_bias(task, n_trials=3000, duration=0.5, seed=1)
    assert bias.absent.value == pytest.approx(difference[~sample.present].mean(), rel=1e-12)
    present = difference[sample.present]
    assert bias.present.se == pytest.approx(present.std(ddof=1) / math.sqrt(present.size))
    assert bias.rms == pytest.approx(np.sqrt(np.mean(difference**2)))


def test_visible_blanks_leave_the_bias_of_the_closed_form():
    """The footnote calls the bias negligible when blanks are seen at once. It is not zero."""
    limit = visible_blanks_bias(scene(40.0))
    for n, value in zip((1, 3), limit, strict=True):  # n items seen; mixtures 1/7 and 3/7
        q1 = (1 / 7) ** n * (6 / 7) ** (7 - n)
        q3 = (3 / 7) ** n * (4 / 7) ** (7 - n)
        assert value == pytest.approx(math.log(n * (q1 + q3 / 3) / (q1 + q3)), rel=1e-12)
        assert abs(value) > 0.1
    bias = scene_complexity_bias(scene(40.0), n_trials=400, duration=0.5, seed=2)
    for mean, expected in zip(bias.by_count, limit, strict=True):
        assert mean.value == pytest.approx(expected, abs=1e-9)
        assert mean.se < 1e-9  # a constant, whatever was observed


def test_bias_vanishes_with_visible_blanks_if_the_set_size_is_known():
    assert visible_blanks_bias(scene(40.0, counts=(3,))) == pytest.approx((0.0,), abs=1e-14)
    hard, easy = (
        scene_complexity_bias(scene(b, counts=(3,)), n_trials=2000, duration=0.5, seed=2)
        for b in (0.0, 40.0)
    )
    assert hard.rms > 0.1
    assert easy.rms < 1e-9


def test_paper_treatment_loses_information_and_is_conservative_when_blanks_are_hard():
    bias = scene_complexity_bias(scene(0.0), n_trials=20_000, duration=0.5, seed=3)
    assert bias.towards_zero.value > 5 * bias.towards_zero.se
    assert bias.information_lost.value > 5 * bias.information_lost.se


def test_the_table_can_be_printed():
    text = str(scene_complexity_bias(scene(3.0), n_trials=500, duration=0.2, seed=3))
    assert "S(paper) - S(exact) after 0.2 s, 500 trials" in text
    assert "M_d = 3" in text


def test_a_class_that_never_occurs_has_no_standard_error():
    rare = replace(scene(3.0), prior=1e-12)
    bias = scene_complexity_bias(rare, n_trials=10, duration=0.1, seed=3)
    assert math.isnan(bias.present.value)


def test_faulty_requests_are_reported_together():
    with pytest.raises(InputError) as caught:
        scene_complexity_bias(scene(1.0), n_trials=1, duration=1e-9, seed=3)
    assert "n_trials" in str(caught.value)
    assert "duration" in str(caught.value)
    with pytest.raises(InputError, match="expected a SceneSearchTask"):
        scene_complexity_bias(SearchTask(2, 1.0), n_trials=10, duration=1.0, seed=3)
