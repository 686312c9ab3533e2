"""Observers with holes: cells of time-outs, no answer at all, one level, a cell without trials."""

import numpy as np
import pytest

from popout.people.fitting.fit_observers import fit_observers
from popout.people.reading.reader import read_trials
from popout.task import InputError

from ..conftest import shorten
from ..lookalikes import trials


@pytest.fixture(autouse=True)
def quick(tables, monkeypatch):
    monkeypatch.setenv("POPOUT_CACHE", str(tables.folder))
    shorten(monkeypatch, 5)


def settings(tables):
    return {"paths": tables.n_paths, "seed": tables.seed, "workers": 1}


def table():
    frame = trials(n=120, sizes=(1, 4)).rename(columns={"said": "response"})
    return frame.assign(display=np.where(frame["block"] % 2 == 0, "a", "b"))


def timed_out(frame, silent, limit=2.0):
    said = frame["response"].astype(str).mask(silent, "timeout")
    return frame.assign(response=said, rt=frame["rt"].mask(silent, limit))


def test_a_cell_of_time_outs_is_fitted_and_an_observer_of_them_refused(tables, tmp_path):
    frame = table()
    silent = (frame["observer"] == "km") | (frame["present"] & (frame["set_size"] == 4))
    read = read_trials(timed_out(frame, silent))
    how = {"models": ("ideal-parallel",), **settings(tables)}
    with pytest.raises(InputError, match="20 answers of km, got 0"):
        fit_observers(read, tmp_path, **how)
    fits = fit_observers(read.choose(["ag"]), tmp_path, **how)
    assert fits.n_failed == 0


@pytest.mark.parametrize("vary", ["display", "information=display"])
def test_holes_in_conditions_are_refused_before_anything_is_written(vary, tables, tmp_path):
    frame = table()
    level = frame[frame["display"] == "a"]
    hole = frame[(frame["observer"] == "ag") | (frame["display"] == "b")]
    out = tmp_path / "out"
    for some, words in ((level, "display, with 1 value"), (hole, "trials of km with a")):
        with pytest.raises(InputError, match=words):
            fit_observers(read_trials(some), out, vary=vary, **settings(tables))
    assert not out.exists()
