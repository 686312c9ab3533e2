"""Expected standard errors: a closed form, the law of large numbers, noise that is no news."""

import numpy as np
import pytest

from popout.experiment import Block
from popout.experiment.design import ExpectedObserver
from popout.experiment.observer import cells_of
from popout.experiment.precision import cell_information, expected_se

from .designs import make_design


def test_without_decision_time_the_error_of_t0_is_that_of_a_mean():
    """Decisions that take no time leave a Gaussian with a known standard deviation."""
    sd = 0.08
    quick = ExpectedObserver(drift=200.0, non_decision_sd=sd)
    design = make_design(observer=quick, distractors=[90], blocks=[Block("Main", 100)])
    (cell, _) = cells_of(design)
    found = cell_information(design, cell, 2000)[2, 2]
    # Bins of 50 ms lose a little: w^2 / 12 is added to the variance.
    assert 1 / found == pytest.approx(sd**2 + 0.05**2 / 12, rel=0.02)


def test_four_times_the_trials_halve_the_errors():
    few = expected_se(make_design(blocks=[Block("Main", 100)]), 4000)
    many = expected_se(make_design(blocks=[Block("Main", 400)]), 4000)
    assert many == pytest.approx({name: error / 2 for name, error in few.items()})


def test_more_simulation_gives_the_same_errors():
    """The noise of slopes does not count as information, which it would if it were squared."""
    design = make_design(blocks=[Block("Main", 200)], set_sizes=[4])
    few, many = (expected_se(design, n)["drift"] for n in (6000, 24_000))
    assert few == pytest.approx(many, rel=0.25)
    (cell,) = cells_of(design)
    from popout.experiment.precision import FLOOR, _Probabilities

    p, slopes = _Probabilities(design, cell, 3000, 1).slopes()
    squared = (slopes / np.maximum(p, FLOOR)) @ slopes.T  # the negative control
    assert squared[0, 0] > 1.2 * cell_information(design, cell, 24_000)[0, 0]


def test_classes_weigh_what_the_prior_says():
    """Bins hold the probability of class and answer together: rare targets tell little."""
    from popout.experiment.precision import _Probabilities

    design = make_design(prior=0.1, blocks=[Block("Main", 200)], set_sizes=[4])
    (cell,) = cells_of(design)
    p, _ = _Probabilities(design, cell, 4000, 1)(1.0, 1.0)
    absent, present = p.reshape(2, -1).sum(axis=1)
    assert (absent, present) == pytest.approx((0.9, 0.1))
