"""Accuracy and calibration, against closed forms and with a negative control."""

import math

import numpy as np
import pytest
from honest import assert_honest
from matplotlib.figure import Figure

from popout.analysis.reliability import calibration_table, example_displays, reliability
from popout.task import InputError, MixtureSearchTask, SceneSearchTask, SearchTask

SEED = 20


def normal_cdf(z):
    return 0.5 * math.erfc(-z / math.sqrt(2))


def test_one_location_has_the_accuracy_of_signal_detection():
    # One location, even prior: x ~ N(+-mu t, t), so the best answer is right with Phi(mu sqrt(t)).
    mu, n = 3.0, 40_000
    found = reliability(SearchTask(n_locations=1, drift=mu), n, seconds=0.2, seed=SEED)
    for row in found.over_time.itertuples():
        truth = normal_cdf(mu * math.sqrt(row.time))
        assert abs(row.accuracy - truth) < 4 * math.sqrt(truth * (1 - truth) / n)
        assert row.accuracy_se == pytest.approx(math.sqrt(truth * (1 - truth) / n), rel=0.02)
        assert row.location_accuracy == 1.0


def test_confidence_matches_accuracy():
    found = reliability(SearchTask(drift=(8.0, 3.0), prior=0.3), 20_000, 0.3, SEED).over_time
    assert np.all(np.abs(found["accuracy"] - found["confidence"]) < 4 * found["accuracy_se"])


def test_posterior_is_calibrated():
    found = reliability(SearchTask(n_locations=4, drift=3.0, prior=0.3), 20_000, 0.2, SEED)
    assert found.calibration["trials"].sum() == 20_000
    assert found.calibration["z"].abs().max() < 4


def test_calibration_table_passes_the_truth_and_fails_a_wrong_prior():
    rng = np.random.default_rng(SEED)
    log_odds = rng.normal(0.0, 2.0, size=20_000)
    stated = 1 / (1 + np.exp(-log_odds))
    there = rng.random(stated.size) < stated
    assert calibration_table(stated, there)["z"].abs().max() < 4
    bins = calibration_table(stated, there, n_bins=200)
    assert_honest(bins["observed"] - bins["predicted"], bins["se"])
    biased = 1 / (1 + np.exp(-log_odds - 0.5))  # as if targets were more frequent
    assert calibration_table(biased, there)["z"].abs().max() > 4


def test_certain_answers_have_no_error():
    certain = np.array([0.0, 1.0, 1.0])
    table = calibration_table(certain, certain > 0.5, n_bins=2)
    assert table["z"].tolist() == [0.0, 0.0]
    assert math.isinf(calibration_table(certain, certain < 0.5, n_bins=2)["z"].abs().max())


def test_result_does_not_depend_on_the_chunks(monkeypatch):
    task = SearchTask(n_locations=3, drift=3.0)
    whole = reliability(task, 500, 0.1, SEED)
    seen = []
    monkeypatch.setattr("popout.analysis.reliability.CHUNK_NUMBERS", 3 * 10 * 70)
    chunked = reliability(task, 500, 0.1, SEED, progress=lambda share, words: seen.append(share))
    assert seen == [done / 500 for done in (70, 140, 210, 280, 350, 420, 490, 500)]
    assert whole.over_time.equals(chunked.over_time)
    assert whole.calibration.equals(chunked.calibration)


def test_no_more_readings_than_steps():
    found = reliability(SearchTask(n_locations=2, drift=3.0), 10, seconds=0.02, seed=SEED)
    assert found.over_time["time"].tolist() == [0.01, 0.02]


def test_every_fault_is_reported_at_once():
    with pytest.raises(InputError) as error:
        reliability(SearchTask(n_locations=2, drift=3.0), 0, seconds=0.001, seed=SEED, n_bins=0)
    assert [line.split(":")[0] for line in error.value.lines] == [
        "reliability.n_trials",
        "reliability.n_bins",
        "reliability.seconds",
    ]


def test_card_and_picture_show_the_tables():
    found = reliability(SearchTask(n_locations=2, drift=3.0), 500, seconds=0.3, seed=1)
    rows = str(found).splitlines()[2:-1]
    assert [float(row.split()[0]) for row in rows] == pytest.approx(found.over_time["time"])
    assert "±" in found._repr_html_()
    assert len(repr(found)) < 80
    ax = found.plot(Figure().subplots())
    points = ax.containers[0].lines[0].get_xydata()
    assert points == pytest.approx(found.calibration[["predicted", "observed"]].to_numpy())
    diagonal = ax.lines[0].get_xydata()
    assert (diagonal[:, 0] == diagonal[:, 1]).all()


def test_the_first_displays_differ_in_what_varies():
    task = SceneSearchTask.from_sets(8, [0], [30], [3, 6], {0: 4.0, 30: 2.0, "blank": -8.0})
    tilt, target = example_displays(task, 2, 1, "present", drawn=100)
    assert sorted(np.isfinite(tilt).sum(axis=1)) == [3, 6]
    assert (tilt[[0, 1], target] == 0).all()


def test_where_nothing_varies_the_first_are_taken():
    task = MixtureSearchTask.independent(4, [0], [90], {0: 3.0, 90: -1.0})
    tilt, target = example_displays(task, 3, 1, "absent", drawn=10)
    assert tilt.shape == (3, 4)
    assert (tilt == 90).all()
    assert (target == -1).all()


def test_a_task_without_orientations_shows_upright_among_tilted():
    tilt, target = example_displays(SearchTask(n_locations=3, drift=4.0), 2, 1, "present", drawn=10)
    assert (tilt[[0, 1], target] == 0.0).all()
    assert (np.sort(tilt, axis=1)[:, 1:] == 25.0).all()
