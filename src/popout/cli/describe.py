"""``popout describe DATA``: how trials of people are read; their means, errors and slopes.

Here are the options of every command that reads trials of people, too: which column is what, and
what to choose.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from popout.cli import options
from popout.cli.names import Name
from popout.cli.options import Function
from popout.cli.output import show, write_json
from popout.cli.quantities import Value, Whole

if TYPE_CHECKING:
    from popout.people.reading.observed import ObservedTrials


class Pairs(click.ParamType):  # type: ignore[type-arg]  # generic in new versions of click
    """Names with values, ``rt=RT,observer=Subject``, as a dict.

    Parameters
    ----------
    example : str
        For the message.
    metavar : str
    """

    def __init__(self, example: str, metavar: str) -> None:
        self.name, self.example = metavar, example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the pairs; refuse what is none, and a name that comes twice."""
        if isinstance(value, dict):  # click converts values twice
            return value
        pairs: dict[str, str] = {}
        for part in str(value).split(","):
            name, sign, said = (each.strip() for each in part.partition("="))
            if not (name and sign and said) or name in pairs:
                wrong = f"expected pairs NAME=VALUE with different names, got {value!r:.60}"
                self.fail(f"{wrong}; write e.g. {self.example}", param, ctx)
            pairs[name] = said
        return pairs


class PerLevel(Value):
    """A value for all trials, or for each level of a column: ``reward:Absent=1/2,Present=2/1``.

    Parameters
    ----------
    metavar : str
        Of a value; two numbers if there is a slash in it.
    example, by_level : str
        Values to write.
    """

    def __init__(self, metavar: str, example: str, by_level: str) -> None:
        self.is_pair = "/" in metavar
        expected = f"{metavar}, or COLUMN:LEVEL={metavar},..."
        name = f"{metavar}|COLUMN:LEVEL={metavar}[,...]"
        super().__init__(name, self._levels, expected, f"write e.g. {example} or {by_level}")

    def _levels(self, text: str) -> Any:
        column, colon, levels = text.partition(":")
        if not colon:
            return self._number(text)
        levels = levels.replace(f",{column}:", ",")  # which may stand before every level
        pairs = [part.rpartition("=") for part in levels.split(",")]
        values = {level.strip(): self._number(value) for level, _, value in pairs}
        if len(values) < len(pairs) or "" in (column, *values):
            raise ValueError("levels twice, or without a name")
        return {column.strip(): values}

    def _number(self, text: str) -> float | tuple[float, ...]:
        numbers = tuple(float(each) for each in text.split("/"))
        if len(numbers) != 1 + self.is_pair:
            raise ValueError("one number for two, or two for one")
        return numbers if self.is_pair else numbers[0]


class Words(click.ParamType):  # type: ignore[type-arg]
    """Words separated by commas, as a tuple."""

    name = "NAME[,...]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the words; refuse an empty one."""
        if isinstance(value, tuple):
            return value
        words = tuple(word.strip() for word in str(value).split(","))
        if not all(words):
            self.fail(f"expected names separated by commas, got {value!r:.60}; write e.g. 1,2")
        return words


