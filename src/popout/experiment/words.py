"""The words of a participant's page, each of which a design may say in its own way.

The pages bring the words of some languages along (``web/src/lab/words``). A design says others, or
all of them in another language, in its table ``[words]``. What stands in braces is filled in:
``{count}`` in ``unsent`` is the number of answers that wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from popout.task.faults import did_you_mean
from popout.task.kinds import Kind, Schema, Spot, Text

LANGUAGES = ("en", "de", "el")
"""Languages that the pages speak: English, German and Greek."""
WORDS = (
    "use_dark", "use_light", "silent", "unsent", "refused", "moment", "sending", "full_title",
    "full", "paused_title", "paused", "link_title", "link", "device_title", "phone", "small",
    "busy", "returned_title", "returned", "twice_title", "twice", "sorry_title", "sorry",
    "sorry_server", "length", "stored_title", "questions", "agree", "disagree", "declined_title",
    "declined", "welcome_title", "welcome", "back_title", "back", "whole_screen", "fill_screen",
    "card_title", "card", "card_width", "distance", "card_fits", "instructions_title", "begin",
    "display", "present", "absent", "target_present", "target_absent", "press", "tap", "part",
    "payoff", "practice", "start", "break_title", "progress", "done", "points_so_far", "go_on",
    "correct", "wrong", "too_slow", "which_keys", "thanks_title", "results_title", "results",
    "plot", "items_axis", "time_axis", "table", "column_target", "column_items", "column_time",
    "column_errors", "points", "code", "withheld", "redirect", "number", "contact", "withdraw",
    "withdraw_title", "withdraw_words", "withdraw_yes", "withdraw_no", "withdrawn_title",
    "withdrawn", "finished_title", "finished", "somebody_else", "it_was_me", "next_participant",
    "handover_title", "handover", "save",
)  # fmt: skip
WORD = Text(1000, 1)


class OwnWords(dict[str, str]):
    """Words by their names; never changed, for a design is hashed."""

    def __hash__(self) -> int:  # type: ignore[override]
        """Return the same for the same words."""
        return hash(frozenset(self.items()))


class Wording(Kind):
    """A table of words.

    Examples
    --------
    >>> from popout.task import Faults
    >>> faults = Faults("Design")
    >>> Wording().check({"strat": "Go!"}, Spot(faults, ("words",), "write [words]"))
    >>> faults.lines
    ["Design.words: expected names of words, got 'strat'; did you mean start?"]
    >>> Wording().check({"start": "Go!"}, Spot(faults, ("words",), "write [words]"))["start"]
    'Go!'
    """

    def check(self, value: Any, spot: Spot) -> OwnWords | None:
        """Return the words."""
        if not isinstance(value, Mapping):
            spot.refuse("a table", value)
            return None
        unknown = [name for name in value if name not in WORDS]
        for name in unknown:
            remedy = did_you_mean(name, WORDS, f"choose from {', '.join(WORDS)}")
            spot.refuse("names of words", name, remedy)
        texts = OwnWords()
        for name, text in value.items():
            checked = WORD.check(text, spot._replace(path=(*spot.path, name)))
            texts[name] = checked or ""
        return None if unknown or "" in texts.values() else texts

    def schema(self) -> Schema:
        """Return a text for each name."""
        names = {"enum": list(WORDS)}
        return {"type": "object", "propertyNames": names, "additionalProperties": WORD.schema()}
