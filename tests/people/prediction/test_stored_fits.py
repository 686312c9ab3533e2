"""Fits read back: the best ideal one of each observer, and folders that are none."""

import json
from dataclasses import replace

import pytest
from stored_fits import known_fit, write_fits

from popout.people.fitting.fit_job import file_of
from popout.people.models.situation import Situation
from popout.people.prediction.stored_fits import read_fits
from popout.task import InputError


def better(fitted, by):
    return replace(fitted, log_likelihood=fitted.log_likelihood + by)


@pytest.fixture
def folder(tmp_path):
    there = {Situation(prior=0.2): 400}
    some = [known_fit(situations=there), better(known_fit("ideal-serial"), 5.0)]
    free = better(known_fit("free-parallel"), 50.0)
    return write_fits(tmp_path / "fit", {"ag": [*some, free], "x, y": some[0]})


def test_the_best_model_with_ideal_thresholds_predicts(folder):
    stored = read_fits(folder)
    assert {name: each.name for name, each in stored.fits.items()} == {
        "ag": "ideal-serial",
        "x, y": "ideal-parallel",
    }
    assert stored.fits["x, y"].situations == {Situation(prior=0.2): 400}
    assert (stored.paths, stored.seed, stored.set_sizes) == (2000, 3, (1, 4))
    chosen = read_fits(folder, ["ideal-parallel"])
    assert {each.name for each in chosen.fits.values()} == {"ideal-parallel"}


def refused(folder, models=None):
    with pytest.raises(InputError) as caught:
        read_fits(folder, models)
    return str(caught.value)


def test_models_that_say_nothing_of_elsewhere_are_refused(folder):
    assert "did you mean ideal-parallel?" in refused(folder, ["free-parallel"])
    assert "did you mean ideal-serial?" in refused(folder, ["ideal-seral"])
    words = refused(folder, ["ideal-serial"])
    assert "a model of x, y with ideal thresholds" in words
    assert "'ideal-parallel'; choose from these" in words


def test_folders_that_hold_no_complete_fits_are_refused(folder, tmp_path):
    assert "none that is there" in refused(tmp_path / "nowhere")
    assert "one without fits" in refused(tmp_path)
    (folder / "report.json").rename(folder / "elsewhere.json")
    assert "a run interrupted after 4 fits" in refused(folder)
    (folder / "report.json").write_text(json.dumps({"numbers": {"observers": []}}))
    assert "tells of no fits" in refused(folder)


def test_a_fit_of_another_run_is_refused(folder):
    path = folder / "fits" / file_of("x, y, ideal-parallel")
    stored = json.loads(path.read_text())
    stored["fit"]["fitted"]["log_likelihood"] += 1.0
    path.write_text(json.dumps(stored))
    assert "one of another run" in refused(folder)
    path.unlink()
    assert "FileNotFoundError" in refused(folder)
    free = write_fits(folder / "free", {"ag": known_fit("free-serial")})
    assert "free thresholds and the yardstick do not say" in refused(free)
