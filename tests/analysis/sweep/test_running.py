"""A sweep as a whole: the same numbers whatever happens on the way.

Most tests run on a cluster inside this process; one uses processes and kills them.
"""

import copy
import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest
import xarray as xr
from command_line import INTERRUPTIBLE
from distributed import KilledWorker, LocalCluster

import popout as po
from popout.analysis.cluster import VersionError, cluster
from popout.analysis.sweep import run_sweep, running
from popout.analysis.sweep.point import run_points
from popout.analysis.sweep.running import UNIT_SECONDS, plan_sweep, unit_size
from popout.task import InputError

pytestmark = pytest.mark.usefixtures("inside")


def files(store):
    """Return the content of every file of a store."""
    return {
        str(path.relative_to(store)): path.read_bytes()
        for path in Path(store).rglob("*")
        if path.is_file()
    }


def lines(store):
    """Return how many points of a store are on the disk."""
    path = Path(f"{store}.jsonl")
    return path.read_bytes().count(b"\n") - 1 if path.exists() else 0


@pytest.fixture
def broken(monkeypatch):
    """Return a function that makes the points of some drifts fail, or none."""

    def fail(*drifts):
        def points(sweep, indices, version):
            values = {"drift": tuple(-1 if d in drifts else d for d in sweep.axes["drift"])}
            spoiled = copy.copy(sweep)
            object.__setattr__(spoiled, "axes", {**sweep.axes, **values})
            return run_points(spoiled, indices, version)

        monkeypatch.setattr(running, "run_points", points)

    return fail


def test_every_point_has_the_numbers_of_its_own_parameters(make, tmp_path):
    axes = {"drift": [4.0, 6.0], "strategy": ["sprt", "hardmax"], "costs.time": [0.2, 0.5]}
    data = po.sweep(make(axes), tmp_path / "s.zarr").load()
    assert (data["status"] == "done").all()
    recipes = {"sprt": po.SPRT, "hardmax": po.Hardmax}
    for drift in (4.0, 6.0):
        task = po.SearchTask(n_locations=2, drift=drift)
        for name, recipe in recipes.items():
            for cost in (0.2, 0.5):
                one = data.sel(drift=drift, strategy=name, costs_time=cost)
                seed = one["point_seed"].item()
                trials = po.simulate(task, recipe.for_task(task, -2.0, 2.0), 1000, seed)
                assert one["risk"].item() == trials.summary(po.Costs(time=cost)).risk


def test_a_part_of_the_grid_in_another_order_gives_the_same_numbers(make, tmp_path):
    axes = {"n_locations": [2, 3], "drift": [4.0, 6.0, 8.0]}
    whole = po.sweep(make(axes), tmp_path / "a.zarr")
    part = po.sweep(make({"drift": [8.0, 4.0], "n_locations": [3]}), tmp_path / "b.zarr")
    for name in ("risk", "mean_rt_present", "point_seed"):
        wanted = whole[name].sel(drift=[8.0, 4.0], n_locations=[3]).transpose(*part[name].dims)
        np.testing.assert_array_equal(part[name], wanted)
    other = po.sweep(make(axes, seed=2), tmp_path / "c.zarr")
    assert not np.isin(other["risk"], whole["risk"]).any()


def test_progress_counts_up_to_the_end(make, tmp_path):
    told = []
    summary = run_sweep(
        make(), tmp_path / "s.zarr", progress=lambda share, words: told.append((share, words))
    )
    assert (summary.points, summary.done, summary.failed, summary.computed) == (6, 6, 0, 6)
    assert [share for share, _ in told] == sorted(share for share, _ in told)
    assert told[-1][0] == 1.0
    assert told[-1][1].startswith("6 of 6 points, ")


def test_a_finished_sweep_is_not_computed_again(make, tmp_path, monkeypatch):
    store = tmp_path / "s.zarr"
    run_sweep(make(), store)
    before = files(store)
    monkeypatch.setattr(running, "cluster", None)  # calling it would fail
    assert run_sweep(make(), store).computed == 0
    assert files(store) == before


