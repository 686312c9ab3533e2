"""Which column is what: guessed from names, or as the user says.

Names are compared without case, blanks and underscores. For each role there is a list of names, the
most telling first; where none of them occurs, the last word of a longer name decides, as in
``Slide1.RT``. A column that cannot play the role, such as a response time in words, is passed over
while another one can. Every guess is said in the output, and ``columns`` overrides it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum, unique

import numpy as np

from popout.people.reading.coding import PRACTICE, PRACTICE_TRIALS, practice_of, says_classes
from popout.people.reading.datafile import Column, DataFile, letters
from popout.task import Faults
from popout.task.faults import NOTHING, did_you_mean

MOST_ANSWERS = 12
"""Different words in a column that could be a class or an answer, at most."""
MOST_SIZES, MANY_ITEMS = 40, 10_000


@unique
class Role(StrEnum):
    """What a column can be."""

    RT = "rt"
    OBSERVER = "observer"
    SET_SIZE = "set_size"
    TARGET = "target"
    RESPONSE = "response"
    CORRECT = "correct"
    ERROR = "error"
    BLOCK = "block"
    PRACTICE = "practice"
    PRIOR = "prior"
    MISS = "miss"
    FALSE_ALARM = "false_alarm"
    DEADLINE = "deadline"
    PERIOD = "period"


NAMES = {
    Role.RT: "rt responsetime reactiontime rtms rtsec rts rtseconds rtmsec rtmilliseconds "
    "responsetimems reactiontimems responsetimes reactiontimes keyresprt resprt latency resptime "
    "searchtime",
    Role.OBSERVER: "observer subject participant subj sub sinit initials subjectid participantid "
    "observerid subid subjid subno subnum subjectnr participantnr subjectnumber participantnumber "
    "sid pid ppid pp ppt ptcp vp vpn vpnr id name person workerid prolificid",
    Role.SET_SIZE: "setsize displaysize nitems numitems itemcount numberofitems setsz displaysz "
    "nstimuli numstimuli ndistractorsplusone items setsizes size m n",
    Role.TARGET: "targetpresent targetpresence present presence targetpresentabsent targpresent "
    "targpres istargetpresent istarget hastarget tp targetcondition trialtype target signal",
    Role.RESPONSE: "response resp answer responsekey keyresponse respkey keyresp keyrespkeys "
    "keypress keypressed pressedkey key button buttonpress choice reply",
    Role.CORRECT: "correct accuracy acc iscorrect correctness corr keyrespcorr respcorrect "
    "responsecorrect hitormiss right",
    Role.ERROR: "error err iserror errors incorrect wrong",
    Role.BLOCK: "block blockn blockno blocknr blocknum blocknumber blockid blockindex blk blkn "
    "blkno blknum run session",
    Role.PRACTICE: "practice ispractice practicetrial training phase testpart part stage "
    "experimentpart trialkind trialtype blocktype task",
    Role.PRIOR: "prior",
    Role.MISS: "miss misscost costmiss",
    Role.FALSE_ALARM: "falsealarm falsealarmcost costfalsealarm",
    Role.DEADLINE: "deadline timelimit",
    Role.PERIOD: "period reshuffleperiod",
}
"""Names that a column of each role goes by, the most telling first."""


def _few(column: Column) -> bool:
    return 1 <= len(column.values) <= MOST_ANSWERS


def _positive(column: Column) -> bool:
    """Whether it holds nothing but numbers above zero: no marks of misses, as 0 and 1."""
    return column.is_numeric and bool((column.numbers[~column.missing] > 0).all())


def _says_seconds(column: Column) -> bool:
    """Whether it holds times, and not the number of a part of the experiment."""
    return _positive(column) and bool((column.numbers[~column.missing] % 1.0 != 0.0).any())


def _says_practice(column: Column) -> bool:
    known = letters(column.name) in ("practice", "ispractice", "practicetrial")
    words = any(word in value.casefold() for value in column.values for word in PRACTICE)
    return words or (known and practice_of(column) is not None)


CAN_BE: dict[Role, Callable[[Column], bool]] = {
    Role.RT: lambda column: column.is_numeric,
    Role.OBSERVER: lambda column: bool(column.values),
    Role.SET_SIZE: lambda column: column.is_numeric and len(column.values) <= MOST_SIZES,
    Role.TARGET: lambda column: _few(column) and not _says_practice(column),
    Role.RESPONSE: lambda column: 2 <= len(column.values) <= MOST_ANSWERS,
    Role.CORRECT: _few,
    Role.ERROR: _few,
    Role.BLOCK: lambda column: bool(column.values),
    Role.PRACTICE: _says_practice,
    Role.PRIOR: lambda column: _positive(column) and bool(np.nanmax(column.numbers) < 1),
    Role.MISS: _positive,
    Role.FALSE_ALARM: _positive,
    Role.DEADLINE: _positive,
    Role.PERIOD: _says_seconds,
}
"""Whether a column can play a role, by what it holds."""
STAKES = (Role.PRIOR, Role.MISS, Role.FALSE_ALARM, Role.DEADLINE, Role.PERIOD)
"""Known by their whole names alone."""
NEEDED = {
    Role.RT: "response times",
    Role.SET_SIZE: "set sizes",
    Role.TARGET: "whether the target was present",
}


@dataclass(frozen=True)
class Roles:
    """The columns that play a role.

    Attributes
    ----------
    columns : dict of str to Column
        By role.
    constant_size : int, optional
        The set size of every trial, where the user gave a number.
    """

    columns: Mapping[str, Column]
    constant_size: int | None = None


def assign_roles(data: DataFile, columns: Mapping[str, str] | None, faults: Faults) -> Roles:
    """Say which column is what, as far as one can.

    Parameters
    ----------
    data : DataFile
    columns : mapping of str to str, optional
        Role to name of the column, for those that are not to be guessed. A whole number for
        ``set_size`` is the set size of every trial.
    faults : Faults
        Named columns that are not there, and roles that are needed and have none, are added.
    """
    chosen: dict[Role, Column] = {}
    size = None
    settled: set[Role] = set()
    names = ", ".join(data.names)
    shown = names if len(names) < 300 else f"{names[:297]}..."
    for given, name in (columns or {}).items():
        if given not in set(Role):
            remedy = did_you_mean(given, [*Role], "choose from them")
            faults.add("columns", f"one of {', '.join(Role)}", given, remedy)
            continue
        role = Role(given)
        settled.add(role)
        if (column := data.column(str(name))) is not None:
            chosen[role] = column
        elif role is Role.SET_SIZE and str(name).isdecimal() and 0 < int(name) < 10_000:
            size = int(name)
        else:
            remedy = did_you_mean(str(name), data.names, f"the file has {shown}")
            faults.add(("columns", role.value), "the name of a column", str(name), remedy)
    for role in Role:
        # Blocks may be called practice.
        others = (each for each in chosen if (role, each) != (Role.PRACTICE, Role.BLOCK))
        taken = {id(chosen[each]) for each in others}
        if role not in settled and (column := _guess(data, role, taken)) is not None:
            chosen[role] = column
    _check_enough(faults, {*chosen} | settled, shown)
    return Roles({role: chosen[role] for role in Role if role in chosen}, size)


def _guess(data: DataFile, role: Role, taken: set[int]) -> Column | None:
    """Return the column whose name tells most, among those that can play the role."""
    # An empty column of what is needed is a fault; one of what can be done without is nothing.
    needed = role in NEEDED or role is Role.OBSERVER
    free = [c for c in data.columns if id(c) not in taken and (c.values or needed)]
    known = NAMES[role].split()
    by_name = {letters(column.name): column for column in reversed(free)}
    whole = [by_name[name] for name in known if name in by_name]
    parts = [
        column
        for name in known
        if len(name) > 1
        for column in free
        if _words(column.name)[-1:] == [name] and "correct" not in _words(column.name)[:-1]
    ]
    able = [column for column in (*whole, *parts) if CAN_BE[role](column)]
    if role is Role.TARGET:  # jsPsych and others have a trial_type that says something else
        able.sort(key=lambda column: not says_classes(column))
        whole = [column for column in whole if not _says_practice(column)]
    if role in STAKES:
        able, whole = [column for column in able if column in whole], []
    if role is Role.PRACTICE:
        able += [c for c in free if _few(c) and any(map(PRACTICE_TRIALS.match, c.values))]
        whole = []
    return next(iter((*able, *whole)), None)


def _words(name: str) -> list[str]:
    """Return the words of a name: ``Slide1.RT`` is slide1 and rt."""
    apart = re.sub(r"([a-z\d])([A-Z])", r"\1 \2", name)
    return [letters(word) for word in re.split(r"[\s._\-:/()\[\]]+", apart) if letters(word)]


def _check_enough(faults: Faults, there: set[Role], shown: str) -> None:
    lacking = [
        (f"a column of {words}", f"{role.value}=NAME")
        for role, words in NEEDED.items()
        if role not in there
    ]
    if not {Role.RESPONSE, Role.CORRECT, Role.ERROR} & there:
        words = "a column of answers, or of whether they were correct"
        lacking.append((words, "response=NAME or correct=NAME"))
    for number, (words, example) in enumerate(lacking):
        remedy = f"name it, e.g. {example}"
        if Role.SET_SIZE.value in example:
            remedy += ", or give the size of every display, set_size=8"
        if number == len(lacking) - 1:
            remedy += f"; the file has {shown}"
        faults.add("columns", words, NOTHING, remedy)
