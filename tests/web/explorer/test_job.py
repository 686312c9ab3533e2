"""A job: its states, and whoever listens."""

import asyncio
import json

from popout.task import Fault
from popout.web.explorer.job import Job, State
from popout.web.explorer.questions import ThresholdsQuestion

from .stories import in_a_thread

ASKED = ThresholdsQuestion(
    task={"kind": "search", "n_locations": 2, "drift": 4.0}, costs={"time": 0.2}
)


def test_a_listener_hears_every_state_and_is_counted():
    async def story():
        job = Job("a", ASKED, "someone", 10.0)
        heard = []

        async def listen():
            async for state in job.changes():
                heard.append((state, job.listeners))

        listening = asyncio.create_task(listen())
        await asyncio.sleep(0)
        for state in (State.RUNNING, State.DONE):
            job.move(state)
            await asyncio.sleep(0.15)
        await listening
        return job, heard

    job, heard = in_a_thread(story())
    assert heard == [(State.WAITING, 1), (State.RUNNING, 1), (State.DONE, 1)]
    assert job.listeners == 0


def test_time_left_follows_from_the_share():
    async def story():
        job = Job("a", ASKED, "someone", 10.0)
        assert json.loads(job.as_json())["seconds_left"] is None
        job.move(State.RUNNING)
        job.share = 0.25
        job.started -= 10.0
        said = job.as_json()
        job.end(State.FAILED, faults=(Fault(expected="less"),))
        return json.loads(said), json.loads(job.as_json())

    running, failed = in_a_thread(story())
    assert 29.0 < running["seconds_left"] < 31.0
    assert running["answer"] is None
    assert failed["seconds_left"] is None
    assert failed["faults"][0]["expected"] == "less"
