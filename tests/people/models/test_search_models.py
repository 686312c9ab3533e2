import math
from dataclasses import replace

import numpy as np
import pytest

from popout.people.models.prediction import Prediction
from popout.people.models.search_density import STEP
from popout.people.models.search_models import MODELS, SearchModel, Stopping, models
from popout.people.passages.passage_tables import GUIDANCE, PassageTables
from popout.simulation.responses import Responses
from popout.task import InputError


@pytest.fixture
def trials():
    response, target, size = np.array([[2, 1, 1, 2], [0, -1, 0, -1], [1, 4, 4, 1]])
    rt = np.array([0.512, 0.734, 0.689, 0.61])
    return Responses(response, rt, target, columns={"set_size": size})


def test_names_and_models_are_the_same_thing():
    names = [*MODELS, "free-guided:0.5+slips", "ideal-parallel+slips"]
    assert [model.name for model in models(names)] == names
    sizes = {model.name: len(model.parameters) for model in models(MODELS)}
    assert sizes["ideal-parallel"] == sizes["ideal-guided:1"] == 9
    assert sizes["free-parallel"] == 12
    assert sizes["free-guided"] == 13


@pytest.mark.parametrize(
    "name", ["ideal", "best-serial", "ideal-guided:x", "ideal-serial:2", "ideal-guided:-1",
             "ideal-serial+slip", "free-guided:nan", "", "ideal-serial+"]
)  # fmt: skip
def test_unknown_names_are_refused(name):
    with pytest.raises(InputError, match="expected a model such as"):
        models([name])


def test_only_the_tables_that_a_model_needs():
    assert SearchModel(Stopping.FREE, 0.0).guidances == (0.0,)
    assert SearchModel(Stopping.FREE, 3.0).guidances == (2.0, 4.0)
    assert SearchModel(Stopping.FREE, 9.0).guidances == (4.0, math.inf)
    assert SearchModel(Stopping.FREE).guidances == GUIDANCE


def test_the_likelihood_is_the_density_at_each_trial(tables, trials):
    """Divided by what comes before the longest."""
    (model,) = models(["free-parallel"])
    values = model.starts[0]
    density = model.density(values, tables)
    expected = 0.0
    times, cells = STEP * np.arange(density.shape[-1]), ((0, 1, 1), (1, 0, 0), (1, 1, 0), (0, 0, 1))
    for cell, t in zip(cells, trials.rt, strict=True):  # set size, class, answer
        kept = np.trapezoid(density[cell[:2]].sum(axis=0), times)
        expected += math.log(np.interp(t, times, density[cell]) / kept)
    assert model.likelihood(trials, tables).total(values) == pytest.approx(expected)
    assert model.log_densities(values, trials, tables).sum() == pytest.approx(expected)


def test_ideal_thresholds_follow_the_cost_of_time(tables):
    (model,) = models(["ideal-parallel"])
    hasty = model.decision({**model.starts[0], "time_cost": 1.0}, tables)
    calm = model.decision({**model.starts[0], "time_cost": 0.01}, tables)
    assert (hasty.tau_minus < calm.tau_minus).all()
    assert (hasty.rate == calm.rate).all()


def test_the_noise_of_the_tables_shows_in_the_error(tables, trials):
    (model,) = models(["free-parallel"])
    error, bias = model.likelihood(trials, tables).errors_of_total(model.starts[0])
    assert 0.0 < error < 1.0
    assert abs(bias) < 1.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rt": np.array([0.5, 0.7, 0.6, 7.0])}, "leave the others out, or change `longest`"),
        ({"columns": {"set_size": np.array([1, 4, 5, 1])}}, "make tables of them"),
    ],
)
def test_trials_that_no_model_can_explain(tables, trials, change, words):
    with pytest.raises(InputError, match=words):
        SearchModel(Stopping.FREE, 0.0).likelihood(replace(trials, **change), tables)


def test_more_information_is_faster_and_as_accurate(tables):
    (model,) = models(["free-parallel"])
    slow, fast = (
        Prediction.of(model, {**model.starts[0], "information": rate}, (1, 4), tables)
        for rate in (10.0, 40.0)
    )
    assert (fast.mean_rt() < slow.mean_rt()).all()
    np.testing.assert_allclose(fast.error_rate, slow.error_rate, atol=2e-3)


def test_free_thresholds_can_be_those_of_an_ideal_observer(tables):
    """Two set sizes: the line in log set size goes through both."""
    ideal, free = models(["ideal-parallel", "free-parallel"])
    values = {**ideal.starts[0], "time_cost": 0.3}
    same = free.density(free.like_ideal(values, tables), tables)
    np.testing.assert_allclose(same, ideal.density(values, tables), rtol=1e-6)
    assert np.abs(free.density(values, tables) - same).max() > 0.1


def test_every_model_starts_from_all_that_it_contains():
    contained = {
        model.name: [each.name for each in model.special_cases] for model in models(MODELS)
    }
    assert contained["free-guided"] == [
        "free-parallel",
        "free-guided:1",
        "free-serial",
        "ideal-guided",
    ]
    assert contained["ideal-guided"] == ["ideal-parallel", "ideal-guided:1", "ideal-serial"]
    assert contained["ideal-serial"] == []
    (slips,) = models(["free-serial+slips"])
    assert [each.name for each in slips.special_cases] == ["free-serial"]


def test_the_monte_carlo_error_is_the_spread_over_tables(tmp_path):
    """Ten tables with noise of their own; a spread of ten is known to a quarter."""
    (model,) = models(["free-parallel"])
    values = {**model.starts[0], "information": 20.0}
    made = [PassageTables([3], n_paths=2000, seed=seed, folder=tmp_path) for seed in range(10)]
    trials = Prediction.of(model, values, (3,), made[0]).draw([(3, False, 60), (3, True, 140)], 1)
    likelihoods = [model.likelihood(trials, each) for each in made]
    totals = [each.total(values) for each in likelihoods]
    claimed = np.array([each.errors_of_total(values)[0] for each in likelihoods])
    ratio = np.std(totals, ddof=1) / np.sqrt(np.mean(claimed**2))
    assert 0.55 < ratio < 1.5
