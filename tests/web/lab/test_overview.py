"""Overviews agree with what was sent."""

import pytest

from popout.experiment import plan_trials
from popout.web.lab.overview import own_results, progress_of, response_times
from popout.web.lab.records import TrialRecord


def do(laboratory, wrong=(), rt=0.5):
    session, token = laboratory.begin({"PROLIFIC_PID": "anna"}).result()
    records = [
        TrialRecord(
            index=trial.index,
            response="present" if trial.present != (trial.index in wrong) else "absent",
            rt=rt + 0.1 * trial.set_size,
            dropped_frames=1,
        )
        for trial in plan_trials(session.design, session.number)
    ]
    laboratory.store(session.name, token, records).result()
    return session, token


def test_progress_counts_people_and_trials(laboratory):
    _, token = session = do(laboratory, wrong=(0, 1, 2, 3))
    laboratory.finish(session[0].name, token).result()
    laboratory.begin({}).result()
    progress = progress_of(laboratory)
    assert (progress["participants"], progress["finished"], progress["trials"]) == (2, 1, 16)
    newest, first = progress["list"]
    assert newest["trials"] == 0
    assert newest["error_rate"] is None
    assert first["error_rate"] == pytest.approx(4 / 16)
    assert first["parameters"] == {"PROLIFIC_PID": "anna"}
    assert first["dropped_frames"] == 16
    assert 0.7 <= first["median_rt"] <= 0.9


def test_response_times_leave_practice_out(laboratory):
    assert response_times(laboratory)["rows"] == []
    do(laboratory, wrong=range(4))
    rows = response_times(laboratory)["rows"]
    assert sum(row["trials"] for row in rows) == 12
    assert all(row["block"] == "Main" and row["error_rate"] == 0 for row in rows)
    times = {(row["set_size"], row["present"]): row["mean_rt"] for row in rows}
    assert times == pytest.approx({(n, p): 0.5 + 0.1 * n for n in (2, 4) for p in (True, False)})


def test_own_results_and_points(laboratory, design):
    session, _ = do(laboratory, wrong=(4, 5))
    own = own_results(laboratory, session)
    errors = sum(round(row["trials"] * row["error_rate"]) for row in own["results"])
    assert errors == 2
    seconds = 12 * 0.5 + 0.1 * (6 * 2 + 6 * 4)
    assert own["points"] == round(10 * 100 - 0.2 * 100 * seconds)
