import numpy as np
import pytest

from popout.people.fitting.model_comparison import cross_validate, fit_models
from popout.people.models.model import Model, ModelParameter
from popout.simulation.responses import Responses


class Means(Model):
    """Normal times with a mean of its own for each of n stretches of 0.1 s; spread 0.1 s."""

    label = "means"

    def __init__(self, name, bends):
        self.name = name
        words = "mean of trials of a set size"
        self.parameters = tuple(
            ModelParameter(f"mean_{i}", words, "s", 0.1, 2.0) for i in range(bends)
        )

    def log_densities(self, values, responses, tables=None):
        which = responses.columns["set_size"] % len(self.parameters)
        mean = np.array([values[p.name] for p in self.parameters])[which]
        return -0.5 * ((responses.rt - mean) / 0.1) ** 2


@pytest.fixture(scope="module")
def trials():
    n, random = 200, np.random.default_rng(4)
    size = random.integers(1, 9, n)
    rt = 0.8 + 0.2 * (size % 2) + 0.1 * random.standard_normal(n)
    columns = {"set_size": size, "block": np.arange(n) // 20}
    return Responses(np.ones(n), rt, -np.ones(n), columns=columns)


@pytest.fixture(scope="module")
def comparison(trials):
    return fit_models([Means("one", 1), Means("two", 2), Means("six", 6)], trials, folds=4)


def test_the_true_model_wins_by_every_criterion(comparison):
    assert comparison.best.name == "two"
    table = comparison.to_pandas().set_index("model")
    assert table["bic"].idxmin() == "two"
    assert table["cross_validated"].idxmax() == "two"
    assert table["log_likelihood"].idxmax() == "six"  # without a price, the larger one would win


def test_trials_left_out_are_predicted_less_well(comparison):
    for name, crossed in comparison.cross_validated.items():
        assert crossed < comparison[name].log_likelihood


def test_folds_are_whole_blocks(comparison, trials, monkeypatch):
    kept = []
    from popout.people.fitting import maximum_likelihood as module

    real = module.maximum_near

    def spy(likelihood, start):
        kept.append(set(likelihood.responses.columns["block"].tolist()))
        return real(likelihood, start)

    monkeypatch.setattr(module, "maximum_near", spy)
    cross_validate(comparison["one"], trials, folds=5)
    assert [len(blocks) for blocks in kept] == [8] * 5


def test_it_shows_itself(comparison):
    assert comparison.as_dict()["best"] == "two"
    assert "left out" in str(comparison)
