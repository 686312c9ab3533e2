"""The routes of the explorer: answers, faults, events, and visitors who want too much."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest

from popout.web.explorer.desk import Desk, Limits
from popout.web.explorer.worker import DroppedError, Ending
from popout.web.http.serving import make_app

from ..conftest import ThreadWorker, served

TWO = {"task": {"kind": "search", "n_locations": 2, "drift": 4.0}, "costs": {"time": 0.2}}
QUICK = {**TWO, "strategy": "sprt", "trials": 1000}
ROUTE = "/api/v1/simulate"


def read_events(answer):
    """Return the names of events with what they say."""
    lines = [event.split("\n") for event in answer.text.strip().split("\n\n")]
    return [
        (name.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
        for name, data in lines
    ]


def as_events(client, body, route=ROUTE):
    return read_events(client.post(route, json=body, headers={"accept": "text/event-stream"}))


def test_a_question_is_answered_and_remembered(client):
    first = client.post(ROUTE, json=QUICK)
    assert first.status_code == 200
    assert 0 < first.json()["mean_rt"]["present"] < first.json()["mean_rt"]["absent"]
    assert client.post(ROUTE, json=QUICK).content == first.content
    assert as_events(client, QUICK) == [("done", first.json())]


def test_events_tell_the_progress_and_end_with_the_answer(client):
    body = {**QUICK, "seed": 2, "strategy": "a-sprt", "tune_trials": 1000}
    *progress, (name, answer) = as_events(client, body)
    assert {name for name, _ in progress} == {"progress"}
    assert all(set(said) == {"share", "words"} for _, said in progress)
    assert any(said["words"] for _, said in progress)
    assert (name, answer) == ("done", client.post(ROUTE, json=body).json())


def test_faults_have_paths(client):
    answer = client.post(ROUTE, json={**TWO, "trials": 1, "task": {"kind": "serach"}})
    assert answer.status_code == 422
    faults = {tuple(fault["path"]): fault for fault in answer.json()["faults"]}
    assert set(faults) == {("task", "kind"), ("trials",)}
    assert faults["task", "kind"]["remedy"] == "did you mean search?"
    late = {**TWO, "plane": [0, 7]}
    answer = client.post("/api/v1/boundary", json=late)
    assert (answer.status_code, answer.json()["faults"][0]["path"]) == (422, ["plane"])
    name, said = as_events(client, late, "/api/v1/boundary")[-1]
    assert (name, said) == ("failed", answer.json())


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
        except DroppedError:
            self.ended.release()
            return Ending()


@pytest.fixture
def stuck():
    return Stuck()


@pytest.fixture
def slow_client(stuck):
    desk = Desk(lambda: ThreadWorker(stuck), 2, Limits(per_visitor=2, in_all=3))
    with served(make_app(desk)) as client:
        yield client


def test_an_answer_that_nobody_waits_for_is_dropped(slow_client, stuck):
    with pytest.raises(httpx.ReadTimeout):
        slow_client.post(ROUTE, json=TWO, timeout=0.5)
    assert stuck.ended.acquire(timeout=10)


def test_too_much_of_one_visitor_is_refused(slow_client, stuck):
    def ask(seed):
        body, headers = {**TWO, "seed": seed}, {"accept": "text/event-stream"}
        return slow_client.stream("POST", ROUTE, json=body, headers=headers)

    with ask(1):
        with ask(2), ask(3) as refused:
            assert refused.status_code == 429
            assert refused.headers["retry-after"]
            assert slow_client.get("/api/v1/health").json()["status"] == "ok"
        assert stuck.ended.acquire(timeout=10)
        with ask(4) as again:
            assert again.status_code == 200


HEAVY = {**TWO, "strategy": "optimal", "points": 25, "rtol": 1e-3}


def waits_beside_heavy_ones(limits, n):
    """Return how long quick questions take while eight heavy ones are asked."""

    over = threading.Event()

    def compute(question, progress):
        if question.name == "frontier":
            over.wait(2.0)
        return Ending(b"{}")

    app = make_app(Desk(lambda: ThreadWorker(compute), 2, limits))
    waits, other = [], {"x-forwarded-for": "203.0.113.9"}
    with served(app) as client, ThreadPoolExecutor(8) as pool:
        ask = {"url": "/api/v1/frontier", "timeout": 30.0}
        heavy = [pool.submit(client.post, json={**HEAVY, "seed": k}, **ask) for k in range(8)]
        time.sleep(0.3)
        for k in range(n):
            start = time.monotonic()
            assert client.post(ROUTE, json={**QUICK, "seed": k}, headers=other).is_success
            waits.append(time.monotonic() - start)
        over.set()
        assert [each.result().status_code for each in heavy] == [200] * 8
    return np.percentile(waits, [50, 99])


def test_a_light_question_does_not_wait_for_eight_heavy_ones():
    middle, high = waits_beside_heavy_ones(Limits(work=1e9), 40)
    assert middle < 0.3  # on a busy machine, too
    assert high < 1.0
    # The control: where everything counts as small, it waits for a worker.
    _, high = waits_beside_heavy_ones(Limits(small=1e9), 1)
    assert high > 1.0
