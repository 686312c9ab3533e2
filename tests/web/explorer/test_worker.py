"""Workers: real processes that answer, drop work, run out of memory, die."""

import os
import queue
import signal
import subprocess
import sys
import time

import pytest

from popout.web.explorer import worker
from popout.web.explorer.questions import QUESTIONS
from popout.web.explorer.worker import DroppedError, Ending, Happened, ProcessWorker, compute

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
    assert heard.get(timeout=SECONDS)[0] is Happened.READY
    yield made, heard
    made.kill()


def ending(heard):
    while True:
        happened, content = heard.get(timeout=SECONDS)
        if happened is not Happened.PROGRESS:
            return content


def test_a_process_answers_as_the_library_does(process):
    made, heard = process
    question = read_question("simulate", {**TWO, "strategy": "sprt", "trials": 100})
    made.work(question)
    assert ending(heard) == compute(question, lambda share, words: None)


def test_faults_come_back_as_faults(process):
    made, heard = process
    made.work(read_question("boundary", {**TWO, "plane": [0, 5]}))
    assert ending(heard).faults[0].path == ("plane",)


def test_work_is_dropped_when_it_next_reports_and_the_next_is_not(process):
    made, heard = process
    made.work(read_question("boundary", {**TWO, "rtol": 1e-6}))
    made.work(None)
    assert ending(heard) == Ending()
    made.work(None)  # what comes too late
    made.work(read_question("simulate", {**TWO, "strategy": "hardmax", "trials": 100}))
    assert ending(heard).answer


def test_work_that_does_not_fit_is_a_fault_of_the_request(process):
    made, heard = process
    task = {"kind": "search", "drift": [2.0, 3.0, 4.0, 5.0], "dt": 0.001}
    made.work(read_question("boundary", {**TWO, "task": task, "rtol": 1e-6}))
    assert "memory" in str(ending(heard).faults[0])


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
    assert heard.get(timeout=SECONDS) == (Happened.GONE, None)


@pytest.mark.parametrize(
    ("error", "n_faults", "is_broken"),
    [(DroppedError(), 0, False), (MemoryError(), 1, False), (ZeroDivisionError("secret"), 1, True)],
)
def test_whatever_happens_is_reported(monkeypatch, caplog, error, n_faults, is_broken):
    def fail(self, progress):
        raise error

    monkeypatch.setattr("popout.web.explorer.questions.Question.answer", fail)
    how = compute(read_question("boundary", TWO), lambda share, words: None)
    assert (how.answer, len(how.faults), how.is_broken) == (b"", n_faults, is_broken)
    assert ("secret" in caplog.text) == is_broken
    assert "secret" not in str(how.faults)


def test_warming_up_asks_only_good_questions(monkeypatch):
    asked = []
    monkeypatch.setattr(worker, "compute", lambda question, progress: asked.append(question.name))
    start = time.perf_counter()
    worker.warm_up()
    assert {"boundary", "simulate", "example-trials"} <= set(asked)
    assert time.perf_counter() - start < SECONDS
