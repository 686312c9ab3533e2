"""The report on the paper: the page with every figure and every claim, and the same as JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from popout.drawing.representation import listing
from popout.paper.claims import Check, Claim, Verdict
from popout.paper.limited import TITLE as CHAPTER
from popout.report.page import Block, Judged, Section, Statement, Table, Text
from popout.report.publish import section_of, write_report
from popout.report.runner import PartResult

if TYPE_CHECKING:
    from popout.paper.reproduce import Reproduction

TONES = {
    Verdict.HOLDS: "good",
    Verdict.IN_PART: "mixed",
    Verdict.FAILS: "bad",
    Verdict.UNDECIDED: "open",
}
ABOUT = (
    "Chen and Perona, “Towards an optimal decision strategy of visual search”, computed anew. An "
    "observer watches M locations and decides whether a target is there; time and errors cost. "
    "Risk is the prior average over the two classes, half of the sum that the paper's axes show."
)


def write_reproduction(run: Reproduction) -> Path:
    """Write ``report.html`` and ``report.json``; return the path of the page."""
    claims = [_claims(run)] if run.claims else []
    numbers = {
        "preset": asdict(run.preset),
        "seed": run.seed,
        "figures": [_numbers(result) for result in run.figures],
        "tables": [_numbers(result) for result in run.tables],
        "claims": run.claims,
        "not_examined": run.not_examined,
    }
    return write_report(
        run.folder,
        title="An optimal decision strategy of visual search, examined",
        preset=run.preset,
        seed=run.seed,
        results=(*run.figures, *run.tables),
        seconds=run.seconds,
        summary=(ABOUT, *_summary(run)),
        sections=[*map(section_of, run.figures), *claims],
        numbers=numbers,
    )


def _numbers(result: PartResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "title": result.part.title,
        "paper_label": result.part.paper_label,
        "key": result.key,
        "caption": result.part.caption(result.data),
        "parameters": result.data.attrs,
        "data": result.data,
    }


def _summary(run: Reproduction) -> tuple[str, ...]:
    """Count the verdicts, and say which claims do not hold."""
    sentences, failed = [], []
    if run.claims:
        verdicts = Counter(claim.verdict for claim in run.claims)
        parts = [f"{verdicts[v]} {_plural(v, verdicts[v])}" for v in Verdict if verdicts[v]]
        sentences.append(f"Of {len(run.claims)} claims, {listing(parts)}.")
        if run.preset.name == "quick":
            sentences.append(
                "The quick preset has fewer set sizes, costs and trials than the paper preset, "
                "with which the page on the claims is made: verdicts may differ."
            )
        failed = [f"“{c.statement}”" for c in run.claims if c.verdict is Verdict.FAILS]
    if run.not_examined:
        number = len(run.not_examined)
        count = "1 claim was" if number == 1 else f"{number} claims were"
        sentences.append(f"{count} not examined, for want of data that were not asked for.")
    if failed:
        verb = _plural(Verdict.FAILS, len(failed)).capitalize()
        sentences.append(f"{verb}, as measured here: {' '.join(failed)}")
    return (" ".join(sentences),) if sentences else ()


def _plural(verdict: Verdict, number: int) -> str:
    """Return the verdict as the verb for this number of claims.

    Examples
    --------
    >>> _plural(Verdict.HOLDS, 2), _plural(Verdict.FAILS, 1), _plural(Verdict.UNDECIDED, 2)
    ('hold', 'does not hold', 'are undecided')
    """
    if verdict is Verdict.UNDECIDED:
        return "is undecided" if number == 1 else "are undecided"
    if number == 1:
        return verdict.value
    return verdict.value.replace("does not", "do not").replace("holds", "hold")


def _claims(run: Reproduction) -> Section:
    groups = (
        ("Claims of the paper", [claim for claim in run.claims if not claim.new]),
        ("Beyond the paper", [c for c in run.claims if c.new and c.where != CHAPTER]),
        (CHAPTER, [claim for claim in run.claims if claim.where == CHAPTER]),
    )
    blocks: list[Block] = [
        Text(
            (
                "Each claim is turned into checks: a number, its error, and the bound it must "
                "clear. A standard error counts twice; a bound on the error of a computation "
                "counts once. A claim holds if every check passes, holds in part if some do, does "
                "not hold if none passes and some fail, and is undecided otherwise. The checks of "
                "a claim unfold on the screen; claims.json lists them all.",
            )
        )
    ]
    blocks += [
        Judged(tuple(_statement(claim) for claim in claims), title=title)
        for title, claims in groups
        if claims
    ]
    if run.not_examined:
        blocks.append(Text((f"Not examined in this run: {listing(run.not_examined)}.",)))
    return Section("claims", "Claims", tuple(blocks))


def _at_step(check: Check) -> str:
    return f"{check.what}, steps of {check.step}" if check.step else check.what


def _statement(claim: Claim) -> Statement:
    rows: list[tuple[str, ...]] = [
        (_at_step(check), check.measured, check.wanted, check.outcome.value, check.reason)
        for check in claim.checks
    ]
    columns: tuple[str, ...] = ("check", "value", "must be", "", "why this bound")
    if not any(check.reason for check in claim.checks):
        rows, columns = [row[:4] for row in rows], columns[:4]
    return Statement(
        name=claim.name,
        text=claim.statement,
        where=claim.where,
        verdict=claim.verdict.value,
        tone=TONES[claim.verdict],
        rule=f"The paper: “{claim.quote}”. Examined: {claim.rule}" if claim.quote else claim.rule,
        grounds=Table(columns, tuple(rows)),
    )
