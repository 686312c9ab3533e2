"""`read_trials`: from a file or a frame to the trials of each observer.

An export of the laboratory (`popout serve`) is recognised by its header and taken as it says. With
any other file, in order: it is taken apart into columns (`datafile`), each role gets its column
(`roles`), words get their meaning (`coding`), trials that cannot be used are dropped, each for the
first reason that holds, and every trial gets what was at stake (`stakes`). A trial without an
answer is kept, at its time limit. Whatever cannot be settled from the file is refused, with the
option that settles it.

Response times below `FASTEST` are anticipations. The slowest time that is kept is the time limit;
where there is none, the first of `LIMITS` that holds the answers of all observers but for one in a
thousand; in a small file three in a thousand, up to three, may be outliers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from popout.drawing.representation import count
from popout.people.models.layouts import LAYOUT, VISIBILITY
from popout.people.models.situation import FIELDS, Situation
from popout.people.reading.coding import (
    PRESENT,
    UNDECIDED,
    UNITS,
    UNKNOWN,
    Answers,
    Codes,
    practice_of,
    read_answers,
    unit_of,
)
from popout.people.reading.datafile import (
    Column,
    DataFile,
    from_frame,
    natural_order,
    plain_word,
    read_file,
)
from popout.people.reading.observed import MOST_LEVELS, ObservedTrials, Reading, mean_prior
from popout.people.reading.places import read_places
from popout.people.reading.roles import MANY_ITEMS, MOST_SIZES, Role, Roles, assign_roles
from popout.people.reading.stakes import (
    Displays,
    Given,
    Numbers,
    Rows,
    Stake,
    is_mixed,
    said_stake,
    settle_priors,
    time_limits,
)
from popout.policies.stopping import Action
from popout.simulation.responses import Responses
from popout.task import Faults
from popout.task.faults import did_you_mean

Words = NDArray[np.object_]
FASTEST = 0.15
"""Seconds below which nobody answers the display."""
LIMITS = (1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0)
BEYOND, FEW = 0.001, 3
"""Share of the answers that may be slower than the limit, and outliers of a small file."""
MOST_LOST = 0.5
"""Share of the trials that may be of no use before the file is refused."""
MOST_OBSERVERS = 5000
OWN = {"observer", "set_size", "block", "present", "target", "response", "correct", "rt", *FIELDS,
       LAYOUT, VISIBILITY}  # fmt: skip
"""Names of columns that have a meaning of their own; a condition of that name is none of them."""
LABORATORY = {
    "observer", "number", "design", "trial", "block", "practice", "set_size", "present",
    "response", "correct", "rt", "target_place", "tied", "items", "onset", "frame_interval",
    "dropped_frames", "input", "received",
}  # fmt: skip
"""Columns by which an export of the laboratory is known."""
INCIDENTAL = {
    "trial", "place", "target_place", "scale", "load", "onset", "frame_interval", "dropped_frames",
    "input", "full_screen", "blurs", "hides", "received",
}  # fmt: skip
"""Columns of ours that tell how a trial went, and are no conditions of the experiment."""
MAPPINGS = {
    "columns": '{"rt": "RT"}',
    "codes": '{"response": ("j", "f")}',
    "where": '{"display": "static"}',
}
"""Arguments that are mappings, with an example."""
OUR_COLUMNS = {
    **{role.value: role.value for role in Role if role is not Role.ERROR},
    **{"target": "present", "deadline": "time_limit"},
    **{"miss": "miss_cost", "false_alarm": "false_alarm_cost"},
}
OUR_CODES = {"target": ("True", "False"), "response": ("present", "absent")}
"""What they are, and what they say."""


def read_trials(
    data: str | Path | pd.DataFrame,
    *,
    columns: Mapping[str, str] | None = None,
    rt_unit: str | None = None,
    codes: Mapping[str, tuple[str, str]] | None = None,
    where: Mapping[str, str] | None = None,
    split: str | None = None,
    observers: Sequence[str] | None = None,
    fastest: float = FASTEST,
    slowest: float | None = None,
    prior: Given = None,
    pay: Given = None,
    deadline: Given = None,
    dynamic: Given = None,
    visibility: Mapping[str, Mapping[str, float]] | None = None,
) -> ObservedTrials:
    """Read trials of people from a file or a frame.

    Parameters
    ----------
    data : path or DataFrame
        CSV, TSV or Parquet, one trial a row. Needed are response times, set sizes, whether the
        target was present, and answers, or whether they were correct.
    columns : mapping of str to str, optional
        Role to name of the column, for those that are not to be guessed: ``rt``, ``observer``,
        ``set_size``, ``target``, ``response``, ``correct``, ``error``, ``block``, ``practice``.
    rt_unit : {"s", "ms"}, optional
        Unit of the response times; found from the data when left out.
    codes : mapping of str to (str, str), optional
        The values that mean present and absent in the columns ``target`` and ``response``, e.g.
        ``{"response": ("j", "f")}``, or right and wrong in ``correct``.
    where : mapping of str to str, optional
        Conditions to choose: column and value, e.g. ``{"display": "static"}``.
    split : str, optional
        A condition, by the name of its column, whose values are described and fitted apart, within
        each observer.
    observers : sequence of str, optional
        Some of the observers.
    fastest, slowest : float
        Response times to keep, in seconds. Without `slowest` it is the time limit, or else the
        first of 1, 2, 3, 5, 10, ... seconds that holds all answers but one in a thousand.
    prior : float or mapping, optional
        Probability of a target, as observers knew it: for all trials, or by the levels of a
        column, ``{"prevalence": {"low": 0.1, "high": 0.5}}``. Found from the displays when left
        out, for observers and conditions apart where they clearly differ.
    pay : (float, float) or mapping, optional
        What a miss and a false alarm cost; they cost the same when left out. By the levels of a
        column as `prior`, ``{"reward": {"Absent": (1, 2), "Present": (2, 1)}}``.
    deadline : float or mapping, optional
        Time limit of a trial in seconds, or by the levels of a column as `prior`. Found from the
        times of trials without an answer when left out; a file without such trials has none.
    dynamic : float or mapping, optional
        Seconds between two reshuffles of the items, of all trials or by the levels of a column as
        `prior`, ``{"dyn": {"Dynamic": 0.11}}``. Displays are static where nothing is said.
    visibility : mapping, optional
        How well each place is seen, by the column that holds the target's place,
        ``{"place": {"left": 1, "right": 0.3}}``. An export of the laboratory says it by itself, and
        so do the columns ``layout`` and ``visibility`` (`popout.people.models.layouts`).

    Returns
    -------
    ObservedTrials

    Raises
    ------
    InputError
        If the data are no trials, or something cannot be told from them.

    Examples
    --------
    >>> import io
    >>> text = '''sub;setsize;target;key;RT
    ... ag;4;1;j;512
    ... ag;4;0;f;640
    ... ag;8;1;j;571
    ... ag;8;0;f;803
    ... '''
    >>> trials = read_trials(pd.read_csv(io.StringIO(text), sep=";"))
    >>> trials.reading.rt_unit, trials.reading.meanings["response"][:27]
    ('ms', 'f is absent, j is present, ')
    >>> trials["ag"].rt, trials["ag"].prior
    (array([0.512, 0.64 , 0.571, 0.803]), 0.5)
    """
    mappings = {"columns": columns, "codes": codes, "where": where}
    _check_arguments(data, mappings, split, observers, rt_unit, fastest, slowest)
    file = from_frame(data) if isinstance(data, pd.DataFrame) else read_file(data)
    faults, sieve, notes = Faults("read_trials"), Sieve(file.n_rows), list[str]()
    if ours := {*file.names} >= LABORATORY and not (columns or codes or rt_unit):
        columns = {role: name for role, name in OUR_COLUMNS.items() if name in file.names}
        codes, rt_unit = OUR_CODES, "s"
    roles = assign_roles(file, columns, faults)
    for name, value in (where or {}).items():
        sieve.drop(~_chosen(file, name, value, faults), f"not {name}={value}", on_purpose=True)
    _drop_practice(roles, sieve, faults)
    if not sieve.kept.any():
        faults.add("data", "trials", "none that are no practice and chosen", "choose others")
        faults.raise_if_any()
    observer = _observers(file, roles, sieve, notes, faults)
    condition = _split(file, split, sieve, faults)
    size = _set_sizes(file, roles, sieve, faults)
    sized = sieve.kept & (size > 0)
    trials = sized if sized.any() else sieve.kept
    answers = read_answers(roles.columns, codes or {}, trials, faults)
    rt, unit, reason = _response_times(roles.columns.get(Role.RT), rt_unit, sieve, observer, faults)
    reason = "an export of the laboratory" if ours else reason
    shown = sieve.kept & (size > 0) & (answers.target != UNKNOWN)
    conditions = _conditions(file, roles, answers, shown)
    labels = {**conditions, "set_size": size.astype(str).astype(object), "observer": observer}
    if (block := roles.columns.get(Role.BLOCK)) is not None and len(block.values) <= MOST_LEVELS:
        labels["block"] = block.labels
    about = Displays(answers.target == PRESENT, shown, labels)
    limits, priors, costs, periods = (
        said_stake(name, given, roles.columns, about, UNITS[unit], faults)
        for name, given in (
            *(("deadline", deadline), ("prior", prior)),
            *(("pay", pay), ("dynamic", dynamic)),
        )
    )
    places = read_places(file, visibility, ours, shown, about.present, size, faults)
    faults.raise_if_any()
    undecided = answers.response == UNDECIDED
    _drop_unusable(sieve, rt, size, answers)
    limits = _settle_limits(limits, rt, undecided, labels, sieve, notes, faults)
    limit, why = _slowest(slowest, limits.values[sieve.kept], rt[sieve.kept & ~undecided])
    if unknown := int((sieve.kept & undecided & np.isinf(limits.values)).sum()):
        words = f"{count(unknown, 'time-out')} without a time: the limit is taken to be that of"
        notes.append(f"{words} answers, {limit:g} s; give it with deadline (--deadline 3).")
        limits = limits.or_else(Stake("deadline", np.full(rt.size, limit), (), "as for answers"))
    sieve.drop(~undecided & (rt < fastest), f"faster than {fastest:g} s")
    sieve.drop(~undecided & (rt > limits.values), "after the time limit")
    sieve.drop(~undecided & (rt > limit), f"slower than {limit:g} s")
    rt, kept = np.where(undecided, limits.values, rt), sieve.kept
    priors, note = settle_priors(priors, about, observers, faults)
    notes += filter(None, [note])
    costs = costs.or_else(Stake("pay", np.ones((file.n_rows, 2))))
    periods = periods.or_else(Stake("dynamic", np.full(rt.size, np.inf)))
    _check_answers(answers.target[kept], answers.response[kept], faults)
    group = observer if condition is None else observer + "\0" + condition
    known = INCIDENTAL if ours else set()
    apart = {
        k: v
        for k, v in conditions.items()
        if k != split and k not in known and _varies(v, group, kept)
    }
    pooled = {k: v[kept] for k, v in apart.items() if is_mixed(about.present, v)}
    reading = Reading(
        file=file.name,
        sha256=file.sha256,
        form=file.form,
        columns={str(role): column.name for role, column in roles.columns.items()},
        meanings=answers.meanings,
        rt_unit=unit,
        rt_unit_reason=reason,
        fastest=fastest,
        slowest=limit,
        slowest_reason=why,
        rows=file.n_rows,
        conditions={k: tuple(natural_order({*v[kept]})) for k, v in conditions.items()},
        stakes={
            name: stake.words(kept, labels)
            for name, stake in (
                *(("prior", priors), ("pay", costs)),
                *(("deadline", limits), ("dynamic", periods)),
            )
        }
        | ({} if places is None else {"places": places.words(kept)}),
        others={each.name: len({*each.labels[kept]} - {""}) for each in file.columns},
        remarks=tuple(notes),
        pooled={k: tuple(natural_order({*v})) for k, v in pooled.items()},
        split=split,
    )
    extra: dict[str, NDArray[Any]] = {k: v for k, v in conditions.items() if k not in OWN}
    if block is not None:
        numbered = bool(np.isfinite(block.numbers[kept]).all())
        extra = {"block": block.numbers if numbered else block.labels, **extra}
    if places is not None:
        extra |= places.columns
    at_stake = zip(
        FIELDS, [priors.values, *costs.values.T, limits.values, periods.values], strict=True
    )
    own = {"set_size": size, "observer": observer, **extra, **dict(at_stake)}
    people = _responses(kept, rt, answers, own)
    split_by = {} if condition is None else {k: condition[kept & (observer == k)] for k in people}
    read = ObservedTrials(people, reading, sieve.table(observer, condition), split_by)
    return read if observers is None else read.choose(observers)


def _settle_limits(
    given: Stake,
    rt: Numbers,
    undecided: Rows,
    labels: Mapping[str, Words],
    sieve: Sieve,
    notes: list[str],
    faults: Faults,
) -> Stake:
    """Return the time limit of each row, as given or as time-outs show it; inf where none is known.

    Most trials have an answer, or a limit that says why they have none; most answers keep it.
    """
    answered, silent = sieve.kept & ~undecided, sieve.kept & undecided
    limits, note = given.or_else(Stake("deadline", np.full(rt.size, np.inf))), ""
    if np.isinf(limits.values[silent]).any():
        seen, note = time_limits(rt, silent, answered, labels)
        limits = given.or_else(seen)
    notes += filter(None, [note])
    sieve.check_readable(undecided & np.isinf(limits.values), faults)
    late = int((answered & (rt > limits.values)).sum())
    if late > MOST_LOST * answered.sum():
        got = f"{late} of {answered.sum()} answers after it"
        faults.add("deadline", "a time limit that answers keep", got, "give it in seconds")
        faults.raise_if_any()
    return limits


def _slowest(given: float | None, limits: Numbers, rt: Numbers) -> tuple[float, str]:
    """Return the slowest response time to keep, and why that."""
    if given is not None:
        return given, "as given"
    if limits.size and np.isfinite(limits).all():
        return float(limits.max()), "the time limit"
    words = "all but 1 in 1000 or a few"
    if rt.size < 2:
        return LIMITS[-1], words
    beyond = max(1, int(BEYOND * rt.size), min(FEW, int(FEW * BEYOND * rt.size)))
    held = float(np.sort(rt)[-1 - beyond])
    return next((limit for limit in LIMITS if limit >= held), LIMITS[-1]), words


class Sieve:
    """Rows that are still there, and why the others are not.

    Parameters
    ----------
    n : int
        Rows of the file.

    Examples
    --------
    >>> sieve = Sieve(3)
    >>> sieve.drop(np.array([True, False, False]), "no response time")
    >>> sieve.drop(np.array([True, True, False]), "no answer")
    >>> sieve.kept
    array([False, False,  True])
    >>> sieve.table(np.array(["ag", "ag", "km"], dtype=object)).to_dict()
    {'no response time': {'ag': 1}, 'no answer': {'ag': 1}}
    """

    def __init__(self, n: int) -> None:
        self.reasons: list[str] = []
        self._meant: list[int] = []
        self._why = np.zeros(n, dtype=np.int64)

    def drop(self, rows: NDArray[np.bool_], reason: str, on_purpose: bool = False) -> None:
        """Drop rows that are still there.

        Parameters
        ----------
        rows : ndarray of bool, shape (n,)
        reason : str
        on_purpose : bool
            Whether the user, or the design, leaves them out: practice, another condition.
        """
        self.reasons.append(reason)
        self._why[rows & (self._why == 0)] = len(self.reasons)
        if on_purpose:
            self._meant.append(len(self.reasons))

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Rows that are still there."""
        return np.asarray(self._why == 0)

    def table(self, observer: Words, condition: Words | None = None) -> pd.DataFrame:
        """Count the dropped rows by observer, condition if there are any, and reason."""
        gone = ~self.kept
        names = np.array(["", *self.reasons], dtype=object)
        keys = [observer[gone]] + ([] if condition is None else [condition[gone]])
        rows = ["observer", "condition"][: len(keys)]
        counts = pd.crosstab(keys, names[self._why[gone]], rownames=rows, colnames=[None])
        columns = [reason for reason in self.reasons if reason in counts.columns]
        return counts.reindex(columns=columns).astype(int)

    def check_readable(self, silent: NDArray[np.bool_], faults: Faults) -> None:
        """Refuse a file most of whose trials cannot be used.

        Parameters
        ----------
        silent : ndarray of bool, shape (n,)
            Trials without an answer.
        faults : Faults

        Raises
        ------
        InputError
        """
        wanted = ~np.isin(self._why, self._meant)
        lost = wanted & (silent | ~self.kept)
        if lost.sum() > MOST_LOST * wanted.sum():
            counts = np.bincount(self._why[lost], minlength=len(self.reasons) + 1)[1:]
            numbers, reasons = [*counts, (lost & self.kept).sum()], [*self.reasons, "no answer"]
            pairs = zip(numbers, reasons, strict=True)
            words = ", ".join(f"{n} {reason}" for n, reason in pairs if n)
            got = f"{lost.sum()} of {wanted.sum()} that cannot be used: {words}"
            faults.add("data", "trials that can be used", got, "check the columns of the file")
        faults.raise_if_any()