paths_option = options.option(
    "--paths", Whole(1000, 10**7), "Simulated paths behind each table of first passages.", 100_000
)
OPTIONS = (
    options.option(
        "--columns",
        Pairs("rt=RT,observer=Subject", "ROLE=NAME[,...]"),
        "Which column is what, where the guess is wrong. Roles: rt, observer, set_size, target, "
        "response, correct, error, block, practice.",
    ),
    options.option(
        "--rt-unit",
        Name("s|ms", ("s", "ms")),
        "Unit of the response times. [default: found from the data]",
    ),
    options.option(
        "--codes",
        Pairs("response=j/f", "ROLE=PRESENT/ABSENT[,...]"),
        "Values that mean present and absent, of target or response, as in response=j/f; or "
        "right and wrong, of correct.",
    ),
    options.option(
        "--where", Pairs("display=static", "COLUMN=VALUE[,...]"), "Conditions to choose."
    ),
    options.option("--observers", Words(), "Some of the observers. [default: all]"),
    options.number("--fastest", "seconds", "0.15", "Faster answers are dropped.", 0.15),
    options.number(
        "--slowest",
        "seconds",
        "5",
        "Slower answers are dropped. [default: the time limit, else the first of 1, 2, 3, 5, 10, "
        "... s that holds all but one in a thousand]",
    ),
    options.option(
        "--prior",
        PerLevel("PROBABILITY", "0.2", "prevalence:low=0.1,high=0.5"),
        "How likely a target was. [default: as often as displays have one, for observers and "
        "conditions apart where they differ]",
    ),
    options.option(
        "--pay",
        PerLevel("MISS/FALSE_ALARM", "2/1", "reward:Absent=1/2,Present=2/1"),
        "What the errors cost. [default: the same]",
    ),
    options.option(
        "--deadline",
        PerLevel("SECONDS", "3", "speed:fast=0.8,slow=3"),
        "Time limit of a trial. [default: by the times of trials without an answer]",
    ),
    options.option(
        "--dynamic",
        PerLevel("SECONDS", "0.11", "dyn:Dynamic=0.11"),
        "Time between two reshuffles of the items. [default: they stay where they are]",
    ),
    options.option(
        "--visibility",
        PerLevel("NUMBER", "place:left=1,right=0.3", "place:1=1,2=0.3"),
        "How well each place is seen, by the column that holds the target's place. [default: as "
        "the laboratory's export says, else all alike]",
    ),
)
READING = (
    *("columns", "rt_unit", "where", "observers", "split"),
    *("fastest", "slowest", "prior", "pay", "deadline", "dynamic"),
    "visibility",
)
"""Options that `read_trials` takes as they are."""


def reading_options(function: Function) -> Function:
    """Add the options of reading trials of people."""
    for each in reversed(OPTIONS):
        function = each(function)
    return function


def read_given(data: Path, given: dict[str, Any]) -> ObservedTrials:
    """Return the trials of a file, read as options say, which are taken out of those given."""
    from popout.people.reading.reader import read_trials

    codes = given.pop("codes") or {}
    reading = {name: given.pop(name) for name in READING if name in given}
    pairs = {role: tuple(said.split("/")) for role, said in codes.items()}
    return read_trials(data, codes=pairs, **reading)


def trials_options(function: Function) -> Function:
    """Add the argument DATA and the options of reading it; pass the trials on as ``trials``."""

    @functools.wraps(function)
    def command(*args: Any, data: Path, **others: Any) -> Any:
        trials = read_given(data, others)
        return function(*args, trials=trials, **others)

    return options.file("data", "DATA")(reading_options(command))


@options.command
@trials_options
@options.option(
    "--split",
    str,
    "A condition whose values are taken apart, within each observer.",
    metavar="COLUMN",
)
@options.as_json
def command(trials: ObservedTrials, as_json: bool) -> None:
    """Read trials of people and describe them, before any model.

    DATA is CSV, TSV or Parquet with one trial a row: response time, set size, whether the target
    was present, and the answer or whether it was correct. Columns, units and the meaning of keys
    are found and said, and so are base rate, pay and time limit; the options overrule them. Slopes
    are in ms per item.

    Examples
    --------
    popout describe examples/people/two_observers.csv
    popout describe DATA.csv --columns rt=RT,observer=Subject --rt-unit ms
    popout describe DATA.csv --where display=static --json
    popout describe DATA.csv --pay reward:Absent=1/2,Present=2/1 --deadline 5
    """
    description = trials.describe()
    if as_json:
        write_json({**trials.as_dict(), **description.as_dict(), "trials": trials.n_trials})
    else:
        show(trials, False, "", description.card())
