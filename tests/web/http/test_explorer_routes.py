"""The routes of the explorer: answers, faults, jobs, and visitors who want too much."""

import json
import threading
import time

import pytest

from popout.web.explorer.desk import Desk, Limits
from popout.web.explorer.job import State
from popout.web.http.serving import make_app

from ..conftest import ThreadWorker, served

TWO = {"task": {"kind": "search", "n_locations": 2, "drift": 4.0}, "costs": {"time": 0.2}}


def wait_until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def test_a_question_is_answered_and_remembered(client):
    body = {**TWO, "rtol": 1e-2}
    first = client.post("/api/v1/thresholds", json=body)
    assert first.status_code == 200
    assert first.json()["lower"] < 0 < first.json()["upper"]
    start = time.perf_counter()
    assert client.post("/api/v1/thresholds", json=body).content == first.content
    assert time.perf_counter() - start < 1.0


def test_faults_have_paths(client):
    answer = client.post("/api/v1/simulate", json={**TWO, "trials": 1, "task": {"kind": "serach"}})
    assert answer.status_code == 422
    faults = {tuple(fault["path"]): fault for fault in answer.json()["faults"]}
    assert set(faults) == {("task", "kind"), ("trials",)}
    assert faults["task", "kind"]["remedy"] == "did you mean search?"
    late = client.post("/api/v1/boundary", json={**TWO, "plane": [0, 7]})
    assert (late.status_code, late.json()["faults"][0]["path"]) == (422, ["plane"])


def test_a_job_streams_its_progress_and_ends(client):
    body = {**TWO, "rtol": 1e-4}
    made = client.post("/api/v1/jobs", json={"question": "thresholds", "body": body})
    assert made.status_code == 202
    events = client.get(f"/api/v1/jobs/{made.json()['id']}/events").text
    names = [line[7:] for line in events.splitlines() if line.startswith("event: ")]
    last = json.loads(events.strip().split("data: ")[-1])
    assert names[-1] == "done"
    assert set(names[:-1]) <= {"progress"}
    assert last["answer"] == client.post("/api/v1/thresholds", json=body).json()
    assert client.get(f"/api/v1/jobs/{last['id']}").json()["share"] == 1.0


@pytest.mark.parametrize(
    "body",
    [[], {"question": "luck", "body": {}}, {"question": "solve"}, {"a": 1}, {"question": [1]}],
)
def test_a_job_that_is_none_is_refused(client, body):
    assert client.post("/api/v1/jobs", json=body).status_code == 422


def test_an_unknown_job_is_not_found(client):
    for method, end in (("GET", ""), ("DELETE", ""), ("GET", "/events")):
        assert client.request(method, f"/api/v1/jobs/nothing{end}").status_code == 404


class Stuck:
    """Work that goes on until it is dropped, and reports now and then."""

    def __init__(self):
        self.running = threading.Semaphore(0)
        self.ended = threading.Semaphore(0)

    def __call__(self, asked, progress):
        self.running.release()
        try:
            while True:
                progress(0.5, "still at it")
                time.sleep(0.01)
        except Exception:
            self.ended.release()
            return {"state": State.CANCELLED}


@pytest.fixture
def stuck():
    return Stuck()


@pytest.fixture
def slow_client(stuck):
    desk = Desk(lambda: ThreadWorker(stuck), 2, Limits(per_visitor=2, in_all=3, deserted=0.5))
    with served(make_app(desk)) as client:
        yield client


def job(seed):
    return {"question": "simulate", "body": {**TWO, "seed": seed}}


def test_a_job_is_cancelled(slow_client, stuck):
    id = slow_client.post("/api/v1/jobs", json=job(1)).json()["id"]
    assert stuck.running.acquire(timeout=10)
    assert slow_client.delete(f"/api/v1/jobs/{id}").status_code == 204
    assert stuck.ended.acquire(timeout=10)
    assert slow_client.get(f"/api/v1/jobs/{id}").json()["state"] == "cancelled"


def test_a_job_that_nobody_asks_about_is_cancelled(slow_client, stuck):
    slow_client.post("/api/v1/jobs", json=job(1))
    assert stuck.ended.acquire(timeout=10)


def test_a_question_is_dropped_when_the_visitor_goes_away(slow_client, stuck):
    import httpx

    with pytest.raises(httpx.ReadTimeout):
        slow_client.post("/api/v1/simulate", json={**TWO, "seed": 1}, timeout=0.5)
    assert stuck.ended.acquire(timeout=10)


def test_too_much_of_one_visitor_is_refused(slow_client):
    ids = [slow_client.post("/api/v1/jobs", json=job(n)).json()["id"] for n in (1, 2)]
    refused = slow_client.post("/api/v1/jobs", json=job(3))
    assert refused.status_code == 429
    assert refused.headers["retry-after"]
    assert slow_client.get("/api/v1/health").json()["status"] == "ok"
    slow_client.delete(f"/api/v1/jobs/{ids[0]}")
    wait_until(lambda: slow_client.post("/api/v1/jobs", json=job(4)).status_code == 202)
