"""Too fast to be true: a program that walks through, people who were there, and the clock."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from popout.experiment import Block, ExperimentDesign
from popout.experiment.design import Timing
from popout.web.lab.export import frame_of
from popout.web.lab.overview import progress_of, response_times
from popout.web.lab.pace import SHARE, TOLERANCE, Pace
from popout.web.lab.records import TrialRecord

from ..participant_page import ParticipantPage

START = 1.7e9


@pytest.fixture
def design():
    """Forty trials, which take a second and their answer each; no feedback in the second block."""
    blocks = [Block("Practice", 16, practice=True), Block("Main", 24, feedback=False)]
    return ExperimentDesign(
        "Haste", [2, 4], [0], [30], "I agree.", "We store answers.", "Search.", blocks,
        completion_code="DONE", participants=1, redirect="https://pay.example.org/?cc=DONE",
        timing=Timing(fixation=0.4, feedback=0.4, pause=0.2, time_limit=2.0),
    )  # fmt: skip


@pytest.fixture
def clock(monkeypatch):
    """The server's clock, which tests set."""
    now = [START]
    for module in ("laboratory",):
        monkeypatch.setattr(f"popout.web.lab.{module}.time.time", lambda: now[0])
    return now


class Visitor:
    """Somebody, or something, that talks to the server."""

    def __init__(self, laboratory, clock):
        self.lab, self.clock = laboratory, clock
        session, self.token = laboratory.begin({}).result()
        self.name, self.n = session.name, session.design.n_trials

    def send(self, indices, rt=0.5):
        records = [TrialRecord(index=k, response="present", rt=rt) for k in indices]
        self.lab.store(self.name, self.token, records).result()

    def finish(self):
        return self.lab.finish(self.name, self.token).result()


def slow_pace(design, blocks, rts, received, started):
    """Return by how many seconds trials exceed the time there was, at the worst moment."""
    worst, timing = -np.inf, design.timing
    for moment in sorted(set(received)):
        claimed = 0.0
        for block, rt, at in zip(blocks, rts, received, strict=True):
            if at <= moment:
                claimed += timing.fixation + timing.pause
                claimed += timing.time_limit if np.isnan(rt) else min(rt, timing.time_limit)
                claimed += timing.feedback if design.blocks[block].feedback else 0.0
        last = timing.pause + max(
            timing.feedback if design.blocks[b].feedback else 0.0 for b in blocks
        )
        worst = max(worst, claimed - last - (1 + SHARE) * (moment - started))
    return worst


def test_it_is_the_sum_of_what_each_trial_takes(design):
    chance = np.random.default_rng(1)
    for _ in range(20):
        n = int(chance.integers(1, 40))
        blocks = np.arange(n) // 16
        rts = np.where(chance.random(n) < 0.2, np.nan, chance.uniform(0.1, 2.1, n))
        received = START + np.sort(chance.uniform(0, 60, 6))[chance.integers(0, 6, n)]
        pace = Pace.of(design, blocks.clip(max=1), rts, received, START)
        excess = pace.claimed - (1 + SHARE) * pace.elapsed
        assert excess == pytest.approx(
            slow_pace(design, blocks.clip(max=1), rts, received, START), abs=1e-5
        )
        assert pace.is_too_fast == (excess > TOLERANCE)


def test_a_program_that_walks_through_gets_no_code_and_no_place(laboratory, clock):
    bot = Visitor(laboratory, clock)
    clock[0] += 3.0
    bot.send(range(bot.n), rt=0.001)
    ended = bot.finish()
    assert ended.withheld
    with laboratory.reading() as connection:
        assert laboratory.taken(connection) == 0
    row = progress_of(laboratory)["list"][0]
    assert (row["withheld"], row["elapsed"]) == (True, pytest.approx(3.0))
    assert row["claimed"] == pytest.approx(16 * 1.0 + 24 * 0.6 + 40 * 0.001 - 0.6)
    assert response_times(laboratory)["rows"] == []
    frame = frame_of(laboratory)
    assert frame["too_fast"].all()
    assert frame["claimed_seconds"].iloc[0] == pytest.approx(row["claimed"])
    assert Visitor(laboratory, clock).name != bot.name  # the study's only place is still there


def test_neither_waiting_at_the_end_nor_one_trial_left_over_helps(laboratory, clock):
    bot = Visitor(laboratory, clock)
    clock[0] += 2.0
    bot.send(range(bot.n - 1))
    clock[0] += 3600.0
    bot.send([bot.n - 1])
    assert bot.finish().withheld


def test_a_session_that_is_not_finished_is_flagged_too(laboratory, clock):
    Visitor(laboratory, clock).send(range(30))
    frame = frame_of(laboratory)
    assert frame["too_fast"].all()
    assert pd.isna(frame["finished"]).all()


@pytest.mark.parametrize("rt", [0.25, 1.9])
def test_people_who_were_there_are_counted(laboratory, clock, rt):
    """Trial after trial, as fast as the page goes."""
    person = Visitor(laboratory, clock)
    for k in range(person.n):
        clock[0] += 0.4 + rt + (0.6 if k < 16 else 0.2)
        person.send([k], rt)
    assert not person.finish().withheld
    assert not frame_of(laboratory)["too_fast"].any()


def test_a_burst_after_a_lost_connection_is_honest(laboratory, clock):
    person = Visitor(laboratory, clock)
    clock[0] += 5.0
    person.send(range(2))
    clock[0] += 38 * 1.5
    person.send(range(2, person.n))  # all at one moment, after the time that they took
    person.send(range(person.n))  # and again, since the answer was lost
    assert not person.finish().withheld


def test_a_reload_and_a_night_between_are_honest(laboratory, clock):
    person = Visitor(laboratory, clock)
    clock[0] += 20 * 1.5
    person.send(range(20))
    laboratory.session(person.name, person.token)
    clock[0] += 8 * 3600.0 + 20 * 1.1
    person.send(range(20, person.n))
    assert not person.finish().withheld


def test_a_clock_that_was_set_back_is_held_against_nobody(laboratory, clock):
    person = Visitor(laboratory, clock)
    clock[0] -= 3600.0
    person.send(range(person.n))
    assert not person.finish().withheld


def test_a_researcher_accepts_what_was_withheld(lab_client, laboratory):
    bot = ParticipantPage(lab_client)
    ended = bot.all_of_it().json()
    assert (ended["withheld"], ended["completion_code"], ended["redirect"]) == (True, None, None)
    assert ended["results"]
    assert bot.post("finish").json() == ended
    mine = {"authorization": f"Bearer {laboratory.make_key().result()}"}
    address = "/api/v1/researcher/participants/accept"
    for changed in (1, 0):
        answer = lab_client.post(address, json={"sessions": [bot.name]}, headers=mine)
        assert answer.json() == {"changed": changed}
    again = bot.post("finish").json()
    assert (again["withheld"], again["completion_code"]) == (False, "DONE")
    assert again["redirect"] == "https://pay.example.org/?cc=DONE"
    assert lab_client.get("/api/v1/lab/design").json()["door"] == "full"
    assert replace(laboratory.session(bot.name, bot.begun["token"])).withheld is False
