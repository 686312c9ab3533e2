"""The routes of the laboratory: whole sessions, strangers, repeats, floods; the researcher's."""

import io

import pandas as pd
import pytest
import sqlalchemy as sa

from popout.web.lab.overview import progress_of

from ..participant_page import ParticipantPage, record

SESSION_ROUTES = [("POST", "resume"), ("PUT", "screen"), ("POST", "trials"), ("POST", "finish")]
PREFIX = "/api/v1/researcher"


def test_before_consent_nothing_is_stored(lab_client, laboratory):
    design = lab_client.get("/api/v1/lab/design").json()
    assert design["consent"] == "I agree."
    assert design["promise"] == "We store answers."
    assert [block["trials"] for block in design["blocks"]] == [4, 12]
    assert "completion_code" not in str(design)
    assert progress_of(laboratory)["participants"] == 0


def test_a_whole_session(lab_client):
    page = ParticipantPage(lab_client, {"PROLIFIC_PID": "anna", "STUDY_ID": "7"})
    assert len(page.trials) == 16
    address = f"/api/v1/lab/sessions/{page.name}/screen"
    screen = {"pixels_per_degree": 40.0, "frame_interval": 0.0167}
    assert lab_client.put(address, json=screen, headers=page.headers).status_code == 204
    for trial in page.trials[:10]:
        assert page.send([trial]).json() == {"stored": [trial["index"]]}
    resumed = page.post("resume").json()
    assert resumed["stored"] == list(range(10))
    # Four were practice; each of the others brought 100 points and took half a second.
    assert (page.begun["points"], resumed["points"]) == (0, pytest.approx(6 * 90))
    assert resumed["trials"] == page.trials
    assert "token" not in resumed
    early = page.post("finish")
    assert (early.status_code, early.json()["missing"]) == (409, 6)
    assert page.send(page.trials).status_code == 200
    end = page.post("finish")
    assert end.status_code == 200
    assert end.json()["completion_code"] == "DONE"
    assert sum(row["trials"] for row in end.json()["results"]) == 12
    assert "ideal" not in end.json()
    assert page.post("finish").json() == end.json()
    assert page.post("resume").json()["finished"]


def test_a_participant_withdraws(lab_client, laboratory):
    mine, other = ParticipantPage(lab_client), ParticipantPage(lab_client)
    for page in (mine, other):
        assert page.all_of_it().status_code == 200
    address = f"/api/v1/lab/sessions/{mine.name}"
    for headers in ({}, other.headers):
        assert lab_client.delete(address, headers=headers).status_code == 401
    assert progress_of(laboratory)["trials"] == 32
    assert lab_client.delete(address, headers=mine.headers).status_code == 204
    left = progress_of(laboratory)
    assert ([row["session"] for row in left["list"]], left["trials"]) == ([other.name], 16)
    # Gone is gone: neither again, nor with a trial that was still on its way.
    assert lab_client.delete(address, headers=mine.headers).status_code == 401
    assert mine.send(mine.trials[:1]).status_code == 401


def test_a_full_study_says_so_before_consent_and_in_its_refusal(lab_client, design):
    for _ in range(design.participants):
        assert lab_client.get("/api/v1/lab/design").json()["door"] == "open"
        ParticipantPage(lab_client)
    assert lab_client.get("/api/v1/lab/design").json()["door"] == "full"
    answer = lab_client.post("/api/v1/lab/sessions", json={"consent": True})
    assert (answer.status_code, answer.json()["reason"]) == (409, "full")


@pytest.mark.parametrize(("method", "action"), SESSION_ROUTES)
def test_strangers_get_nothing(lab_client, method, action):
    mine, other = ParticipantPage(lab_client), ParticipantPage(lab_client)
    address = f"/api/v1/lab/sessions/{mine.name}/{action}"
    body = {"trials": [record(mine.trials[0])]} if action == "trials" else {}
    for headers in ({}, other.headers, {"authorization": "Basic abc"}, {"authorization": "Bearer"}):
        answer = lab_client.request(method, address, json=body, headers=headers)
        assert answer.status_code == 401
    missing = address.replace(mine.name, "p_0123456789abcdef")
    assert lab_client.request(method, missing, json=body, headers=mine.headers).status_code == 401
    assert mine.post("resume").json()["stored"] == []