def _check_arguments(
    data: object,
    mappings: Mapping[str, Mapping[str, Any] | None],
    split: str | None,
    observers: Sequence[str] | None,
    rt_unit: str | None,
    fastest: float,
    slowest: float | None,
) -> None:
    """Refuse what could not be meant, whatever the file is."""
    faults = Faults("read_trials")
    kinds = (str, os.PathLike, pd.DataFrame)
    faults.kind("data", data, kinds, "a path or a DataFrame", "name a file of trials")
    for name, given in mappings.items():
        if given is not None:
            faults.kind(name, given, Mapping, "a mapping", f"write e.g. {MAPPINGS[name]}")
    if split is not None:
        faults.kind("split", split, str, "the name of a column", "leave it out for none")
    if observers is not None:
        faults.words("observers", observers, 'write e.g. ["1", "2"]')
    faults.raise_if_any()
    if rt_unit is not None and rt_unit not in ("s", "ms"):
        faults.add("rt_unit", "s or ms", rt_unit, "leave it out to find it from the data")
    for role, pair in (mappings["codes"] or {}).items():
        values = pair if isinstance(pair, Sequence) else ()
        if role not in ("target", "response", "correct"):
            faults.add("codes", "target, response or correct", role, "write e.g. response=j/f")
        elif (
            len(values) != 2 or len({plain_word(str(each).strip()) for each in values} - {""}) != 2
        ):
            remedy = "write e.g. response=j/f"
            faults.add("codes", "two values, for present and for absent", pair, remedy)
    low = faults.number(
        "fastest", fastest, "in seconds, e.g. 0.15", expected="a number from 0", above=-1e-12
    )
    if slowest is not None:
        remedy = "in seconds, e.g. 5"
        faults.number("slowest", slowest, remedy, expected=f"more than {low:g} s", above=low)
    faults.raise_if_any()


