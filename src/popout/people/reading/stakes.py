r"""What is at stake in each trial: how likely a target was, what errors cost, when time was up.

**Base rate.** Displays are taken apart only where the file shows that base rates differ. Of
:math:`n_{cl}` displays in cell :math:`c` at level :math:`l` of a column, :math:`k_{cl}` have a
target; were the base rate :math:`p_c` of a cell that of all its levels,

.. math:: X^2 = \sum_{c, l} \frac{(k_{cl} - n_{cl}\, p_c)^2}{n_{cl}\, p_c (1 - p_c)} ,
    \qquad p_c = \frac{\sum_l k_{cl}}{\sum_l n_{cl}} ,

would be chi-square distributed with :math:`\sum_c (L_c - 1)` degrees of freedom. All displays are
one cell at first. As long as some column (observers count as one) has an :math:`X^2` that chance
brings about in one file of a hundred, whatever the number of columns, and shares farther than
`MATTERS` apart from that of their cell, the cells are divided by the column with the largest
:math:`(X^2 - d) / \sqrt{2d}`. A column with a level that has targets always, or never, says what
the target was and not how likely it was. What is left are cells with one base rate each: even, or
the next twentieth, where the count agrees with it within three standard errors or a twentieth of
its value, and the share of displays where not.

**Time limit.** Trials without an answer end at it, give or take a frame: their times agree within
`FRAMES`, all of them or those of each level of a column. Times that many answers exceed are none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from popout.drawing.representation import count
from popout.people.reading.datafile import Column, natural_order, plain_word
from popout.people.reading.roles import Role
from popout.task import Faults
from popout.task.faults import as_float, as_tuple, did_you_mean

Numbers = NDArray[np.float64]
Rows = NDArray[np.bool_]
Labels = Mapping[str, NDArray[Any]]
"""What each row says, by column."""
Given = Any
"""What a user says: a value for all trials, or ``{column: {level: value}}``."""
FALSE_ALARMS = 0.01
"""Share of files with one base rate that are taken apart all the same."""
MATTERS = 0.05
"""Distance of base rates that matters: in thresholds of one location, below 1 % of the risk."""
CLOSE = 0.05
"""Share of a round base rate that a true one may be away from it."""
FRAMES = 0.03
"""Share of a time limit by which the times of time-outs may differ."""
LATE = 0.05
"""Share of answers that may come after what is taken for the time limit."""
SHOWN = 6
OPTIONS = {
    "prior": ("0.2", "a probability above 0 and below 1", (Role.PRIOR,)),
    "pay": ("2/1", "two positive numbers, for miss and false alarm", (Role.MISS, Role.FALSE_ALARM)),
    "deadline": ("3", "seconds", (Role.DEADLINE,)),
    "dynamic": ("0.11", "seconds between reshuffles", (Role.PERIOD,)),
}
"""An example, what is expected, and the roles of columns, for each thing at stake."""


@dataclass(frozen=True)
class Displays:
    """What was shown.

    Attributes
    ----------
    present, shown : ndarray of bool, shape (n,)
        Whether a row has a target, and whether it is a display that counts.
    labels : dict of str to ndarray of str
        Observers, set sizes and conditions.
    """

    present: Rows
    shown: Rows
    labels: dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Stake:
    """One of the things at stake, for every row.

    Attributes
    ----------
    name : {"prior", "pay", "deadline", "dynamic"}
    values : ndarray of float, shape (n,), or (n, 2) for pay
    by : tuple of str
        Columns that it varies with.
    source : str
        Where it is from.
    """

    name: str
    values: Numbers
    by: tuple[str, ...] = ()
    source: str = ""

    def or_else(self, other: Stake) -> Stake:
        """Return these values, and those of another where nothing is known."""
        unknown = ~np.isfinite(self.values)
        if not unknown.any():
            return self
        values = np.where(unknown, other.values, self.values)
        if unknown.all():
            return replace(other, values=values)
        source = "; else ".join(filter(None, (self.source, other.source)))
        return Stake(self.name, values, tuple(dict.fromkeys((*self.by, *other.by))), source)

    def words(self, rows: Rows, labels: Labels) -> str:
        """Return the values of some rows, level by level, and where they are from."""
        by = [labels[name][rows].astype(str) for name in self.by]
        cells = [" ".join(each) for each in zip(*by, strict=True)] or [""] * int(rows.sum())
        shown = {
            cell: self._shown(each) for cell, each in zip(cells, self.values[rows], strict=True)
        }
        several = natural_order({*shown.values()})
        said = several[0]
        if len(several) > 1:
            said += f" to {several[-1]}, by {' and '.join(self.by)}"
        if 1 < len(shown) <= SHOWN and len(several) > 1:
            said = "; ".join(f"{cell}: {shown[cell]}" for cell in natural_order(shown))
        return "; ".join(filter(None, (said, self.source)))

    def _shown(self, value: Any) -> str:
        if self.name == "prior":
            return f"{100 * value:.3g} %"
        if self.name == "deadline":
            return f"{value:g} s" if value < np.inf else "none"
        if self.name == "dynamic":
            return f"reshuffled every {value:g} s" if value < np.inf else "static"
        miss, false_alarm = value
        same = "a miss and a false alarm cost the same"
        return (
            same if miss == false_alarm else f"a miss costs {miss:g}, a false alarm {false_alarm:g}"
        )


def said_stake(
    name: str,
    given: Given,
    columns: Mapping[str, Column],
    about: Displays,
    unit: float,
    faults: Faults,
) -> Stake:
    """Return what the user, or else a column of the file, says is at stake; NaN where nothing does.

    Parameters
    ----------
    name : {"prior", "pay", "deadline", "dynamic"}
    given : number, two numbers for pay, or mapping
        For all trials, or ``{column: {level: value}}``.
    columns : mapping of str to Column
        By role. Their labels are added to those of the displays.
    about : Displays
    unit : float
        How many of the file's units of time make a second.
    faults : Faults
    """
    example, expected, roles = OPTIONS[name]
    parts, by = _given_parts(name, given, about, faults)
    values = np.full((about.shown.size, len(roles)), np.nan)
    for chosen, value in parts:
        numbers = [as_float(each) or 0.0 for each in (as_tuple(value) or (value,))]
        most = 1.0 if name == "prior" else np.inf
        if len(numbers) == len(roles) and all(0 < each < most for each in numbers):
            values[chosen] = numbers
        else:
            faults.add(name, expected, value, f"write e.g. {example}")
    flat = slice(None) if name == "pay" else 0
    said = Stake(name, values[:, flat], by, "as given" if parts else "")
    if not all(role in columns for role in roles):
        return said
    own = [columns[role] for role in roles]
    about.labels.update({each.name: each.labels for each in own})
    numbers_of = np.stack([each.numbers for each in own], axis=1)
    numbers_of /= unit if name in ("deadline", "dynamic") else 1.0
    names = tuple(each.name for each in own)
    return said.or_else(Stake(name, numbers_of[:, flat], names, "as the file says"))


def _given_parts(
    option: str, given: Given, about: Displays, faults: Faults
) -> tuple[list[tuple[Any, Any]], tuple[str, ...]]:
    """Return rows and the value that a user gives them, and the columns that say which rows."""
    if not isinstance(given, Mapping):
        return ([] if given is None else [(slice(None), given)]), ()
    parts = []
    for name, levels in given.items():
        if name not in about.labels:
            known = ", ".join(about.labels)[:300]
            remedy = did_you_mean(name, about.labels, f"choose from {known}")
            faults.add(option, "a column with a few values", name, remedy)
            continue
        words = natural_order({*about.labels[name][about.shown]})
        holds = f"it holds {', '.join(words)[:300]}"
        if not isinstance(levels, Mapping):
            faults.add(option, f"a value for each level of {name}", levels, holds)
            continue
        for level, value in levels.items():
            parts.append((about.labels[name] == plain_word(str(level)), value))
            if plain_word(str(level)) not in words:
                remedy = did_you_mean(str(level), words, holds)
                faults.add(option, f"a level of {name} that occurs", level, remedy)
    return parts, tuple(given)


def settle_priors(
    said: Stake, about: Displays, observers: Sequence[str] | None, faults: Faults
) -> tuple[Stake, str]:
    """Return the probability of a target of every trial, and what the user should know.

    Parameters
    ----------
    said : Stake
        What is given.
    about : Displays
    observers : sequence of str, optional
        Those who count; refused are those of them who saw displays of one kind.
    faults : Faults
    """
    shown, present = about.shown, about.present[about.shown]
    rates = base_rates(present, {name: each[shown] for name, each in about.labels.items()})
    values, who = np.full(shown.size, 0.5), about.labels["observer"]
    values[shown] = rates.values
    pure = shown & np.isnan(said.values) & np.isin(values, (0, 1))
    values[pure] = 0.5
    some = [each for each in natural_order({*who[pure]}) if observers is None or each in observers]
    if some and 0 < present.mean() < 1:
        got = f"a target always or never for {', '.join(some[:SHOWN])}"
        remedy = "leave them out with observers, or give the base rate with prior"
        faults.add("target", "displays of both kinds for everyone", got, remedy)
    note = ""
    if rates.by and np.isnan(said.values[shown]).any():
        note = f"Targets are not equally frequent by {' and '.join(rates.by)}, which counts as "
        note += "intended and known; give the base rate with prior (--prior 0.5) if not."
    whole = said.or_else(Stake("prior", values, rates.by))
    seen = f"{present.sum()} of {present.size} displays have one"
    return replace(whole, source="; ".join(filter(None, (whole.source, seen)))), note


def base_rates(present: Rows, labels: Labels) -> Stake:
    """Return the base rate of each display, and what it varies with.

    Parameters
    ----------
    present : ndarray of bool, shape (n,)
    labels : mapping of str to ndarray of str
        Columns that it may vary with; that of observers is called ``observer``.

    Examples
    --------
    >>> rare = np.arange(900) % np.repeat([10, 2, 2], 300) == 0
    >>> apart = {"block": np.repeat(["1", "2", "3"], 300), "half": np.arange(900) // 450}
    >>> rates = base_rates(rare, apart)
    >>> rates.by, np.unique(rates.values)
    (('block',), array([0.1, 0.5]))
    """
    cells, by = np.zeros(present.size, dtype=np.int64), list[str]()
    codes = {name: np.unique(each, return_inverse=True)[1] for name, each in labels.items()}
    able = [name for name, each in codes.items() if name == "observer" or is_mixed(present, each)]
    while able:
        far = {name: _heterogeneity(present, cells, codes[name], len(labels)) for name in able}
        name = max(able, key=lambda each: far[each])
        if far[name] <= 0:
            break
        able.remove(name)
        by.append(name)
        cells = np.unique(cells * (codes[name].max() + 1) + codes[name], return_inverse=True)[1]
    k, n = np.bincount(cells, present), np.bincount(cells)
    shares = np.array([round_share(*pair) for pair in zip(k, n, strict=True)])
    return Stake("prior", shares[cells] if cells.size else np.zeros(0), tuple(by))


def is_mixed(present: Rows, labels: NDArray[Any]) -> bool:
    """Whether each of several levels has displays with a target and without."""
    codes = np.unique(labels, return_inverse=True)[1]
    k, n = np.bincount(codes, present), np.bincount(codes)
    return n.size > 1 and bool(((k > 0) & (k < n)).all())


def _heterogeneity(
    present: Rows, cells: NDArray[np.int64], codes: NDArray[np.int64], tests: int
) -> float:
    """Return how far the levels of a column are from one base rate in each cell; 0 if by chance."""
    levels = codes.max() + 1
    pairs, each = np.unique(cells * levels + codes, return_inverse=True)
    p = (np.bincount(cells, present) / np.bincount(cells))[pairs // levels]
    mixed = (p > 0) & (p < 1)
    k, n, p = (x[mixed] for x in (np.bincount(each, present), np.bincount(each), p))
    degrees = k.size - np.unique(pairs[mixed] // levels).size
    if degrees < 1 or (abs(k / n - p) <= MATTERS).all():
        return 0.0
    statistic = np.sum((k - n * p) ** 2 / (n * p * (1 - p)))
    if chi2.sf(statistic, degrees) > FALSE_ALARMS / tests:
        return 0.0
    return float((statistic - degrees) / np.sqrt(2 * degrees))


def round_share(k: float, n: float) -> float:
    """Return the share of displays with a target: a round one where the count agrees with it.

    Examples
    --------
    >>> round_share(55, 100), round_share(1980, 10_000), round_share(3300, 10_000)
    (0.5, 0.2, 0.33)
    """
    share = k / n
    for near in (0.5, round(20 * share) / 20):
        chance = 3 * np.sqrt(near * (1 - near) / n)
        if 0 < near < 1 and abs(share - near) <= max(chance, CLOSE * min(near, 1 - near)):
            return float(near)
    return float(share)


def time_limits(rt: Numbers, silent: Rows, answered: Rows, labels: Labels) -> tuple[Stake, str]:
    """Return the time limit of each row, inf where none is known, and what the user should know.

    Parameters
    ----------
    rt : ndarray of float, shape (n,)
        Of time-outs the limit, if anything.
    silent, answered : ndarray of bool, shape (n,)
        Trials without an answer, and with one.
    labels : mapping of str to ndarray of str
        Columns that the limit may vary with.

    Examples
    --------
    >>> rt = np.array([4.99, 5.01, 2.0, 2.01, 1.5, 1.7])
    >>> silent, labels = rt > 1.9, {"speed": np.array([*"ssffsf"], dtype=object)}
    >>> time_limits(rt, silent, ~silent, labels)[0].values
    array([5., 5., 2., 2., 5., 2.])
    """
    timed, none = silent & (rt > 0), np.full(rt.size, np.inf)
    if not timed.any():
        return Stake("deadline", none), ""
    note, limits = "", none
    by: tuple[str, ...] = ()
    if (limit := _common(rt[timed])) is not None:
        limits = np.full(rt.size, limit)
    else:
        for name, each in labels.items():
            levels = [*dict.fromkeys(each[timed])]
            own = {level: _common(rt[timed & (each == level)]) for level in levels}
            if None not in own.values() and timed.sum() >= 2 * len(levels):
                by, limits = (name,), np.array([own.get(level, np.inf) for level in each], float)
                break
        else:
            low, high = rt[timed].min(), rt[timed].max()
            limits = np.full(rt.size, high)
            note = (
                f"Time-outs end at {low:.3g} to {high:.3g} s, and no column says why: the latest "
            )
            note += "is taken for the time limit; give it with deadline (--deadline 3)."
    late = int((answered & (rt > limits)).sum())
    if late > LATE * answered.sum():
        said = f"{late} of {answered.sum()} answers are slower than time-outs"
        return Stake("deadline", none), f"{said}: these do not show the time limit."
    said = f"by the times of {count(int(timed.sum()), 'time-out')}"
    return Stake("deadline", limits, by, said), note


def _common(times: Numbers) -> float | None:
    """Return the time limit that times of time-outs agree on, if they do."""
    middle = float(np.median(times))
    near = times[abs(times - middle) <= FRAMES * middle]
    if near.size < 0.9 * times.size:
        return None
    rounded = round(middle, 1)
    return rounded if abs(rounded - middle) <= 0.01 * middle else float(near.max())
