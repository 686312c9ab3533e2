"""The desk: limits, fairness, memory, and workers that are killed and replaced."""

import asyncio
import time

import pytest

from popout.web.explorer.desk import BusyError, Desk, Limits
from popout.web.explorer.job import State
from popout.web.explorer.questions import SimulateQuestion
from popout.web.explorer.worker import Happened

from .stories import in_a_thread


class Puppet:
    """A worker that does what a test tells it."""

    made = ()

    def __init__(self):
        self.jobs, self.cancelled, self.killed = [], [], False
        Puppet.made = (*Puppet.made, self)

    def start(self, listener):
        self.listener = listener
        listener(("", Happened.READY, None))

    def work(self, job, question):
        self.jobs.append(job)

    def cancel(self, job):
        self.cancelled.append(job)

    def kill(self):
        self.killed = True

    def progresses(self, share, words):
        self.listener((self.jobs[-1], Happened.PROGRESS, (share, words)))

    def ends(self, state, answer=b""):
        self.listener((self.jobs[-1], Happened.OVER, {"state": state, "answer": answer}))


def asked(seed):
    task = {"kind": "search", "n_locations": 2, "drift": 4.0}
    return SimulateQuestion(task=task, costs={"time": 0.2}, seed=seed)


def played(n_workers=1, **limits):
    """Make a test of a story, which is told with a desk of puppets."""

    def made(story):
        async def run():
            Puppet.made = ()
            desk = Desk(Puppet, n_workers, Limits(**limits))
            await desk.start()
            await asyncio.sleep(0)
            try:
                await story(desk)
            finally:
                await desk.close()

        return lambda: in_a_thread(run())

    return made


@played()
async def test_an_answer_is_remembered(desk):
    job = desk.submit(asked(1), "a")
    assert job.state is State.RUNNING
    Puppet.made[0].progresses(0.5, "half")
    await asyncio.sleep(0)
    assert (job.share, job.words) == (0.5, "half")
    Puppet.made[0].ends(State.DONE, b"[1]")
    await job.over()
    assert desk.remembered(asked(1)) == b"[1]"
    assert desk.submit(asked(1), "b").state is State.DONE
    assert desk.remembered(asked(2)) is None


@played(cache=1700)
async def test_the_memory_for_answers_is_bounded(desk):
    for seed in range(10):
        desk.submit(asked(seed), str(seed))
        Puppet.made[0].ends(State.DONE, b"x" * 400)
        await asyncio.sleep(0)
    assert [seed for seed in range(10) if desk.remembered(asked(seed))] == [6, 7, 8, 9]


@played(per_visitor=3, in_all=5)
async def test_a_visitor_cannot_have_everything(desk):
    for seed in range(3):
        desk.submit(asked(seed), "greedy")
    with pytest.raises(BusyError) as own:
        desk.submit(asked(9), "greedy")
    assert not own.value.everybody
    for seed in range(10, 12):
        desk.submit(asked(seed), "another")
    with pytest.raises(BusyError) as everyone:
        desk.submit(asked(13), "third")
    assert everyone.value.everybody


@played(n_workers=2)
async def test_a_free_worker_goes_to_who_has_none(desk):
    first = [desk.submit(asked(seed), "greedy") for seed in range(4)]
    late = desk.submit(asked(9), "modest")
    Puppet.made[0].ends(State.DONE, b"1")
    await asyncio.sleep(0)
    assert late.state is State.RUNNING
    assert [job.state for job in first].count(State.RUNNING) == 1


@played()
async def test_work_that_takes_too_long_is_killed_and_the_worker_replaced(desk):
    job = desk.submit(asked(1), "a", limit=1.0)
    desk.tidy(time.monotonic() + 0.5)
    assert job.state is State.RUNNING
    desk.tidy(time.monotonic() + 1.5)
    assert job.state is State.FAILED
    assert "at most 1 seconds" in str(job.faults[0])
    await asyncio.sleep(0.05)
    assert Puppet.made[0].killed
    assert len(Puppet.made) == 2
    assert desk.submit(asked(2), "a").state is State.RUNNING


@played()
async def test_a_cancelled_job_has_a_moment_then_its_worker_is_killed(desk):
    job = desk.submit(asked(1), "a")
    waiting = desk.submit(asked(2), "a")
    desk.cancel(waiting)
    desk.cancel(job)
    assert job.state is waiting.state is State.CANCELLED
    assert Puppet.made[0].cancelled == [job.id]
    desk.tidy(time.monotonic() + 0.5)
    assert not Puppet.made[0].killed
    desk.tidy(time.monotonic() + 2.0)
    await asyncio.sleep(0.05)
    assert Puppet.made[0].killed


@played()
async def test_a_worker_that_drops_its_job_in_time_lives_on(desk):
    job = desk.submit(asked(1), "a")
    desk.cancel(job)
    Puppet.made[0].ends(State.CANCELLED)
    await asyncio.sleep(0)
    desk.tidy(time.monotonic() + 5.0)
    assert len(Puppet.made) == 1
    assert desk.submit(asked(2), "a").state is State.RUNNING


@played()
async def test_a_job_that_nobody_asks_about_is_cancelled(desk):
    job, watched = (desk.submit(asked(seed), "a") for seed in (1, 2))
    watched.listeners += 1
    desk.tidy(time.monotonic() + 19.0)
    assert job.state is State.RUNNING
    desk.tidy(time.monotonic() + 21.0)
    assert job.state is State.CANCELLED
    assert watched.state is not State.CANCELLED
    desk.tidy(time.monotonic() + 200.0)
    assert desk.find(job.id) is None


@played()
async def test_a_worker_that_dies_takes_its_job_alone(desk):
    job = desk.submit(asked(1), "a")
    Puppet.made[0].listener(("", Happened.GONE, None))
    await asyncio.sleep(0.05)
    assert job.state is State.FAILED
    assert desk.submit(asked(2), "a").state is State.RUNNING
