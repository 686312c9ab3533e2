"""Sessions: a participant begins, resumes, sends trials, finishes.

A session knows its own design: when the researcher mends the file and starts the server again,
those who have begun go on with what they began. Designs of one name are one study: its places, its
numbers of participants and the visits of a person are counted together.

A place is taken by whoever has finished, or takes part and was heard of lately
(`popout.experiment.entry`); a researcher may release it. Who finished faster than trials can be
done (`popout.web.lab.pace`) has no place and gets no code, until a researcher accepts it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine

from popout.experiment import ExperimentDesign, plan_trials
from popout.experiment.design import design_from
from popout.experiment.entry import BEFORE_TRIALS, LINK
from popout.experiment.trials import PlannedTrial
from popout.task import Faults
from popout.task.document import Document
from popout.web.lab.pace import Pace
from popout.web.lab.records import Screen, TrialRecord
from popout.web.lab.storage import EXPERIMENTS, KEYS, PARTICIPANTS, STUDIES, TRIALS
from popout.web.lab.tokens import digest_of, is_token, new_token, token_for
from popout.web.lab.writer import Writer

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
P = ParamSpec("P")
RESEARCHER = "researcher"
PLANS = 1000
"""Participants whose lists of trials are kept in memory, some 250 kB each."""


FRAME = 0.1
"""Seconds that an answer may come after the time limit: the page looks once a frame."""


class Door(StrEnum):
    """Whether somebody new may come in."""

    OPEN = "open"
    FULL = "full"
    PAUSED = "paused"
    LINK = "link"


NOT_OPEN = {
    Door.FULL: ("an experiment with room", "one that is full", "thank you for your interest"),
    Door.PAUSED: ("an experiment that runs", "one that pauses", "come back later"),
    Door.LINK: ("the whole link", "one without its secret", "use the link that you were given"),
}


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
    withheld : bool
        Whether it does not count, and has no code, since it was faster than trials can be done.
    """

    id: int
    name: str
    number: int
    design: ExperimentDesign
    experiment: int
    finished: float | None = None
    withheld: bool = False


def written(
    write: Callable[Concatenate[Laboratory, Connection, P], T],
) -> Callable[Concatenate[Laboratory, P], Future[T]]:
    """Make a method that writes one whose result is there when it is on the disk."""

    @wraps(write)
    def submit(lab: Laboratory, /, *args: P.args, **settings: P.kwargs) -> Future[T]:
        return lab.writer.submit(lambda connection: write(lab, connection, *args, **settings))

    return submit


