r"""A claim of the paper, its checks, and the verdict that follows from them.

**A check** is one measured number against the bound that a claim sets it. A number :math:`v` comes
with an error :math:`e`: a standard error, or a bound on the error of a computation. Its margin
:math:`m` is twice a standard error, or the bound itself. The number clears its bound :math:`b` only
if it does so with its margin:

=============  =====================  =====================
relation       passes                 fails
=============  =====================  =====================
below b        v + m < b              v - m >= b
above b        v - m > b              v + m <= b
near b, by d   abs(v - b) + m <= d    abs(v - b) - m > d
=============  =====================  =====================

In every other case, and where there is no number, the check is undecided.

**The verdict** is decided by one rule for all claims, `verdict_of`:

- every check passes: **holds**;
- some pass: **holds in part** (a check that fails and one that is undecided count the same here:
  that part of the claim was not confirmed);
- none passes, some fail: **does not hold**;
- none passes and none fails: **undecided**.

An `Examination` says how a claim is examined: which data it needs and which checks follow from
them. It holds no verdict. `Claims.add` makes one of a function from data to checks.

**Short steps.** The paper computes with steps of 10 ms; responses of some 30 ms take three. What it
says of Figures 4 to 6 is about evidence that flows, so the same checks are made of data with
shorter steps beside the paper's. All of them count for the verdict, and the verdict at each step is
told as well (`Claim.by_step`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import xarray as xr

from popout.paper.preset import PaperPart

PAPER_STEP = "10 ms"
CHAPTER = "With limited information"
"""Where claims stand that are about a rate of information that is shared out."""
EYES = "With eye movements"
"""Where claims stand that are about gaze."""
GROUPS = ("Claims of the paper", "Beyond the paper", CHAPTER, EYES)
STANDARD_ERRORS = 2.0
"""A standard error is doubled before a number must clear its bound: some 95 % either way."""


class Relation(StrEnum):
    """What a number must do to its bound."""

    BELOW = "below"
    ABOVE = "above"
    NEAR = "near"


class ErrorKind(StrEnum):
    """What the error of a number means."""

    STANDARD = "standard error"
    BOUND = "bound on the error"


class Outcome(StrEnum):
    """What became of a check."""

    PASSES = "passes"
    FAILS = "fails"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Check:
    """A number, its error, and what it must satisfy.

    Parameters
    ----------
    what : str
        What was measured, in words.
    value : float
    relation : Relation
    bound : float
        For `Relation.NEAR`, the number that `value` must come near to.
    error : float
        Not negative.
    error_kind : ErrorKind
    unit : str
        Of value, error, bound and tolerance; empty for a pure number.
    tolerance : float
        How near is near.
    reason : str
        Why this bound.
    step : str
        The step at which it was measured, where there are several; empty otherwise.

    Examples
    --------
    >>> Check("excess risk", 0.05, Relation.BELOW, 0.1, error=0.01, unit="%").outcome.value
    'passes'
    >>> Check("excess risk", 0.09, Relation.BELOW, 0.1, error=0.01, unit="%").outcome.value
    'undecided'
    """

    what: str
    value: float
    relation: Relation
    bound: float
    error: float = 0.0
    error_kind: ErrorKind = ErrorKind.STANDARD
    unit: str = ""
    tolerance: float = 0.0
    reason: str = ""
    step: str = ""

    @property
    def margin(self) -> float:
        """How far the truth may lie from the value."""
        return self.error * (STANDARD_ERRORS if self.error_kind is ErrorKind.STANDARD else 1.0)

    @property
    def outcome(self) -> Outcome:
        """Whether the number clears its bound; see the head of the module."""
        v, m, b = self.value, self.margin, self.bound
        if not (math.isfinite(v) and math.isfinite(m) and math.isfinite(b)):
            return Outcome.UNDECIDED
        if self.relation is Relation.NEAR:
            passes = abs(v - b) + m <= self.tolerance
            fails = abs(v - b) - m > self.tolerance
        elif self.relation is Relation.BELOW:
            passes, fails = v + m < b, v - m >= b
        else:
            passes, fails = v - m > b, v + m <= b
        return Outcome.PASSES if passes else Outcome.FAILS if fails else Outcome.UNDECIDED

    @property
    def wanted(self) -> str:
        """The bound in words.

        Examples
        --------
        >>> Check("scale", 0.65, Relation.NEAR, 1.5, tolerance=0.005).wanted
        'within 0.005 of 1.5'
        """
        unit = f" {self.unit}" if self.unit else ""
        if self.relation is Relation.NEAR:
            return f"within {self.tolerance:.4g} of {self.bound:.4g}{unit}"
        return f"{self.relation.value} {self.bound:.4g}{unit}"

    @property
    def measured(self) -> str:
        """The value with its error, in words.

        Examples
        --------
        >>> Check("excess risk", 0.0512, Relation.BELOW, 0.1, error=0.01, unit="%").measured
        '0.0512 ± 0.01 %'
        """
        unit = f" {self.unit}" if self.unit else ""
        error = f" ± {self.error:.2g}" if self.error else ""
        return f"{self.value:.4g}{error}{unit}"

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; a number that is not finite becomes None."""
        numbers = ("value", "error", "bound", "tolerance")
        order = (*("what", "value", "error", "error_kind", "relation", "bound", "tolerance"),
                 *("unit", "reason", "step", "outcome"))  # fmt: skip
        return {
            name: _finite(getattr(self, name)) if name in numbers else str(getattr(self, name))
            for name in order
        }


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    UNDECIDED = "undecided"


