"""A sweep as a whole: the same numbers whatever happens on the way.

Most tests run on a cluster inside this process; one uses processes and kills them.
"""

import copy
import heapq
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import psutil
import pytest
import xarray as xr
from distributed import KilledWorker, LocalCluster
from hypothesis import given
from hypothesis import strategies as st

import popout as po
from popout.analysis.sweep import run as run_module
from popout.analysis.sweep import run_sweep
from popout.analysis.sweep.cluster import VersionError, cluster
from popout.analysis.sweep.journal import Journal, journal_folder
from popout.analysis.sweep.point import run_points
from popout.analysis.sweep.run import LARGEST_UNIT, UNIT_SECONDS, unit_size
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
        def points(sweep, indices, version):
            values = {"drift": tuple(-1 if d in drifts else d for d in sweep.axes["drift"])}
            spoiled = copy.copy(sweep)
            object.__setattr__(spoiled, "axes", {**sweep.axes, **values})
            return run_points(spoiled, indices, version)

        monkeypatch.setattr(run_module, "run_points", points)

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


def test_the_summary_says_the_same_to_people_and_programs(make, tmp_path, broken):
    broken(6.0)
    summary = run_sweep(make(), tmp_path / "s.zarr")
    found = summary.as_dict()
    assert found["points_per_second"] == pytest.approx(6 / found["seconds"])
    assert (found["failed"], list(found["failures"])) == (
        2,
        ["n_locations = 2, drift = 6.0", "n_locations = 3, drift = 6.0"],
    )
    text = str(summary)
    assert "n_locations = 3, drift = 6.0" in text
    assert "SearchTask.drift: expected a positive number" in text


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

    def full(data, place):
        raise OSError(28, "No space left on device")

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
    def points(sweep, indices, version):
        raise VersionError("popout 1, got a worker with 2")

    monkeypatch.setattr(run_module, "run_points", points)
    with pytest.raises(InputError, match="scheduler: expected workers with popout 1"):
        run_sweep(make(), tmp_path / "s.zarr")
    assert list(tmp_path.iterdir()) == []


class Deadly:
    """A future of a unit whose workers died."""

    def result(self):
        raise KilledWorker("unit", None, 2)


def test_a_unit_that_kills_workers_is_split_and_a_point_that_does_fails(make, tmp_path):
    with closing(Journal(tmp_path / "s.zarr", "abc", ("risk",))) as journal:
        run = run_module._Run(make(), journal, False, None)
    assert run._outcomes(Deadly(), (4, 5)) == []
    assert {run._next_unit(1), run._next_unit(1)} == {(4,), (5,)}
    (outcome,) = run._outcomes(Deadly(), (4,))
    assert outcome.index == 4
    assert "workers died" in outcome.message


# -- units of work --------------------------------------------------------------------------------


def hand_out(cost, threads):
    """Play a cluster; return the size and time of each unit, and when the last thread is done."""
    n, handed, computed, spent = len(cost), [], 0, 0.0
    free = [(0.0, thread) for thread in range(threads)]
    flying, start = [], 0
    while start < n or flying:
        if start < n and free:
            now, thread = heapq.heappop(free)
            size = unit_size(n - start, threads, computed, spent / max(computed, 1))
            seconds = float(cost[start : start + size].sum())
            start += size
            handed.append((size, seconds))
            heapq.heappush(flying, (now + seconds, thread, size, seconds))
        else:
            now, thread, size, seconds = heapq.heappop(flying)
            computed, spent = computed + size, spent + seconds
            heapq.heappush(free, (now, thread))
    return handed, max(now for now, _ in free)


@given(st.integers(1, 300), st.integers(1, 8), st.floats(1e-4, 30.0))
def test_every_point_is_handed_out_once(n, threads, seconds):
    handed, _ = hand_out(np.full(n, seconds), threads)
    assert sum(size for size, _ in handed) == n
    assert all(1 <= size <= LARGEST_UNIT for size, _ in handed)


@pytest.mark.parametrize("mean", [0.003, 0.1, 1.0, 5.0])
def test_two_workers_are_busy_to_the_end(mean):
    n = max(100, int(60 / mean))
    cost = np.random.default_rng(1).lognormal(np.log(mean), 1.0, n)
    handed, end = hand_out(cost, 2)
    assert cost.sum() / (2 * end) > 0.95
    if mean < 1:
        assert max(seconds for _, seconds in handed) < 5 * UNIT_SECONDS
    # Negative control: the grid cut into two halves beforehand.
    halves = max(np.sort(cost)[: n // 2].sum(), np.sort(cost)[n // 2 :].sum())
    assert cost.sum() / (2 * halves) < 0.95


def test_slow_points_travel_alone_and_quick_ones_together():
    assert {size for size, _ in hand_out(np.full(50, 10.0), 2)[0]} == {1}
    handed, _ = hand_out(np.full(20_000, 0.004), 2)
    assert np.median([seconds for _, seconds in handed]) == pytest.approx(UNIT_SECONDS, rel=0.5)


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


def until(condition, process, seconds=90):
    """Wait until something is so, as long as the process lives."""
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, "ended too early"
        assert time.monotonic() < end, "took too long"
        time.sleep(0.02)


@contextmanager
def popout(file, store, workers):
    """Run the command; kill what is left of it at the end."""
    words = ["sweep", file, "--out", store, "--workers", str(workers), "--json"]
    program = subprocess.Popen(
        [sys.executable, "-m", "popout", *words],
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
    with popout(file, store, workers=2) as program:
        until(lambda: lines(store) >= 4, program)
        workers = workers_of(program)
        workers[0].send_signal(signal.SIGKILL)
        now = lines(store)
        until(lambda: lines(store) >= now + 2, program)
    psutil.wait_procs(workers, timeout=20)  # the client was killed, too
    before = lines(store)
    with popout(file, store, workers=1) as program:
        until(lambda: lines(store) >= before + 2, program)
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
    monkeypatch.setattr(run_module, "cluster", cluster)
    page = {"scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}, "dashboard_address": None}
    with LocalCluster(
        n_workers=1, processes=False, protocol="tcp", host="127.0.0.1", **page
    ) as local:
        summary = run_sweep(make(), tmp_path / "s.zarr", scheduler=local.scheduler_address)
        assert summary.done == 6
        assert len(local.workers) == 1
