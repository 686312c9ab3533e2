"""Sessions: a participant begins, resumes, sends trials, finishes.

A session knows its own design: when the researcher mends the file and starts the server again,
those who have begun go on with what they began.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine

from popout.experiment import ExperimentDesign, plan_trials
from popout.experiment.design import design_from
from popout.experiment.trials import PlannedTrial
from popout.task import Faults
from popout.task.document import Document
from popout.web.lab.records import Screen, TrialRecord
from popout.web.lab.storage import EXPERIMENTS, KEYS, PARTICIPANTS, TRIALS
from popout.web.lab.tokens import digest_of, is_token, new_token, token_for
from popout.web.lab.writer import Writer

T = TypeVar("T")
RESEARCHER = "researcher"
PLANS = 1000
"""Participants whose lists of trials are kept in memory, some 250 kB each."""


class NotAllowedError(Exception):
    """Something that is not possible now, or not any more.

    Parameters
    ----------
    expected, got, remedy : str
    **more
        Further content of the answer.
    """

    def __init__(self, expected: str, got: str, remedy: str, **more: Any) -> None:
        super().__init__(expected)
        self.expected, self.got, self.remedy, self.more = expected, got, remedy, more


class StrangerError(Exception):
    """No such session, or not with this token."""


@dataclass(frozen=True)
class Session:
    """A participant's session.

    Attributes
    ----------
    id : int
        Of the participant in the tables.
    name : str
        Of the session, in addresses.
    number : int
        Of the participant, from 1.
    design : ExperimentDesign
    experiment : int
        Of the design in the tables.
    finished : float or None
    """

    id: int
    name: str
    number: int
    design: ExperimentDesign
    experiment: int
    finished: float | None = None


class Laboratory:
    """An experiment that is served.

    Parameters
    ----------
    design : ExperimentDesign
    engine : Engine
        With the tables of `storage`.
    """

    def __init__(self, design: ExperimentDesign, engine: Engine) -> None:
        self.design = design
        self.engine = engine
        self.writer = Writer(engine)
        self._insert = sqlite.insert if engine.dialect.name == "sqlite" else postgresql.insert
        self.experiment: int = self.writer.submit(self._enter_design).result()

    def close(self) -> None:
        """Write what waits, and close the database."""
        self.writer.close()
        self.engine.dispose()

    def _enter_design(self, connection: Connection) -> int:
        text = json.dumps(self.design.as_dict(), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        row = {
            "digest": digest,
            "title": self.design.title,
            "design": text,
            "created": time.time(),
            "last_number": 0,
        }
        connection.execute(self._insert(EXPERIMENTS).values(row).on_conflict_do_nothing())
        wanted = sa.select(EXPERIMENTS.c.id).where(EXPERIMENTS.c.digest == digest)
        return int(connection.execute(wanted).scalar_one())

    # -- the researcher's key ---------------------------------------------------------------------

    def make_key(self, renew: bool = False) -> str | None:
        """Make the researcher's token, unless there is one; it is returned this once.

        Parameters
        ----------
        renew : bool
            Make another in place of one that is there.
        """
        token = new_token()

        def write(connection: Connection) -> bool:
            if renew:
                connection.execute(sa.delete(KEYS).where(KEYS.c.name == RESEARCHER))
            row = {"name": RESEARCHER, "digest": digest_of(token)}
            insert = self._insert(KEYS).values(row).on_conflict_do_nothing()
            return connection.execute(insert.returning(KEYS.c.name)).scalar() is not None

        return token if self.writer.submit(write).result() else None

    def is_researcher(self, token: str) -> bool:
        """Whether this is the researcher's token."""
        wanted = sa.select(KEYS.c.digest).where(KEYS.c.name == RESEARCHER)
        with self.reading() as connection:
            digest = connection.execute(wanted).scalar()
        return digest is not None and is_token(token, digest)

    def reading(self) -> Any:
        """Return a transaction that reads."""
        return self.engine.execution_options(reads=True).begin()

    # -- participants -----------------------------------------------------------------------------

    def begin(
        self, parameters: Mapping[str, str], key: str | None = None
    ) -> Future[tuple[Session, str]]:
        """Begin a session, and return it with its token.

        Parameters
        ----------
        parameters : mapping of str to str
            Of the link.
        key : str, optional
            Made at random by the page. An answer may get lost on its way: who comes with the same
            key again gets the same session.
        """
        token = new_token() if key is None else token_for(key)
        name, key_digest = f"p_{secrets.token_hex(8)}", None if key is None else digest_of(key)
        identity = parameters.get(self.design.participant_parameter)

        def write(connection: Connection) -> tuple[Session, str]:
            mine = PARTICIPANTS.c.key_digest == key_digest
            begun = sa.select(PARTICIPANTS.c.session).where(mine)
            known = None if key is None else connection.execute(begun).scalar()
            if known is not None:
                return self.session(known, token, connection), token
            if self.is_full(connection):
                got, remedy = "one that is full", "thank you for your interest"
                raise NotAllowedError("an experiment with room", got, remedy, reason="full")
            same = sa.select(sa.func.count()).where(PARTICIPANTS.c.identity == identity)
            before = connection.execute(same).scalar_one() if identity else 0
            if before and not self.design.repeat_visits:
                got, remedy = "someone who has been here", "go on in the browser in which you began"
                raise NotAllowedError("someone new", got, remedy, reason="returned")
            number = connection.execute(
                sa.update(EXPERIMENTS)
                .where(EXPERIMENTS.c.id == self.experiment)
                .values(last_number=EXPERIMENTS.c.last_number + 1)
                .returning(EXPERIMENTS.c.last_number)
            ).scalar_one()
            row = {
                "session": name,
                "token_digest": digest_of(token),
                "key_digest": key_digest,
                "experiment": self.experiment,
                "number": number,
                "identity": identity,
                "visit": before + 1,
                "parameters": json.dumps(parameters, sort_keys=True),
                "started": time.time(),
            }
            made = connection.execute(sa.insert(PARTICIPANTS).values(row))
            id = made.inserted_primary_key
            assert id is not None
            return Session(int(id[0]), name, int(number), self.design, self.experiment), token

        return self.writer.submit(write)

    def is_full(self, connection: Connection | None = None) -> bool:
        """Whether the design that is served has no place left."""
        if connection is None:
            with self.reading() as own:
                return self.is_full(own)
        others = PARTICIPANTS.c.experiment == self.experiment
        n: int = connection.execute(sa.select(sa.func.count()).where(others)).scalar_one()
        return n >= self.design.participants

    def session(self, name: str, token: str, connection: Connection | None = None) -> Session:
        """Return a session to whoever has its token.

        Raises
        ------
        StrangerError
        """
        if connection is None:
            with self.reading() as own:
                return self.session(name, token, own)
        row = connection.execute(
            sa.select(PARTICIPANTS, EXPERIMENTS.c.design)
            .join(EXPERIMENTS, EXPERIMENTS.c.id == PARTICIPANTS.c.experiment)
            .where(PARTICIPANTS.c.session == name[:40])
        ).first()
        # A session that does not exist takes as long as a wrong token.
        if not is_token(token, row.token_digest if row else "") or row is None:
            raise StrangerError
        design = _design(row.design)
        return Session(row.id, row.session, row.number, design, row.experiment, row.finished)

    def stored(self, session: Session) -> list[int]:
        """Return the indices of the trials that are stored."""
        mine = TRIALS.c.participant == session.id
        with self.reading() as connection:
            indices = sa.select(TRIALS.c.index).where(mine).order_by(TRIALS.c.index)
            return list(connection.execute(indices).scalars())

    def store(self, name: str, token: str, records: Sequence[TrialRecord]) -> Future[list[int]]:
        """Store trials; the result is there when they are on the disk.

        Parameters
        ----------
        name, token : str
            Of the session.
        records : sequence of TrialRecord
            All of which must be of the session.
        """

        def write(connection: Connection) -> list[int]:
            session = self.session(name, token, connection)
            rows = _rows(session, records)
            # One statement for each: PostgreSQL refuses two of one index in a single one.
            connection.execute(self._insert(TRIALS).on_conflict_do_nothing(), rows)
            return [record.index for record in records]

        return self.writer.submit(write)

    def set_screen(self, name: str, token: str, screen: Screen) -> Future[None]:
        """Store what the screen is like."""

        def write(connection: Connection) -> None:
            session = self.session(name, token, connection)
            mine = PARTICIPANTS.c.id == session.id
            text = json.dumps(screen.model_dump(), sort_keys=True)
            connection.execute(sa.update(PARTICIPANTS).where(mine).values(screen=text))

        return self.writer.submit(write)

    def finish(self, name: str, token: str) -> Future[Session]:
        """End a session, once all of its trials are stored."""

        def write(connection: Connection) -> Session:
            session = self.session(name, token, connection)
            mine = TRIALS.c.participant == session.id
            n = connection.execute(sa.select(sa.func.count()).where(mine)).scalar_one()
            missing = session.design.n_trials - n
            if missing:
                remedy = "send the trials that are missing first"
                raise NotAllowedError("all trials", f"{n} of them", remedy, missing=missing)
            if session.finished is None:
                connection.execute(
                    sa.update(PARTICIPANTS)
                    .where(PARTICIPANTS.c.id == session.id)
                    .values(finished=time.time())
                )
            return session

        return self.writer.submit(write)

    def delete(self, name: str, token: str | None = None) -> Future[bool]:
        """Delete a participant and all of their trials; False if there is none.

        Parameters
        ----------
        name : str
        token : str, optional
            Of the session, where it is its own participant who asks.
        """

        def write(connection: Connection) -> bool:
            if token is not None:
                self.session(name, token, connection)
            mine = PARTICIPANTS.c.session == name[:40]
            id = connection.execute(sa.select(PARTICIPANTS.c.id).where(mine)).scalar()
            if id is None:
                return False
            connection.execute(sa.delete(TRIALS).where(TRIALS.c.participant == id))
            connection.execute(sa.delete(PARTICIPANTS).where(PARTICIPANTS.c.id == id))
            return True

        return self.writer.submit(write)

    def empty_log(self) -> None:
        """Write SQLite's log back, so that what was deleted is nowhere any more."""
        if self.engine.dialect.name == "sqlite":
            raw = self.engine.raw_connection()
            try:
                raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
            finally:
                raw.close()


