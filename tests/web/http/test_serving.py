"""``popout serve`` for real: a first start, Ctrl-C, and kill -9 in the middle of writes."""

import json
import os
import random
import socket
import threading
import time

import httpx
import pytest
from click.testing import CliRunner

from popout.cli.group import main
from popout.task import InputError
from popout.web.http import serving
from popout.web.http.pages import STATIC
from popout.web.http.serving import _listen, serve

from ..browser.visitor import OwnServer, write_experiment
from ..participant_page import record


@pytest.fixture
def server(tmp_path):
    if not (STATIC / "licences.txt").is_file():
        reason = "the pages are not built: make pages (needs Node 20 or newer)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    server = OwnServer(tmp_path, write_experiment(tmp_path, 6), workers=0)
    server.start()
    yield server
    server.kill()


class Sender(threading.Thread):
    """Sends every trial until it is acknowledged, whatever happens to the server."""

    def __init__(self, server):
        super().__init__()
        self.client = httpx.Client(base_url=server.address, timeout=30.0)
        self.acknowledged = []
        self.session = self.client.post("/api/v1/lab/sessions", json={"consent": True}).json()
        self.headers = {"authorization": f"Bearer {self.session['token']}"}

    def run(self):
        address = f"/api/v1/lab/sessions/{self.session['session']}"
        for trial in self.session["trials"]:
            body = {"trials": [record(trial)]}
            while self.acknowledged[-1:] != [trial["index"]]:
                try:
                    answer = self.client.post(f"{address}/trials", json=body, headers=self.headers)
                except httpx.TransportError:
                    time.sleep(0.1)  # and leave the processor to the server that starts
                    continue
                if answer.status_code == 200:
                    self.acknowledged.append(trial["index"])
        self.end = self.client.post(f"{address}/finish", headers=self.headers)
        self.client.close()


def test_killed_in_the_middle_it_has_lost_nothing_and_stores_nothing_twice(server):
    people = [Sender(server) for _ in range(6)]
    chance = random.Random(9)
    for person in people:
        person.start()
    for _ in range(2):
        time.sleep(chance.uniform(0.02, 0.15))
        server.kill()
        server.start()
        assert "token" not in server.said  # shown once
    for person in people:
        person.join(timeout=60)
    question = {"task": {"kind": "search", "n_locations": 2, "drift": 4.0}, "costs": {"time": 1}}
    without_workers = httpx.post(f"{server.address}/api/v1/boundary", json=question)
    assert without_workers.status_code == 503
    progress = json.loads(server.get("/api/v1/researcher/progress", server.token))
    assert (progress["trials"], progress["finished"]) == (6 * 16, 6)
    assert all(person.acknowledged == list(range(16)) for person in people)
    assert all(person.end.json()["completion_code"] == "THANKS" for person in people)
    assert server.stop() == 0


def test_an_address_that_is_taken_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match="one that is free"):
            serve(print, port=port)


def test_data_need_a_design(tmp_path):
    with pytest.raises(InputError, match="--experiment"):
        serve(print, data=str(tmp_path / "data"))
    assert not (tmp_path / "data").exists()


def test_no_answer_waits_for_an_acknowledgement():
    with _listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_health_says_what_is_served(client, lab_client):
    assert client.get("/api/v1/health").json()["experiment"] is False
    assert client.get("/api/v1/lab/design").status_code == 404
    health = lab_client.get("/api/v1/health").json()
    assert (health["experiment"], health["workers"]) == (True, 1)
    assert lab_client.get("/lab").status_code == 200


@pytest.fixture
def said(monkeypatch):
    """A function that serves nothing, and returns what would be said."""
    monkeypatch.setattr(serving, "require_pages", lambda: None)
    monkeypatch.setattr(serving.uvicorn.Server, "run", lambda self, sockets: None)

    def said(**settings):
        addresses = {}
        serve(addresses.update, port=0, workers=0, **settings)
        return addresses

    return said


def test_whoever_opens_the_server_to_others_is_told_where_and_what_that_means(said):
    assert set(said()) == {"explorer"}
    for host in ("0.0.0.0", "127.0.0.2"):
        address = said(host=host)["outside"]
        assert address.startswith("http://")
        assert "0.0.0.0" not in address
        assert int(address.rstrip("/").rsplit(":", 1)[1]) > 0
    options = ["serve", "--host", "0.0.0.0", "--port", "0", "--workers", "0"]
    lines = CliRunner().invoke(main, options).output
    assert "From other machines     http://" in lines
    assert "what they send travels in the open" in lines


def test_several_studies_have_several_links(said, tmp_path):
    paths = []
    for k, study in enumerate(("", 'study = "two"\nentry = { secret = "abc" }')):
        (tmp_path / str(k)).mkdir()
        paths.append(write_experiment(tmp_path / str(k), 4, study))
    addresses = said(experiment=paths, data=str(tmp_path / "data"))
    assert addresses["lab"].endswith("/lab")
    assert addresses["lab 2"].endswith("/lab?study=two&key=...")
    with pytest.raises(InputError, match="studies of different names"):
        serve(print, experiment=[paths[0], paths[0]], data=str(tmp_path / "data"), port=0)
