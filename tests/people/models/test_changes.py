"""Another experiment: what can be changed, and how far its answers reach."""

import math
from dataclasses import replace

import pytest
from stored_fits import known_fit

from popout.people.fitting.synthetic import typical_values
from popout.people.models.changes import Changes, beyond, reaching, situation_words, varying
from popout.people.models.search_models import models
from popout.people.models.situation import USUAL, Situation
from popout.task import InputError

from ..simple_models import LogNormalTimes


def test_what_is_not_said_stays_and_several_values_are_crossed():
    changes = Changes.of({"prior": (0.2, 0.5), "miss": 2, "set_size": [8.0, 4, 4]})
    assert changes.set_sizes == (4, 8)
    assert changes.fields == ("prior", "miss")
    there = changes.applied([Situation(deadline=2.0), Situation(false_alarm=3.0)])
    expected = [Situation(p, 2, f, d) for p in (0.2, 0.5) for f, d in ((1.0, 2.0), (3.0, math.inf))]
    assert set(there) == set(expected)
    assert varying(there) == ("prior", "false_alarm", "deadline")
    assert situation_words(there[0], ("prior", "false_alarm")) == "prior 0.2, false alarm 1"
    assert Changes.of({}).applied([USUAL, USUAL]) == (USUAL,)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"piror": 0.2}, "did you mean prior?"),
        ({"prior": 0.0, "miss": -1, "set_size": 2.5}, "miss: expected"),
        ({"prior": "often"}, "a number"),
        ({"set_size": ()}, "nothing"),
        ({"set_size": 0}, "an integer from 1"),
        ({"deadline": math.nan}, "deadline"),
        ({"prior": [0.01 * k for k in range(1, 30)]}, "24 conditions at most"),
    ],
)
def test_what_cannot_be_is_said(given, words):
    with pytest.raises(InputError, match="changes") as caught:
        Changes.of(given)
    assert words in str(caught.value)


def test_all_faults_at_once():
    with pytest.raises(InputError) as caught:
        Changes.of({"prior": 0.0, "miss": -1, "set_size": 2.5, "luck": 1})
    assert len(caught.value.faults) == 4


def test_a_window_grows_until_it_holds_the_answers(tables):
    (model,) = models(["ideal-parallel"], 1.0)
    values = typical_values(model, {"time_cost": 0.01, "information": 10.0})
    assert beyond(model, values, (1, 4), tables, USUAL) > 0.01
    wide = reaching(model, values, (1, 4), tables, USUAL)
    assert wide.longest in (2.0, 3.0, 5.0, 10.0, 20.0)
    assert beyond(wide, values, (1, 4), tables, USUAL) < 1e-3
    quick = typical_values(model, {"information": 500.0, "time_cost": 1.0, "lapse": 1e-4})
    assert reaching(model, quick, (1, 4), tables, USUAL) == model
    late = reaching(model, values, (1, 4), tables, Situation(deadline=7.0))
    assert late.longest == 7.0


def test_a_limit_before_all_answers_is_refused(tables):
    fitted = known_fit()
    with pytest.raises(InputError, match=r"deadline: expected seconds above 0\.15"):
        fitted.predict(deadline=0.1)


def test_a_model_of_ones_own_is_predicted_as_it_is():
    model = LogNormalTimes()
    assert model.within(1.0, 0.0) is model
    values = {"median": 0.5, "sd": 0.3}
    assert reaching(model, values, (4,), None, USUAL) is model


def test_a_fitted_model_predicts_elsewhere(tables):
    quick = {"information": 200.0}
    fitted = known_fit(given=quick, situations={USUAL: 100, Situation(miss=2.0): 300})
    fitted = replace(fitted, tables=tables)
    about = (fitted.estimates, (4,), tables)
    parts = {replace(s, prior=0.2): n for s, n in fitted.situations.items()}
    density = sum(n / 400 * fitted.model.predict(*about, s).density for s, n in parts.items())
    predicted = fitted.predict(set_sizes=[4], prior=0.2)
    assert predicted.density == pytest.approx(density)
    assert predicted.set_sizes == (4,)
    rare, usual = predicted.error_rate[0], fitted.predict().error_rate[1]
    assert rare[1] > usual[1]  # more misses
    assert rare[0] < usual[0]
