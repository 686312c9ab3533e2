"""Attacks of strangers, small and on loopback: places, idle connections, hosts, types, times."""

import contextlib
import dataclasses
import socket
import time

import httpx
import pytest

from popout.experiment.entry import Entry
from popout.web.http.connections import PatientProtocol
from popout.web.http.serving import make_app
from popout.web.lab.laboratory import Laboratory
from popout.web.lab.overview import progress_of

from ..conftest import served
from ..participant_page import ParticipantPage, record

SESSIONS = "/api/v1/lab/sessions"
CONSENT = {"consent": True}


def test_one_address_begins_a_few_sessions_a_minute(desk, laboratory):
    """The attack of the review: as many sessions as the server gives, from one address."""
    app = make_app(desk, laboratory)
    moment = [0.0]
    app.state.clock = lambda: moment[0]
    with served(app) as client:
        answers = [client.post(SESSIONS, json=CONSENT) for _ in range(40)]
        assert [answer.status_code for answer in answers] == [201] * 10 + [429] * 30
        late = answers[-1]
        assert (late.json()["reason"], late.headers["retry-after"]) == ("busy", "6")
        assert "goes on by itself" in late.json()["faults"][0]["message"]
        # Everybody else gets in; a proxy says who they are.
        other = client.post(SESSIONS, json=CONSENT, headers={"x-forwarded-for": "203.0.113.9"})
        assert other.status_code == 201
        moment[0] = 60.0
        again = [client.post(SESSIONS, json=CONSENT).status_code for _ in range(11)]
        assert again == [201] * 10 + [429]
        assert progress_of(laboratory)["taken"] == 21


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil", ""])
def test_a_name_that_is_not_ours_gets_nothing(lab_client, laboratory, host):
    for method, address in (("GET", "/lab/"), ("GET", "/"), ("POST", SESSIONS)):
        answer = lab_client.request(method, address, headers={"host": host})
        assert answer.status_code == 421
        assert "evil" not in answer.headers.get("location", "")
    assert progress_of(laboratory)["participants"] == 0


def test_our_names_are_answered(desk):
    with served(make_app(desk, names=["lab.example.org"])) as client:
        for host in ("lab.example.org", "LAB.example.org:443", "localhost:1", "[::1]:8000"):
            assert client.get("/api/v1/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", None])
def test_what_a_form_can_send_is_refused(lab_client, laboratory, kind):
    headers = {} if kind is None else {"content-type": kind}
    answer = lab_client.post(SESSIONS, content=b'{"consent": true}', headers=headers)
    assert answer.status_code == 415
    assert progress_of(laboratory)["participants"] == 0


def test_an_answer_after_the_time_limit_is_none(lab_client, design):
    page, limit = ParticipantPage(lab_client), design.timing.time_limit
    for rt, status in ((9_999_999.0, 422), (limit + 0.2, 422), (limit + 0.05, 200), (limit, 200)):
        answer = page.post("trials", {"trials": [record(page.trials[0], rt=rt)]})
        assert answer.status_code == status
    assert page.post("resume").json()["stored"] == [0]


def test_a_link_without_its_secret_opens_nothing(desk, laboratory):
    laboratory.design = dataclasses.replace(laboratory.design, entry=Entry(secret="k7Lw"))
    app = make_app(desk, laboratory)
    app.state.clock = lambda: 0.0
    with served(app) as client:
        for key, door in (("", "link"), ("k7L", "link"), ("k7Lw", "open")):
            told = client.get("/api/v1/lab/design", params={"key": key})
            assert told.json()["door"] == door
            assert "k7Lw" not in told.text
        for link, status in (({}, 409), ({"key": "k7Lw"}, 201)):
            answer = client.post(SESSIONS, json={**CONSENT, "parameters": link})
            assert answer.status_code == status
        # Guessing is slow.
        guesses = [client.get("/api/v1/lab/design", params={"key": n}) for n in range(39)]
        assert [guess.status_code for guess in guesses] == [200] * 38 + [429]
        # Nor does the right one show then that it is right.
        assert client.get("/api/v1/lab/design", params={"key": "k7Lw"}).status_code == 429


