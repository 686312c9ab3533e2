"""The report on the paper: one page with every figure and every claim, and the same as JSON.

``report.html`` holds the pictures, their captions (see `captions`), the claims with their checks,
and where it all comes from. ``report.json`` holds two parts: ``numbers``, which are the same for
two runs with one seed, and ``run`` (date, machine, run times), which are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from popout.drawing.plain import json_bytes
from popout.paper.captions import caption_of
from popout.paper.claims import Claim, Verdict
from popout.report.page import (
    Judged,
    Page,
    Picture,
    Section,
    Statement,
    Table,
    Text,
    write_page,
)
from popout.report.provenance import Part, foot, now, run_record, run_tables, versions
from popout.report.store import write_whole
from popout.report.words import listing

if TYPE_CHECKING:
    from popout.paper.reproduce import Made, Reproduction

__all__ = ["write_report"]

PAGE, DATA = "report.html", "report.json"
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


def write_report(run: Reproduction, folder: Path) -> Path:
    """Write ``report.html`` and ``report.json``; return the path of the page.

    Parameters
    ----------
    run : Reproduction
        Its pictures are read from the files it made.
    folder : Path
    """
    captions = {one.name: caption_of(one.name, run.datasets[one.name]) for one in run.figures}
    content = {
        "numbers": {
            "preset": asdict(run.preset),
            "seed": run.seed,
            "figures": [_numbers(one, run, captions[one.name]) for one in run.figures],
            "tables": [_numbers(one, run, ()) for one in run.tables],
            "claims": [claim.as_dict() for claim in run.claims],
            "not_examined": list(run.not_examined),
        },
        "run": run_record(_parts(run), run.seconds),
    }
    write_whole(folder / DATA, json_bytes(content))
    return write_page(_page(run, captions), folder / PAGE)


def _numbers(one: Made, run: Reproduction, caption: Sequence[str]) -> dict[str, Any]:
    data = run.datasets[one.name]
    return {
        "name": one.name,
        "title": one.title,
        "paper_label": one.paper_label,
        "key": one.key,
        "caption": list(caption),
        "parameters": dict(data.attrs),
        "data": data,
    }


def _page(run: Reproduction, captions: dict[str, tuple[str, ...]]) -> Page:
    sections = []
    if run.claims:
        sections.append(_claims(run))
    for one in run.figures:
        sections.append(Section(one.name, one.title, (_picture(one, captions[one.name]),)))
    sections.append(_provenance(run))
    return Page(
        title="An optimal decision strategy of visual search, examined",
        subtitle=f"popout {versions()['popout']} · preset {run.preset.name} · seed {run.seed} · "
        f"{now()}",
        summary=(ABOUT, *_summary(run)),
        sections=tuple(sections),
        foot=foot(DATA),
    )


def _summary(run: Reproduction) -> tuple[str, ...]:
    """Count the verdicts, and say which claims do not hold."""
    sentences, failed = [], []
    if run.claims:
        found = Counter(claim.verdict for claim in run.claims)
        parts = [f"{found[v]} {_plural(v, found[v])}" for v in Verdict if found[v]]
        sentences.append(f"Of {len(run.claims)} claims, {listing(parts)}.")
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
    """Return the verdict as the verb of so many claims.

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
        ("Beyond the paper", [claim for claim in run.claims if claim.new]),
    )
    blocks: list[Any] = [
        Text(
            (
                "Each claim is turned into checks: a number, its error, and the bound it must "
                "clear. A standard error counts twice; a bound on the error of a computation "
                "counts once. A claim holds if every check passes, holds in part if some do, does "
                "not hold if none passes and some fail, and is undecided otherwise.",
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


def _statement(claim: Claim) -> Statement:
    rows: list[tuple[str, ...]] = [
        (one.what, one.measured, one.wanted, one.outcome.value, one.reason) for one in claim.checks
    ]
    columns: tuple[str, ...] = ("check", "value", "must be", "", "why this bound")
    if not any(one.reason for one in claim.checks):
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


def _picture(one: Made, caption: tuple[str, ...]) -> Picture:
    """Take the vector picture: it stays sharp on screen and in print."""
    path = Path(next(path for path in one.pictures if path.endswith(".svg")))
    files = (f"in the paper: {one.paper_label}", Path(one.data).name, path.name)
    return Picture(one.name, one.title, caption, path.read_bytes(), "svg", files)


def _parts(run: Reproduction) -> list[Part]:
    return [
        Part(one.name, one.title, one.from_store, one.seconds)
        for one in (*run.figures, *run.tables)
    ]


def _provenance(run: Reproduction) -> Section:
    tables = run_tables(run.seed, _parts(run), run.seconds, asdict(run.preset))
    return Section("provenance", "Where the numbers come from", tables)
