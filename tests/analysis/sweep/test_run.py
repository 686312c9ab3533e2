"""A sweep as a whole: the same numbers whatever happens on the way.

Most tests run on a cluster inside this process; the last two use processes and kill
them.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psutil
import pytest
import xarray as xr
from distributed import KilledWorker

import popout as po
from popout.analysis.sweep import run as run_module
from popout.analysis.sweep import run_sweep
from popout.analysis.sweep.cluster import cluster
from popout.analysis.sweep.journal import journal_folder
from popout.analysis.sweep.point import VersionError, run_unit
from popout.analysis.sweep.store import write_store
from popout.analysis.sweep.units import Units
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
    points = journal_folder(Path(store)) / "points"
    return points.read_bytes().count(b"\n") if points.exists() else 0


@pytest.fixture
def broken(monkeypatch):
    """Return a function that makes the points of some drifts fail, or none."""

    def fail(*drifts):
        def unit(packed, version):
            base, names, rows = json.loads(packed)
            place = 1 + names.index("drift")
            wrong = [[*row[:place], -1 if row[place] in drifts else row[place]] for row in rows]
            return run_unit(json.dumps([base, names, wrong]).encode(), version)

        monkeypatch.setattr(run_module, "run_unit", unit)

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
    seen = []
    report = run_sweep(make(), tmp_path / "s.zarr", progress=seen.append)
    assert (report.points, report.done, report.failed, report.computed) == (6, 6, 0, 6)
    assert [state.share for state in seen] == sorted(state.share for state in seen)
    assert (seen[0].done, seen[0].seconds_left) == (0, float("inf"))
    assert (seen[-1].done, seen[-1].share, seen[-1].seconds_left) == (6, 1.0, 0.0)
    assert seen[-1].rate > 0


def test_a_finished_sweep_is_not_computed_again(make, tmp_path, monkeypatch):
    store = tmp_path / "s.zarr"
    run_sweep(make(), store)
    before = files(store)
    monkeypatch.setattr(run_module, "cluster", None)  # calling it would fail
    assert run_sweep(make(), store).computed == 0
    assert files(store) == before


def test_failed_points_are_recorded_and_taken_up_again_when_asked(make, tmp_path, broken):
    store = tmp_path / "s.zarr"
    broken(6.0)
    report = run_sweep(make(), store)
    assert (report.done, report.failed) == (4, 2)
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

    def stop(state):
        if state.done >= 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_sweep(make(), store, progress=stop)
    with xr.open_dataset(store, engine="zarr") as data:
        done = int((data["status"] == "done").sum())
    assert 2 <= done < 6
    assert run_sweep(make(), store).computed == 6 - done
    run_sweep(make(), tmp_path / "undisturbed.zarr")
    assert files(store) == files(tmp_path / "undisturbed.zarr")


def test_a_store_of_another_sweep_is_refused_and_left_alone(make, tmp_path):
    store = tmp_path / "s.zarr"
    run_sweep(make(), store)
    before = files(tmp_path)
    with pytest.raises(InputError, match="belongs to another sweep"):
        run_sweep(make(seed=2), store)
    assert files(tmp_path) == before


@pytest.mark.parametrize("foreign", ["file", "folder"])
def test_something_else_in_the_way_is_refused_and_left_alone(make, tmp_path, foreign):
    store = tmp_path / "s.zarr"
    (store if foreign == "file" else store / "notes.txt").parent.mkdir(exist_ok=True)
    (store if foreign == "file" else store / "notes.txt").write_text("precious")
    before = files(tmp_path)
    with pytest.raises(InputError, match="expected a new folder or a store with its journal"):
        run_sweep(make(), store)
    assert files(tmp_path) == before


def test_a_journal_does_not_make_a_store_of_something_else(make, tmp_path):
    store = tmp_path / "s.zarr"
    run_sweep(make(), store)
    shutil.rmtree(store)
    store.write_text("precious")
    with pytest.raises(InputError, match="expected a new folder or a store with its journal"):
        run_sweep(make(), store)
    assert store.read_text() == "precious"
    store.unlink()
    assert run_sweep(make(), store).computed == 0


def test_a_full_disk_is_bad_input_and_keeps_what_was_computed(make, tmp_path, monkeypatch):
    store = tmp_path / "s.zarr"
    written = []

    def full(data, place):
        written.append(data)
        if len(written) > 1:
            raise OSError(28, "No space left on device")
        write_store(data, place)

    with monkeypatch.context() as patch:
        patch.setattr(run_module, "write_store", full)
        with pytest.raises(InputError, match=r"takes files.*No space left"):
            run_sweep(make(), store)
    assert run_sweep(make(), store).computed == 0


@pytest.mark.parametrize(
    "address", ["nonsense://x", "tcp://", "127.0.0.1", "tcp://127.0.0.1:1", "tls://127.0.0.1:1"]
)
def test_no_cluster_is_bad_input_and_leaves_nothing(make, tmp_path, monkeypatch, address):
    monkeypatch.setattr(run_module, "cluster", cluster)
    monkeypatch.setattr("popout.analysis.sweep.cluster.CONNECT", 0.3)
    with pytest.raises(InputError, match="scheduler: expected the address of a running Dask"):
        run_sweep(make(), tmp_path / "s.zarr", scheduler=address)
    assert list(tmp_path.iterdir()) == []


def test_workers_of_another_version_are_refused_and_leave_nothing(make, tmp_path, monkeypatch):
    def unit(packed, version):
        raise VersionError("popout 1, got a worker with 2")

    monkeypatch.setattr(run_module, "run_unit", unit)
    with pytest.raises(InputError, match="scheduler: expected workers with popout 1"):
        run_sweep(make(), tmp_path / "s.zarr")
    assert list(tmp_path.iterdir()) == []


class Deadly:
    """A future of a unit whose workers died."""

    def result(self):
        raise KilledWorker("unit", None, 2)


def test_a_unit_that_kills_workers_is_split_and_a_point_that_does_fails(make, tmp_path):
    run = run_module._Run.__new__(run_module._Run)
    units = Units(np.arange(0))
    assert run._outcomes(Deadly(), np.array([4, 5]), units) == []
    assert [units.next(1).tolist(), units.next(1).tolist()] == [[4], [5]]
    (outcome,) = run._outcomes(Deadly(), np.array([4]), units)
    assert outcome.index == 4
    assert "workers died" in outcome.message


# -- with processes, killed -----------------------------------------------------------------------

SWEEP = """\
kind = "search"
result = "simulated"
n_trials = 10000
parameters.tau_minus = -3.0
parameters.tau_plus = 3.0
[grid]
n_locations = [4, 6, 8, 10]
drift = [1.0, 1.1, 1.2, 1.3]
costs.time = [0.2, 0.5]
strategy = ["sprt", "hardmax"]
"""
N_POINTS = 64


@contextmanager
def two_workers(folder):
    """Start a Dask cluster of two worker processes on loopback; yield its address and parents."""
    started = []

    def dask(*words):
        command = [sys.executable, "-m", "dask", *words]
        with (folder / "dask.log").open("ab") as log:
            started.append(subprocess.Popen(command, cwd=folder, stdout=log, stderr=log))
        return started[-1]

    place = ("--host", "127.0.0.1", "--no-dashboard")
    file = ("--scheduler-file", str(folder / "scheduler.json"))
    try:
        dask("scheduler", *place, *file, "--port", "0", "--dashboard-address", "127.0.0.1:0")
        nannies = [dask("worker", *place, *file, "--nthreads", "1") for _ in range(2)]
        until(lambda: (folder / "scheduler.json").exists() and address(folder), started)
        yield address(folder), nannies
    finally:
        for process in started:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()
            process.wait()


def address(folder):
    text = (folder / "scheduler.json").read_text()
    return json.loads(text)["address"] if text else None


def until(condition, processes=(), seconds=90):
    """Wait until something is so, as long as the processes live."""
    end = time.monotonic() + seconds
    while not condition():
        assert all(process.poll() is None for process in processes), "ended too early"
        assert time.monotonic() < end, "took too long"
        time.sleep(0.02)


def popout(*words):
    return subprocess.Popen(
        [sys.executable, "-m", "popout", "sweep", *map(str, words), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def worker_of(nanny):
    found = psutil.Process(nanny.pid).children(recursive=True)
    return [child for child in found if "spawn_main" in " ".join(child.cmdline())]


def test_a_worker_and_the_client_killed_the_store_is_that_of_an_undisturbed_run(
    tmp_path, monkeypatch
):
    file, store = tmp_path / "sweep.toml", tmp_path / "killed.zarr"
    file.write_text(SWEEP)
    run_sweep(file, tmp_path / "whole.zarr")  # on two threads of this process
    with two_workers(tmp_path) as (scheduler, nannies):
        client = popout(file, "--out", store, "--scheduler", scheduler)
        until(lambda: lines(store) >= 4, [client])
        (victim,) = worker_of(nannies[0])
        victim.send_signal(signal.SIGKILL)
        now = lines(store)
        until(lambda: lines(store) >= now + 2, [client])
        client.kill()
        client.communicate()
        monkeypatch.setattr(run_module, "cluster", cluster)
        report = run_sweep(file, store, scheduler=scheduler)
    assert report.points == report.done == N_POINTS
    assert 0 < report.computed < N_POINTS
    assert files(store) == files(tmp_path / "whole.zarr")


def test_an_interrupt_stops_client_and_workers_and_a_last_run_finishes(tmp_path):
    file, store = tmp_path / "sweep.toml", tmp_path / "stopped.zarr"
    file.write_text(SWEEP)
    client = popout(file, "--out", store, "--workers", 2)
    until(lambda: lines(store) >= 3, [client])
    workers = psutil.Process(client.pid).children(recursive=True)
    os.killpg(client.pid, signal.SIGINT)  # as a terminal does
    out, err = client.communicate(timeout=60)
    assert (client.returncode, out) == (130, "")
    assert err.endswith("the same command goes on from there.\nInterrupted.\n")
    assert "Traceback" not in err
    psutil.wait_procs(workers, timeout=10)
    assert [worker for worker in workers if worker.is_running()] == []
    assert 0 < run_sweep(file, store).computed < N_POINTS
    run_sweep(file, tmp_path / "whole.zarr")
    assert files(store) == files(tmp_path / "whole.zarr")