def test_the_end_takes_the_link_back_to_where_it_came_from(lab_client, laboratory):
    to = "https://x.example/credit?code={SURVEY_CODE}&who={PROLIFIC_PID}&none={NOTHING}"
    laboratory.design = dataclasses.replace(laboratory.design, redirect=to)
    laboratory.study, laboratory.experiment = laboratory._enter_design().result()
    link = {"SURVEY_CODE": "7 &x=1", "PROLIFIC_PID": "anna"}
    end = ParticipantPage(lab_client, link).all_of_it().json()
    assert end["redirect"] == "https://x.example/credit?code=7%20%26x%3D1&who=anna&none="


def test_several_studies_of_one_server(desk, laboratory):
    other = dataclasses.replace(laboratory.design, title="Other", study="other", participants=1)
    second = Laboratory(other, laboratory.engine, laboratory.writer)
    mine = {"authorization": f"Bearer {laboratory.make_key().result()}"}
    with served(make_app(desk, laboratory, second)) as client:

        def doors():
            params = ({}, {"study": "Search"}, {"study": "other"})
            told = [client.get("/api/v1/lab/design", params=study).json() for study in params]
            return [(design["title"], design["door"]) for design in told]

        assert doors() == [("Search", "open"), ("Search", "open"), ("Other", "open")]
        there = client.post(SESSIONS, json=CONSENT, params={"study": "other"}).json()
        assert doors()[2] == ("Other", "full")
        headers = {"authorization": f"Bearer {there['token']}"}
        own = client.post(f"{SESSIONS}/{there['session']}/resume", headers=headers).json()
        assert own["design"]["title"] == "Other"
        for study, n in (("", 0), ("other", 1)):
            told = client.get(
                "/api/v1/researcher/progress", params={"study": study}, headers=mine
            ).json()
            assert (told["participants"], told["studies"]) == (n, ["Search", "other"])
        lost = client.get("/api/v1/lab/design", params={"study": "othre"})
        assert lost.status_code == 404
        assert "did you mean other?" in lost.json()["faults"][0]["remedy"]


class Hasty(PatientProtocol):
    """Has less patience than a server needs."""

    patience, most_waiting = 0.5, 20


HALVES = (
    b"",
    b"GET /api/v1/health HTT",
    b"POST /api/v1/lab/sessions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    b"content-length: 100\r\n\r\n{",
)


def test_idle_connections_shut_nobody_out(lab_app, laboratory, caplog):
    """Sixty connections that say nothing, or half of something, where twenty may wait."""
    with served(lab_app, http=Hasty, limit_concurrency=40) as client, contextlib.ExitStack() as all:
        address = (client.base_url.host, client.base_url.port)
        idle = []
        for k in range(60):
            idle.append(all.enter_context(socket.create_connection(address, timeout=5)))
            idle[-1].sendall(HALVES[k % 3])
        waits = []
        for _ in range(10):
            start = time.monotonic()
            with httpx.Client(base_url=client.base_url, timeout=5.0) as honest:
                assert honest.get("/api/v1/health").status_code == 200
            waits.append(time.monotonic() - start)
        assert max(waits) < 2.0  # on a busy machine, too

        def is_open(connection):
            connection.settimeout(0.01)
            try:
                return connection.recv(1000) != b""
            except TimeoutError:
                return True
            except ConnectionError:
                return False

        assert sum(map(is_open, idle)) <= 20
        time.sleep(0.7)
        # One byte now and then does not keep a connection.
        assert sum(map(is_open, idle)) == 0
        assert progress_of(laboratory)["participants"] == 0
    assert "Exception" not in caplog.text


def test_a_connection_that_is_used_stays(lab_app):
    with served(lab_app, http=Hasty) as client:
        for _ in range(4):
            assert client.get("/api/v1/health").status_code == 200
            time.sleep(0.3)
        pool = client._transport._pool
        assert len(pool.connections) == 1


def test_whoever_reads_no_answer_is_hung_up_on(lab_app):
    with served(lab_app, http=Hasty) as client:
        line = socket.create_connection((client.base_url.host, client.base_url.port), timeout=5)
        with line:
            ask = b"GET /api/v1/openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
            with contextlib.suppress(ConnectionError, TimeoutError):
                for _ in range(300):
                    line.sendall(ask)
                    time.sleep(0.01)
                pytest.fail("it was listened to for ever")
        assert client.get("/api/v1/health").status_code == 200