def _chosen(file: DataFile, name: str, value: str, faults: Faults) -> NDArray[np.bool_]:
    """Return the rows of a condition."""
    column = file.column(name)
    if column is None:
        remedy = did_you_mean(name, file.names, f"the file has {', '.join(file.names)[:300]}")
        faults.add("where", "the name of a column", name, remedy)
        return np.ones(file.n_rows, dtype=bool)
    rows = np.asarray(column.labels == plain_word(str(value)), dtype=bool)
    if not rows.any():
        remedy = did_you_mean(value, column.values, f"it holds {', '.join(column.values[:12])}")
        faults.add("where", f"a value of {name}", value, remedy)
    return rows


def _drop_practice(roles: Roles, sieve: Sieve, faults: Faults) -> None:
    if (column := roles.columns.get(Role.PRACTICE)) is None:
        return
    if (practice := practice_of(column)) is None:
        got = f"{', '.join(column.values[:6]) or 'nothing'} in {column.name}"
        remedy = "name another column, or choose trials with where"
        faults.add(("columns", "practice"), "practice and other trials, or 1 and 0", got, remedy)
    else:
        sieve.drop(practice, "practice", on_purpose=True)


def _observers(
    file: DataFile, roles: Roles, sieve: Sieve, notes: list[str], faults: Faults
) -> Words:
    """Return the observer's name for each row."""
    column = roles.columns.get(Role.OBSERVER)
    if column is None:
        notes.append("No column of observers: all trials are taken as those of one.")
        return np.full(file.n_rows, "1", dtype=object)
    sieve.drop(column.missing, "no observer")
    if len(column.values) > MOST_OBSERVERS:
        got = f"{len(column.values)} in {column.name}"
        remedy = "name the column of observers with columns observer=NAME"
        faults.add("observer", f"at most {MOST_OBSERVERS} observers", got, remedy)
    return column.labels


