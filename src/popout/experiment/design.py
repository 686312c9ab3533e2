r"""The design of an experiment, as a researcher writes it in TOML.

A participant searches displays of oriented bars for a target and says whether there is one. The
design names orientations, set sizes, places, contrast, blocks with their payoffs, and every text
that a participant reads. A block may differ from the design in what is shown::

    title = "Orientation search"
    set_sizes = [3, 6, 12]
    targets = [0]
    distractors = [30]
    consent = "I take part of my own free will ..."
    promise = "We store your answers and response times ..."
    instructions = "Is there an upright bar?"

    [[blocks]]
    name = "Practice"
    trials = 24
    practice = true

    [[blocks]]
    name = "First block"
    trials = 144

**Payoffs.** A block has the costs of any task: c per second, for a miss and for a false alarm, in
units of risk. A participant sees them as points. With P points for a correct answer at once, a
trial brings :math:`P (1 - c_{time} T - c_{error})`: the points lost are P times the risk, so
whoever wins the most points minimises the risk.

**Counterbalancing.** What all participants meet in one order cannot be told from that order. With
``block_order = "balanced"`` the blocks that count stand in each place equally often, and each comes
equally often right after each other one; with ``swap_keys`` half of the participants have the two
keys the other way round, in every order of blocks alike (`popout.experiment.trials`).
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from popout.experiment.entry import Entry
from popout.experiment.layout import MOST_PLACES, Layout, Ring
from popout.experiment.words import LANGUAGES, WORDS, OwnWords, Wording
from popout.task import Costs
from popout.task.declared import Declared, Field, Stored, optional, required
from popout.task.document import Document, DocumentFaults
from popout.task.faults import Faults
from popout.task.kinds import (
    PROBABILITY,
    Choice,
    Each,
    Flag,
    Integer,
    Kind,
    Number,
    OneOrEach,
    Optional,
    Part,
    Schema,
    Text,
)
from popout.task.toml import DIALECT

MOST_TRIALS = 5000
"""Of one participant; hours of work."""
MOST_BLOCKS = 40
Sizes = tuple[int, ...]
Angles = tuple[float, ...]

SIZES = Each(
    Integer(1, MOST_PLACES), "one or more different set sizes", distinct=True, most=MOST_PLACES
)
ANGLES = Each(
    Number(low=-180.0, high=180.0, expected="an orientation from -180 to 180 degrees"),
    "different orientations in degrees",
    distinct=True,
    most=36,
)
CONTRAST = OneOrEach(
    Number(above=0.0, high=1.0, expected="a contrast above 0, at most 1"),
    "one contrast for all places, or one for each",
    "give one number, or as many as there are places",
)
TEXT = "write what participants are to read"
PAGE = Text(20_000, 1)
SECONDS = "give seconds, e.g. "


def _given(kind: Kind, default: Any, words: str, remedy: str = "", unit: str = "") -> Any:
    """Return a field with a default."""
    return optional(Field(kind, words, remedy or f"give e.g. {default}", unit, default))


def _flag(default: bool, words: str) -> Any:
    return _given(Flag(), default, words, "say true or false")


def _seconds(
    default: float, words: str, low: float = 0.0, high: float = 10.0, remedy: str = ""
) -> Any:
    return _given(Number(low=low, high=high), default, words, remedy, "seconds")


def _own(kind: Kind, words: str, remedy: str = "", unit: str = "") -> Any:
    """Return what a block may say, or leave to the design."""
    return _given(Optional(kind), None, words, remedy or "leave it out for the design's", unit)


def _angles(of: str, example: int) -> Field:
    words = f"Orientations of the {of} in degrees clockwise from upright."
    return Field(ANGLES, words, f"give degrees, e.g. [{example}]", "degrees")


def _key(default: str, answer: str) -> Any:
    words, remedy = f'Key for "{answer}".', f"name a key, e.g. {default}"
    return _given(Text(20, 1, r"[^\s]+"), default, words, remedy)


class Timing(Declared):
    """How long things last, in seconds."""

    fixation: Stored[float] = _seconds(0.5, "Cross before a display.")
    time_limit: Stored[float] = _seconds(5.0, "Longest wait for an answer.", 0.2, 60.0)
    feedback: Stored[float] = _seconds(0.5, "Feedback after an answer.")
    pause: Stored[float] = _seconds(0.3, "Empty screen between trials.")


class ExpectedObserver(Declared):
    """What participants are expected to be like; a power analysis rests on it.

    An item whose orientation differs by a from the target's drifts at ``drift * cos(2 a)``: plus
    `drift` at the target, minus `drift` at a bar across it. Contrast scales the drift.
    """

    drift: Stored[float] = _given(
        Number(low=0.01, high=1000.0),
        6.0,
        "Drift rate in 1/s of a target among bars at right angles, at full contrast.",
        "give a rate in 1/s, e.g. 6",
        "1/s",
    )
    non_decision_time: Stored[float] = _seconds(
        0.35, "Mean time in seconds of all that is not decision.", 0.0, 5.0, SECONDS + "0.35"
    )
    non_decision_sd: Stored[float] = _seconds(
        0.08, "Its standard deviation in seconds.", 0.005, 1.0, SECONDS + "0.08"
    )


class Block(Declared):
    """A block of trials; what it leaves out is as in the design."""

    name: Stored[str] = required(Field(Text(100, 1), "Name of the block.", "name it"))
    trials: Stored[int] = required(
        Field(Integer(1, MOST_TRIALS), "Number of trials.", "give a whole number of trials")
    )
    practice: Stored[bool] = _flag(False, "Whether its trials do not count.")
    checks: Stored[int] = _given(
        Integer(0, 200),
        0,
        "Attention checks among the trials: one bar alone, every second the target; not counted.",
        "give a whole number, e.g. 4",
    )
    feedback: Stored[bool] = _flag(True, "Whether each answer is judged.")
    words: Stored[str] = _given(
        Text(5000), "", "Read before the block, in a break of any length.", TEXT
    )
    set_sizes: Stored[Sizes | None] = _own(SIZES, "Set sizes; the design's when left out.")
    targets: Stored[Angles | None] = _own(ANGLES, "Orientations of the target.", unit="degrees")
    distractors: Stored[Angles | None] = _own(
        ANGLES, "Orientations of the distractors.", unit="degrees"
    )
    tied: Stored[bool | None] = _own(Flag(), "Whether distractors are alike.", "say true or false")
    contrast: Stored[Any] = _own(CONTRAST, "Contrast by place.")
    prior: Stored[float | None] = _own(PROBABILITY, "Share of displays with a target.")
    costs: Stored[Costs | None] = _own(
        Part(Costs), "What time and errors cost.", "write [blocks.costs]"
    )

    @property
    def n_shown(self) -> int:
        """Trials and attention checks."""
        return self.trials + self.checks


class ExperimentDesign(Declared):
    """The design of an experiment."""

    title: Stored[str] = required(Field(Text(200, 1), "Shown at the top.", "name the experiment"))
    set_sizes: Stored[Sizes] = required(
        Field(SIZES, "Numbers of items on a display.", "name one or more different set sizes")
    )
    targets: Stored[Angles] = required(_angles("target", 0))
    distractors: Stored[Angles] = required(_angles("distractors", 30))
    consent: Stored[str] = required(Field(PAGE, "What participants agree to.", TEXT))
    promise: Stored[str] = required(Field(PAGE, "What is stored, and what for.", TEXT))
    instructions: Stored[str] = required(Field(PAGE, "What participants are to do.", TEXT))
    blocks: Stored[tuple[Block, ...]] = required(
        Field(
            Each(Part(Block), f"1 to {MOST_BLOCKS} blocks", most=MOST_BLOCKS),
            "Blocks, in order.",
            "write [[blocks]] before each of them",
        )
    )
    debriefing: Stored[str] = _given(Text(20_000), "", "Shown at the end, with the results.", TEXT)
    tied: Stored[bool] = _flag(
        True, "Whether all distractors of a display have one orientation, or each its own."
    )
    prior: Stored[float] = _given(
        PROBABILITY, 0.5, "Share of displays with a target.", "give e.g. 0.5"
    )
    contrast: Stored[float | tuple[float, ...]] = _given(
        CONTRAST,
        1.0,
        "Contrast of a bar, one for all places or one each: how visible a place is.",
        "1 is full contrast",
    )
    points: Stored[float] = _given(
        Number(above=0.0, high=1e6),
        100.0,
        "Points for a correct answer at once; costs are shares of them.",
        "give a positive number, e.g. 100",
    )
    seed: Stored[int] = _given(Integer(0, 2**53), 1, "Seed of the displays.", "choose any number")
    participants: Stored[int] = _given(
        Integer(1, 100_000), 500, "Participants who may take part, at most.", "give a whole number"
    )
    participant_parameter: Stored[str] = _given(
        Text(60, 1, r"[A-Za-z0-9_.-]+", "a name of letters, digits, _, . and -"),
        "PROLIFIC_PID",
        "Parameter of the link that tells participants apart.",
        "give the name that your recruitment service uses",
    )
    study: Stored[str] = _given(
        Text(60, 0, r"[A-Za-z0-9_-]*", "letters, digits, _ and -"),
        "",
        "Name of the study, in links; designs of one name share places. The title when left out.",
        "name it in one word",
    )
    entry: Stored[Entry] = _given(Part(Entry), Entry(), "Who may take part.", "write [entry]")
    block_order: Stored[str] = _given(
        Choice(("fixed", "balanced")),
        "fixed",
        "Whether the blocks that count keep their order, or change it between participants.",
        "choose one",
    )
    swap_keys: Stored[bool] = _flag(False, "Whether half of the participants have keys swapped.")
    repeat_visits: Stored[bool] = _flag(
        True, "Whether someone with the same parameter may take part again."
    )
    completion_code: Stored[str] = _given(
        Text(100), "", "Shown at the end, to be handed in.", "give your code"
    )
    redirect: Stored[str] = _given(
        Text(500, 0, r"(https?://[^\s<>\"'\\]+)?", "an address that begins with https://"),
        "",
        "Address that participants go to at the end; {NAME} becomes that parameter of the link.",
        "copy the address from your recruitment service",
    )
    present_key: Stored[str] = _key("j", "present")
    absent_key: Stored[str] = _key("f", "absent")
    layout: Stored[Layout] = _given(Part(Layout), Ring(), "Where bars may stand.", "write [layout]")
    timing: Stored[Timing] = _given(
        Part(Timing), Timing(), "How long things last.", "write [timing]"
    )
    costs: Stored[Costs] = _given(
        Part(Costs), Costs(time=0.2), "What time and errors cost.", "write [costs]"
    )
    observer: Stored[ExpectedObserver] = _given(
        Part(ExpectedObserver),
        ExpectedObserver(),
        "What participants are expected to be like.",
        "write [observer]",
    )
    language: Stored[str] = _given(
        Text(35, 2, r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*", "a language such as en, de or pt-BR"),
        "en",
        f"Of the page; {', '.join(LANGUAGES)} need no words of your own.",
        "give its tag",
    )
    words: Stored[OwnWords] = _given(
        Wording(), OwnWords(), "Words of the page in place of the usual ones.", "write [words]"
    )
    contact: Stored[str] = _given(
        Text(300), "", "Whom participants can ask, e.g. an address for mail.", "give an address"
    )

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        """Check that blocks, places and orientations fit together."""
        if faults:
            return
        if known["present_key"] == known["absent_key"]:
            key = known["present_key"]
            faults.add("absent_key", "another key than that for present", key, "name two keys")
        if (total := sum(block.n_shown for block in known["blocks"])) > MOST_TRIALS:
            faults.add("blocks", f"at most {MOST_TRIALS} trials in all", total, "take fewer")
        if all(block.practice for block in known["blocks"]):
            faults.add("blocks", "a block that counts", "practice alone", "add a block")
        missing = [name for name in WORDS if name not in known["words"]]
        if known["language"].lower().split("-")[0] not in LANGUAGES and missing:
            expected = f"one of {', '.join(LANGUAGES)}, or all {len(WORDS)} words in [words]"
            remedy = f"add the {len(missing)} that are missing: {', '.join(missing)}"
            faults.add("language", expected, known["language"], remedy)
        _check_displays(faults, (), known, known["layout"])
        for k, block in enumerate(known["blocks"]):
            own = {name: getattr(block, name) for name in SHOWN}
            if any(value is not None for value in own.values()):
                both = {name: known[name] if v is None else v for name, v in own.items()}
                _check_displays(faults, ("blocks", k), both, known["layout"])

    @property
    def n_trials(self) -> int:
        """Trials of one participant, with practice and attention checks."""
        return sum(block.n_shown for block in self.blocks)

    @property
    def name(self) -> str:
        """Name of the study."""
        return self.study or self.title

    def of_block(self, block: Block, name: str) -> Any:
        """Return what a block says, or else the design."""
        own = getattr(block, name)
        return getattr(self, name) if own is None else own

    def contrasts(self, block: Block) -> tuple[float, ...]:
        """Return the contrast at every place in a block."""
        given = self.of_block(block, "contrast")
        return given if isinstance(given, tuple) else (given,) * self.layout.n_places

    @cached_property
    def minutes(self) -> float:
        """Rough duration for a participant: trials, half a minute a block, and reading.

        An answer is taken to come after the non-decision time and half a second more.
        """
        timing = self.timing
        answer = min(self.observer.non_decision_time + 0.5, timing.time_limit)
        seconds = 0.0
        for block in self.blocks:
            after = timing.feedback if block.feedback else 0.0
            seconds += block.n_shown * (timing.fixation + answer + after + timing.pause) + 30.0
        pages = (self.consent, self.promise, self.instructions, self.debriefing)
        seconds += sum(len(page.split()) for page in pages) / 3.5 + 60.0
        return seconds / 60.0

    def block_points(self, block: Block) -> dict[str, float]:
        """Return the points of each outcome at once, and of every second."""
        costs: Costs = self.of_block(block, "costs")
        second = -self.points * (costs.time_absent + costs.time_present) / 2
        wrong = {k: self.points * (1 - getattr(costs, k)) for k in ("miss", "false_alarm")}
        return {"correct": self.points, **wrong, "second": second}


SHOWN = ("set_sizes", "targets", "distractors", "contrast")
"""What a display is made of, and a block may change."""


def _check_displays(
    faults: Faults, table: tuple[str | int, ...], values: dict[str, Any], layout: Layout
) -> None:
    """Check that the displays of the design, or of a block, can be drawn."""
    n = layout.n_places
    if max(values["set_sizes"]) > n:
        remedy = "add places to [layout], or take smaller sets"
        faults.add((*table, "set_sizes"), f"at most {n} items, one a place",
                   max(values["set_sizes"]), remedy)  # fmt: skip
    contrast = values["contrast"]
    if isinstance(contrast, tuple) and len(contrast) != n:
        remedy = "give one number for all places, or one for each"
        faults.add((*table, "contrast"), f"{n} contrasts", len(contrast), remedy)
    pairs = product(values["distractors"], values["targets"])
    same = [angle for angle, target in pairs if math.isclose((angle - target) % 180.0, 0.0)]
    if same:
        expected = "orientations that no target has (180 degrees on is the same bar)"
        faults.add((*table, "distractors"), expected, same[0], "choose another")


def load_design(path: str | Path) -> ExperimentDesign:
    """Read the design of an experiment from a TOML file.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    InputError
        With every fault of the file, by line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> text = '''
    ... title = "Search"
    ... set_sizes = [3, 6]
    ... targets = [0]
    ... distractors = [30]
    ... consent = "I agree."
    ... promise = "We store answers."
    ... instructions = "Search."
    ... [[blocks]]
    ... name = "All"
    ... trials = 12
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "design.toml"
    ...     _ = path.write_text(text)
    ...     load_design(path).n_trials
    12
    """
    return design_from(Document.load(path))


def design_from(document: Document) -> ExperimentDesign:
    """Build the design that a document describes."""
    faults = DocumentFaults(document)
    design = ExperimentDesign.read(faults)
    faults.raise_if_any()
    assert design is not None
    return design


def design_schema() -> Schema:
    """Return the JSON Schema of design files.

    Examples
    --------
    >>> sorted(design_schema()["$defs"]["layout"]["oneOf"][0]["properties"])[:3]
    ['background', 'bar', 'bar_length']
    """
    layouts = {"oneOf": [cls.schema() for cls in Layout.kinds.values()]}
    schema = ExperimentDesign.schema()
    for name in (
        "layout",
        "timing",
        "costs",
        "observer",
        "words",
        "entry",
    ):  # tables have no defaults there
        del schema["properties"][name]["default"]
    return {
        "$schema": DIALECT,
        "$id": "urn:popout:experiment",
        "title": "The design of an experiment, as popout reads it from TOML",
        **schema,
        "$defs": {"layout": layouts},
    }
