"""Who may take part, and how long a place is kept.

A study has as many places as `participants` of its design says. Whoever has finished has one, and
whoever takes part: somebody who has not been heard of for `hold` minutes has left, and somebody who
has not done a trial within `BEFORE_TRIALS` minutes has not begun. Their places are given to others;
what they did stays, and they may still come back and go on.
"""

from __future__ import annotations

from popout.task.declared import Declared, Field, Stored, optional
from popout.task.kinds import Flag, Integer, Number, Text

BEFORE_TRIALS = 10.0
"""Minutes to read and to calibrate the screen, until the first trial."""
LINK = "key"
"""Parameter of the link that holds the secret, which is not stored with participants."""


class Entry(Declared):
    """Who may take part.

    Examples
    --------
    >>> Entry(phones=False).as_dict()["smallest_screen"]
    0
    """

    secret: Stored[str] = optional(
        Field(
            Text(100, 0, r"[A-Za-z0-9_-]*", "letters, digits, _ and -"),
            f"What the link must hold, /lab?{LINK}=...; anybody may take part when left out.",
            "make one up, of ten or more letters and digits",
            default="",
        )
    )
    phones: Stored[bool] = optional(
        Field(Flag(), "Whether phones and tablets may take part.", "say true or false", "", True)
    )
    smallest_screen: Stored[int] = optional(
        Field(
            Integer(0, 10_000),
            "Pixels that the shorter side of a screen must have, as the browser counts them.",
            "give e.g. 700; 0 for any screen",
            "pixels",
            0,
        )
    )
    hold: Stored[float] = optional(
        Field(
            Number(low=1.0, high=10_080.0),
            "Minutes after which somebody who is not heard of has left, and frees a place.",
            "give minutes, e.g. 60",
            "minutes",
            60.0,
        )
    )
