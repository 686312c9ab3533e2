import numpy as np
import pytest

from popout.people.models.conditioned import Conditioned, rows_by_cell
from popout.task import InputError

from ..simple_models import LogNormalTimes, together

LEVELS = {"pay": ("high", "low"), "side": ("left", "right")}
BASE = LogNormalTimes()
CELLS = [(pay, side) for pay in LEVELS["pay"] for side in LEVELS["side"]]


@pytest.fixture(scope="module")
def trials():
    random = np.random.default_rng(3)
    return together(
        [
            BASE.simulate({"median": m, "sd": 0.3}, 200, random, pay=pay, side=side)
            for m, (pay, side) in zip((0.5, 0.6, 0.9, 1.2), CELLS, strict=True)
        ]
    )


def test_densities_are_those_of_each_trials_own_level(trials):
    """Trial by trial, in their order, with a plain loop."""
    model = Conditioned(BASE, {"median": ("side", "pay"), "sd": ("pay",)}, LEVELS)
    names = [p.name for p in model.parameters]
    assert names[:2] == ["median[left, high]", "median[left, low]"]
    assert names[-2:] == ["sd[high]", "sd[low]"]
    values = {name: 0.3 + 0.1 * k for k, name in enumerate(names)}
    found = model.log_densities(values, trials)
    for n in (0, 1, 2, 77, 400):
        pay, side = (trials.columns[k][n] for k in ("pay", "side"))
        own = {"median": values[f"median[{side}, {pay}]"], "sd": values[f"sd[{pay}]"]}
        assert found[n] == BASE.log_densities(own, trials.where([n]))[0]


def test_a_fit_of_each_level_is_that_of_its_trials_alone(trials):
    everything = {"median": ("pay",), "sd": ("pay",)}
    fitted = Conditioned(BASE, everything, LEVELS).fit(trials)
    for pay in LEVELS["pay"]:
        log_rt = np.log(trials.rt[trials.columns["pay"] == pay])
        assert fitted.estimates[f"median[{pay}]"] == pytest.approx(np.exp(log_rt.mean()), rel=1e-3)
        assert fitted.estimates[f"sd[{pay}]"] == pytest.approx(log_rt.std(), rel=1e-2)


def test_more_that_varies_never_fits_worse_and_starts_from_what_varies_less(trials):
    known = {}
    one = Conditioned(BASE, {"median": ("pay",)}, LEVELS)
    both = Conditioned(BASE, {"median": ("pay",), "sd": ("pay",)}, LEVELS)
    nothing, some, more = (m.fit_once(known, trials).log_likelihood for m in (BASE, one, both))
    assert nothing + 50 < some <= more
    assert set(known) == {"lognormal", "lognormal median=pay", "lognormal median=pay,sd=pay"}
    assert both.contains(one)
    assert not one.contains(both)
    other = Conditioned(BASE, {"median": ("side",)}, LEVELS)
    assert not both.contains(other)


def test_predictions_of_a_level_and_of_all(trials):
    model = Conditioned(BASE, {"median": ("pay",)}, LEVELS)
    values = {"median[high]": 0.5, "median[low]": 1.0, "sd": 0.2}
    each = [model.predict(values, (4,), cell={"pay": pay}).density for pay in LEVELS["pay"]]
    alone = BASE.predict({"median": 1.0, "sd": 0.2}, (4,)).density
    np.testing.assert_array_equal(each[1], alone)
    np.testing.assert_allclose(model.predict(values, (4,)).density, (each[0] + each[1]) / 2)


def test_population_coordinates_are_means_and_differences():
    levels = {"pay": ("a", "b", "c")}
    model = Conditioned(BASE, {"median": ("pay",)}, levels)
    names, matrix = model.population_coordinates
    assert names == ("median", "median: b - a", "median: c - a", "sd")
    y = matrix @ [1.0, 0.3, -0.9, 7.0]
    assert y[:3].mean() == pytest.approx(1.0)
    assert (y[1] - y[0], y[2] - y[0], y[3]) == pytest.approx((0.3, -0.9, 7.0))


def test_all_faults_at_once(trials):
    with pytest.raises(InputError) as caught:
        Conditioned(BASE, {"mode": ("pay",), "sd": ("x",)}, {"pay": ("high",), "x": ("a", "b")})
    assert {fault.path[-1] for fault in caught.value.faults} == {"vary", "pay"}
    levels = {"pay": ("high", "middle"), "age": ("a", "b")}
    with pytest.raises(InputError) as caught:
        rows_by_cell(("pay", "age"), levels, trials)
    assert [fault.got for fault in caught.value.faults][:1] == ["'low'"]
    assert len(caught.value.faults) == 2
