"""Fitted observers in another experiment, from folder to page."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from stored_fits import known_fit, write_fits

from popout.people.models.situation import Situation
from popout.people.prediction import held_against, prediction_report
from popout.people.prediction import predict_observers as module
from popout.people.prediction.parameter_draws import draw_parameters
from popout.people.prediction.predict_observers import predict_observers
from popout.people.prediction.predicted_observers import PredictedObserver, PredictedObservers
from popout.people.reading.reader import read_trials
from popout.reports.page import Text
from popout.task import InputError

from ..conftest import shorten

QUICKLY = {"information": 300.0}  # no answer comes so late that the window has to grow
QUICK = {"draws": 20, "workers": 1}


@pytest.fixture(scope="module", autouse=True)
def shared_tables(tables):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POPOUT_CACHE", str(tables.folder))
        yield


@pytest.fixture
def folder(tmp_path, tables):
    fits = {
        "ag": known_fit(given=QUICKLY),
        "km": known_fit(given={"information": 100.0}),
        "gone": known_fit(),
    }
    return write_fits(tmp_path / "fit", fits, tables.n_paths, tables.seed)


def quick(patch):
    """Refit in a hurry, to a yardstick that costs nothing; see test_held_against."""
    shorten(patch)
    patch.setattr(held_against, "yardstick_score", lambda trials, *_: -float(len(trials)))
    patch.setattr(module, "SHARE_DRAWS", 4)


def data(tables, prior=0.2, names=("ag", "km", "new"), n=60, share=1.0):
    """Return the trials of observers who do as predicted."""
    frames = []
    for k, name in enumerate(names):
        fitted = known_fit(given={"information": 100.0} if name == "km" else QUICKLY)
        there = Situation(prior=prior)
        prediction = fitted.model.predict(fitted.estimates, (1, 4), tables, there)
        few = round(2 * n * prior)
        cells = [(M, kind, m) for M in (1, 4) for kind, m in ((True, few), (False, 2 * n - few))]
        trials = prediction.draw(cells, seed=k + 1)
        frame = {"observer": name, "set_size": trials.columns["set_size"], "rt": trials.rt}
        frame |= {"present": trials.present, "response": trials.response == 2}
        frames.append(pd.DataFrame(frame))
    return read_trials(pd.concat(frames), slowest=3.0)


def test_cells_are_those_of_the_fitted_model_elsewhere(folder, tables):
    changes = {"prior": [0.1, 0.5], "set_size": [4]}
    predicted = predict_observers(folder, changes, **QUICK)
    fitted = replace(known_fit(given=QUICKLY), tables=tables)
    for prior in (0.1, 0.5):
        expected = fitted.predict(set_sizes=[4], prior=prior)
        kept = fitted.predict(set_sizes=[4])
        for k, kind in enumerate(("absent", "present")):
            (row,) = predicted["ag"].of(Situation(prior=prior), kind).to_dict("records")
            assert row["mean_rt"] == pytest.approx(expected.mean_rt()[0, k])
            assert row["error_rate"] == pytest.approx(expected.error_rate[0, k])
            assert row["kept_error_rate"] == pytest.approx(kept.error_rate[0, k], rel=1e-3)
            assert row["mean_rt_interval"][0] < row["mean_rt"] < row["mean_rt_interval"][1]
    assert predicted.told == ("prior",)
    assert not predicted.is_compared
    assert "prior 0.1" in str(predicted.card())
    table = predicted.to_pandas()
    assert len(table) == 3 * 2 * 2
    assert (table["mean_rt_low"] < table["mean_rt_high"]).all()


def test_what_is_not_determined_makes_wide_intervals_and_words(tmp_path, tables):
    vague = known_fit(information="any value fits", residual_constant="any value fits")
    how = (tables.n_paths, tables.seed)
    write_fits(tmp_path / "vague", {"ag": vague, "km": known_fit()}, *how)
    predicted = predict_observers(tmp_path / "vague", {"miss": 3.0}, **QUICK)
    width = predicted.to_pandas().assign(width=lambda t: t["mean_rt_high"] - t["mean_rt_low"])
    mean = width.groupby("observer")["width"].mean()
    assert mean["ag"] > 10 * mean["km"]
    (note,) = [each for each in predicted.all_notes if "information" in each]
    assert note.startswith("ag: not determined by the fit: information (any value fits)")


def test_set_sizes_that_were_never_fitted_are_said(tmp_path):
    folder = write_fits(tmp_path / "fit", {"gone": known_fit()}, paths=1000)
    notes = predict_observers(folder, {"set_size": [1, 2, 9]}, **QUICK).all_notes
    (note,) = [each for each in notes if "set sizes" in each]
    assert "set sizes 9 lie outside those fitted (1 to 4)" in note
    assert "gone" in note


def test_rare_targets_are_not_looked_for(folder):
    predicted = predict_observers(folder, {"prior": 0.01}, **QUICK)
    table = predicted.to_pandas().set_index(["observer", "set_size", "target"])
    assert table.loc[("gone", 4, "present"), "error_rate"] > 0.5
    assert any("answer absent at once (prior 0.01)" in note for note in predicted.all_notes)


def test_a_limit_that_leaves_no_time_is_said(folder):
    predicted = predict_observers(folder, {"deadline": 0.2}, **QUICK)
    cells = predicted["ag"].cells
    assert all(row["no_answer"] > 0.9 for row in cells)
    assert any("shorter than the mean non-decision time" in note for note in predicted.all_notes)
    with pytest.raises(InputError, match=r"deadline: expected seconds above 0\.15"):
        predict_observers(folder, {"deadline": 0.1}, **QUICK)


def test_beside_data_observers_are_matched_by_name(folder, tables, tmp_path, monkeypatch):
    monkeypatch.setattr("popout.people.fitting.fit_report.picture", lambda f, kind: kind.encode())
    quick(monkeypatch)
    trials = data(tables)
    out = tmp_path / "out"
    predicted = predict_observers(folder, against=trials, out=out, folds=2, **QUICK)
    assert list(predicted.observers) == ["ag", "km"]
    assert any("left out: gone" in note for note in predicted.notes)
    assert any("Never fitted, and left out: new" in note for note in predicted.notes)
    (there,) = predicted["ag"].situations
    assert there == Situation(prior=0.2)
    seen = trials.describe().of("ag").set_index(["set_size", "target"])
    for row in predicted["ag"].cells:
        own = seen.loc[(row["set_size"], row["target"])]
        assert row["trials"] == own["trials"]
        for name in ("mean_rt", "mean_rt_se", "error_rate", "error_rate_se"):
            expected = own[name]
            assert row[f"observed_{name}"] == pytest.approx(expected, abs=1e-12), name
    scores = predicted.scores()
    assert set(scores["observer"]) == {"ag", "km"}
    for name in ("refitted", "kept", "yardstick"):
        gain = scores[name] - scores["predicted"]
        assert predicted.group[name]["value"] == pytest.approx(gain.mean())
        assert predicted.group[name]["se"] == pytest.approx(abs(gain.diff().iloc[1]) / 2)
    page = Path(predicted.report).read_text(encoding="utf-8")
    for words in ("nats per trial", "Never fitted", "20 %; 144 of 720", "ideal thresholds predict"):
        assert words in page
    assert "NetCDF" not in page
    facts = dict(predicted.there)
    assert {"file", "targets", "pay", "time limit", "displays", "kept", "dropped"} <= set(facts)
    assert facts["targets"] in str(predicted.card())
    assert predicted.as_dict()["data"]["stakes"]["prior"] == facts["targets"]
    numbers = json.loads((out / "report.json").read_bytes())["numbers"]
    assert numbers["observers"][0]["log_score"] == predicted.as_dict()["observers"][0]["log_score"]
    assert "share" in str(predicted.score_card())
    again = predict_observers(folder, against=trials, out=out, folds=2, **QUICK)
    assert again.as_dict()["observers"] == predicted.as_dict()["observers"]


@pytest.mark.parametrize(
    ("gains", "words"),
    [
        ((0.3, -0.1, 0.6), "It is not certain whether ideal thresholds predict better than"),
        ((0.3, 0.31, 0.29), "Ideal thresholds predict better than thresholds kept: +0.300 ± 0.006"),
        ((-0.3, -0.31, -0.29), "Ideal thresholds predict worse than thresholds kept: -0.300"),
    ],
)
def test_the_headline_is_as_certain_as_the_data(gains, words):
    share = held_against.RealisedShare(0.5, 0.2, 0.1, 0.9)
    scores = ({**dict.fromkeys(held_against.SCORES, 0.0), "predicted": gain} for gain in gains)
    people = {
        str(k): PredictedObserver(str(k), "ideal-parallel", [], (), own, share)
        for k, own in enumerate(scores)
    }
    headline = prediction_report.summary_of(PredictedObservers(people, "results"))[1]
    assert headline.startswith(words)
    assert "mean over 3 observers" in headline


def test_captions_say_what_is_drawn(folder, tmp_path, monkeypatch):
    captions = {}

    def note(folder, name, title, figure, caption):
        captions[name] = caption, any(ax.collections for ax in figure.axes)
        return Text(())

    monkeypatch.setattr(prediction_report, "as_picture", note)
    monkeypatch.setattr(prediction_report, "write_report", lambda folder, *_, **__: folder)
    predict_observers(folder, {"prior": 0.3}, out=tmp_path / "out", **QUICK)
    assert set(captions) == {"group", "mean_rt", "error_rate"}
    for words, has_bands in captions.values():
        assert ("bands" in words) == has_bands


def test_a_repeated_run_computes_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(prediction_report, "write_prediction_report", lambda folder, *_: folder)
    first = predict_observers(folder, {"prior": 0.3}, out=tmp_path / "out", **QUICK)

    def computed(*_):
        raise AssertionError

    monkeypatch.setattr(module.PredictJob, "run", computed)
    again = predict_observers(folder, {"prior": 0.3}, out=tmp_path / "out", **QUICK)
    assert again.as_dict()["observers"] == first.as_dict()["observers"]
    other = predict_observers(folder, {"prior": 0.4}, out=tmp_path / "out", **QUICK)
    assert set(other.failed) == {"ag", "km", "gone"}  # it would have been computed


def test_what_was_set_holds_for_the_data_too(folder, tables, monkeypatch):
    quick(monkeypatch)
    trials = data(tables, names=("ag",))
    predicted = predict_observers(folder, {"miss": 2.0}, against=trials, folds=2, **QUICK)
    assert predicted["ag"].situations == (Situation(prior=0.2, miss=2.0),)
    assert predicted.group == {}


@pytest.mark.parametrize(
    ("changes", "names", "words"),
    [
        ({"set_size": 4}, ("ag",), "set sizes of the data"),
        ({"prior": [0.1, 0.2]}, ("ag",), "one value each beside data"),
        ({"deadline": 0.3}, ("ag",), "by the time limit that was set"),
        ({}, ("x", "y"), "some of ag, km and gone"),
    ],
)
def test_data_that_do_not_fit_are_refused(folder, tables, changes, names, words):
    with pytest.raises(InputError) as caught:
        predict_observers(folder, changes, against=data(tables, names=names), **QUICK)
    assert words in str(caught.value)


def test_too_few_answers_and_no_experiment_are_refused(folder, tables):
    with pytest.raises(InputError, match="at least 20 answers of ag"):
        predict_observers(folder, against=data(tables, names=("ag",), n=4), **QUICK)
    with pytest.raises(InputError) as caught:
        predict_observers(folder, draws=1, folds=1, workers=1)
    assert len(caught.value.faults) == 3


def test_an_observer_that_fails_does_not_stop_the_others(folder, monkeypatch):
    run = module.PredictJob.run

    def fails(job, progress=None):
        if job.observer == "km":
            raise ArithmeticError("no way")
        return run(job, progress)

    monkeypatch.setattr(module.PredictJob, "run", fails)
    predicted = predict_observers(folder, {"prior": 0.3}, **QUICK)
    assert predicted.failed == {"km": "ArithmeticError: no way"}
    assert list(predicted.observers) == ["ag", "gone"]


def test_a_job_travels_to_another_process(folder, monkeypatch):
    monkeypatch.setattr(module.Work, "run", lambda work, jobs, *_: {"jobs": jobs})
    kept = {}
    monkeypatch.setattr(module, "_make_tables", lambda jobs, _: kept.update(jobs=jobs))
    predict_observers(folder, {"prior": 0.3}, **QUICK)
    for job in kept["jobs"]:
        there = pickle.loads(pickle.dumps(job))
        assert (there.key, there.words) == (job.key, job.words)
        assert there.where == job.where


def test_intervals_are_quantiles_over_what_the_fit_leaves_possible(folder, tables):
    predicted = predict_observers(folder, {"prior": 0.3}, **QUICK)
    fitted = replace(known_fit(given=QUICKLY), tables=tables)
    drawn = [
        replace(fitted, estimates=each).predict(prior=0.3)
        for each in draw_parameters(fitted, QUICK["draws"], tables.seed)
    ]
    (row,) = [r for r in predicted["ag"].cells if (r["set_size"], r["target"]) == (4, "present")]
    for name in ("mean_rt", "error_rate"):
        values = [getattr(each, name) for each in drawn]
        values = [(each() if callable(each) else each)[1, 1] for each in values]
        assert row[f"{name}_interval"] == pytest.approx(np.quantile(values, (0.025, 0.975)))


def test_arguments_of_another_kind_are_refused(folder):
    with pytest.raises(InputError) as caught:
        predict_observers(None, "prior=.1", models="ideal-serial", out=3, workers=1)
    named = [fault.path[0] for fault in caught.value.faults]
    assert named == ["folder", "models", "changes", "out"]
    assert 'write e.g. {"prior": 0.2}' in str(caught.value)
    with pytest.raises(InputError, match="one of set_size, prior"):
        predict_observers(folder, {3: 0.1}, **QUICK)


def test_a_rounded_zero_has_no_sign():
    share = held_against.RealisedShare(-0.001, 0.2, -0.3, -0.002)
    scores = {**dict.fromkeys(held_against.SCORES, -1e-5), "over_kept": 0.0, "over_kept_se": 0.0}
    own = PredictedObserver("ag", "ideal-parallel", [], (), scores, share)
    _, ((_, *numbers, words),) = PredictedObservers({"ag": own}, "results").score_rows()
    assert set(numbers) == {"0.000"}
    assert words == "0.00 (-0.30 to 0.00)"