def _split(file: DataFile, name: str | None, sieve: Sieve, faults: Faults) -> Words | None:
    """Return the condition of each row, if one is taken apart."""
    if name is None:
        return None
    column = file.column(name)
    if column is None or not 1 <= len(column.values) <= MOST_LEVELS:
        remedy = did_you_mean(name, file.names, f"choose from {', '.join(file.names)[:300]}")
        faults.add("split", f"a column of at most {MOST_LEVELS} values", name, remedy)
        return None
    sieve.drop(column.missing, f"no {name}")
    return column.labels


def _set_sizes(file: DataFile, roles: Roles, sieve: Sieve, faults: Faults) -> Codes:
    """Return the set size of each row, 0 where it is not known."""
    if roles.constant_size is not None:
        return np.full(file.n_rows, roles.constant_size, dtype=np.int64)
    if (column := roles.columns.get(Role.SET_SIZE)) is None:
        return np.ones(file.n_rows, dtype=np.int64)
    number = np.where(sieve.kept, column.numbers, np.nan)
    good = (number >= 1) & (number % 1 == 0) & (number < MANY_ITEMS)
    if not 1 <= np.unique(number[good]).size <= MOST_SIZES:
        shown = ", ".join(column.values[:6])
        got = f"{shown}{', ...' if len(column.values) > 6 else ''} in {column.name}"
        remedy = "name the column of set sizes with columns set_size=NAME"
        expected = f"whole numbers of items below {MANY_ITEMS}, at most {MOST_SIZES} sizes"
        faults.add("set_size", expected, got, remedy)
    return np.where(good, number, 0).astype(np.int64)


