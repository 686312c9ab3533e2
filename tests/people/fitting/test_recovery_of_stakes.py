"""Time limits, base rates and pay: what comes back if a fit knows of them, and if it does not.

Trials are drawn from serial search, whose tables have no noise. Each control is the same trials,
fitted by somebody who was not told.
"""

from dataclasses import replace

import numpy as np
import pytest

from popout.people.fitting.maximum_likelihood import maximum_near
from popout.people.fitting.synthetic import Design, synthetic_observer
from popout.people.models.model import position_of, values_at
from popout.people.models.search_models import SearchModel, Stopping
from popout.people.models.situation import FIELDS, USUAL, Situation
from popout.people.passages.passage_tables import PassageTables
from popout.policies.stopping import Action

SIZES = (2, 6)
MODEL = SearchModel(Stopping.IDEAL, np.inf)
TRUE = {"information": 30.0, "capacity": 0.2, "variability": 0.5, "time_cost": 0.15}
TRUE |= {"residual_mean": 0.35, "residual_sd": 0.06, "residual_constant": 0.5}
TRUE |= {"absent_extra": 0.03, "lapse": 0.004}


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    return PassageTables(SIZES, folder=tmp_path_factory.mktemp("serial"))


def errors(trials, tables):
    """Return the errors of the estimates, in the standard errors that scores at the truth imply."""
    likelihood = MODEL.likelihood(trials, tables)
    found = position_of(MODEL.parameters, maximum_near(likelihood, TRUE))
    true, scores = position_of(MODEL.parameters, TRUE), []
    for step in 1e-3 * np.eye(len(true)):
        ends = (values_at(MODEL.parameters, true + sign * step) for sign in (1, -1))
        up, down = map(likelihood.log_densities, ends)
        scores.append((up - down) / 2e-3)
    sd = np.sqrt(np.diag(np.linalg.inv(np.array(scores) @ np.transpose(scores))))
    return dict(zip(TRUE, (found - true) / sd, strict=True))


def without(trials, columns):
    """Return trials of which nobody says some columns."""
    kept = {name: each for name, each in trials.columns.items() if name not in columns}
    prior = USUAL.prior if "prior" in columns else trials.prior
    return replace(trials, prior=prior, columns=kept)


def test_a_limit_that_cuts_a_fifth_leaves_estimates_unbiased(serial):
    """Of 32,000 trials 20 % are cut; whoever leaves them out misses the slow ones."""
    unlimited = synthetic_observer(MODEL, TRUE, Design(SIZES, 2000), serial, seed=1)
    limited = Situation(deadline=float(np.quantile(unlimited.rt, 0.8)))
    trials = synthetic_observer(MODEL, TRUE, Design(SIZES, 8000, limited), serial, seed=2)
    cut = trials.response == Action.WAIT
    assert 0.18 < cut.mean() < 0.22
    assert max(map(abs, errors(trials, serial).values())) < 3.5
    left_out = errors(without(trials.where(~cut), ("deadline",)), serial)
    assert left_out["variability"] < -10.0
    assert left_out["information"] > 10.0


@pytest.mark.parametrize("stakes", [Situation(prior=0.2, miss=3.0), Situation(prior=0.2)])
def test_base_rates_and_pay_are_recovered_by_a_fit_that_knows_them(stakes, serial):
    """Odds of .75 and .25; even stakes are other thresholds, and spoil all that is beside them."""
    trials = synthetic_observer(MODEL, TRUE, Design(SIZES, 8000, stakes), serial, seed=3)
    assert max(map(abs, errors(trials, serial).values())) < 3.5
    even = errors(without(trials, FIELDS), serial)
    assert even["residual_mean"] > 7.0
    assert even["absent_extra"] < -6.0
