"""What a participant's page may send."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from popout.task import InputError
from popout.task.declared import Declared, Field, Stored, optional, required
from popout.task.document import Document, DocumentFaults
from popout.task.faults import Fault, Faults, show
from popout.task.kinds import Choice, Flag, Integer, Number, Optional, Schema
from popout.task.toml import build_declared

MOST_AT_ONCE = 200
MOST_PARAMETERS = 20
LONGEST = 200
"""Characters of a parameter's name or value."""
KEY = r"[A-Za-z0-9_-]{22,64}"
"""What a page makes at random before it begins a session: 128 bits or more."""
SECONDS = Number(low=0.0, high=1e7)


def _maybe(kind: Any, words: str, unit: str = "") -> Any:
    return optional(Field(Optional(kind), words, "leave it out, or mend the page", unit, None))


class TrialRecord(Declared):
    """What happened in a trial."""

    index: Stored[int] = required(
        Field(Integer(0, 10**6), "Of the trial in the list.", "count from 0")
    )
    response: Stored[str | None] = _maybe(Choice(("present", "absent")), "None if too late.")
    rt: Stored[float | None] = _maybe(SECONDS, "From onset to answer.", "seconds")
    onset: Stored[float | None] = _maybe(SECONDS, "Since the page began.", "seconds")
    frame_interval: Stored[float | None] = _maybe(Number(0.0, high=10.0), "Of a frame.", "seconds")
    dropped_frames: Stored[int | None] = _maybe(Integer(0, 10**6), "Frames that came late.")
    input: Stored[str | None] = _maybe(Choice(("key", "touch", "mouse")), "How it was answered.")
    full_screen: Stored[bool | None] = _maybe(Flag(), "Whether the page filled the screen.")

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        """Ask for the time of an answer."""
        if not faults and known["response"] is not None and known["rt"] is None:
            faults.add("rt", "the time of the answer", None, "send both, or neither")


class Screen(Declared):
    """What the screen of a participant is like."""

    pixels_per_degree: Stored[float | None] = _maybe(Number(above=0.0, high=1e5), "By the card.")
    width: Stored[float | None] = _maybe(Number(low=0.0, high=1e6), "Of the window.", "pixels")
    height: Stored[float | None] = _maybe(Number(low=0.0, high=1e6), "Of the window.", "pixels")
    pixel_ratio: Stored[float | None] = _maybe(Number(low=0.0, high=100.0), "Device pixels each.")
    frame_interval: Stored[float | None] = _maybe(Number(low=0.0, high=10.0), "Median.", "seconds")
    touch: Stored[bool | None] = _maybe(Flag(), "Whether it is touched.")


def read_records(body: Any, n_trials: int) -> list[TrialRecord]:
    """Return the trials that a body holds, all of which must be right.

    Parameters
    ----------
    body : object
        ``{"trials": [...]}``.
    n_trials : int
        Of the participant.

    Examples
    --------
    >>> read_records({"trials": [{"index": 3, "response": "present", "rt": 0.61}]}, 10)[0].rt
    0.61
    """
    trials = body.get("trials") if isinstance(body, Mapping) and len(body) == 1 else None
    if not isinstance(trials, list) or not 1 <= len(trials) <= MOST_AT_ONCE:
        expected = f'{{"trials": [...]}} with 1 to {MOST_AT_ONCE} trials'
        raise InputError([Fault("body", (), expected, show(body), "send them in parts")])
    faults = DocumentFaults(Document({"trials": trials}, {}))
    records = [build_declared(faults, TrialRecord, ("trials", k)) for k in range(len(trials))]
    for k, record in enumerate(records):
        if record is not None and record.index >= n_trials:
            expected = f"an index below {n_trials}"
            faults.at(("trials", k, "index"), "index", expected, record.index, "count from 0")
    faults.raise_if_any()
    return records


def read_screen(body: Any) -> Screen:
    """Return the screen that a body describes."""
    values = dict(body) if isinstance(body, Mapping) else body
    faults = DocumentFaults(Document({"screen": values}, {}))
    screen: Screen | None = build_declared(faults, Screen, ("screen",))
    faults.raise_if_any()
    assert screen is not None
    return screen


@dataclass(frozen=True)
class Arrival:
    """Someone who agreed to take part.

    Attributes
    ----------
    parameters : dict
        Of the link.
    key : str or None
        Made at random by the page; who comes with the same one again is the same participant.
    """

    parameters: dict[str, str]
    key: str | None = None


def read_arrival(body: Any) -> Arrival:
    """Return who begins a session, after consent.

    Examples
    --------
    >>> read_arrival({"consent": True, "parameters": {"PROLIFIC_PID": "5f2"}}).parameters
    {'PROLIFIC_PID': '5f2'}
    """
    faults = Faults("")
    given = body if isinstance(body, Mapping) else {}
    if given.get("consent") is not True:
        faults.add("consent", "true", given.get("consent"), "ask the participant first")
    for key in given:
        if key not in ("consent", "parameters", "key"):
            faults.add(str(key)[:LONGEST], "consent, parameters or key", key, "drop it")
    parameters = given.get("parameters", {})
    texts = isinstance(parameters, Mapping) and len(parameters) <= MOST_PARAMETERS
    if not texts or not all(_is_plain(text) for item in parameters.items() for text in item):
        expected = f"at most {MOST_PARAMETERS} texts of at most {LONGEST} printable characters"
        faults.add("parameters", expected, parameters, "pass the parameters of the link on")
    key = given.get("key")
    if key is not None and not (isinstance(key, str) and re.fullmatch(KEY, key)):
        expected = "22 to 64 letters, digits, - or _"
        faults.add("key", expected, "something else", "make it at random, or leave it out")
    faults.raise_if_any()
    return Arrival(dict(parameters), key)


def _is_plain(text: object) -> bool:
    return isinstance(text, str) and len(text) <= LONGEST and text.isprintable()


def records_schema() -> Schema:
    """Return the JSON Schema of trials that are sent."""
    items = {
        "type": "array",
        "minItems": 1,
        "maxItems": MOST_AT_ONCE,
        "items": TrialRecord.schema(),
    }
    return {
        "type": "object",
        "properties": {"trials": items},
        "required": ["trials"],
        "additionalProperties": False,
    }


def arrival_schema() -> Schema:
    """Return the JSON Schema of what begins a session."""
    text = {"type": "string", "maxLength": LONGEST}
    return {
        "type": "object",
        "properties": {
            "consent": {"const": True},
            "parameters": {
                "type": "object",
                "additionalProperties": text,
                "maxProperties": MOST_PARAMETERS,
            },
            "key": {"type": ["string", "null"], "pattern": f"^{KEY}$"},
        },
        "required": ["consent"],
        "additionalProperties": False,
    }
