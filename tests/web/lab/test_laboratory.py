"""Sessions in SQLite and PostgreSQL: stored once, resumed, finished, deleted."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from popout.experiment import Block, plan_trials
from popout.web.lab.laboratory import Laboratory, NotAllowedError, StrangerError
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
    assert lab.delete(second.name).result()
    lab.empty_log()
    assert not lab.delete(second.name).result()
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
    lab.delete(session.name).result()
    lab.empty_log()
    lab.close()
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in (key, token, session.name, "anna"):
        assert secret.encode() not in content
    assert b"experiments" in content