@lru_cache(maxsize=16)
def _design(text: str) -> ExperimentDesign:
    return design_from(Document(json.loads(text), {}))


@lru_cache(maxsize=PLANS)
def planned(design: ExperimentDesign, number: int) -> tuple[PlannedTrial, ...]:
    """Return the trials of a participant, who will ask for one after the other."""
    return plan_trials(design, number)


def _rows(session: Session, records: Sequence[TrialRecord]) -> list[dict[str, Any]]:
    trials = planned(session.design, session.number)
    faults = Faults("")
    for k, record in enumerate(records):
        if record.index >= len(trials):
            path, expected = ("trials", k, "index"), f"an index below {len(trials)}"
            faults.add(path, expected, record.index, "count from 0")
    faults.raise_if_any()
    now = time.time()
    rows = []
    for record in records:
        trial = trials[record.index]
        said = {None: None, "present": True, "absent": False}[record.response]
        rows.append(
            {
                "participant": session.id,
                **record.model_dump(),
                "block": trial.block,
                "practice": trial.practice,
                "set_size": trial.set_size,
                "present": trial.present,
                "target_place": None if trial.target is None else trial.items[trial.target].place,
                "items": json.dumps([item.as_dict() for item in trial.items]),
                "correct": said is not None and said == trial.present,
                "received": now,
            }
        )
    return rows