def verdict_of(outcomes: Iterable[Outcome]) -> Verdict:
    """Return the verdict that follows from the outcomes of the checks.

    Examples
    --------
    >>> verdict_of([Outcome.PASSES, Outcome.UNDECIDED]).value
    'holds in part'
    >>> verdict_of([Outcome.FAILS, Outcome.UNDECIDED]).value
    'does not hold'
    """
    known = list(outcomes)
    passes = sum(outcome is Outcome.PASSES for outcome in known)
    if passes:
        return Verdict.HOLDS if passes == len(known) else Verdict.IN_PART
    return Verdict.FAILS if Outcome.FAILS in known else Verdict.UNDECIDED


def group_of(new: bool, where: str) -> str:
    """Return which of the `GROUPS` a claim is shown in.

    Examples
    --------
    >>> group_of(True, "Discussion")
    'Beyond the paper'
    """
    return GROUPS[0] if not new else where if where in GROUPS else GROUPS[1]


@dataclass(frozen=True)
class Claim:
    """A claim and what was found.

    Attributes
    ----------
    name : str
        Short, with hyphens; the same in every run.
    statement : str
        The claim in our words.
    where : str
        Where it stands in the paper: section, equation or figure.
    quote : str
        A few of the paper's words, or empty.
    rule : str
        What the checks ask, in words.
    checks : tuple of Check
    data : tuple of str
        Names of the figures and tables the numbers come from.
    new : bool
        Whether the question goes beyond the paper.

    Examples
    --------
    >>> check = Check("excess risk", 0.02, Relation.BELOW, 0.1, unit="%")
    >>> Claim("match", "The conjecture matches.", "Conjecture", "", "", (check,), ()).verdict.value
    'holds'
    """

    name: str
    statement: str
    where: str
    quote: str
    rule: str
    checks: tuple[Check, ...]
    data: tuple[str, ...]
    new: bool = False

    @property
    def verdict(self) -> Verdict:
        """See `verdict_of`."""
        return verdict_of(check.outcome for check in self.checks)

    @property
    def by_step(self) -> dict[str, Verdict]:
        """The verdict at each step, where there are several."""
        steps = dict.fromkeys(check.step for check in self.checks if check.step)
        return {
            step: verdict_of(check.outcome for check in self.checks if check.step == step)
            for step in steps
        }

    @property
    def passed(self) -> int:
        """How many checks pass."""
        return sum(check.outcome is Outcome.PASSES for check in self.checks)

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "name": self.name,
            "verdict": self.verdict.value,
            "by_step": {step: verdict.value for step, verdict in self.by_step.items()},
            "statement": self.statement,
            "where": self.where,
            "quote": self.quote,
            "rule": self.rule,
            "new": self.new,
            "data": list(self.data),
            "checks": [check.as_dict() for check in self.checks],
        }


