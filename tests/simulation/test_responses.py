"""Responses that nobody simulated: times of any kind, no seed, no states."""

import math

import numpy as np
import pandas as pd
import pytest

from popout.policies.stopping import SPRT, Action
from popout.simulation import Responses, Trials, simulate
from popout.task import Costs, InputError, SearchTask

TASK = SearchTask(drift=(5.0, 3.0), prior=0.3)
COSTS = Costs(time=(0.3, 0.7), miss=2.0, false_alarm=0.5)


@pytest.fixture(scope="module")
def trials():
    return simulate(TASK, SPRT.for_task(TASK, -2.5, 2.5), n_trials=5000, seed=11, time_limit=0.6)


def test_frames(trials):
    frame = trials.to_pandas()
    assert len(frame) == len(trials)
    assert frame.response.cat.categories.tolist() == ["undecided", "absent", "present"]
    assert frame.correct.sum() == trials.correct.sum()
    by_hand = ((frame.response == "present") == frame.present) & (frame.response != "undecided")
    pd.testing.assert_series_equal(frame.correct, by_hand, check_names=False)


def people(n=1200):
    """Made up: three observers, two set sizes, times in seconds, some of them too late."""
    rng = np.random.default_rng(5)
    present = rng.random(n) < 0.5
    size = rng.choice([3, 12], n)
    rt = 0.3 + rng.gamma(3.0, 0.05 * size / 3, n)
    response = np.where(rng.random(n) < 0.93, np.where(present, 2, 1), np.where(present, 1, 2))
    late = rt > 1.2
    return Responses(
        np.where(late, 0, response),
        np.where(late, 1.2, rt),
        present.astype(int) - 1,
        columns={"observer": rng.choice(["a", "b", "c"], n), "set_size": size},
    )


def test_people_are_summarised_trial_by_trial():
    given = people()
    summary = given.summary(COSTS)
    decided = given.response != Action.WAIT
    assert summary.undecided == (~decided).sum() > 0
    for side, here in ((summary.absent, ~given.present), (summary.present, given.present)):
        rt = given.rt[here & decided]
        assert side.mean_rt == pytest.approx(rt.mean(), rel=1e-12)
        assert side.mean_rt_se == pytest.approx(rt.std(ddof=1) / np.sqrt(len(rt)), rel=1e-9)
        assert side.error_rate == pytest.approx((decided & ~given.correct)[here].mean())
        expected = np.quantile(rt, (0.1, 0.3, 0.5, 0.7, 0.9), method="hazen")
        assert side.quantiles == pytest.approx(expected, rel=1e-12)
    losses = given.losses(COSTS)
    means = [losses[given.present == c].mean() for c in (False, True)]
    assert summary.risk == pytest.approx(np.mean(means), rel=1e-12)
    assert summary.risk != pytest.approx(losses.mean(), rel=1e-6)


def test_people_can_be_chosen_by_column():
    given = people()
    means = []
    for size in (3, 12):
        here = given.where(given.columns["set_size"] == size)
        assert set(here.columns["set_size"]) == {size}
        assert here.to_pandas().columns.tolist()[-2:] == ["observer", "set_size"]
        means.append(here.summary(COSTS).present.mean_rt)
    assert means[0] < means[1]
    assert len(given.where([3, 5])) == 2


def test_responses_have_neither_states_nor_steps_unless_time_has_them():
    given = people()
    assert not hasattr(given, "states")
    assert not hasattr(given, "seed")
    with pytest.raises(ValueError, match="use rt"):
        given.steps  # noqa: B018
    assert "trials" in str(given)
    assert repr(given) == f"Responses(1200 trials, {given.summary(COSTS).undecided} undecided)"


def test_whole_steps_survive_as_seconds():
    steps = np.array([0, 1, 2, 3, 999_999, 10_000_000])
    for dt in (0.01, 0.001, 1 / 3, 2e-5):
        six = Responses(np.ones(6), steps * dt, -np.ones(6), dt=dt)
        np.testing.assert_array_equal(six.steps, steps)


def test_some_of_the_trials_of_a_simulation_are_responses_without_states(trials):
    some = trials.where(trials.present)
    assert type(some) is Responses
    assert isinstance(trials, Trials)
    mine, all_of_them = some.summary(COSTS), trials.summary(COSTS)
    assert (mine.present, mine.locations) == (all_of_them.present, all_of_them.locations)
    assert math.isnan(mine.risk)


def test_only_responses_to_the_same_thing_are_the_same_trials():
    first, second = people(), people()
    assert not first.same_trials(second)
    assert not first.same_trials(first)
    here = object()
    one, two = (Responses([2, 1], [0.1, 0.2], [0, -1], source=here) for _ in range(2))
    assert one.same_trials(two)
    assert not one.same_trials(Responses([2, 1], [0.1, 0.2], [0, -1], source=object()))
    assert not one.where([0]).same_trials(two.where([1]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"response": [1, 3]}, "response: expected values of Action: 0, 1 or 2, got 3"),
        ({"response": [1, 258]}, "response: expected values of Action: 0, 1 or 2, got 258"),
        ({"response": ["yes", "no"]}, "response: expected values of Action"),
        ({"rt": [0.5, -0.1]}, "rt: expected seconds, got -0.1"),
        ({"rt": [0.5, math.nan]}, "rt: expected seconds, got nan"),
        ({"rt": [0.5]}, "rt: expected one for each of 2 responses"),
        ({"target": [0, 1]}, "target: expected locations from 0 to 0, got 1"),
        ({"target": [0, -0.5]}, "target: expected locations from 0 to 0, got -0.5"),
        ({"prior": 1.0}, "prior: expected a probability"),
        ({"columns": {"observer": ["a"]}}, "observer: expected one for each of 2 responses"),
    ],
)
def test_bad_responses_are_refused(change, message):
    good = {"response": [1, 2], "rt": [0.5, 0.6], "target": [0, -1]}
    with pytest.raises(InputError) as caught:
        Responses(**(good | change))
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"Responses.{message}")


def test_all_faults_come_together():
    with pytest.raises(InputError) as caught:
        Responses([1, 9], [0.5, math.inf], [0, 7], prior=0.0)
    assert len(str(caught.value).splitlines()) == 4
