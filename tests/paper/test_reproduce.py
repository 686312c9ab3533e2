"""The run over the figures: stored data are trusted only if whole, and killed runs continue."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from popout.paper.figures import search_designs
from popout.paper.reproduce import reproduce
from popout.report import files as whole_files
from popout.task import InputError

NAME = "search-designs"
REPORT = {"report.html", "report.json"}
FILES = {"claims.json", *REPORT} | {f"{NAME}.{kind}" for kind in ("nc", "json", "png", "svg")}


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def undrawn(monkeypatch):
    """Spare the time that drawing takes."""
    monkeypatch.setattr(search_designs, "draw", lambda data: None)
    monkeypatch.setattr("popout.report.runner.picture", lambda figure, kind: kind.encode())


@pytest.fixture
def run(tmp_path, tiny, undrawn):
    """Return a function that makes one quick figure."""

    def make(folder=tmp_path, seed=1, preset=tiny):
        (made,) = reproduce((NAME,), preset, folder, seed).figures
        return made

    return make


def test_a_figure_leaves_data_record_and_pictures(run, tmp_path):
    made = run()
    assert set(files(tmp_path)) == FILES
    assert made.from_store is False
    record = json.loads((tmp_path / f"{NAME}.json").read_text())
    assert record["key"] == made.key
    assert record["seed"] == 1


def test_a_repeated_run_reads_the_data_back(run, tmp_path):
    run()
    before = files(tmp_path)[f"{NAME}.nc"]
    assert run().from_store is True
    assert files(tmp_path)[f"{NAME}.nc"] == before


def test_two_runs_give_identical_data(run, tmp_path):
    run(tmp_path / "one")
    run(tmp_path / "two")
    one, two = files(tmp_path / "one"), files(tmp_path / "two")
    assert one[f"{NAME}.nc"] == two[f"{NAME}.nc"]
    assert one[f"{NAME}.json"] == two[f"{NAME}.json"]


def test_other_inputs_are_computed_again(run, tiny):
    keys = {run().key}
    for inputs in ({"seed": 2}, {"preset": replace(tiny, score_trials=7_000)}):
        made = run(**inputs)
        assert made.from_store is False
        keys.add(made.key)
    assert len(keys) == 3


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("nc", lambda content: content[: len(content) // 2]),
        ("nc", lambda content: content[:-1] + bytes([content[-1] ^ 1])),
        ("nc", lambda content: b""),
        ("json", lambda content: content[: len(content) // 2]),
        ("json", lambda content: b"[]"),
        ("json", lambda content: b"{}"),
    ],
)
def test_damaged_data_are_computed_again(run, tmp_path, kind, damage):
    run()
    whole = files(tmp_path)
    path = tmp_path / f"{NAME}.{kind}"
    path.write_bytes(damage(path.read_bytes()))
    assert run().from_store is False
    assert files(tmp_path)[f"{NAME}.nc"] == whole[f"{NAME}.nc"]


@pytest.mark.parametrize("number", range(7))
def test_an_interrupted_write_leaves_nothing_half_written(run, tmp_path, monkeypatch, number):
    calls = []
    real = whole_files.Path.replace

    def interrupted(self, target):
        calls.append(target)
        if len(calls) == number + 1:
            raise KeyboardInterrupt
        return real(self, target)

    run(tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr(whole_files.Path, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "cut")
    whole, cut = files(tmp_path / "whole"), files(tmp_path / "cut")
    assert len(cut) == number
    assert all(whole[name] == cut[name] for name in set(cut) - REPORT)  # which name the time
    run(tmp_path / "cut")
    assert files(tmp_path / "cut")[f"{NAME}.nc"] == whole[f"{NAME}.nc"]


@pytest.mark.usefixtures("undrawn")
def test_a_killed_run_continues_to_the_same_data(tmp_path):
    parts = (NAME, "lossless", "printed-equations")
    reproduce(parts, out=tmp_path / "whole")
    command = [sys.executable, "-m", "popout", "reproduce", *parts, "--out", tmp_path / "cut"]
    for kind in ("nc", "png"):  # as soon as the first file is there, and between two pictures
        killed = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while killed.poll() is None and not (tmp_path / "cut" / f"{NAME}.{kind}").exists():
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        assert killed.wait() == -signal.SIGKILL
    assert not (tmp_path / "cut" / "claims.json").exists()
    again = reproduce(parts, out=tmp_path / "cut")
    assert again.figures[0].from_store
    whole, cut = files(tmp_path / "whole"), files(tmp_path / "cut")
    stored = [f"{name}.{kind}" for name in parts for kind in ("nc", "json")]
    for name in (*stored, "claims.json"):
        assert cut[name] == whole[name], name
    assert json.loads(whole["claims.json"])["claims"]


def test_a_full_disk_is_one_message_and_leaves_no_file(run, tmp_path, monkeypatch):
    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole_files.Path, "replace", full)
    with pytest.raises(InputError, match=r"out: .*No space left on device.*--out"):
        run()
    assert files(tmp_path) == {}


def test_unknown_preset_is_bad_input(tmp_path):
    with pytest.raises(InputError, match=r"preset: expected one of quick, paper, got 'slow'"):
        reproduce((), "slow", tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("undrawn")
def test_progress_goes_through_the_parts_by_their_effort(tiny, tmp_path):
    told = []
    parts = (NAME, "printed-equations")
    reproduce(parts, tiny, tmp_path, progress=lambda share, words: told.append((share, words)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert told[0] == (0.0, NAME)
    assert max(share for share, words in told if words.startswith(NAME)) == pytest.approx(2 / 2.5)


def test_a_reproduction_shows_what_was_made_and_every_verdict(tiny, tmp_path):
    found = reproduce(("lossless",), tiny, tmp_path)
    shown = str(found)
    assert "lossless" in shown
    assert "table, computed" in shown
    assert "evidence-lossless" in shown
    assert found.claims[0].verdict.value in shown
    plain = found.as_dict()
    assert plain["figures"] == []
    assert plain["tables"][0]["data"] == str(tmp_path / "lossless.nc")
    assert plain["claims"] == json.loads((tmp_path / "claims.json").read_text())["claims"]
    assert plain["report"] == found.report
