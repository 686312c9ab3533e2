"""Thresholds that move by a share of the way to the ideal ones."""

from dataclasses import replace

import numpy as np
import pytest

from popout.people.fitting.synthetic import typical_values
from popout.people.models.partly_ideal import PartlyIdeal
from popout.people.models.search_models import Stopping, models
from popout.people.models.situation import USUAL, Situation
from popout.task import InputError

(IDEAL,) = models(["ideal-parallel"], 3.0)
VALUES = typical_values(IDEAL)
RARE = Situation(prior=0.1, miss=2.0)


def trials_in(tables, situation, n=50):
    prediction = IDEAL.predict(VALUES, (1, 4), tables, situation)
    return prediction.draw([(M, kind, n) for M in (1, 4) for kind in (False, True)], seed=1)


def test_one_is_the_ideal_observer_and_nought_keeps_the_thresholds(tables):
    trials, model = trials_in(tables, RARE), PartlyIdeal.of(IDEAL, {USUAL: 10})
    ideal = IDEAL.log_densities(VALUES, trials, tables)
    moved = model.log_densities({**VALUES, "share": 1.0}, trials, tables)
    assert moved == pytest.approx(ideal, abs=1e-9)
    # Answers given the display do not depend on the prior, but for the thresholds.
    stakes = {name: np.full(len(trials), getattr(USUAL, name)) for name in ("prior", "miss")}
    as_before = replace(trials, columns={**trials.columns, **stakes})
    kept = model.log_densities({**VALUES, "share": 0.0}, trials, tables)
    assert kept == pytest.approx(IDEAL.log_densities(VALUES, as_before, tables), abs=1e-9)
    assert np.abs(kept - moved).max() > 0.1


def test_between_them_thresholds_are_geometric_means(tables):
    home = {USUAL: 30, Situation(prior=0.8): 10}
    model = PartlyIdeal.of(IDEAL, home)
    old = [IDEAL.decision(VALUES, tables, each.stakes) for each in home]
    new = IDEAL.decision(VALUES, tables, RARE.stakes)
    decision = model.decision({**VALUES, "share": 0.25}, tables, RARE.stakes)
    for side in ("tau_minus", "tau_plus"):
        kept = getattr(old[0], side) ** 0.75 * getattr(old[1], side) ** 0.25
        expected = kept**0.75 * getattr(new, side) ** 0.25
        assert getattr(decision, side) == pytest.approx(expected)
    assert decision.rate == pytest.approx(new.rate)


def test_free_thresholds_have_nowhere_to_go():
    with pytest.raises(InputError, match="ideal thresholds"):
        PartlyIdeal.of(replace(IDEAL, stopping=Stopping.FREE), {USUAL: 1})
    with pytest.raises(InputError, match="situations with trials"):
        PartlyIdeal.of(IDEAL, {})