def test_bad_trials_are_refused_as_a_whole(lab_client):
    page = ParticipantPage(lab_client)
    bad = {"trials": [record(page.trials[0]), {"index": 99}]}
    answer = page.post("trials", bad)
    assert answer.status_code == 422
    assert answer.json()["faults"][0]["path"] == ["trials", 1, "index"]
    assert page.post("resume").json()["stored"] == []
    assert page.post("trials", {"trials": "x" * 300_000}).status_code == 413


def test_one_session_cannot_flood_the_server(lab_app, lab_client):
    lab_app.state.clock = lambda: 0.0
    page, calm = ParticipantPage(lab_client), ParticipantPage(lab_client)
    statuses = [page.send(page.trials[:1]).status_code for _ in range(61)]
    assert statuses == [200] * 60 + [429]
    assert calm.send(calm.trials[:1]).status_code == 200


def test_when_the_disk_fails_nothing_is_acknowledged(lab_client, laboratory, monkeypatch):
    page = ParticipantPage(lab_client)

    def fail(connection):
        raise sa.exc.OperationalError("COMMIT", {}, Exception("disk full"))

    with monkeypatch.context() as broken:
        broken.setattr(laboratory.engine.dialect, "do_commit", fail)
        answer = page.send(page.trials[:3])
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
    assert page.post("resume").json()["stored"] == []
    assert page.send(page.trials[:3]).status_code == 200


def researcher_addresses(app):
    """Return method and address of every researcher's route, from the application itself."""
    return [
        (method, path.replace("{form}", "csv"))
        for path, operations in app.openapi()["paths"].items()
        if "researcher" in path
        for method in operations
    ]


def test_strangers_are_refused_on_every_route(lab_app, lab_client, laboratory):
    token = laboratory.make_key().result()
    page = ParticipantPage(lab_client)
    addresses = researcher_addresses(lab_app)
    assert len(addresses) >= 4
    assert all(path.startswith(PREFIX) for _, path in addresses)
    hidden = {
        route.path for route in lab_app.routes if not getattr(route, "include_in_schema", True)
    }
    assert not any(path.startswith("/api/v1/researcher") for path in hidden)
    wrong = (
        {},
        page.headers,
        *({"authorization": x} for x in (f"Basic {token}", f"Bearer {token[:-1]}")),
    )
    strangers = [*({"headers": headers} for headers in wrong), {"params": {"token": token}}]
    strangers += [{"headers": {"cookie": f"token={token}"}}]
    for method, path in addresses:
        for sent in strangers:
            assert lab_client.request(method, path, **sent).status_code in (401, 429)
    mine = {"authorization": f"Bearer {token}"}
    allowed = [lab_client.request(method, path, headers=mine) for method, path in addresses]
    assert {answer.status_code for answer in allowed} <= {200, 415}  # 415: no body


def test_guessing_becomes_slow(lab_client, laboratory):
    laboratory.make_key().result()
    statuses = [
        lab_client.get(f"{PREFIX}/progress", headers={"authorization": f"Bearer {n}"}).status_code
        for n in range(40)
    ]
    assert statuses[0] == 401
    assert 429 in statuses


@pytest.fixture
def mine(laboratory):
    return {"authorization": f"Bearer {laboratory.make_key().result()}"}


def test_a_researcher_sees_exports_and_deletes(lab_client, mine):
    pages = [ParticipantPage(lab_client) for _ in range(2)]
    for page in pages:
        assert page.all_of_it().status_code == 200
    progress = lab_client.get(f"{PREFIX}/progress", headers=mine).json()
    assert (progress["participants"], progress["finished"], progress["trials"]) == (2, 2, 32)
    times = lab_client.get(f"{PREFIX}/response-times", headers=mine).json()
    assert sum(row["trials"] for row in times["rows"]) == 24
    table = lab_client.get(f"{PREFIX}/export/csv", headers=mine)
    assert "attachment" in table.headers["content-disposition"]
    assert len(pd.read_csv(io.BytesIO(table.content))) == 32
    for form in ("parquet", "psych-ds"):
        assert lab_client.get(f"{PREFIX}/export/{form}", headers=mine).status_code == 200
    assert lab_client.get(f"{PREFIX}/export/xls", headers=mine).status_code == 404
    gone = {"sessions": [pages[0].name, "p_0"]}
    for changed in (1, 0):
        answer = lab_client.post(f"{PREFIX}/participants/delete", json=gone, headers=mine)
        assert answer.json() == {"changed": changed}
    assert lab_client.get(f"{PREFIX}/progress", headers=mine).json()["trials"] == 16
    assert pages[0].post("resume").status_code == 401
