r"""Another experiment: what the experimenter changes, and how far its answers reach.

A situation (`popout.people.models.situation`) and the set sizes are the experimenter's; all
parameters of a model are the observer's. So a model with its parameters predicts any experiment:
`Changes` says what is different, and what it does not say stays as it was.

**The window.** Answers were kept up to the time L, and lapses come at any time up to it. Elsewhere
L is what `popout.read_trials` would choose: the time limit where there is one, and else, if L cuts
more than one answer in a thousand, the first of 1, 2, 3, 5, 10, ... s that does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from popout.people.models.situation import FIELDS, USUAL, Situation
from popout.task import Faults, InputError
from popout.task.faults import as_float, as_int, as_tuple, did_you_mean

if TYPE_CHECKING:
    from popout.people.models.model import Model
    from popout.people.passages.passage_tables import PassageTables

CHANGES = "changes"
"""The argument that says what is different."""
SET_SIZE = "set_size"
WORDS = {"period": "dynamic"}
"""What fields of a situation are called by those who set them, where that is another word."""
NAMES = {WORDS.get(name, name): name for name in FIELDS}
"""Fields of a situation, by what they are called."""
LIMITS = (1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0, 100.0)
"""Longest times to keep, in s, as in `popout.read_trials`."""
CUT = 1e-3
"""Share of answers that a window may cut."""
MOST_CONDITIONS = 24


@dataclass(frozen=True)
class Changes:
    """What is different in another experiment.

    Parameters
    ----------
    set_sizes : tuple of int
        Empty: those of the fit.
    conditions : tuple of mapping of str to float
        One for each condition of the experiment: fields of `Situation` with their values.

    Examples
    --------
    >>> changes = Changes.of({"prior": [0.2, 0.8], "set_size": 4})
    >>> changes.set_sizes, changes.conditions
    ((4,), ({'prior': 0.2}, {'prior': 0.8}))
    >>> [each.prior for each in changes.applied([Situation(miss=2.0)])]
    [0.2, 0.8]
    """

    set_sizes: tuple[int, ...] = ()
    conditions: tuple[Mapping[str, float], ...] = field(default_factory=lambda: ({},))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Changes:
        """Return the changes that names and values ask for; several values are crossed.

        Raises
        ------
        InputError
            If a name is unknown or a value is none of its kind.
        """
        faults, values = Faults(""), dict[str, tuple[Any, ...]]()
        known = (SET_SIZE, *NAMES)
        for name, value in given.items():
            several = as_tuple(value)
            own = (value,) if several is None else several
            if name not in known:
                remedy = did_you_mean(name, known, "these are what an experimenter can change")
                faults.add(CHANGES, f"one of {', '.join(known)}", name, remedy)
            elif not own:
                faults.add((CHANGES, name), "a number", "nothing", "leave it out, or give one")
            elif name == SET_SIZE:
                where, most = (CHANGES, name), 10_000
                for M in own:
                    faults.integer(where, _whole(M), "count items", at_least=1, at_most=most)
            else:
                _check(name, own, faults)
                values[NAMES[name]] = own
        faults.raise_if_any()
        rows = [dict(zip(values, row, strict=True)) for row in product(*values.values())]
        if len(rows) > MOST_CONDITIONS:
            expected = f"{MOST_CONDITIONS} conditions at most"
            faults.add(CHANGES, expected, len(rows), "give some of them, then the others")
        faults.raise_if_any()
        sizes = given.get(SET_SIZE, ())
        several = as_tuple(sizes)
        own = (sizes,) if several is None else several
        return cls(tuple(sorted({int(M) for M in own})), tuple(rows))

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields of a situation that are set."""
        return tuple(self.conditions[0])

    def applied(self, situations: Iterable[Situation]) -> tuple[Situation, ...]:
        """Return the situations of the other experiment, each once."""
        some = {replace(each, **own): None for own in self.conditions for each in situations}
        return tuple(some)


def _whole(value: Any) -> Any:
    number = as_float(value)
    whole = number is not None and math.isfinite(number) and number == int(number)
    return int(number) if whole and number is not None and as_int(value) is None else value


def _check(name: str, values: Sequence[Any], faults: Faults) -> None:
    """Refuse values that no situation can have."""
    for value in values:
        if as_float(value) is None:
            faults.add((CHANGES, name), "a number", value, f"write e.g. {name}=0.2")
            continue
        try:
            replace(USUAL, **{NAMES[name]: value})
        except InputError as error:
            for fault in error.faults:
                faults.add((CHANGES, name), fault.expected, value, fault.remedy)


def situation_words(situation: Situation, fields: Iterable[str]) -> str:
    """Return some fields of a situation in words.

    Examples
    --------
    >>> situation_words(Situation(prior=0.2, miss=3.0), ("prior", "deadline"))
    'prior 0.2, no deadline'
    """
    said = []
    for name in fields:
        word, value = WORDS.get(name, name), getattr(situation, name)
        said.append(f"no {word}" if math.isinf(value) else f"{word} {value:g}")
    return ", ".join(said).replace("no dynamic", "static").replace("_", " ")


def varying(situations: Iterable[Situation]) -> tuple[str, ...]:
    """Return the fields in which some situations differ.

    Examples
    --------
    >>> varying([Situation(prior=0.2), Situation(prior=0.3)])
    ('prior',)
    """
    some = [*situations]
    return tuple(name for name in FIELDS if len({getattr(each, name) for each in some}) > 1)


def reaching(
    model: Model,
    values: Mapping[str, float],
    set_sizes: tuple[int, ...],
    tables: PassageTables | None,
    situation: Situation,
) -> Model:
    """Return the model with a window that holds the answers of a situation.

    Raises
    ------
    InputError
        If the time limit comes before the first answers that are kept.
    """
    faults = Faults("")
    check_limit(model, situation, faults)
    faults.raise_if_any()
    if math.isfinite(situation.deadline):
        return model.within(max(model.longest, situation.deadline), model.fastest)
    wide = model
    for longest in (each for each in LIMITS if each > model.longest):
        wider = model.within(longest, model.fastest)
        if (
            wider.longest == wide.longest
            or beyond(wide, values, set_sizes, tables, situation) <= CUT
        ):
            break
        wide = wider
    return wide


def check_limit(model: Model, situation: Situation, faults: Faults) -> None:
    """Refuse a time limit before the first answers that are kept."""
    if situation.deadline <= model.fastest:
        expected = f"seconds above {model.fastest:g}, from which answers are kept"
        remedy = "nobody could answer; give more time"
        faults.add((CHANGES, "deadline"), expected, situation.deadline, remedy)


def beyond(
    model: Model,
    values: Mapping[str, float],
    set_sizes: tuple[int, ...],
    tables: PassageTables | None,
    situation: Situation,
) -> float:
    """Return the share of answers after the window, in the cell where it is largest."""
    asked = replace(situation, deadline=model.longest)
    return float(model.predict(values, set_sizes, tables, asked).no_answer.max())
