"""Shared options: comma lists, validated problems, threads."""

from dataclasses import replace

import click
import numba
import pytest
from click.testing import CliRunner

import popout as po
from popout.cli import options
from popout.cli.group import LazyGroup
from popout.task import Faults

PROBLEM = ["--drift", "8,3", "--time-cost", "0.2"]


def invoke(decorate, *args):
    """Run a command that has the given options; return the result and what it received."""
    received = {}

    @click.command()
    @decorate
    def command(**values):
        received.update(values)

    app = LazyGroup("popout")
    app.get_command = lambda ctx, name: command
    return CliRunner().invoke(app, ["command", *args]), received


def test_problem_options_make_task_and_costs():
    result, received = invoke(options.problem_options, *PROBLEM, "--prior", "0.3", "--miss", "2")
    assert result.exit_code == 0
    assert received == {
        "task": po.SearchTask(drift=(8.0, 3.0), prior=0.3),
        "costs": po.Costs(time=0.2, miss=2.0),
    }


def test_one_drift_is_shared_by_all_locations():
    args = [
        "--drift",
        "4",
        "--locations",
        "8",
        "--time-cost",
        "absent=0.1:present=0.3",
        "--dt",
        "0.005",
    ]
    _, received = invoke(options.problem_options, *args)
    assert received["task"] == po.SearchTask(n_locations=8, drift=4.0, dt=0.005)
    assert received["costs"] == po.Costs(time=(0.1, 0.3))


def test_one_drift_alone_is_one_location():
    _, received = invoke(options.problem_options, "--drift", "4", "--time-cost", "0.2")
    assert received["task"] == po.SearchTask(n_locations=1, drift=4.0)


def test_faults_of_task_and_costs_come_in_one_message():
    result, received = invoke(
        options.problem_options, "--drift", "-4", "--dt", "-1", "--time-cost", "-1"
    )
    assert result.exit_code == 2
    assert not received
    for option in ("--drift", "--dt", "--time-cost"):
        assert f"{option}: expected" in result.stderr


def test_commas_are_for_several_and_a_colon_for_a_pair():
    result, _ = invoke(options.problem_options, "--drift", "4", "--time-cost", "0.2,0.1")
    assert result.exit_code == 2
    assert (
        "one for each class, got '0.2,0.1'; write e.g. 0.2 or present=0.1:absent=0.2; "
        in result.stderr
    )
    assert "`popout compare` takes several" in result.stderr


def test_messages_name_options_not_parameters():
    @click.command()
    @options.trials_option(10, "Trials.")
    @click.option("--memory", type=float)
    @click.option("--time-limit", type=float)
    def command():
        """Do nothing."""

    faults = Faults("solve")
    faults.add("n_trials", "some", 0, "raise memory_limit or lower the time_limit")
    faults.add(("drift", 1), "some", 0, "time flies")
    assert options.in_options(po.InputError(faults.faults), command).splitlines() == [
        "--trials: expected some, got 0; raise --memory or lower the --time-limit",
        "solve.drift[1]: expected some, got 0; time flies",
    ]
    error = po.InputError([replace(faults.faults[0], file="task.toml", line=3)])
    assert options.in_options(error, command).startswith("task.toml:3: solve.n_trials: ")


@pytest.mark.parametrize("text", ["8;3", "8,,3", "", "fast"])
def test_a_list_that_is_none_says_what_to_write(text):
    result, _ = invoke(options.problem_options, "--drift", text, "--time-cost", "0.2")
    assert result.exit_code == 2
    assert "'--drift': expected one number" in result.stderr
    assert repr(text) in result.stderr


def test_integers_take_no_fractions():
    decorate = click.option("--locations", **options.INTEGERS)
    result, received = invoke(decorate, "--locations", "2,4,8")
    assert received == {"locations": (2, 4, 8)}
    result, _ = invoke(decorate, "--locations", "2,4.5")
    assert result.exit_code == 2


def test_threads_hold_for_one_command():
    before = numba.get_num_threads()
    during = []

    def decorate(function):
        return options.threads_option(lambda: during.append(numba.get_num_threads()))

    result, _ = invoke(decorate, "--threads", "1")
    assert result.exit_code == 0
    assert during == [1]
    assert numba.get_num_threads() == before


def test_more_threads_than_cores_are_refused():
    result, _ = invoke(options.threads_option, "--threads", "100000")
    assert result.exit_code == 2
    assert "'--threads': expected at most" in result.stderr
