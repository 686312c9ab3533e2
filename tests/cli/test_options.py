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

PROBLEM = ("--time-cost", "0.2")


def invoke(decorate, *args):
    """Run a command that has the given options; return its errors and what it received."""
    received = {}

    @click.command()
    @decorate
    def command(**values):
        received.update(values)

    app = LazyGroup("popout")
    app.get_command = lambda ctx, name: command
    result = CliRunner().invoke(app, ["command", *args])
    assert result.exit_code == (0 if received else 2), result.exception
    return result.stderr, received


def problem(*args, **settings):
    return invoke(options.problem(**settings), *args)


@pytest.mark.parametrize(
    ("typed", "task"),
    [
        ("--drift 8,3 --prior 0.3", po.SearchTask(drift=(8.0, 3.0), prior=0.3)),
        ("--drift 4 --locations 8", po.SearchTask(n_locations=8, drift=4.0)),
        ("--drift 4 --dt 0.005", po.SearchTask(n_locations=1, drift=4.0, dt=0.005)),
        ("--information 60 --locations 3", po.LimitedSearchTask(3, 60.0)),
        ("--information 60", po.LimitedSearchTask(1, 60.0)),
        ("--information 60 --visibility 1,0.5", po.LimitedSearchTask(2, 60.0, (1.0, 0.5))),
        ("--information 60 --visibility 0.5 --locations 2", po.LimitedSearchTask(2, 60.0, 0.5)),
    ],
)
def test_options_make_a_task(typed, task):
    wanted = {"task": task, "costs": po.Costs(time=0.2)}
    _, received = problem(*typed.split(), *PROBLEM, attention="serial", continuous=True)
    is_limited = isinstance(task, po.LimitedSearchTask)
    looks = {"attention": "serial" if is_limited else None, "continuous": False}
    assert received == {**wanted, **looks}
    if not is_limited:
        assert problem(*typed.split(), *PROBLEM)[1] == wanted


LINE = "--items 0:0,1:0,2:0.5 --information 20 --falloff"


@pytest.mark.parametrize(
    ("typed", "more"),
    [
        ("0.8", {"falloff": 0.8}),
        ("0:1,2:0.3 --saccade 0", {"falloff": [(0, 1), (2, 0.3)], "saccade": 0.0}),
        ("0.8 --gazes 1:-1 --fixation 0.1", {"falloff": 0.8, "gazes": [(1, -1)], "fixation": 0.1}),
    ],
)
def test_options_make_a_task_with_gazes(typed, more):
    _, received = problem(*f"{LINE} {typed}".split(), *PROBLEM, attention="serial")
    task = po.GazeTask([(0, 0), (1, 0), (2, 0.5)], information=20.0, **more)
    assert received == {"task": task, "costs": po.Costs(time=0.2), "attention": "elm"}


def test_options_make_a_task_of_free_durations():
    typed = f"{LINE} 0.8 --fixation free --saccade 0.04 --step 0.02 --start 2"
    _, received = problem(*typed.split(), *PROBLEM, attention="serial")
    assert received["task"] == po.GazeTask(
        [(0, 0), (1, 0), (2, 0.5)], information=20.0, falloff=0.8, fixation="free", saccade=0.04,
        step=0.02, start=2,
    )  # fmt: skip
    assert received["attention"] == "elm:0.2"


def test_several_rates_and_the_usual_gazes():
    args = [
        "--items",
        "0:0,1:0",
        "--information",
        "20,40",
        "--falloff",
        "0.8",
        "--time-cost",
        "0.2",
    ]
    _, received = problem(*args, attention="parallel,guided", several=True)
    assert [task.information for task in received["task"]] == [20.0, 40.0]
    assert received["attention"] is None  # the library chooses


@pytest.mark.parametrize(
    ("typed", "wrong"),
    [
        ("--items 0:0,1:0 --information 20", "expected --falloff with --items"),
        ("--falloff 0.8 --drift 4", "expected --items with --falloff"),
        (f"{LINE} 0.8 --drift 4", "expected --items without --drift"),
        (f"{LINE} 0.8 --locations 3", "expected --items without --locations"),
        (f"{LINE} 0.8 --dt 0.01", "expected --items without --dt"),
        ("--items 0:0,1 --information 20 --falloff 1", "expected x and y of each place"),
        (f"{LINE} near", "expected a number, or eccentricity and visibility"),
    ],
)
def test_options_of_gaze_belong_together(typed, wrong):
    said, received = problem(*typed.split(), *PROBLEM, attention="serial")
    assert wrong in said
    assert not received


def test_several_are_sequences_of_different_ones():
    args = ("--information", "20,60", "--locations", "2,4,2", "--attention", "serial,guided:2")
    costs = ("--time-cost", "absent=0.1:present=0.3,1", "--miss", "2")
    _, received = problem(*args, *costs, attention="serial", several=True)
    sizes = [(rate, size) for rate in (20.0, 60.0) for size in (2, 4)]
    assert received["task"] == [po.LimitedSearchTask(size, rate) for rate, size in sizes]
    assert received["costs"] == [po.Costs((0.1, 0.3), miss=2.0), po.Costs(1.0, miss=2.0)]
    assert received["attention"] == ("serial", "guided:2")


def test_faults_of_task_and_costs_come_in_one_message():
    said, received = problem("--drift", "-4", "--dt", "-1", "--time-cost", "-1")
    assert not received
    for option in ("--drift", "--dt", "--time-cost"):
        assert f"{option}: expected" in said


def test_help_shows_both_kinds_of_task(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    command = options.command(options.problem(attention="serial")(lambda: None))
    text = CliRunner().invoke(command, ["--help"]).stdout
    fixed, _, rest = text.partition("Limited information:")
    limited, _, shared = rest.partition("Options:")
    assert "Fixed rates:\n  --drift " in fixed
    assert all(f"\n  --{name} " in limited for name in ("information", "visibility", "attention"))
    assert "\n  --locations " in shared
    assert text.count("[required]") == 1  # the cost of time


def test_commas_are_for_several_and_a_colon_for_a_pair():
    said, _ = problem("--drift", "4", "--time-cost", "0.2,0.1")
    assert "write e.g. 0.2 or present=0.1:absent=0.2; `popout compare` takes several" in said


def test_faults_are_named_by_options():
    @click.command()
    @options.trials("--trials n_trials", 10, "Trials.")
    def command():
        """Do nothing."""

    faults = Faults("solve")
    faults.add("n_trials", "some", 0, "take more")
    faults.add(("drift", 1), "some", 0, "time flies")
    assert options.in_options(po.InputError(faults.faults), command).splitlines() == [
        "--trials: expected some, got 0; take more",
        "solve.drift[1]: expected some, got 0; time flies",
    ]
    error = po.InputError([replace(faults.faults[0], file="task.toml", line=3)])
    assert options.in_options(error, command).startswith("task.toml:3: solve.n_trials: ")


def test_threads_hold_for_one_command():
    before = numba.get_num_threads()
    during = []

    @click.command()
    @options.threads
    def command():
        during.append(numba.get_num_threads())

    assert CliRunner().invoke(command, ["--threads", "1"]).exit_code == 0
    assert during == [1]
    assert numba.get_num_threads() == before
    said, _ = invoke(options.threads, "--threads", "100000")
    assert "'--threads': expected at most" in said
