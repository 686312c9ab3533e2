"""Workers: real processes that answer, drop work, run out of memory, die."""

import os
import queue
import signal
import subprocess
import sys
import time

import pytest

from popout.web.explorer import worker
from popout.web.explorer.job import Job, State
from popout.web.explorer.questions import QUESTIONS
from popout.web.explorer.worker import DroppedError, Happened, ProcessWorker, compute

TWO = {"task": {"kind": "search", "n_locations": 2, "drift": 4.0}, "costs": {"time": 0.2}}
SECONDS = 60.0


def read_question(name, body):
    return QUESTIONS[name].model_validate(body)


@pytest.fixture(scope="module")
def process():
    """Return a worker and what it says."""
    heard = queue.Queue()
    made = ProcessWorker(warm=False)
    made.start(heard.put)
    assert heard.get(timeout=SECONDS)[1] is Happened.READY
    yield made, heard
    made.kill()


def ending(heard):
    while True:
        job, happened, content = heard.get(timeout=SECONDS)
        if happened is not Happened.PROGRESS:
            return job, content


def test_a_process_answers_as_the_library_does(process):
    made, heard = process
    question = read_question("thresholds", {**TWO, "rtol": 1e-2})
    made.work("one", question)
    assert ending(heard) == ("one", compute(question, lambda share, words: None))


def test_faults_come_back_as_faults(process):
    made, heard = process
    made.work("two", read_question("boundary", {**TWO, "plane": [0, 5]}))
    assert ending(heard)[1]["faults"][0].path == ("plane",)


def test_work_is_dropped_when_it_next_reports(process):
    made, heard = process
    made.work("long", read_question("solve", {**TWO, "rtol": 1e-6}))
    made.cancel("long")
    assert ending(heard) == ("long", {"state": State.CANCELLED})


def test_work_that_does_not_fit_is_a_fault_of_the_request(process):
    made, heard = process
    task = {"kind": "search", "drift": [2.0, 3.0, 4.0, 5.0], "dt": 0.001}
    made.work("large", read_question("solve", {**TWO, "task": task, "rtol": 1e-6}))
    assert "memory" in str(ending(heard)[1]["faults"][0])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux bounds it")
def test_memory_is_bounded_by_the_system():
    code = (
        "from popout.web.explorer.worker import limit_memory\n"
        "bytearray(2**28)\n"
        "limit_memory(2**27)\n"
        "bytearray(2**20)\n"
        "try: bytearray(2**28)\n"
        "except MemoryError: print('bounded')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "bounded\n", done.stderr


def test_a_process_that_is_killed_is_reported(process):
    made, heard = process
    os.kill(made.process.pid, signal.SIGKILL)
    assert heard.get(timeout=SECONDS) == ("", Happened.GONE, None)


@pytest.mark.parametrize(
    ("error", "state", "is_broken"),
    [
        (DroppedError(), State.CANCELLED, False),
        (MemoryError(), State.FAILED, False),
        (ZeroDivisionError("secret"), State.FAILED, True),
    ],
)
def test_whatever_happens_is_reported(monkeypatch, caplog, error, state, is_broken):
    def fail(self, progress):
        raise error

    monkeypatch.setattr("popout.web.explorer.questions.Question.answer", fail)
    job = Job("a", read_question("solve", TWO), "someone", 10.0)
    job.end(**compute(job.question, lambda share, words: None))
    assert (job.state, job.is_broken) == (state, is_broken)
    assert ("secret" in caplog.text) == is_broken
    assert "secret" not in str(job.as_json())


def test_warming_up_asks_only_good_questions(monkeypatch):
    asked = []
    monkeypatch.setattr(worker, "compute", lambda question, progress: asked.append(question.name))
    start = time.perf_counter()
    worker.warm_up()
    assert {"boundary", "simulate", "example-trials"} <= set(asked)
    assert time.perf_counter() - start < SECONDS
