"""What is foreseen against what turns out: steps, levels, and time by the clock."""

import pytest

import popout as po
from popout.exact.backend import get_backend
from popout.exact.discretisation import Discretisation
from popout.exact.forecast import Schedule, looks_per_trial, measured_rate, work
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


def test_a_step_that_is_timed_has_few_locations():
    task = po.SearchTask(n_locations=8, drift=4.0)
    problem = Discretisation(task, COSTS, get_backend())
    grid = problem.grid(1.0, 4.0)
    assert work(grid) > 1e9  # far too long to try out
    assert 1e6 < measured_rate(problem, grid) < 1e12


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
