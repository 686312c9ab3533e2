"""``popout sweep``: what it prints, its exit codes, and what it leaves behind.

Sweeps run on a Dask cluster inside this process; `tests/analysis/sweep` starts real ones.
"""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from command_line import refusal, run, run_json

from popout.analysis.cluster import ClusterLostError
from popout.analysis.sweep import Sweep, running

FILE = """\
kind = "search"
result = "simulated"
strategy = "sprt"
n_trials = 500
parameters.tau_minus = -2
parameters.tau_plus = 2
[costs]
time = 0.2
[grid]
n_locations = [2, 3]
drift = [4.0, 6.0, 8.0]
"""
UNFIT = "parameters.tau_minus = [-2, [-2, -2, -2, -2]]"  # four thresholds, but two or three places


@pytest.fixture
def sweep(tmp_path, monkeypatch, inside):
    """Return a function that runs the command in an empty folder, on a file with some text."""

    monkeypatch.chdir(tmp_path)

    def run_sweep(*words, text=FILE, by=run):
        (tmp_path / "sweep.toml").write_text(text)
        return by("sweep", "sweep.toml", *words)

    return run_sweep


def left(folder):
    return {path.name for path in folder.iterdir()} - {"sweep.toml"}


def test_json_has_the_documented_keys_and_the_store_the_results(sweep, tmp_path):
    summary = sweep("--out", "s.zarr", by=run_json)
    assert {"store", "points", "done", "failed", "seconds", "points_per_second"} <= set(summary)
    assert (summary["points"], summary["done"], summary["failed"]) == (6, 6, 0)
    assert summary["points_per_second"] == pytest.approx(6 / summary["seconds"])
    data = xr.open_dataset(summary["store"], engine="zarr")
    assert data["risk"].dims == ("n_locations", "drift")
    assert np.isfinite(data["risk"]).all()
    assert left(tmp_path) == {"s.zarr", "s.zarr.jsonl"}


def test_people_get_a_table_and_the_same_command_goes_on(sweep):
    first, again = sweep("--out", "s.zarr"), sweep("--out", "s.zarr")
    assert first.exit_code == again.exit_code == 0
    counts = [
        [line.split()[-1] for line in result.stdout.splitlines()[1:5]] for result in (first, again)
    ]
    assert counts == [["6", "6", "0", "6"], ["6", "6", "0", "0"]]


def test_failed_points_end_with_exit_code_1_and_their_messages(sweep, monkeypatch):
    text = FILE.replace("[grid]\n", f"[grid]\n{UNFIT}\n")
    result = sweep("--out", "s.zarr", text=text)
    assert result.exit_code == 1
    assert "6 of 12 points failed" in result.stderr
    assert "first of 6 failed points" in result.stdout
    assert "InputError" in result.stdout
    assert "Traceback" not in result.stderr
    again = sweep("--out", "s.zarr", "--retry-failed", "--json", text=text)
    assert again.exit_code == 1
    assert json.loads(again.stdout)["computed"] == 6


def test_dry_run_says_what_it_takes_and_leaves_nothing(sweep, tmp_path):
    plan = sweep("--dry-run", "--workers", "2", by=run_json)
    assert (plan["points"], plan["workers"], plan["sampled"]) == (6, 2, 6)
    assert plan["seconds"] >= 3 * plan["seconds_per_point"] > 0
    assert left(tmp_path) == set()
    said = sweep("--dry-run").stdout
    assert "seconds per point" in said
    assert "failed" not in said
    text = FILE.replace("[grid]\n", f"[grid]\n{UNFIT}\n")
    assert "failed of those tried" in sweep("--dry-run", text=text).stdout


@pytest.mark.parametrize(
    ("words", "change", "message"),
    [
        ((), None, "Missing option '--out'"),
        (("--out", "s.zarr", "--workers", "0"), None, "--workers"),
        (("--out", "s.zarr", "--workers", "1", "--scheduler", "x"), None, "got both"),
        (("--out", "s.zarr"), ("drift = [", "drfit = ["), "sweep.toml:11: SearchTask.drfit"),
        (("--out", "s.zarr"), ("n_trials = 500", "n_trials = 1e3"), "sweep.toml:4: n_trials"),
        (("--out", "s.zarr"), ("[grid]", "[grid"), "sweep.toml:9: expected valid TOML"),
        (("--dry-run",), ("kind", "knid"), "sweep.toml:1: task.kind: expected one of"),
        (("--out", "sweep.toml"), None, "expected a new folder or a store"),
        (("--out", "sweep.toml/s.zarr"), None, "takes files"),
        (("--out", "."), None, "expected the name of a new folder"),
        (("--out", "/"), None, "expected the name of a new folder"),
    ],
)
def test_bad_input_is_one_message_exit_2_and_no_file(sweep, tmp_path, words, change, message):
    text = FILE.replace(*change) if change else FILE
    assert message in sweep(*words, "--json", text=text, by=refusal)
    assert left(tmp_path) == set()
    assert (tmp_path / "sweep.toml").read_text() == text


def test_a_lost_cluster_is_one_message_and_exit_1(sweep, monkeypatch):
    def lost(*args, **settings):
        raise ClusterLostError("the connection to the cluster is lost")

    monkeypatch.setattr(running, "run_sweep", lost)
    result = sweep("--out", "s.zarr")
    assert result.exit_code == 1
    assert "the same command goes on from there" in result.stderr


PAGE = Path(__file__).parents[2] / "docs" / "sweep.md"
LINES = re.findall(r"^    popout sweep (examples.*?)  +#", PAGE.read_text(), re.MULTILINE)


def test_the_commands_of_the_page_run(sweep, tmp_path):
    assert len(LINES) == 2
    (tmp_path / "examples").symlink_to(PAGE.parents[1] / "examples")
    for line in LINES:
        result = run("sweep", *shlex.split(line))
        assert result.exit_code == 0, result.stderr
    assert left(tmp_path) == {"examples", "set_size.zarr", "set_size.zarr.jsonl"}


def test_the_file_of_the_page_is_the_example():
    shown = re.search(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
    example = Sweep.load(PAGE.parents[1] / "examples" / "sweeps" / "set_size.toml")
    assert Sweep.from_toml(shown) == example
