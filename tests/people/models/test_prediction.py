import numpy as np
import pytest

from popout.people.models.model import Model, ModelParameter
from popout.people.models.prediction import Prediction


class Exponential(Model):
    """Times are exponential with a mean that grows with set size; a share of answers is wrong."""

    name, label, longest = "exponential", "exponential", 20.0
    parameters = (
        ModelParameter("slope", "s per item", "s", 0.01, 1.0),
        ModelParameter("wrong", "share of errors", "", 0.0, 0.5),
    )

    def log_densities(self, values, responses, tables=None):
        mean = values["slope"] * responses.columns["set_size"]
        wrong = np.where(responses.present, values["wrong"], 0.5 * values["wrong"])
        share = np.where(responses.correct, 1.0 - wrong, wrong)
        return np.log(share / mean) - responses.rt / mean


VALUES = {"slope": 0.1, "wrong": 0.2}


@pytest.fixture(scope="module")
def prediction():
    return Prediction.of(Exponential(), VALUES, (2, 4, 8))


def test_means_quantiles_errors_and_slopes(prediction):
    np.testing.assert_allclose(prediction.error_rate, [[0.1, 0.2]] * 3, atol=1e-6)
    np.testing.assert_allclose(prediction.mean_rt()[:, 0], [0.2, 0.4, 0.8], rtol=0.02)
    medians = prediction.quantiles((0.5,))[:, 1, 0]
    np.testing.assert_allclose(medians, np.log(2) * np.array([0.2, 0.4, 0.8]), rtol=0.03)
    np.testing.assert_allclose(prediction.slopes, 100.0, rtol=0.02)
    assert np.isnan(Prediction.of(Exponential(), VALUES, (2,)).slopes).all()


def test_synthetic_trials_follow_the_prediction(prediction):
    n = 4000
    trials = prediction.draw([(4, True, n), (8, False, n)], seed=1)
    of_four = trials.columns["set_size"] == 4
    assert trials.present[of_four].all()
    errors = 1.0 - trials.correct.mean()
    se = np.sqrt(0.15 * 0.85 / (2 * n))
    assert abs(errors - 0.15) < 4 * se
    assert abs(errors - 0.2) > 4 * se
    assert abs(trials.rt[of_four].mean() - 0.4) < 4 * 0.4 / np.sqrt(n)
    assert len(np.unique(trials.columns["block"])) == 10
    assert (trials.rt > 0).all()


def test_it_shows_itself(prediction):
    assert "slopes" in str(prediction)
    cells = prediction.to_pandas()
    assert len(cells) == 6
    assert cells["rt_50"][0] == pytest.approx(0.14, rel=0.05)


def test_classes_and_answers_are_not_swapped():
    """Errors of both kinds, their times, and the numbers of trials differ."""

    class Unequal(Exponential):
        def log_densities(self, values, responses, tables=None):
            wrong = np.where(responses.present, 0.3, 0.1)
            share = np.where(responses.correct, 1.0 - wrong, wrong)
            mean = np.where(responses.present, 0.2, 0.4) * np.where(responses.correct, 1.0, 1.5)
            return np.log(share / mean) - responses.rt / mean

    unequal = Prediction.of(Unequal(), VALUES, (2, 8))
    np.testing.assert_allclose(unequal.error_rate, [[0.1, 0.3]] * 2, rtol=0.02)
    np.testing.assert_allclose(unequal.mean_rt(), [[0.4, 0.2]] * 2, rtol=0.03)
    np.testing.assert_allclose(unequal.mean_rt(correct=False), [[0.6, 0.3]] * 2, rtol=0.03)
    late = unequal.quantiles((0.9,), correct=False)[:, :, 0]
    np.testing.assert_allclose(late, [[0.6 * np.log(10), 0.3 * np.log(10)]] * 2, rtol=0.03)
    trials = unequal.draw([(2, False, 3000), (8, True, 900)], seed=2)
    assert trials.present.sum() == (trials.columns["set_size"] == 8).sum() == 900
    for present, wrong, n in ((False, 0.1, 3000), (True, 0.3, 900)):
        errors = 1.0 - trials.correct[trials.present == present].mean()
        assert abs(errors - wrong) < 4 * np.sqrt(wrong * (1 - wrong) / n)
