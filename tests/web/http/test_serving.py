"""``popout serve`` for real: a first start, Ctrl-C, and kill -9 in the middle of writes."""

import dataclasses
import multiprocessing
import os
import random
import socket
import threading
import time
from types import SimpleNamespace

import httpx
import pytest
import tomli_w

from popout.task import InputError
from popout.web.http.pages import STATIC
from popout.web.http.serving import IdealSearch, Serving, _listen, serve

from ..participant_page import record
from .serving import Server

IDEAL = [{"set_size": 2, "present": True, "error_rate": 0.1, "mean_rt": 0.5}]


class FoundAtOnce:
    """Stands in for processes: the search, which takes long, has found something at once."""

    def __init__(self, target, args, daemon):
        self.pipe, self.design = args

    def start(self):
        self.pipe.send(IDEAL)

    def kill(self):
        pass

    join = kill


@pytest.fixture
def design_file(design, tmp_path):
    def full(value):
        if isinstance(value, dict):
            return {key: full(item) for key, item in value.items() if item is not None}
        return [full(item) for item in value] if isinstance(value, list) else value

    path = tmp_path / "design.toml"
    # One distractor across the target and little noise: the ideal observer is found at once.
    quick = dataclasses.replace(design, set_sizes=[2], distractors=[90])
    path.write_text(tomli_w.dumps(full(quick.as_dict())))
    return path


@pytest.fixture
def server(design_file, tmp_path):
    if not (STATIC / "licences.txt").is_file():
        reason = "the pages are not built: make pages (needs Node 20 or newer)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    server = Server(design_file, tmp_path / "data")
    yield server
    if server.process.poll() is None:
        server.kill()


class Participant(threading.Thread):
    """Sends every trial until it is acknowledged, whatever happens to the server."""

    def __init__(self, server):
        super().__init__()
        self.server, self.acknowledged, self.sent = server, [], 0
        with server.client() as client:
            self.session = client.post("/api/v1/lab/sessions", json={"consent": True}).json()
        self.headers = {"authorization": f"Bearer {self.session['token']}"}

    def run(self):
        address = f"/api/v1/lab/sessions/{self.session['session']}"
        with self.server.client() as client:
            for trial in self.session["trials"]:
                while True:
                    try:
                        self.sent += 1
                        answer = client.post(
                            f"{address}/trials",
                            json={"trials": [record(trial)]},
                            headers=self.headers,
                        )
                    except httpx.TransportError:
                        time.sleep(0.1)  # and leave the processor to the server that starts
                        continue
                    if answer.status_code == 200:
                        self.acknowledged.append(trial["index"])
                        break
            self.end = client.post(f"{address}/finish", headers=self.headers)


def test_killed_in_the_middle_it_has_lost_nothing_and_stores_nothing_twice(server):
    server.wait()
    token = server.token
    people = [Participant(server) for _ in range(6)]
    chance = random.Random(9)
    for person in people:
        person.start()
    for _ in range(2):
        time.sleep(chance.uniform(0.02, 0.15))
        server.kill()
        server.start()
        assert "token" not in server.said  # shown once
        server.wait()
    for person in people:
        person.join(timeout=60)
    with server.client() as client:
        question = {
            "task": {"kind": "search", "n_locations": 2, "drift": 4.0},
            "costs": {"time": 1},
        }
        assert client.post("/api/v1/solve", json=question).status_code == 503  # no workers
        mine = {"authorization": f"Bearer {token}"}
        found = client.get("/api/v1/researcher/progress", headers=mine).json()
    assert found["trials"] == 6 * 16
    assert found["finished"] == 6
    assert all(person.acknowledged == list(range(16)) for person in people)
    assert all(person.end.json()["completion_code"] == "DONE" for person in people)
    assert server.interrupt() == 0


def test_an_address_that_is_taken_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match="one that is free"):
            serve(Serving(port=port), print)


def test_data_need_a_design(tmp_path):
    with pytest.raises(InputError, match="--experiment"):
        serve(Serving(data=str(tmp_path / "data")), print)
    assert not (tmp_path / "data").exists()


def test_the_ideal_observer_is_found_once_for_a_design(laboratory, monkeypatch):
    processes = SimpleNamespace(Pipe=multiprocessing.Pipe, Process=FoundAtOnce)
    monkeypatch.setattr("popout.web.http.serving.get_context", lambda kind: processes)
    first = IdealSearch(laboratory)
    assert first.is_needed
    end = time.monotonic() + 30
    while laboratory.ideal() is None and time.monotonic() < end:
        time.sleep(0.02)
    first.close()
    assert laboratory.ideal() == IDEAL
    for again in (laboratory, None):
        search = IdealSearch(again)
        assert not search.is_needed
        search.close()
    monkeypatch.setattr("popout.web.lab.laboratory.__version__", "another")
    assert laboratory.ideal() is None  # another version finds its own


def test_no_answer_waits_for_an_acknowledgement():
    with _listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