@dataclass(frozen=True)
class Examination:
    """How a claim is examined.

    Attributes
    ----------
    claim : Claim
        Without its checks.
    needs : tuple of Part
        Figures and tables whose data `checks` takes, in this order.
    checks : callable
        From these data to the checks.
    short : tuple of Part
        Tables that have the same data with shorter steps, in the same order; empty where the
        claim is not about such steps.
    """

    claim: Claim
    needs: tuple[PaperPart, ...]
    checks: Callable[..., Iterable[Check]]
    short: tuple[PaperPart, ...] = ()

    @property
    def name(self) -> str:
        """The name of the claim."""
        return self.claim.name

    def possible(self, data: Mapping[str, xr.Dataset]) -> bool:
        """Return whether the data are there."""
        return all(name in data for name in self.claim.data)

    def examine(self, data: Mapping[str, xr.Dataset]) -> Claim:
        """Return the claim with its checks."""
        return replace(self.claim, checks=tuple(self._checks(data)))

    def _checks(self, data: Mapping[str, xr.Dataset]) -> Iterator[Check]:
        """Yield the checks at the paper's step, then those at shorter ones."""
        for check in self.checks(*(data[part.name] for part in self.needs)):
            yield replace(check, step=PAPER_STEP if self.short else "")
        for dt in data[self.short[0].name]["dt"].to_numpy() if self.short else ():
            tables = (_computed(data[part.name].sel(dt=dt)) for part in self.short)
            for check in self.checks(*tables):
                yield replace(check, step=f"{1e3 * dt:g} ms")


def _computed(data: xr.Dataset) -> xr.Dataset:
    """Leave out costs at which nothing was computed with this step."""
    if "time_cost" not in data.dims:
        return data
    left = data.dropna("time_cost", how="all", subset=["risk"])
    return left if left.sizes["time_cost"] else data


@dataclass(frozen=True)
class Claims:
    """The claims of one subject, in order.

    Attributes
    ----------
    data, where, short, new
        What `add` takes for claims that do not say it themselves.
    examinations : list of Examination

    Examples
    --------
    >>> lossless = PaperPart("lossless", "Ratios", lambda preset, seed, progress: xr.Dataset(), 1.0)
    >>> claims = Claims(data=(lossless,), where="Results")
    >>> @claims.add("Nothing is lost.", rule="It equals a sum.")
    ... def evidence_lossless(data):
    ...     return []
    >>> [(each.name, each.claim.data) for each in claims.examinations]
    [('evidence-lossless', ('lossless',))]
    """

    data: tuple[PaperPart, ...] = ()
    where: str = ""
    short: tuple[PaperPart, ...] = ()
    new: bool = False
    examinations: list[Examination] = field(default_factory=list)

    def add(
        self,
        statement: str,
        *,
        rule: str,
        data: tuple[PaperPart, ...] = (),
        where: str = "",
        quote: str = "",
        new: bool = False,
        short: tuple[PaperPart, ...] | None = None,
    ) -> Callable[[Callable[..., Iterable[Check]]], Examination]:
        """Make an examination of a function from data to checks, and add it.

        The name of the function is that of the claim, with hyphens.

        Parameters
        ----------
        statement, where, rule, quote, new
            As in `Claim`.
        data, short : tuple of Part
            As `needs` and `short` in `Examination`.
        """

        def examination(checks: Callable[..., Iterable[Check]]) -> Examination:
            steps = self.short if short is None else short
            parts = data or self.data
            claim = Claim(
                name=checks.__name__.replace("_", "-"),
                statement=statement,
                where=where or self.where,
                quote=quote,
                rule=rule,
                checks=(),
                data=tuple(dict.fromkeys(part.name for part in (*parts, *steps))),
                new=new or self.new,
            )
            made = Examination(claim, parts, checks, steps)
            self.examinations.append(made)
            return made

        return examination


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
