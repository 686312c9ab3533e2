"""All faults of an input in one message, and values in their stored form."""

import math
import pickle

import numpy as np
import pytest

from popout.task import Costs, Faults, GaussianWalk, InputError, PoissonSpikes, SearchTask


def test_message_says_what_was_expected_what_came_and_what_to_do():
    faults = Faults("Rig")
    faults.positive("distance", -3, "measure it in cm")
    assert faults.lines == ["Rig.distance: expected a positive number, got -3; measure it in cm"]
    assert faults
    with pytest.raises(InputError, match=r"Rig\.distance") as caught:
        faults.raise_if_any()
    assert str(caught.value) == faults.lines[0]


def test_no_fault_raises_nothing():
    faults = Faults("Rig")
    assert faults.positive("distance", np.float32(3), "-") == 3.0
    assert not faults
    faults.raise_if_any()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 0, -1.0, "4", None, True, [1.0]])
def test_positive_refuses(value):
    faults = Faults("")
    faults.positive("x", value, "-")
    assert len(faults.lines) == 1


@pytest.mark.parametrize("value", [0, 1, 1.5, -0.1, math.nan, "0.5", None])
def test_probability_is_strictly_inside(value):
    faults = Faults("")
    faults.probability("p", value, "-")
    assert len(faults.lines) == 1


@pytest.mark.parametrize("value", [0, 2.0, "2", True, None, np.float64(2)])
def test_integer_refuses(value):
    faults = Faults("")
    faults.integer("n", value, "-", at_least=1)
    assert len(faults.lines) == 1


def test_integer_accepts_numpy_and_returns_python():
    assert type(Faults("").integer("n", np.int32(3), "-", at_least=1, at_most=3)) is int


@pytest.mark.parametrize(
    "value",
    [
        [0.5, 0.6],
        [0.5, -0.5, 1.0],
        [0.5, math.nan],
        ["a", "b"],
        [],
        None,
        0.5,
        "01",
        [[0.5], [0.5]],
    ],
)
def test_distribution_refuses(value):
    faults = Faults("")
    faults.distribution("p", value, None, "-")
    assert len(faults.lines) == 1


def test_distribution_says_what_the_sum_is():
    faults = Faults("")
    faults.distribution("p", [0.5, 0.6], 2, "divide by the sum")
    assert "(these sum to 1.1)" in faults.lines[0]


def test_distribution_of_six_digits_is_normalised_once_and_for_all():
    faults = Faults("")
    once = faults.distribution("p", [0.333333] * 3, 3, "-")
    assert math.fsum(once) == pytest.approx(1.0, abs=1e-15)
    assert faults.distribution("p", once, 3, "-") == once
    assert faults.distribution("p", np.array([0.25, 0.75]), 2, "-") == (0.25, 0.75)


def test_error_survives_a_process_boundary():
    error = InputError(["a: b", "c: d"])
    copy = pickle.loads(pickle.dumps(error))
    assert copy.lines == error.lines
    assert isinstance(copy, ValueError)


def test_long_values_are_cut():
    faults = Faults("")
    faults.add("x", "less", list(range(1000)), "-")
    assert len(faults.lines[0]) < 120


def test_costs():
    costs = Costs(time=(0.1, 0.3), miss=2)
    assert (costs.time_absent, costs.time_present, costs.miss) == (0.1, 0.3, 2.0)
    assert Costs((0.2, 0.2)) == Costs(0.2)
    assert hash(Costs((0.2, 0.2))) == hash(Costs(np.float64(0.2)))
    with pytest.raises(InputError) as caught:
        Costs(time=(0.1, -1), miss=0, false_alarm=math.nan)
    assert len(caught.value.lines) == 3
    with pytest.raises(InputError, match="a pair of them"):
        Costs(time=(1, 2, 3))


def test_search_reports_every_field_at_once():
    with pytest.raises(InputError) as caught:
        SearchTask(n_locations=3, drift=(1, -2), dt=0, prior=1, location_prior=(0.5, 0.5))
    message = str(caught.value)
    for field in ("drift:", "drift[1]:", "dt:", "prior:", "location_prior:"):
        assert f"SearchTask.{field} expected" in message
    assert len(caught.value.lines) == 5


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: SearchTask(2, 1e300), "SearchTask.drift"),
        (lambda: SearchTask(drift=(4.0, 1e-300)), "SearchTask.drift[1]"),
        (lambda: SearchTask(2, 4.0, dt=1e-300), "SearchTask.dt"),
        (lambda: SearchTask(10**9, 4.0), "SearchTask.n_locations"),
        (lambda: SearchTask(10**400, 4.0), "SearchTask.n_locations"),
        (lambda: GaussianWalk([1.0, -1e300]), "GaussianWalk.drift[1]"),
        (lambda: PoissonSpikes([[1.0, 1e300]]), "PoissonSpikes.rate[0][1]"),
        (lambda: Costs(1e-300), "Costs"),
        (lambda: Costs(1e12, 1e12, 1e12), "Costs"),
        (lambda: Costs(1e-4, miss=1e9), "Costs"),
    ],
)
def test_sizes_without_meaning_are_refused(make, field):
    with pytest.raises(InputError) as caught:
        make()
    assert [line.split(": ")[0] for line in caught.value.lines] == [field]


def test_sizes_at_the_bounds_are_taken():
    assert SearchTask(10_000, 1e-9, dt=1e9).n_locations == 10_000
    assert Costs(1e-10, 1.0, 1.0).time == 1e-10
