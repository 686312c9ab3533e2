"""Sessions in SQLite and PostgreSQL: stored once, resumed, finished, deleted."""

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from popout.experiment import Block, plan_trials
from popout.experiment.entry import Entry
from popout.web.lab.laboratory import Door, Laboratory, NotAllowedError, StrangerError
from popout.web.lab.records import Screen, TrialRecord
from popout.web.lab.storage import METADATA, PARTICIPANTS, TRIALS, database_url, open_database


@pytest.fixture(params=["sqlite", "postgres"])
def lab(request, design, tmp_path):
    data = tmp_path if request.param == "sqlite" else request.getfixturevalue("postgres")
    engine = open_database(database_url(data))
    with engine.begin() as connection:
        for table in reversed(METADATA.sorted_tables):
            connection.execute(sa.delete(table))
    made = Laboratory(design, engine)
    yield made
    made.close()


def records(*indices, said="present", rt=0.5):
    return [TrialRecord(index=k, response=said, rt=rt) for k in indices]


def rows(lab):
    with lab.reading() as connection:
        return connection.execute(sa.select(TRIALS).order_by(TRIALS.c.index)).mappings().all()


def test_a_trial_is_stored_with_its_display_and_judged(lab, design):
    session, token = lab.begin({}).result()
    lab.store(session.name, token, records(*range(16))).result()
    for row, planned in zip(rows(lab), plan_trials(design, session.number), strict=True):
        assert row["set_size"] == planned.set_size
        assert row["present"] == planned.present
        assert row["correct"] == planned.present  # for "present" was said every time
        assert row["items"].count('"place"') == planned.set_size


def test_a_repeat_is_acknowledged_and_stored_once(lab):
    session, token = lab.begin({}).result()
    assert lab.store(session.name, token, records(0, 1)).result() == [0, 1]
    again = lab.store(session.name, token, records(1, 2, 2, said="absent", rt=0.7)).result()
    assert again == [1, 2, 2]
    assert [(row["index"], row["response"], row["rt"]) for row in rows(lab)] == [
        (0, "present", 0.5),
        (1, "present", 0.5),
        (2, "absent", 0.7),
    ]
    assert lab.stored(session) == [0, 1, 2]