def test_failed_points_are_recorded_and_taken_up_again_when_asked(make, tmp_path, broken):
    store = tmp_path / "s.zarr"
    broken(6.0)
    report = run_sweep(make(), store)
    numbers, places = report.as_dict(), [f"n_locations = {n}, drift = 6.0" for n in (2, 3)]
    assert (report.done, numbers["failed"], list(numbers["failures"])) == (4, 2, places)
    assert numbers["points_per_second"] == pytest.approx(6 / numbers["seconds"])
    assert all(place in str(report) for place in places)
    with xr.open_dataset(store, engine="zarr") as data:
        assert (data["status"].sel(drift=6.0) == "failed").all()
        message = data["message"].sel(drift=6.0, n_locations=3).item()
        assert "SearchTask.drift: expected a positive number, got -1" in message
        assert np.isnan(data["risk"].sel(drift=6.0)).all()
    broken()
    assert run_sweep(make(), store).computed == 0
    report = run_sweep(make(), store, retry_failed=True)
    assert (report.done, report.failed, report.computed) == (6, 0, 2)
    run_sweep(make(), tmp_path / "undisturbed.zarr")
    assert files(store) == files(tmp_path / "undisturbed.zarr")


def test_an_exception_in_the_client_keeps_what_was_computed(make, tmp_path):
    store = tmp_path / "s.zarr"

    def stop(share, words):
        if share >= 2 / 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_sweep(make(), store, progress=stop)
    with xr.open_dataset(store, engine="zarr") as data:
        done = int((data["status"] == "done").sum())
    assert 2 <= done < 6
    assert run_sweep(make(), store).computed == 6 - done
    run_sweep(make(), tmp_path / "undisturbed.zarr")
    assert files(store) == files(tmp_path / "undisturbed.zarr")


def test_lines_do_not_make_a_store_of_something_else(make, tmp_path):
    store = tmp_path / "s.zarr"
    run_sweep(make(), store)
    shutil.rmtree(store)
    store.write_text("precious")
    with pytest.raises(InputError, match="expected a new folder or a store with its lines"):
        run_sweep(make(), store)
    assert store.read_text() == "precious"
    store.unlink()
    assert run_sweep(make(), store).computed == 0


def test_a_full_disk_is_bad_input_and_keeps_what_was_computed(make, tmp_path, monkeypatch):
    store = tmp_path / "s.zarr"

    def full(data, place, **how):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(xr.Dataset, "to_zarr", full)
        with pytest.raises(InputError, match=r"takes files.*No space left"):
            run_sweep(make(), store)
    assert run_sweep(make(), store).computed == 0


@pytest.mark.parametrize(
    "address", ["nonsense://x", "tcp://", "127.0.0.1", "tcp://127.0.0.1:1", "tls://127.0.0.1:1"]
)
def test_no_cluster_is_bad_input_and_leaves_nothing(make, tmp_path, monkeypatch, address):
    monkeypatch.setattr(running, "cluster", cluster)
    monkeypatch.setattr("popout.analysis.cluster.CONNECT", 0.3)
    with pytest.raises(InputError, match="scheduler: expected the address of a running Dask"):
        run_sweep(make(), tmp_path / "s.zarr", scheduler=address)
    assert list(tmp_path.iterdir()) == []


def test_workers_of_another_version_are_refused_and_leave_nothing(make, tmp_path, monkeypatch):
    def points(sweep, indices, version):
        raise VersionError("popout 1, got a worker with 2")

    monkeypatch.setattr(running, "run_points", points)
    with pytest.raises(InputError, match="scheduler: expected workers with popout 1"):
        run_sweep(make(), tmp_path / "s.zarr")
    assert list(tmp_path.iterdir()) == []


class Deadly:
    """The future of a unit whose workers died."""

    def result(self):
        raise KilledWorker("unit", None, 2)


def test_a_unit_that_kills_workers_is_split_and_a_point_that_does_fails():
    alone = []
    assert running.outcomes_of(Deadly(), [4, 5], alone) == []
    assert alone == [4, 5]
    [outcome] = running.outcomes_of(Deadly(), [4], alone)
    assert outcome.index == 4
    assert "workers died" in outcome.message


