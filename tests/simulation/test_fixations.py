"""What the eyes did, recounted from whole histories; and gaze at random."""

import numpy as np
import pytest

import popout as po
from popout.task import InputError

PLACES = [(0, 0), (1, 0), (2, 0), (0.5, 0.3)]
TASK = po.GazeTask(PLACES[:3], PLACES, information=8.0, falloff=0.8, prior=0.4)
SPRT = po.SPRT.for_task(TASK, -3.0, 3.0)


def gazes_of(trials, index):
    """Return the places of a trial's fixations, recognised by what the items received."""
    rows = np.array(TASK.look.visibility)
    return [int(np.argmin(abs(rows - row).sum(1))) for row in trials.history(index)[1]]


@pytest.mark.parametrize("policy", [po.ELM, po.IdealSearcher, po.Random(0), po.Random(2)])
def test_fixations_are_those_of_the_histories(policy):
    trials = po.simulate(TASK, po.Observer(policy, SPRT), 150, seed=2)
    eyes = trials.fixations
    paths = [gazes_of(trials, index) for index in range(150)]
    assert eyes.number.tolist() == trials.steps.tolist() == list(map(len, paths))
    assert eyes.first.tolist() == [path[0] for path in paths]
    assert eyes.refixations.tolist() == [len(path) - len(set(path)) for path in paths]
    assert (np.diff(eyes.number) != 0).any()
    if isinstance(policy, po.Random):
        assert len(set(map(tuple, paths))) > 30  # each trial has a path of its own
        for path in paths:
            for k in range(len(path)):
                assert path[k] not in path[max(0, k - policy.inhibition) : k]


@pytest.mark.parametrize("inhibition", [0, 2])
def test_random_gaze_takes_every_place_that_is_left_as_often(inhibition):
    never = po.SPRT.for_task(TASK, -1e3, 1e3)
    observer, n = po.Observer(po.Random(inhibition), never), 400
    trials = po.simulate(TASK, observer, n, seed=3, time_limit=4 * TASK.dt)
    paths = np.array([gazes_of(trials, index) for index in range(n)])
    for k in range(4):
        share = np.bincount(paths[:, k], minlength=4) / n
        assert (abs(share - 0.25) < 4 * (0.25 * 0.75 / n) ** 0.5).all()
    again = (paths[:, 3] == paths[:, 0]).mean()  # of the places left one is the first
    expected = 1 / (4 - inhibition)
    assert abs(again - expected) < 4 * (expected * (1 - expected) / n) ** 0.5


def test_means_are_those_of_each_class():
    trials = po.simulate(TASK, po.Observer(po.ELM, SPRT), 500, seed=4)
    eyes, present = trials.fixations, trials.target >= 0
    row, number = eyes.row(), trials.steps
    assert row["fixations_absent"] == pytest.approx(number[~present].mean())
    assert row["fixations_present_se"] == pytest.approx(
        number[present].std(ddof=1) / present.sum() ** 0.5
    )
    assert eyes.first_at.tolist() == [0, 1, 0, 0]
    assert eyes.first_from_centre == (0.0, 0.0)
    away = po.simulate(TASK, po.Observer(po.StayAt(3), SPRT), 50, seed=4).fixations
    assert away.first_from_centre[0] == pytest.approx((0.5**2 + 0.3**2) ** 0.5)
    assert away.row()["refixations_absent"] == pytest.approx(away.row()["fixations_absent"] - 1)
    assert "the first lands 0.583 degrees" in str(away)


def test_trials_without_a_fixation_have_no_first_place():
    task = po.GazeTask(PLACES[:3], information=8.0, falloff=0.8, prior=0.999)
    at_once = po.Observer(po.ELM, po.SPRT.for_task(task, -3.0, 3.0))
    eyes = po.simulate(task, at_once, 10).fixations
    assert eyes.number.max() == 0
    assert eyes.first.max() == -1
    assert "first" not in str(eyes)


def test_only_eyes_have_fixations():
    limited = po.LimitedSearchTask(n_locations=2, information=20.0)
    observer = po.Observer(po.Serial, po.SPRT.for_task(limited, -3.0, 3.0))
    with pytest.raises(InputError, match=r"Trials.fixations: expected trials of a task with gazes"):
        _ = po.simulate(limited, observer, 10).fixations


def test_a_single_gaze_is_compared_as_the_search_it_is():
    task = po.GazeTask(PLACES[:2], [(0, 0)], information=8.0, falloff=0.8)
    table = po.compare(task, po.Costs(time=0.2), "sprt", n_trials=500, tune_trials=1000)
    assert "fixations_absent" not in table.columns
    assert table.excess.iloc[0] >= 0


def test_random_gaze_is_for_simulation():
    with pytest.raises(InputError, match="a policy that does not change with time"):
        po.solve(TASK, po.Costs(time=0.2), attention=po.Random)
    with pytest.raises(InputError, match=r"Random.inhibition: .* one of the 4 places"):
        po.Random(4).made_for(TASK)
    with pytest.raises(InputError, match="goes by the evidence"):
        po.Random(1).made_for(TASK).gaze(np.zeros((1, 3)))


def test_nineteen_places_compared_with_the_columns_of_gaze():
    R = range(-2, 3)
    hexagon = [(q + r / 2, 0.75**0.5 * r) for q in R for r in R if abs(q + r) <= 2]
    task = po.GazeTask(hexagon, information=20.0, falloff=0.8)
    table = po.compare(
        task, po.Costs(time=0.1), "sprt-opt", attention=["map", "elm", "ideal", "random:3"],
        n_trials=800, tune_trials=1000,
    )  # fmt: skip
    assert table.attention.tolist() == ["MAP", "ELM", "ideal searcher", "random but for 3"]
    assert table.risk.iloc[3] > table.risk.iloc[:3].max() + 4 * table.risk_se.max()
    assert (table.fixations_absent > table.fixations_present).all()
    assert "refixations, present" in str(table.cards()[2])
