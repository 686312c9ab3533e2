"""Costs from a file, and those given on top of it."""

import pytest

from popout.study.inputs import read_task_and_costs
from popout.task import Costs, InputError


@pytest.fixture
def task_file(tmp_path):
    def write(text):
        path = tmp_path / "task.toml"
        path.write_text(f'kind = "search"\nn_locations = 2\ndrift = 4.0\n{text}')
        return path

    return write


def test_given_costs_replace_those_of_the_file(task_file):
    path = task_file("[costs]\ntime = 0.2\nmiss = 3.0\nfalse_alarm = 0.5\n")
    assert read_task_and_costs(path)[1] == Costs(time=0.2, miss=3.0, false_alarm=0.5)
    found = read_task_and_costs(path, time=(0.1, 0.4), false_alarm=2.0)[1]
    assert found == Costs(time=(0.1, 0.4), miss=3.0, false_alarm=2.0)


def test_a_file_may_leave_out_what_is_given_and_nothing_else(task_file):
    assert read_task_and_costs(task_file("[costs]\nmiss = 3.0\n"), time=(0.3,))[1] == Costs(
        0.3, miss=3.0
    )
    with pytest.raises(InputError, match=r"task.toml:5: Costs.mis: .* did you mean miss"):
        read_task_and_costs(task_file("[costs]\nmis = 3.0\n"), time=(0.3,))
    with pytest.raises(InputError, match="expected a table, got 3"):
        read_task_and_costs(task_file("costs = 3\n"), time=(0.3,))


def test_a_file_without_costs_needs_them(task_file):
    with pytest.raises(InputError, match=r"costs.time: expected a cost of time .* --time-cost"):
        read_task_and_costs(task_file(""), miss=2.0)
    assert read_task_and_costs(task_file(""), time=(0.3,))[1] == Costs(time=0.3)