@pytest.mark.parametrize("mean", [0.004, 0.1, 5.0])
def test_units_take_a_few_seconds_and_get_smaller_towards_the_end(mean):
    left, computed, sizes = 20_000, 0, []
    while left:
        sizes.append(unit_size(left, 2, computed, mean))
        left, computed = left - sizes[-1], computed + sizes[-1]
    assert sizes[0] == sizes[-1] == 1
    assert np.median(sizes) * mean <= max(UNIT_SECONDS, mean)
    assert max(sizes) == max(1, int(UNIT_SECONDS / mean))


# -- what it will take ----------------------------------------------------------------------------


def test_no_point_is_tried_after_the_time(make, monkeypatch):
    monkeypatch.setattr(running, "PLANNED_SECONDS", 0.0)
    plan = plan_sweep(make(), workers=100)
    assert plan.sampled == 1
    assert plan.seconds == pytest.approx(plan.seconds_per_point)  # no more workers than points


def test_what_the_first_point_loads_is_counted_and_the_start_of_workers_is_named(make, monkeypatch):
    """A dry run said 1 s for a sweep of 25 s, most of which were loading and starting."""
    seconds = iter([20.0, 0.1, 0.1, 0.1, 0.1, 0.1])

    def slow_start(grid, indices):
        return [replace(each, seconds=next(seconds)) for each in run_points(grid, indices)]

    monkeypatch.setattr(running, "run_points", slow_start)
    plan = plan_sweep(make(), workers=2)
    assert plan.seconds == pytest.approx(3 * 0.1 + 19.9)
    assert "20 s" in str(plan)
    assert "Before that the workers start" in str(plan)


# -- with processes, killed -----------------------------------------------------------------------

SWEEP = """\
kind = "search"
result = "simulated"
n_trials = 20000
strategy = "sprt"
parameters.tau_minus = -3.0
parameters.tau_plus = 3.0
[grid]
n_locations = [4, 6, 8]
drift = [1.0, 1.1, 1.2, 1.3]
costs.time = [0.2, 0.5]
"""
N_POINTS = 24


def until(condition, process, seconds=90):
    """Wait until something is so, as long as the process lives."""
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, "ended too early"
        assert time.monotonic() < end, "took too long"
        time.sleep(0.02)


@contextmanager
def popout(file, store):
    """Run the command; kill what is left of it at the end."""
    words = ["sweep", file, "--out", store, "--workers", "1", "--json"]
    program = subprocess.Popen(
        [*INTERRUPTIBLE, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield program
    finally:
        program.kill()
        program.communicate()


def workers_of(program):
    children = psutil.Process(program.pid).children(recursive=True)
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


def test_killed_interrupted_and_resumed_the_store_is_that_of_an_undisturbed_run(tmp_path):
    file, store = tmp_path / "sweep.toml", tmp_path / "killed.zarr"
    file.write_text(SWEEP)
    with popout(file, store) as program:
        until(lambda: lines(store) >= 2, program)
        workers = workers_of(program)
    psutil.wait_procs(workers, timeout=20)  # the client was killed, and they follow
    before = lines(store)
    with popout(file, store) as program:
        until(lambda: lines(store) >= before + 2, program)
        workers_of(program)[0].send_signal(signal.SIGKILL)
        now = lines(store)
        until(lambda: lines(store) >= now + 2, program)  # Dask starts another
        workers = workers_of(program)
        os.killpg(program.pid, signal.SIGINT)  # as a terminal does
        out, err = program.communicate(timeout=60)
    assert (program.returncode, out) == (130, "")
    assert err.endswith("the same command goes on from there.\nInterrupted.\n")
    assert "Traceback" not in err
    assert psutil.wait_procs(workers, timeout=10)[1] == []
    summary = run_sweep(file, store)  # on two threads of this process
    assert summary.points == summary.done == N_POINTS
    assert 0 < summary.computed < N_POINTS
    run_sweep(file, tmp_path / "whole.zarr")
    assert files(store) == files(tmp_path / "whole.zarr")


def test_a_cluster_that_is_running_is_used_and_left_running(make, tmp_path, monkeypatch):
    monkeypatch.setattr(running, "cluster", cluster)
    page = {"scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}, "dashboard_address": None}
    with LocalCluster(
        n_workers=1, processes=False, protocol="tcp", host="127.0.0.1", **page
    ) as local:
        summary = run_sweep(make(), tmp_path / "s.zarr", scheduler=local.scheduler_address)
        assert summary.done == 6
        assert len(local.workers) == 1
