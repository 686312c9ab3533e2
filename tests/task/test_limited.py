"""Search with limited information: fields, faults, and the search of fixed shares."""

import pytest

import popout as po
from popout.task import InputError, LimitedSearchTask, SearchTask

COSTS = po.Costs(time=0.2)


def test_equal_shares_are_todays_search():
    task = LimitedSearchTask(n_locations=4, information=64.0, prior=0.3, dt=0.02)
    assert task.with_shares() == SearchTask(n_locations=4, drift=4.0, prior=0.3, dt=0.02)


def test_fixed_shares_and_visibilities_set_the_drifts():
    task = LimitedSearchTask(information=8.0, visibility=(1.0, 0.5), location_prior=(0.2, 0.8))
    search = task.with_shares((0.5, 0.5))
    assert search.drifts == pytest.approx((2.0, 2.0**0.5))
    assert search.location_prior == (0.2, 0.8)


def test_all_faults_at_once():
    with pytest.raises(InputError) as caught:
        LimitedSearchTask(n_locations=2, information=-1.0, visibility=(1.0, 0.0, 2.0), prior=2.0)
    text = str(caught.value)
    for field in ("information", "visibility", "visibility[1]", "prior"):
        assert f"LimitedSearchTask.{field}: expected" in text


def test_shares_must_be_positive_and_sum_to_one():
    task = LimitedSearchTask(n_locations=2, information=8.0)
    with pytest.raises(InputError, match="sum to one"):
        task.with_shares((0.5, 0.6))
    with pytest.raises(InputError, match="positive shares"):
        task.with_shares((1.0, 0.0))


def test_card_and_picture():
    task = LimitedSearchTask(information=8.0, visibility=(1.0, 0.5))
    assert "8 /s for all locations together" in str(task.card())
    assert "tilted: distractors" in task.plot().get_xlabel()


def test_one_location_gets_everything():
    task = LimitedSearchTask(n_locations=1, information=16.0)
    assert task.search == SearchTask(n_locations=1, drift=4.0)
    assert task.why_no_search == ""
    assert task.observations == task.search.observations


@pytest.mark.parametrize(
    "use",
    [
        po.Evidence,
        lambda task: po.llr_step(task),
        lambda task: po.solve_deadline(task, COSTS, 1.0),
        lambda task: task.observations,
    ],
)
def test_whoever_needs_drifts_says_what_to_call_instead(use):
    task = LimitedSearchTask(n_locations=2, information=8.0)
    assert task.search is None
    with pytest.raises(InputError, match="attention decides the drifts") as caught:
        use(task)
    assert len(caught.value.lines) == 1
    assert "say where to look with an Observer" in str(caught.value)