def _response_times(
    column: Column | None, named: str | None, sieve: Sieve, observer: Words, faults: Faults
) -> tuple[NDArray[np.float64], str, str]:
    """Return response times in seconds, their unit in the file, and how one can tell."""
    if column is None:
        return np.ones(len(observer)), "s", ""
    number = column.numbers
    good = sieve.kept & (number > 0)
    if not good.any():
        shown = ", ".join(column.values[:4]) or "nothing"
        remedy = "name the column of response times with columns rt=NAME"
        faults.add("rt", "positive numbers", f"{shown} in {column.name}", remedy)
        return number, "s", ""
    unit, reason = (named, "as given") if named else unit_of(column, number[good], faults)
    rt = number / UNITS[unit]
    if named is None and not faults:
        medians = pd.Series(rt[good]).groupby(observer[good]).median()
        odd = medians[(medians < 0.02) | (medians > 100.0)]
        if len(odd):
            got = f"a median of {odd.iloc[0]:.3g} s for observer {odd.index[0]}"
            remedy = "bring them to one unit, or name it with rt_unit"
            faults.add("rt", "response times in one unit", got, remedy)
    if column.decimal_comma:
        reason += ", with decimal commas"
    return rt, unit, reason


def _drop_unusable(sieve: Sieve, rt: NDArray[np.float64], size: Codes, answers: Answers) -> None:
    undecided = answers.response == UNDECIDED
    sieve.drop(size == 0, "no set size")
    sieve.drop(answers.target == UNKNOWN, "no target")
    sieve.drop(answers.response == UNKNOWN, "another key")
    sieve.drop(answers.disagree, "answer and correctness disagree")
    sieve.drop(~undecided & ~np.isfinite(rt), "no response time")
    sieve.drop(~undecided & ~(rt > 0), "response time of 0 or less")