class Laboratory:
    """An experiment that is served.

    Parameters
    ----------
    design : ExperimentDesign
    engine : Engine
        With the tables of `storage`.
    writer : Writer, optional
        That of another study in the same database.
    """

    def __init__(
        self, design: ExperimentDesign, engine: Engine, writer: Writer | None = None
    ) -> None:
        self.design = design
        self.engine = engine
        self.writer = writer or Writer(engine)
        self._insert = sqlite.insert if engine.dialect.name == "sqlite" else postgresql.insert
        self.study, self.experiment = self._enter_design().result()

    def close(self) -> None:
        """Write what waits, and close the database."""
        self.writer.close()
        self.engine.dispose()

    @written
    def _enter_design(self, connection: Connection) -> tuple[int, int]:
        """Return the numbers of the study and of its design in the tables."""
        study = {"name": self.design.name, "last_number": 0, "paused": False}
        connection.execute(self._insert(STUDIES).values(study).on_conflict_do_nothing())
        named = sa.select(STUDIES.c.id).where(STUDIES.c.name == self.design.name)
        at = int(connection.execute(named).scalar_one())
        text = json.dumps(self.design.as_dict(), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        row = {"study": at, "digest": digest, "title": self.design.title, "design": text}
        new = self._insert(EXPERIMENTS).values(**row, created=time.time())
        connection.execute(new.on_conflict_do_nothing())
        wanted = sa.select(EXPERIMENTS.c.id).where(EXPERIMENTS.c.digest == digest)
        return at, int(connection.execute(wanted).scalar_one())

    # -- the researcher's key ---------------------------------------------------------------------

    @written
    def make_key(self, connection: Connection, renew: bool = False) -> str | None:
        """Make the researcher's token, unless there is one; it is returned this once.

        Parameters
        ----------
        connection : Connection
        renew : bool
            Make another in place of one that is there.
        """
        if renew:
            connection.execute(sa.delete(KEYS).where(KEYS.c.name == RESEARCHER))
        token = new_token()
        row = {"name": RESEARCHER, "digest": digest_of(token)}
        insert = self._insert(KEYS).values(row).on_conflict_do_nothing()
        is_new = connection.execute(insert.returning(KEYS.c.name)).scalar() is not None
        return token if is_new else None

    def is_researcher(self, token: str) -> bool:
        """Whether this is the researcher's token."""
        wanted = sa.select(KEYS.c.digest).where(KEYS.c.name == RESEARCHER)
        with self.reading() as connection:
            digest = connection.execute(wanted).scalar()
        return digest is not None and is_token(token, digest)

    # -- what is stored ---------------------------------------------------------------------------

    def reading(self) -> Any:
        """Return a transaction that reads."""
        return self.engine.execution_options(reads=True).begin()

    def frame(self, wanted: sa.Select[Any]) -> pd.DataFrame:
        """Return the rows of a query."""
        import pandas as pd  # heavy, and not needed before somebody asks

        with self.reading() as connection:
            rows = connection.execute(wanted)
            return pd.DataFrame(rows.all(), columns=list(rows.keys()))

    def designs(self) -> dict[int, ExperimentDesign]:
        """Return every design of the study, by its number."""
        wanted = sa.select(EXPERIMENTS.c.id, EXPERIMENTS.c.design)
        with self.reading() as connection:
            rows = connection.execute(wanted.where(EXPERIMENTS.c.study == self.study)).all()
        return {int(id): _design(text) for id, text in rows}

    # -- participants -----------------------------------------------------------------------------

    @written
    def begin(
        self, connection: Connection, parameters: Mapping[str, str], key: str | None = None
    ) -> tuple[Session, str]:
        """Begin a session, and return it with its token.

        Parameters
        ----------
        connection : Connection
        parameters : mapping of str to str
            Of the link.
        key : str, optional
            Made at random by the page. An answer may get lost on its way: who comes with the same
            key again gets the same session.
        """
        token, key_digest = new_token(), None
        if key is not None:
            token, key_digest = token_for(key), digest_of(key)
            begun = sa.select(PARTICIPANTS.c.session).where(PARTICIPANTS.c.key_digest == key_digest)
            known = connection.execute(begun).scalar()
            if known is not None:
                return self.session(known, token, connection), token
        door = self.door(parameters.get(LINK, ""), connection)
        if door is not Door.OPEN:
            raise NotAllowedError(*NOT_OPEN[door], reason=str(door))
        identity = parameters.get(self.design.participant_parameter)
        # First of all: whoever admits somebody to this study at the same time waits here for us.
        ours = sa.update(STUDIES).where(STUDIES.c.id == self.study)
        counted = ours.values(last_number=STUDIES.c.last_number + 1).returning(
            STUDIES.c.last_number
        )
        number = connection.execute(counted).scalar_one()
        now = time.time()
        row = {
            "session": f"p_{secrets.token_hex(8)}",
            "token_digest": digest_of(token),
            "key_digest": key_digest,
            "study": self.study,
            "experiment": self.experiment,
            "identity": identity,
            "visit": self._visit(connection, identity),
            "number": number,
            "parameters": json.dumps(
                {name: value for name, value in parameters.items() if name != LINK}, sort_keys=True
            ),
            "started": now,
            "seen": now,
            "has_trials": False,
            "released": False,
            "withheld": False,
        }
        connection.execute(sa.insert(PARTICIPANTS).values(row))
        return self.session(row["session"], token, connection), token

    def _visit(self, connection: Connection, identity: str | None) -> int:
        """Return which visit this is, from 1, or refuse it; the study's row is ours by now."""
        if self.taken(connection) >= self.design.participants:
            raise NotAllowedError(*NOT_OPEN[Door.FULL], reason=str(Door.FULL))
        P = PARTICIPANTS.c
        last = sa.select(sa.func.max(P.visit)).where(P.study == self.study, P.identity == identity)
        before = (connection.execute(last).scalar() or 0) if identity else 0
        if before and not self.design.repeat_visits:
            got, remedy = "someone who has been here", "go on in the browser in which you began"
            raise NotAllowedError("someone new", got, remedy, reason="returned")
        return before + 1

    def door(self, secret: str = "", connection: Connection | None = None) -> Door:
        """Return whether somebody new may come in, who has this secret."""
        if connection is None:
            with self.reading() as own:
                return self.door(secret, own)
        wanted = self.design.entry.secret
        if wanted and not hmac.compare_digest(wanted.encode(), secret.encode("utf-8", "replace")):
            return Door.LINK
        paused = sa.select(STUDIES.c.paused).where(STUDIES.c.id == self.study)
        if connection.execute(paused).scalar_one():
            return Door.PAUSED
        return Door.FULL if self.taken(connection) >= self.design.participants else Door.OPEN

    def taken(self, connection: Connection) -> int:
        """Return how many places of the study are taken."""
        P, now = PARTICIPANTS.c, time.time()
        lately = P.seen > now - 60.0 * self.design.entry.hold
        begun = P.has_trials | (P.seen > now - 60.0 * BEFORE_TRIALS)
        is_here = ~P.withheld & (P.finished.is_not(None) | (lately & begun))
        counted = sa.select(sa.func.count()).where(P.study == self.study, ~P.released, is_here)
        return int(connection.execute(counted).scalar_one())

    @written
    def pause(self, connection: Connection, paused: bool) -> None:
        """Let nobody new in, or let them in again; those who have begun go on."""
        ours = sa.update(STUDIES).where(STUDIES.c.id == self.study)
        connection.execute(ours.values(paused=paused))

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
        known = row.id, row.session, row.number, design, row.experiment
        return Session(*known, row.finished, row.withheld)

    def stored(self, session: Session) -> list[int]:
        """Return the indices of the trials that are stored."""
        mine = TRIALS.c.participant == session.id
        with self.reading() as connection:
            indices = sa.select(TRIALS.c.index).where(mine).order_by(TRIALS.c.index)
            return list(connection.execute(indices).scalars())

    @written
    def store(
        self, connection: Connection, name: str, token: str, records: Sequence[TrialRecord]
    ) -> list[int]:
        """Store trials; the result is there when they are on the disk.

        Parameters
        ----------
        connection : Connection
        name, token : str
            Of the session.
        records : sequence of TrialRecord
            All of which must be of the session.
        """
        session = self.session(name, token, connection)
        rows = _rows(session, records)
        # One statement for each: PostgreSQL refuses two of one index in a single one.
        connection.execute(self._insert(TRIALS).on_conflict_do_nothing(), rows)
        self._note(connection, session, seen=time.time(), has_trials=True)
        return [record.index for record in records]

    @written
    def set_screen(self, connection: Connection, name: str, token: str, screen: Screen) -> None:
        """Store what the screen is like."""
        text = json.dumps(screen.model_dump(), sort_keys=True)
        session = self.session(name, token, connection)
        self._note(connection, session, screen=text, seen=time.time())

    @written
    def finish(self, connection: Connection, name: str, token: str) -> Session:
        """End a session, once all of its trials are stored; see whether it can have happened."""
        session = self.session(name, token, connection)
        mine = TRIALS.c.participant == session.id
        n = connection.execute(sa.select(sa.func.count()).where(mine)).scalar_one()
        missing = session.design.n_trials - n
        if missing:
            remedy = "send the trials that are missing first"
            raise NotAllowedError("all trials", f"{n} of them", remedy, missing=missing)
        if session.finished is not None:
            return session
        T, P = TRIALS.c, PARTICIPANTS.c
        rows = connection.execute(sa.select(T.block, T.rt, T.received).where(mine)).all()
        began = connection.execute(sa.select(P.started).where(P.id == session.id)).scalar_one()
        blocks, rts, received = zip(*rows, strict=True)
        pace = Pace.of(session.design, blocks, rts, received, began)
        facts = {"withheld": pace.is_too_fast, "claimed": pace.claimed, "elapsed": pace.elapsed}
        now = time.time()
        self._note(connection, session, finished=now, **facts)
        return replace(session, finished=now, withheld=pace.is_too_fast)

    def redirect(self, session: Session) -> str | None:
        """Return where a participant goes at the end, with the parameters of their link in it."""
        wanted = sa.select(PARTICIPANTS.c.parameters).where(PARTICIPANTS.c.id == session.id)
        with self.reading() as connection:
            parameters = json.loads(connection.execute(wanted).scalar() or "{}")

        def filled(name: re.Match[str]) -> str:
            return quote(parameters.get(name[1], ""), safe="")

        return re.sub(r"\{([A-Za-z0-9_.-]+)\}", filled, session.design.redirect) or None

    def _note(self, connection: Connection, session: Session, **values: Any) -> None:
        mine = PARTICIPANTS.c.id == session.id
        connection.execute(sa.update(PARTICIPANTS).where(mine).values(values))

    @written
    def withdraw(self, connection: Connection, name: str, token: str) -> None:
        """Delete a participant, who asks for it."""
        mine = PARTICIPANTS.c.id == self.session(name, token, connection).id
        connection.execute(sa.delete(PARTICIPANTS).where(mine))

    @written
    def delete(self, connection: Connection, names: Sequence[str]) -> int:
        """Delete participants of the study and all of their trials; return how many there were."""
        return connection.execute(sa.delete(PARTICIPANTS).where(self._named(names))).rowcount

    @written
    def release(self, connection: Connection, names: Sequence[str]) -> int:
        """Give the places of participants to others; what they did stays."""
        freed = sa.update(PARTICIPANTS).where(self._named(names)).values(released=True)
        return connection.execute(freed).rowcount

    @written
    def accept(self, connection: Connection, names: Sequence[str]) -> int:
        """Count sessions that were withheld after all, and let them have their code."""
        ours = self._named(names) & PARTICIPANTS.c.withheld
        return connection.execute(
            sa.update(PARTICIPANTS).where(ours).values(withheld=False)
        ).rowcount

    def _named(self, names: Sequence[str]) -> sa.ColumnElement[bool]:
        return PARTICIPANTS.c.session.in_(names) & (PARTICIPANTS.c.study == self.study)

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
    faults, limit = Faults(""), session.design.timing.time_limit
    for k, record in enumerate(records):
        if record.index >= len(trials):
            path, expected = ("trials", k, "index"), f"an index below {len(trials)}"
            faults.add(path, expected, record.index, "count from 0")
        if record.rt is not None and record.rt > limit + FRAME:
            path, expected = ("trials", k, "rt"), f"at most {limit:g} s, the time limit"
            faults.add(path, expected, record.rt, "what comes later is no answer")
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
                "is_check": trial.is_check,
                "set_size": trial.set_size,
                "present": trial.present,
                "target_place": None if trial.target is None else trial.items[trial.target].place,
                "items": json.dumps([item.as_dict() for item in trial.items]),
                "correct": said is not None and said == trial.present,
                "received": now,
            }
        )
    return rows
