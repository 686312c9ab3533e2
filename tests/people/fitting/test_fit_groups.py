"""Conditions and populations of fit_observers: stored, resumed, reported, also by the command."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import run_json

from popout.people.fitting import fit_job, fit_report, population
from popout.people.fitting.fit_job import ChainJob
from popout.people.fitting.fit_observers import fit_observers
from popout.people.prediction.predict_observers import predict_observers
from popout.people.reading.reader import read_trials
from popout.task import InputError

from ..conftest import shorten
from ..lookalikes import trials

AGES = {"ag": "old", "bo": "old", "km": "young", "no": "young"}


def table():
    """Return made-up observers, two of each age, in two conditions; b is slower."""
    frame = trials(n=120, sizes=(1, 4), observers=(*AGES,)).rename(columns={"said": "response"})
    frame["display"] = np.where(frame["block"] % 2 == 0, "a", "b")
    frame["rt"] += np.where(frame["display"] == "b", 0.2, 0.0)
    return frame.assign(age=frame["observer"].map(AGES))


@pytest.fixture(scope="module")
def settings(tables):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POPOUT_CACHE", str(tables.folder))
        patch.setattr(fit_report, "picture", lambda figure, kind: kind.encode())
        patch.setattr(population, "_EM", 2)
        shorten(patch, 5)
        yield {
            "models": ("ideal-parallel",), "paths": tables.n_paths, "seed": tables.seed,
            "vary": "information=display,non-decision time=display", "folds": 2, "sweeps": 20,
        }  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("groups")


@pytest.fixture(scope="module")
def fits(settings, folder):
    """Fit in three runs, the first two of which are interrupted: in a fit, and between chains."""
    read, real, done = read_trials(table()), (fit_job.run_job, ChainJob.run), []

    def killed(k, after):
        def run(job, progress=None):
            if len([own for own in done if isinstance(own, type(job))]) == after:
                raise KeyboardInterrupt
            done.append(job)
            return real[k](job, progress)

        return run

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit_job, "run_job", killed(0, 3))
        with pytest.raises(KeyboardInterrupt):
            fit_observers(read, folder, workers=1, group="age", **settings)
        patch.setattr(fit_job, "run_job", real[0])
        patch.setattr(ChainJob, "run", killed(1, 2))
        with pytest.raises(KeyboardInterrupt):
            fit_observers(read, folder, workers=1, group="age", **settings)
    told = []
    how = settings | {"progress": lambda share, words: told.append(words)}
    yield fit_observers(read, folder, workers=1, group="age", **how)
    assert "4 of 4 chains of the population" in told


def test_what_was_kept_is_not_computed_again(fits):
    assert fits.computed == 2  # of four chains; all fits and two chains were there
    assert fits.n_failed == 0


def test_both_parameters_differ_between_levels_and_the_rest_does_not(fits):
    effects = fits.effects
    assert [*effects.fits] == [*AGES]
    fit = effects.fits["ag"][effects.varied].fitted
    assert {"information[a]", "residual_mean[b]", "lapse"} <= set(fit.estimates)
    assert fit.log_likelihood > effects.fits["ag"]["nothing"].fitted.log_likelihood
    slower = effects.contrasts().set_index("parameter").loc["residual_mean", "value"]
    assert slower < 1.0  # the first level over the second
    own = fits.population.to_pandas()
    assert own["age"].unique().tolist() == ["old", "young"]
    assert fits.population.model.name == effects.fits["ag"][effects.varied].name


def test_numbers_and_page_hold_conditions_and_population(fits, folder):
    numbers = json.loads((folder / "report.json").read_text())["numbers"]
    said = fits.as_dict()
    assert numbers["conditions"] == said["conditions"]
    assert numbers["population"] == said["population"]
    for parameter in said["population"]["parameters"]:
        assert {"mean", "mean_interval", "sd", "sd_interval"} <= set(parameter)
    page = Path(fits.report).read_text(encoding="utf-8")
    for words in ("What does display change?", "The population", "Predictive check", "Contrasts"):
        assert words in page
    for name in ("conditions", "contrasts", "population", "people"):
        assert len(pd.read_parquet(folder / f"{name}.parquet"))
    assert "display" in str(fits)
    assert any("Pooled: display (a, b)" in note for note in fits.data.notes)
    assert not any("Pooled" in words for words in (page, str(fits), *fits.notes))
    assert not said["notes"]


def test_predictions_say_that_nothing_varies_in_them(fits, folder, monkeypatch):
    predicted = predict_observers(folder, {"prior": 0.3}, draws=20, workers=1)
    (note,) = [note for note in predicted.all_notes if "what varies" in note]
    assert "(information=display,non-decision time=display); predictions rest on" in note


def test_the_command_line_gives_the_same_numbers(fits, settings, folder, tmp_path):
    table().to_csv(tmp_path / "data.csv", index=False)
    given = [f"--{k}={','.join(v) if k == 'models' else v}" for k, v in settings.items()]
    args = ("fit", tmp_path / "data.csv", "--out", folder, "--group", "age", "--threads", "1")
    said = run_json(*args, *given)
    assert said["computed"] == 0
    expected = json.loads(json.dumps(fits.as_dict()))
    for name in ("observers", "conditions", "population"):
        assert said[name] == expected[name]


def test_bad_conditions_and_groups_are_refused_in_one_message(settings, tmp_path):
    bad = settings | {"vary": "informatoin=display,lapse=nothing"}
    with pytest.raises(InputError) as caught:
        fit_observers(read_trials(table()), tmp_path / "out", workers=1, group="display", **bad)
    said = str(caught.value)
    for words in ("informatoin", "nothing", "one display of each observer"):
        assert words in said
    with pytest.raises(InputError, match="not taken apart"):
        fit_observers(read_trials(table(), split="display"), tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()