def _conditions(file: DataFile, roles: Roles, answers: Answers, rows: Rows) -> dict[str, Words]:
    """Return the columns with a few values that say more than class and answer do."""
    taken = {column.name for column in roles.columns.values()}
    said = 10 * answers.target + answers.response
    return {
        column.name: column.labels
        for column in file.columns
        if column.name not in taken and 2 <= len(column.values) <= MOST_LEVELS
        if _varies(column.labels, said, rows)
    }


def _varies(labels: Words, within: NDArray[Any], rows: Rows) -> bool:
    return bool(pd.Series(labels[rows]).groupby(within[rows]).nunique().max() > 1)


def _responses(
    kept: Rows, rt: Numbers, answers: Answers, columns: Mapping[str, NDArray[Any]]
) -> dict[str, Responses]:
    """Return the trials of each observer, with what is at stake where it is not as usual."""
    actions = np.array([Action.ABSENT, Action.PRESENT, Action.WAIT], dtype=int)
    action, people = actions[answers.response], {}  # UNDECIDED is the last
    for name in natural_order({*columns["observer"][kept]}):
        rows = kept & (columns["observer"] == name)
        own = {k: v[rows] for k, v in columns.items()}
        usual = vars(Situation(prior=own["prior"][0]))
        people[name] = Responses(
            response=action[rows],
            rt=rt[rows],
            target=np.where(answers.target[rows] == PRESENT, 0, -1),
            prior=mean_prior(own["prior"]),
            columns={k: v for k, v in own.items() if k not in usual or (v != usual[k]).any()},
        )
    return people


def _check_answers(target: Codes, response: Codes, faults: Faults) -> None:
    """Refuse data without one of the classes, or without one of the answers."""
    said = response[response != UNDECIDED]
    if not said.size:
        got = count(response.size, "time-out") if response.size else "none left"
        faults.add("data", "answers", got, "widen fastest and slowest, or choose other trials")
    elif len({*target}) == 1:
        got = f"the target always {('absent', 'present')[target[0]]}"
        remedy = "give trials with and without a target, or say what the codes mean, target=1/2"
        faults.add("target", "displays of both kinds", got, remedy)
    elif len({*said}) == 1:
        got = f"the answer always {('absent', 'present')[said[0]]}"
        remedy = "say what the codes mean, response=j/f, or name another column"
        faults.add("response", "answers of both kinds", got, remedy)
    faults.raise_if_any()
