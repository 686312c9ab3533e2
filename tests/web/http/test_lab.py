"""The routes of a participant: a whole session, strangers, repeats, and floods."""

from functools import partial

import pytest

from popout.web.http.app import make_app
from popout.web.http.guards import Rate

from ..conftest import served
from ..lab.sessions import Page, record

SESSION_ROUTES = [("POST", "resume"), ("PUT", "screen"), ("POST", "trials"), ("POST", "finish")]


def test_before_consent_nothing_is_stored(lab_client, laboratory):
    from popout.web.lab.overview import progress_of

    design = lab_client.get("/api/v1/lab/design").json()
    assert design["consent"] == "I agree."
    assert design["promise"] == "We store answers."
    assert [block["trials"] for block in design["blocks"]] == [4, 12]
    assert "completion_code" not in str(design)
    assert progress_of(laboratory)["participants"] == 0


def test_a_whole_session(lab_client):
    page = Page(lab_client, {"PROLIFIC_PID": "anna", "STUDY_ID": "7"})
    assert len(page.trials) == 16
    address = f"/api/v1/lab/sessions/{page.name}/screen"
    screen = {"pixels_per_degree": 40.0, "frame_interval": 0.0167}
    assert lab_client.put(address, json=screen, headers=page.headers).status_code == 204
    for trial in page.trials[:10]:
        assert page.send([trial]).json() == {"stored": [trial["index"]]}
    resumed = page.post("resume").json()
    assert resumed["stored"] == list(range(10))
    assert resumed["trials"] == page.trials
    assert "token" not in resumed
    early = page.post("finish")
    assert (early.status_code, early.json()["missing"]) == (409, 6)
    assert page.send(page.trials).status_code == 200
    end = page.post("finish")
    assert end.status_code == 200
    assert end.json()["completion_code"] == "DONE"
    assert sum(row["trials"] for row in end.json()["results"]) == 12
    assert end.json()["ideal"]
    assert page.post("finish").json() == end.json()
    assert page.post("resume").json()["finished"]


@pytest.mark.parametrize(("method", "action"), SESSION_ROUTES)
def test_strangers_get_nothing(lab_client, method, action):
    mine, other = Page(lab_client), Page(lab_client)
    address = f"/api/v1/lab/sessions/{mine.name}/{action}"
    body = {"trials": [record(mine.trials[0])]} if action == "trials" else {}
    for headers in ({}, other.headers, {"authorization": "Basic abc"}, {"authorization": "Bearer"}):
        answer = lab_client.request(method, address, json=body, headers=headers)
        assert answer.status_code == 401
    missing = address.replace(mine.name, "p_0123456789abcdef")
    assert lab_client.request(method, missing, json=body, headers=mine.headers).status_code == 401
    assert mine.post("resume").json()["stored"] == []


def test_a_session_reads_nothing_else(lab_client):
    page = Page(lab_client)
    for address in ("progress", "response-times", "export/csv"):
        answer = lab_client.get(f"/api/v1/researcher/{address}", headers=page.headers)
        assert answer.status_code == 401


def test_bad_trials_are_refused_as_a_whole(lab_client):
    page = Page(lab_client)
    bad = {"trials": [record(page.trials[0]), {"index": 99}]}
    answer = page.post("trials", bad)
    assert answer.status_code == 422
    assert answer.json()["faults"][0]["path"] == ["trials", 1, "index"]
    assert page.post("resume").json()["stored"] == []
    assert page.post("trials", {"trials": "x" * 300_000}).status_code == 413


def test_one_session_cannot_flood_the_server(desk, laboratory, monkeypatch):
    stopped = partial(Rate, clock=lambda: 0.0)
    monkeypatch.setattr("popout.web.http.lab.Rate", stopped)
    with served(make_app(desk, laboratory)) as client:
        page, calm = Page(client), Page(client)
        statuses = [page.send(page.trials[:1]).status_code for _ in range(61)]
        assert statuses == [200] * 60 + [429]
        assert calm.send(calm.trials[:1]).status_code == 200


def test_consent_is_asked_for(lab_client):
    for body in ({}, {"consent": False}, {"consent": True, "parameters": {"a": 1}}):
        assert lab_client.post("/api/v1/lab/sessions", json=body).status_code == 422


def test_when_the_disk_fails_nothing_is_acknowledged(lab_client, laboratory, monkeypatch):
    import sqlalchemy as sa

    page = Page(lab_client)

    def fail(connection):
        raise sa.exc.OperationalError("COMMIT", {}, Exception("disk full"))

    with monkeypatch.context() as broken:
        broken.setattr(laboratory.engine.dialect, "do_commit", fail)
        answer = page.send(page.trials[:3])
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
    assert page.post("resume").json()["stored"] == []
    assert page.send(page.trials[:3]).status_code == 200
