"""What is foreseen against what turns out: steps, levels, and time by the clock."""

import pytest

import popout as po
from popout.exact.backend import Backend
from popout.exact.forecast import GPU_RATE, RATE, Schedule, looks_per_trial, work
from popout.exact.solver import forecast

COSTS = po.Costs(time=0.2)
TASKS = [
    (po.SearchTask(n_locations=1, drift=4.0), 1e-6),
    (po.SearchTask(n_locations=2, drift=4.0), 1e-4),
    (po.SearchTask(n_locations=2, drift=4.0, dt=0.001), 1e-2),
    (po.SearchTask(n_locations=3, drift=12.0), 1e-3),
    (po.SearchTask(drift=(8.0, 3.0)), 1e-3),
]


@pytest.mark.parametrize(("task", "rtol"), TASKS)
def test_the_work_foreseen_is_about_the_work_done(task, rtol):
    foreseen = forecast(task, COSTS, rtol)
    steps = []  # one for each iteration, by the name of its stage
    po.solve(task, COSTS, rtol, progress=lambda _, words: steps.append(words.split(", ")[0]))
    per_step = {stage.name: work(stage.grid) for stage in foreseen.stages}
    done = sum(per_step.get(name, work(foreseen.largest)) for name in steps)
    assert 1 / 3 < sum(stage.work for stage in foreseen.stages) / done < 3


@pytest.mark.parametrize(("task", "rtol"), TASKS)
def test_looks_of_a_trial_are_of_the_right_order(task, rtol):
    solution = po.solve(task, COSTS, max(rtol, 1e-3))
    looks = solution.mean_rt / task.dt
    assert 0.4 < looks_per_trial(solution.value_grid.discretisation) / looks < 2.0


def test_a_forecast_is_a_count_and_not_the_mood_of_the_machine():
    """Two forecasts of one problem are the same to the last digit, and so is what is refused."""
    five = po.SearchTask(n_locations=5, drift=4.0)
    first, again = (forecast(five, COSTS, 1e-4).seconds for _ in range(2))
    assert first == again
    assert 150 < first < 300  # 200 s on two cores, and allowed by the command line


def test_a_gpu_is_foreseen_at_a_pace_of_its_own(monkeypatch):
    task = po.SearchTask(n_locations=3, drift=4.0)
    host = forecast(task, COSTS, 1e-2).seconds
    monkeypatch.setattr(Backend, "on_gpu", True)
    assert forecast(task, COSTS, 1e-2).seconds == pytest.approx(host * RATE / GPU_RATE)


def test_what_was_not_foreseen_comes_on_top():
    told = []
    foreseen = forecast(po.SearchTask(n_locations=2, drift=4.0), COSTS, rtol=1e-2)
    schedule = Schedule(foreseen, lambda share, words: told.append(share))
    for stage in foreseen.stages:
        schedule.begin(stage.name, stage.grid)(1.0, "")
        schedule.end(stage.grid, stage.steps)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    more = schedule.begin("level 9", foreseen.largest)
    more(0.0, "")
    assert 0.3 < told[-1] < 0.95
    more(1.0, "")
    assert told[-1] == pytest.approx(1.0)


def test_the_refusal_survives_a_process_boundary():
    with pytest.raises(po.TooLongError) as refusal:
        po.solve(po.SearchTask(n_locations=3, drift=4.0), COSTS, max_seconds=1e-3)
    kind, parts = refusal.value.__reduce__()
    assert issubclass(kind, po.InputError)
    assert str(kind(*parts)) == str(refusal.value)
