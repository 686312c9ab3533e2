"""A claim of the paper, its checks, and the verdict that follows from them.

The verdict is decided by one rule for all claims, `verdict_of`:

- every check passes: **holds**;
- some pass: **holds in part** (a check that fails and one that is undecided count the same here:
  that part of the claim was not confirmed);
- none passes, some fail: **does not hold**;
- none passes and none fails: **undecided**.

An `Examination` says how a claim is examined: which data it needs and which checks follow from
them. It holds no verdict. `claim` makes one of a function from data to checks.

**Short steps.** The paper computes with steps of 10 ms; responses of some 30 ms take three. What it
says of Figures 4 to 6 is about evidence that flows, so the same checks are made of data with
shorter steps (`SHORT_STEPS`) beside the paper's. All of them count for the verdict, and the verdict
at each step is told as well (`Claim.by_step`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import xarray as xr

from popout.paper.claims.check import Check, Outcome

PAPER_STEP = "10 ms"
SHORT_STEPS = {
    "strategies-2d": "short-steps-2d",
    "decisions": "short-steps-2d",
    "homogeneous-risk": "short-steps-equal",
    "unequal-drift-risk": "short-steps-unequal",
}
"""For figures and tables with steps of 10 ms, the table that has the same with shorter ones."""


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
    found = list(outcomes)
    passes = sum(outcome is Outcome.PASSES for outcome in found)
    if passes:
        return Verdict.HOLDS if passes == len(found) else Verdict.IN_PART
    return Verdict.FAILS if Outcome.FAILS in found else Verdict.UNDECIDED


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
    >>> from popout.paper.claims.check import Relation
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
    name, statement, where, quote, rule, new
        As in `Claim`.
    needs : tuple of str
        Figures and tables whose data `checks` takes, in this order.
    checks : callable
        From these data to the checks.
    short : tuple of str
        Tables that have the same data with shorter steps, in the same order; empty where the
        claim is not about such steps.
    """

    name: str
    statement: str
    where: str
    rule: str
    needs: tuple[str, ...]
    checks: Callable[..., Iterable[Check]]
    quote: str
    new: bool
    short: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """Every figure and table that is looked at."""
        return tuple(dict.fromkeys((*self.needs, *self.short)))

    def possible(self, data: Mapping[str, xr.Dataset]) -> bool:
        """Return whether the data are there."""
        return all(name in data for name in self.sources)

    def examine(self, data: Mapping[str, xr.Dataset]) -> Claim:
        """Return the claim with its checks."""
        return Claim(
            name=self.name,
            statement=self.statement,
            where=self.where,
            quote=self.quote,
            rule=self.rule,
            checks=tuple(self._checks(data)),
            data=self.sources,
            new=self.new,
        )

    def _checks(self, data: Mapping[str, xr.Dataset]) -> Iterator[Check]:
        """Yield the checks at the paper's step, then those at shorter ones."""
        for check in self.checks(*(data[name] for name in self.needs)):
            yield replace(check, step=PAPER_STEP if self.short else "")
        for dt in data[self.short[0]]["dt"].to_numpy() if self.short else ():
            tables = (_computed(data[name].sel(dt=dt)) for name in self.short)
            for check in self.checks(*tables):
                yield replace(check, step=f"{1e3 * dt:g} ms")


def _computed(data: xr.Dataset) -> xr.Dataset:
    """Leave out costs at which nothing was computed with this step."""
    if "time_cost" not in data.dims:
        return data
    left = data.dropna("time_cost", how="all", subset=["risk"])
    return left if left.sizes["time_cost"] else data


def claim(
    statement: str,
    *,
    where: str,
    rule: str,
    quote: str = "",
    new: bool = False,
    short_steps: bool = False,
) -> Callable[[Callable[..., Iterable[Check]]], Examination]:
    """Make an examination of a function from data to checks.

    The name of the function is that of the claim, the names of its parameters are those of the
    figures and tables that it needs, both with hyphens.

    Parameters
    ----------
    statement, where, rule, quote, new
        As in `Claim`.
    short_steps : bool
        Whether it is examined with steps shorter than the paper's as well.

    Examples
    --------
    >>> @claim("Nothing is lost.", where="Results", rule="It equals enumeration.")
    ... def evidence_lossless(lossless):
    ...     return []
    >>> evidence_lossless.name, evidence_lossless.needs
    ('evidence-lossless', ('lossless',))
    """

    def examination(checks: Callable[..., Iterable[Check]]) -> Examination:
        name, *needs = (
            each.replace("_", "-")
            for each in (checks.__name__, *inspect.signature(checks).parameters)
        )
        short = tuple(SHORT_STEPS[each] for each in needs) if short_steps else ()
        return Examination(name, statement, where, rule, tuple(needs), checks, quote, new, short)

    return examination