def test_many_at_once_are_stored_once(lab):
    people = [lab.begin({}).result() for _ in range(8)]
    assert [session.number for session, _ in people] == list(range(1, 9))

    def send(number):
        session, token = people[number % 8]
        return lab.store(session.name, token, records(number // 16)).result()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(send, range(16 * 16)))  # every trial twice
    assert len(rows(lab)) == 8 * 16


def test_only_the_token_opens_a_session(lab):
    (mine, token), (other, _) = (lab.begin({}).result() for _ in range(2))
    assert lab.session(mine.name, token).number == mine.number
    for name, key in ((other.name, token), (mine.name, ""), ("p_0", token), ("'; --", token)):
        with pytest.raises(StrangerError):
            lab.session(name, key)
        with pytest.raises(StrangerError):
            lab.store(name, key, records(0)).result()
    assert rows(lab) == []


def test_a_session_ends_when_nothing_is_missing(lab):
    session, token = lab.begin({}).result()
    lab.store(session.name, token, records(*range(15))).result()
    with pytest.raises(NotAllowedError) as early:
        lab.finish(session.name, token).result()
    assert early.value.more == {"missing": 1}
    lab.store(session.name, token, records(15)).result()
    lab.finish(session.name, token).result()
    assert lab.session(session.name, token).finished is not None


def test_whoever_asks_again_with_the_same_key_is_the_same_participant(lab, design):
    lab.design = dataclasses.replace(design, participants=2, repeat_visits=False)
    anna = {"PROLIFIC_PID": "anna"}, "a" * 22
    session, token = lab.begin(*anna).result()
    lab.store(session.name, token, records(0)).result()
    assert lab.begin(*anna).result() == (lab.session(session.name, token), token)
    other, key = lab.begin({}, "b" * 22).result()
    assert (other.number, key != token) == (session.number + 1, True)
    assert lab.begin(*anna).result()[1] == token  # although it is full by now
    with pytest.raises(NotAllowedError, match="room"):
        lab.begin({}, "c" * 22).result()


def test_an_experiment_can_be_full_and_visits_counted(lab, design):
    lab.design = dataclasses.replace(design, participants=3)
    for _ in range(2):
        lab.begin({"PROLIFIC_PID": "anna"}).result()
    with lab.reading() as connection:
        visits = connection.execute(sa.select(PARTICIPANTS.c.visit)).scalars().all()
    assert sorted(visits) == [1, 2]
    lab.design = dataclasses.replace(lab.design, repeat_visits=False)
    with pytest.raises(NotAllowedError, match="someone new"):
        lab.begin({"PROLIFIC_PID": "anna"}).result()
    lab.begin({"PROLIFIC_PID": "ben"}).result()
    with pytest.raises(NotAllowedError, match="room"):
        lab.begin({}).result()


def test_a_session_keeps_its_design_when_the_file_changes(lab, design):
    session, token = lab.begin({}).result()
    longer = dataclasses.replace(design, blocks=(*design.blocks, Block("More", 10)))
    later = Laboratory(longer, lab.engine)
    begun = later.session(session.name, token)
    assert (begun.design, begun.experiment) == (design, lab.experiment)
    assert later.begin({}).result()[0].design.n_trials == 26
    later.writer.close()


def test_a_participant_is_deleted_and_their_number_not_used_again(lab):
    (first, token_1), (second, token_2) = (lab.begin({}).result() for _ in range(2))
    for session, token in ((first, token_1), (second, token_2)):
        lab.store(session.name, token, records(0, 1)).result()
        lab.set_screen(session.name, token, Screen(width=800)).result()
    assert lab.delete([second.name]).result() == 1
    lab.empty_log()
    assert lab.delete([second.name]).result() == 0
    assert len(rows(lab)) == 2
    with pytest.raises(StrangerError):
        lab.session(second.name, token_2)
    assert lab.begin({}).result()[0].number == 3


def test_the_key_is_made_once_and_renewed_on_request(lab):
    token = lab.make_key().result()
    assert lab.is_researcher(token)
    assert lab.make_key().result() is None
    assert not lab.is_researcher(token + "x")
    assert not lab.is_researcher("")
    other = lab.make_key(renew=True).result()
    assert lab.is_researcher(other)
    assert not lab.is_researcher(token)


def test_no_secret_is_in_the_file(design, tmp_path):
    lab = Laboratory(design, open_database(database_url(tmp_path)))
    key, (session, token) = lab.make_key().result(), lab.begin({"PROLIFIC_PID": "anna"}).result()
    lab.delete([session.name]).result()
    lab.empty_log()
    lab.close()
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in (key, token, session.name, "anna"):
        assert secret.encode() not in content
    assert b"experiments" in content


def passes(lab, session, minutes):
    """Let somebody not be heard of for some minutes."""
    then = PARTICIPANTS.c.seen - 60 * minutes
    with lab.engine.begin() as connection:
        mine = sa.update(PARTICIPANTS).where(PARTICIPANTS.c.session == session.name)
        connection.execute(mine.values(seen=then))


def test_a_place_is_free_again_when_nobody_is_heard_of(lab, design):
    lab.design = dataclasses.replace(design, participants=3, entry=Entry(hold=30))
    done, at_it, left = people = [lab.begin({}).result() for _ in range(3)]
    lab.store(done[0].name, done[1], records(*range(16))).result()
    lab.finish(done[0].name, done[1]).result()
    lab.store(at_it[0].name, at_it[1], records(0)).result()
    assert lab.door() is Door.FULL
    for session, _ in people:
        passes(lab, session, 11)  # whoever has done no trial by then has not begun
    assert lab.door() is Door.OPEN
    late, _ = lab.begin({}).result()
    assert lab.door() is Door.FULL
    passes(lab, at_it[0], 20)
    assert lab.door() is Door.OPEN  # nor has been heard of for half an hour
    passes(lab, done[0], 10_000)
    lab.begin({}).result()
    assert lab.door() is Door.FULL  # whoever has finished keeps the place
    # Those who come back go on, and their place counts again.
    lab.store(at_it[0].name, at_it[1], records(1)).result()
    lab.store(left[0].name, left[1], records(0)).result()
    assert lab.release([done[0].name, late.name]).result() == 2
    assert lab.door() is Door.FULL
    assert lab.release([at_it[0].name]).result() == 1
    assert lab.door() is Door.OPEN
    assert len(rows(lab)) == 19  # of which nothing is lost


def test_a_study_pauses_and_wants_its_secret(lab, design):
    lab.design = dataclasses.replace(design, entry=Entry(secret="k7Lw"))
    for link in ({}, {"key": ""}, {"key": "k7L"}, {"key": "k7Lé"}):
        with pytest.raises(NotAllowedError, match="whole link"):
            lab.begin(link).result()
    begun, token = lab.begin({"key": "k7Lw", "PROLIFIC_PID": "anna"}).result()
    with lab.reading() as connection:
        assert connection.execute(sa.select(PARTICIPANTS.c.parameters)).scalars().all() == [
            '{"PROLIFIC_PID": "anna"}'
        ]
    lab.pause(True).result()
    assert (lab.door("k7Lw"), lab.door()) == (Door.PAUSED, Door.LINK)
    with pytest.raises(NotAllowedError, match="runs"):
        lab.begin({"key": "k7Lw"}).result()
    lab.store(begun.name, token, records(0)).result()  # whoever has begun goes on
    lab.pause(False).result()
    lab.begin({"key": "k7Lw"}).result()


def another(lab, design):
    """Return what another server has of the same database."""
    return Laboratory(design, open_database(lab.engine.url))


def test_two_servers_admit_nobody_twice_and_no_more_than_there_are_places(lab, design):
    """Twelve people at once at two servers, two of each: five places, nobody twice."""
    tight = dataclasses.replace(design, participants=5, repeat_visits=False)
    servers = [Laboratory(tight, lab.engine, lab.writer), another(lab, tight)]
    for turn in range(4):
        start, admitted, why = threading.Barrier(2), [], []

        def rush(server, turn=turn, start=start, admitted=admitted, why=why):
            start.wait()
            for person in range(12):
                try:
                    begun = server.begin({"PROLIFIC_PID": f"{turn} {person}"}).result()
                    admitted.append((person, begun[0].number))
                except NotAllowedError as no:
                    why.append(no.more["reason"])

        threads = [threading.Thread(target=rush, args=(server,)) for server in servers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        people, numbers = zip(*admitted, strict=True)
        assert len({*people}) == len({*numbers}) == len(admitted) == 5
        assert {"full"} <= {*why} <= {"full", "returned"}
        with lab.reading() as connection:
            names = connection.execute(sa.select(PARTICIPANTS.c.session)).scalars().all()
        assert servers[turn % 2].delete(names).result() == 5
    servers[1].close()


def test_the_tables_know_nobody_twice(lab):
    """Whatever a server does: a person has a visit once, and a number belongs to one."""
    lab.begin({"PROLIFIC_PID": "anna"}).result()
    with lab.reading() as connection:
        row = dict(connection.execute(sa.select(PARTICIPANTS)).mappings().one())
    row |= {"id": 99, "session": "p_another", "key_digest": None}
    for wrong in ({"number": 2}, {"visit": 2}):
        with pytest.raises(sa.exc.IntegrityError), lab.engine.begin() as connection:
            connection.execute(sa.insert(PARTICIPANTS).values({**row, **wrong}))
    with lab.engine.begin() as connection:
        connection.execute(sa.insert(PARTICIPANTS).values({**row, "number": 2, "visit": 2}))


def test_studies_of_one_database_have_their_own_counts(lab, design):
    other = dataclasses.replace(design, title="Another", participants=1, repeat_visits=False)
    elsewhere = Laboratory(other, lab.engine, lab.writer)
    mended = Laboratory(dataclasses.replace(other, debriefing="Thanks."), lab.engine, lab.writer)
    for _ in range(2):
        lab.begin({"PROLIFIC_PID": "anna"}).result()
    first, _ = elsewhere.begin({"PROLIFIC_PID": "anna"}).result()
    assert (first.number, lab.door(), elsewhere.door()) == (1, Door.OPEN, Door.FULL)
    assert mended.door() is Door.FULL  # it is the same study
    assert lab.delete([first.name]).result() == 0
    assert mended.delete([first.name]).result() == 1
    assert mended.begin({"PROLIFIC_PID": "anna"}).result()[0].number == 2
