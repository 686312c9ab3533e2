"""Progress and response times so far, for the researcher; a participant's own results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import sqlalchemy as sa

from popout.web.lab.laboratory import Laboratory, Session
from popout.web.lab.storage import PARTICIPANTS, TRIALS

if TYPE_CHECKING:
    import pandas as pd

LISTED = 1000
BINS = 40
CELL = ["set_size", "present"]


def progress_of(laboratory: Laboratory) -> dict[str, Any]:
    """Return who takes part, and how far they are."""
    P, T, count = PARTICIPANTS.c, TRIALS.c, sa.func.count
    secret = laboratory.design.entry.secret
    tallies = (
        sa.select(
            T.participant,
            count().label("trials"),
            sa.func.max(T.received).label("last"),
            count(T.response).label("answered"),
            count(T.response).filter(T.correct.is_(False)).label("wrong"),
            sa.func.sum(T.dropped_frames).label("dropped"),
            count().filter(T.is_check).label("checks"),
            count().filter(T.is_check, T.correct.is_(False)).label("checks_failed"),
        )
        .group_by(T.participant)
        .subquery()
    )
    latest = (
        sa.select(PARTICIPANTS, tallies)
        .join(tallies, tallies.c.participant == P.id, isouter=True)
        .where(P.study == laboratory.study)
        .order_by(P.id.desc())
        .limit(LISTED)
    )
    with laboratory.reading() as connection:
        rows = connection.execute(latest).mappings().all()
        ours = PARTICIPANTS.c.study == laboratory.study
        numbers = sa.select(count(P.id), count(P.finished)).where(ours)
        everybody, finished = connection.execute(numbers).one()
        made = sa.select(count()).select_from(TRIALS.join(PARTICIPANTS)).where(ours)
        trials = connection.execute(made).scalar_one()
        taken, door = laboratory.taken(connection), laboratory.door(secret, connection)
        listed = T.participant.in_([row["id"] for row in rows])
    times = laboratory.frame(sa.select(T.participant, T.rt).where(listed, T.rt.is_not(None)))
    medians = times.groupby("participant")["rt"].median()
    copied = ("session", "number", "visit", "started", "finished", "last", "released",
              "withheld", "claimed", "elapsed")  # fmt: skip
    return {
        "title": laboratory.design.title,
        "study": laboratory.design.name,
        "door": door,
        "taken": taken,
        "participants": everybody,
        "finished": finished,
        "trials": trials,
        "n_trials": laboratory.design.n_trials,
        "most": laboratory.design.participants,
        "list": [
            {
                **{name: row[name] for name in copied},
                "parameters": json.loads(row["parameters"]),
                "trials": row["trials"] or 0,
                "error_rate": row["wrong"] / row["answered"] if row["answered"] else None,
                "median_rt": medians.get(row["id"]),
                "dropped_frames": int(row["dropped"] or 0),
                **{name: row[name] or 0 for name in ("checks", "checks_failed")},
            }
            for row in rows
        ],
    }


def response_times(laboratory: Laboratory) -> dict[str, Any]:
    """Return response times and errors so far, without practice and sessions that are withheld."""
    T = TRIALS.c
    wanted = (
        sa.select(T.block, T.set_size, T.present, T.correct, T.rt)
        .join(PARTICIPANTS, PARTICIPANTS.c.id == T.participant)
        .where(
            PARTICIPANTS.c.experiment == laboratory.experiment,
            T.practice.is_(False),
            T.response.is_not(None),
            ~PARTICIPANTS.c.withheld,
        )
    )
    frame = laboratory.frame(wanted)
    top = float(frame["rt"].quantile(0.995)) if len(frame) else laboratory.design.timing.time_limit
    edges = np.linspace(0.0, max(top, 0.1), BINS + 1)
    rows = []
    for key, cell in frame.groupby(["block", *CELL]):
        block, size, present = cast("tuple[Any, ...]", key)
        right = cell["correct"].astype(bool)
        rows.append(
            {
                "block": laboratory.design.blocks[int(block)].name,
                "set_size": int(size),
                "present": bool(present),
                **_measures(cell),
                "counts": {
                    "correct": np.histogram(cell["rt"][right], edges)[0],
                    "error": np.histogram(cell["rt"][~right], edges)[0],
                },
            }
        )
    return {"edges": edges, "rows": rows}


def _measures(cell: pd.DataFrame) -> dict[str, Any]:
    return {
        "trials": len(cell),
        "error_rate": 1.0 - float(cell["correct"].mean()),
        "mean_rt": float(cell["rt"].mean()),
        "median_rt": float(cell["rt"].median()),
    }


def own_results(laboratory: Laboratory, session: Session) -> dict[str, Any]:
    """Return what a participant did, by set size and class, and the points they won."""
    T = TRIALS.c
    wanted = sa.select(T.block, T.set_size, T.present, T.correct, T.response, T.rt)
    frame = _counted(laboratory, session, wanted)
    answered = frame[frame["response"].notna()]
    rows = [
        {**dict(zip(CELL, cast("tuple[Any, ...]", key), strict=True)), **_measures(cell)}
        for key, cell in answered.groupby(CELL)
    ]
    return {"results": rows, "points": round(_points(session, frame))}


def points_so_far(laboratory: Laboratory, session: Session) -> float:
    """Return the points that a participant has won, without practice."""
    T = TRIALS.c
    wanted = sa.select(T.block, T.present, T.correct, T.rt)
    return _points(session, _counted(laboratory, session, wanted))


def _counted(laboratory: Laboratory, session: Session, wanted: sa.Select[Any]) -> pd.DataFrame:
    """Return what is wanted of a participant's trials, without practice."""
    own = TRIALS.c.participant == session.id, TRIALS.c.practice.is_(False)
    return laboratory.frame(wanted.where(*own))


def _points(session: Session, frame: pd.DataFrame) -> float:
    """Return the points of all trials; one that came too late costs its time and an error."""
    design, total = session.design, 0.0
    for k, block in enumerate(design.blocks):
        trials = frame[frame["block"] == k]
        points = design.block_points(block)
        wrong = np.where(trials["present"].astype(bool), points["miss"], points["false_alarm"])
        outcome = np.where(trials["correct"].astype(bool), points["correct"], wrong)
        seconds = trials["rt"].fillna(design.timing.time_limit)
        total += float(np.sum(outcome + points["second"] * seconds))
    return total
