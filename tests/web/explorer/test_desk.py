"""The desk: limits, fairness, memory, and workers that are killed and replaced."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from popout.task import InputError
from popout.web.explorer.desk import BusyError, Desk, Job, Limits
from popout.web.explorer.questions import FrontierQuestion, SimulateQuestion, SlopesQuestion
from popout.web.explorer.worker import Ending, Happened


class Puppet:
    """A worker that does what a test tells it."""

    made = ()

    def __init__(self):
        self.got, self.killed = [], False
        Puppet.made = (*Puppet.made, self)

    def start(self, listener):
        self.listener = listener
        listener((Happened.READY, None))

    def work(self, question):
        self.got.append(question)

    def kill(self):
        self.killed = True

    async def says(self, happened, content):
        self.listener((happened, content))
        await asyncio.sleep(0.02)  # until the desk has heard, and others have acted on it


def asked(seed):
    task = {"kind": "search", "n_locations": 2, "drift": 4.0}
    return SimulateQuestion(task=task, costs={"time": 0.2}, seed=seed)


def heavy(seed):
    """Ask for much: a frontier of 25 points, each solved to a thousandth."""
    task = {"kind": "search", "n_locations": 2, "drift": 4.0}
    how = {"strategy": "optimal", "points": 25, "rtol": 1e-3}
    return FrontierQuestion(task=task, costs={"time": 0.2}, seed=seed, **how)


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

        def in_a_thread():  # a browser of other tests may have a loop running in this one
            with ThreadPoolExecutor(1) as pool:
                pool.submit(asyncio.run, run()).result()

        return in_a_thread

    return made


@played()
async def test_an_answer_is_remembered(desk):
    job = desk.submit(asked(1), "a")
    (worker,) = Puppet.made
    assert worker.got == [asked(1)]
    await worker.says(Happened.PROGRESS, (0.5, "half"))
    assert (job.share, job.words, job.ending) == (0.5, "half", None)
    await worker.says(Happened.OVER, Ending(b"[1]"))
    assert job.ending.answer == desk.submit(asked(1), "b").ending.answer == b"[1]"
    assert desk.submit(asked(2), "a").ending is None


@played()
async def test_whoever_waits_hears_of_every_change(desk):
    job = Job(asked(1), "a")
    for change in (lambda: job.moves(0.5, "half"), lambda: job.ends(Ending(b"1"))):
        waiting = asyncio.create_task(job.changed(20.0))
        await asyncio.sleep(0)
        change()
        await asyncio.wait_for(waiting, 1.0)
    job.ends(Ending())
    assert job.ending == Ending(b"1")  # the first one stays
    await job.changed(0.0)  # which has been said
    start = time.monotonic()
    await job.changed(0.05)
    assert time.monotonic() - start > 0.04


@played(cache=1700)
async def test_the_memory_for_answers_is_bounded(desk):
    for seed in range(10):
        desk.submit(asked(seed), str(seed))
        await Puppet.made[0].says(Happened.OVER, Ending(b"x" * 400))
    kept = [seed for seed in range(10) if desk.submit(asked(seed), str(seed)).ending]
    assert kept == [6, 7, 8, 9]


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
    for seed in range(4):
        desk.submit(asked(seed), "greedy")
    desk.submit(asked(9), "modest")
    await Puppet.made[0].says(Happened.OVER, Ending(b"1"))
    assert [[question.seed for question in each.got] for each in Puppet.made] == [[0, 9], [1]]


@played(seconds=1.0)
async def test_work_that_takes_too_long_is_killed_and_the_worker_replaced(desk):
    job = desk.submit(asked(1), "a")
    desk.tidy(time.monotonic() + 0.5)
    assert job.ending is None
    desk.tidy(time.monotonic() + 1.5)
    assert "at most 1 seconds" in str(job.ending.faults[0])
    await asyncio.sleep(0.05)
    old, new = Puppet.made
    assert old.killed
    desk.submit(asked(2), "a")
    assert new.got == [asked(2)]


@played()
async def test_a_dropped_question_has_a_moment_then_its_worker_is_killed(desk):
    job, waiting = desk.submit(asked(1), "a"), desk.submit(asked(2), "a")
    desk.drop(waiting)
    desk.drop(job)
    assert job.ending == waiting.ending == Ending()
    assert Puppet.made[0].got == [asked(1), None]
    desk.tidy(time.monotonic() + 0.5)
    assert not Puppet.made[0].killed
    desk.tidy(time.monotonic() + 2.0)
    await asyncio.sleep(0.05)
    assert Puppet.made[0].killed


@played(per_visitor=1)
async def test_a_worker_that_drops_its_question_in_time_lives_on(desk):
    desk.drop(desk.submit(asked(1), "a"))
    desk.submit(asked(2), "a")  # what is dropped is not under way
    await Puppet.made[0].says(Happened.OVER, Ending())
    desk.tidy(time.monotonic() + 5.0)
    assert [each.got for each in Puppet.made] == [[asked(1), None, asked(2)]]


@played()
async def test_a_worker_that_dies_takes_its_question_alone(desk):
    job = desk.submit(asked(1), "a")
    await Puppet.made[0].says(Happened.GONE, None)
    assert job.ending.faults
    desk.submit(asked(2), "a")
    assert Puppet.made[1].got == [asked(2)]


@played(n_workers=2, work=1e9)
async def test_big_questions_leave_a_worker_to_small_ones(desk):
    for seed in range(8):
        desk.submit(heavy(seed), "greedy")
    first, second = Puppet.made
    assert (first.got, second.got) == ([], [heavy(0)])
    desk.submit(asked(1), "modest")
    desk.submit(asked(2), "greedy")  # a class behind one address is one visitor
    assert first.got == [asked(1)]
    await first.says(Happened.OVER, Ending(b"1"))
    assert first.got == [asked(1), asked(2)]
    desk.submit(asked(3), "modest")
    await second.says(Happened.OVER, Ending(b"1"))
    assert second.got == [heavy(0), asked(3)]  # small ones first, wherever


@played(n_workers=2, work=100.0)
async def test_a_visitor_has_a_share_of_the_work(desk):
    for seed in range(2):
        desk.submit(heavy(seed), "greedy")
    with pytest.raises(BusyError, match="too much") as own:
        desk.submit(heavy(2), "greedy")
    assert (own.value.everybody, own.value.most) == (False, "100 seconds of work")
    desk.submit(asked(1), "greedy")  # small ones are welcome
    desk.submit(heavy(3), "another")


@played()
async def test_too_much_work_is_refused_before_it_begins(desk):
    """The question of the review: eight set sizes, a million trials each."""
    task = {"kind": "search", "n_locations": 8, "drift": 4.0}
    sizes = [2, 4, 8, 16, 24, 32, 48, 64]
    much = {"trials": 1_000_000, "tune_trials": 200_000, "strategy": "sprt-opt"}
    with pytest.raises(InputError, match=r"work of some 120 seconds, got some .*ask for less"):
        desk.submit(SlopesQuestion(task=task, costs={"time": 0.2}, locations=sizes, **much), "a")
    desk.submit(SlopesQuestion(task=task, costs={"time": 0.2}, trials=10_000), "a")
    assert len(Puppet.made[0].got) == 1


@played(small=4.0)
async def test_what_is_bigger_than_it_said_gives_way(desk):
    long, other = desk.submit(asked(1), "a"), asked(2)
    desk.tidy(time.monotonic() + 5.0)
    assert Puppet.made[0].got == [asked(1)]  # as long as nobody waits
    desk.submit(other, "b")
    desk.tidy(time.monotonic() + 3.0)
    assert Puppet.made[0].got == [asked(1)]
    desk.tidy(time.monotonic() + 5.0)
    await Puppet.made[0].says(Happened.OVER, Ending())
    await Puppet.made[0].says(Happened.OVER, Ending(b"2"))
    assert Puppet.made[0].got == [asked(1), None, other, asked(1)]
    await Puppet.made[0].says(Happened.OVER, Ending(b"1"))
    assert long.ending.answer == b"1"


@played(seconds=10.0)
async def test_waiting_counts_in_the_time_of_a_question(desk):
    desk.submit(asked(1), "a")
    waiting = desk.submit(asked(2), "b")
    desk.tidy(time.monotonic() + 9.0)
    assert waiting.ending is None
    desk.tidy(time.monotonic() + 11.0)
    assert "an answer within 10 seconds" in str(waiting.ending.faults[0])
