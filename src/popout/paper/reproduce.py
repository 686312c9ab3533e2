"""`reproduce`: the run over figures and tables, the claims examined on them, and the report.

The claims are examined every time (``claims.json``), and are the same for the same data. See
`popout.reports.part` for what a figure or table leaves in the folder. ``report.html`` is the page
with every figure and every claim, ``report.json`` the same as data.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import xarray as xr

from popout.drawing.representation import Card, HasCard, listing
from popout.paper.claims import EXAMINATIONS, examine
from popout.paper.claims.claim import GROUPS, Check, Claim, Verdict, group_of
from popout.paper.figures import CHAPTER, FIGURES
from popout.paper.preset import PRESETS, PaperPart, Preset
from popout.progress import Progress
from popout.reports.page import Block, Judged, Section, Statement, Table, Text
from popout.reports.part import PartResult, chosen_parts, preset_of, run_parts
from popout.reports.publish import check_no_other_report, section_of, write_report
from popout.reports.store import writable_folder, write_whole
from popout.task import Faults

MADE_BY = "popout reproduce"
TABLES: tuple[PaperPart, ...] = tuple(
    dict.fromkeys(
        part
        for each in EXAMINATIONS
        for part in (*each.needs, *each.short)
        if part not in (*FIGURES, *CHAPTER)
    )
)
"""Numbers that a claim needs and no figure of the paper shows: as a rule without a picture."""
PARTS: tuple[PaperPart, ...] = (*FIGURES, *TABLES, *CHAPTER)
"""Figures and tables, then the chapter beyond the paper, in the order in which they are made."""
CLAIMS_FILE = "claims.json"
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


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(HasCard):
    """What a run made.

    Attributes
    ----------
    figures, tables : tuple of PartResult
        Of the paper, and of the chapter beyond it.
    claims : tuple of Claim
    not_examined : tuple of str
        Names of the claims whose data were not asked for.
    folder : Path
    preset : Preset
    seed : int
    seconds : float
        Of the whole run.
    report : str
        Path of the page.
    """

    figures: tuple[PartResult, ...]
    tables: tuple[PartResult, ...]
    claims: tuple[Claim, ...]
    not_examined: tuple[str, ...]
    folder: Path
    preset: Preset
    seed: int
    seconds: float
    report: str = ""

    @property
    def datasets(self) -> dict[str, xr.Dataset]:
        """The data of every figure and table, by name."""
        return {result.name: result.data for result in (*self.figures, *self.tables)}

    def card(self) -> Card:
        """Return what was made, and the verdict on every claim."""
        parts = [
            (result.name, f"{_kind(result)}, {result.origin}, {result.seconds:.1f} s")
            for result in (*self.figures, *self.tables)
        ]
        left = len(self.not_examined)
        return Card(
            f"Figures, tables and claims of the paper, preset {self.preset.name}, seed {self.seed}",
            [*parts, ("report", self.report)],
            ("claim", "verdict", "checks passed"),
            [
                (claim.name, claim.verdict.value, f"{claim.passed} of {len(claim.checks)}")
                for claim in self.claims
            ],
            f"Not examined, for want of data: {left} other claims." if left else "",
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {
            "figures": [result.as_dict() for result in self.figures],
            "tables": [result.as_dict() for result in self.tables],
            "claims": [result.as_dict() for result in self.claims],
            "not_examined": list(self.not_examined),
            "report": self.report,
        }


def reproduce(
    names: tuple[str, ...] = (),
    preset: str | Preset = "quick",
    out: str | Path = "results",
    seed: int = 1,
    progress: Progress | None = None,
) -> Reproduction:
    """Make figures and tables of the paper, and examine its claims on them.

    Parameters
    ----------
    names : tuple of str
        Figures and tables, see `PARTS`; all when empty.
    preset : {"quick", "paper"} or Preset
    out : path
        Folder for data and pictures; made if need be.
    seed : int
    progress : Progress, optional
        Told how far the work is.

    Returns
    -------
    Reproduction
    """
    began = time.perf_counter()
    faults = Faults("reproduce")
    check_no_other_report(Path(out), MADE_BY, faults)
    chosen = preset_of(preset, PRESETS, faults)
    parts = chosen_parts(PARTS, names, "figure")
    folder = writable_folder(Path(out))
    results = tuple(
        run_parts(
            parts,
            lambda compute, tell: compute(chosen, seed, tell),
            folder,
            parameters=asdict(chosen),
            seed=seed,
            progress=progress,
        )
    )
    claims, missing = examine({result.name: result.data for result in results})
    write_whole(folder / CLAIMS_FILE, _claims_json(claims, missing, chosen, seed))
    run = Reproduction(
        figures=tuple(result for result in results if result.part.is_drawn),
        tables=tuple(result for result in results if not result.part.is_drawn),
        claims=claims,
        not_examined=missing,
        folder=folder,
        preset=chosen,
        seed=seed,
        seconds=time.perf_counter() - began,
    )
    return replace(run, report=str(write_reproduction(run)))


def _kind(result: PartResult) -> str:
    """Return what a part is: the paper's figure, a table, or a figure beyond the paper."""
    drawn = "beyond the paper" if result.part.is_drawn else "table"
    return result.part.label or drawn


def _claims_json(
    claims: tuple[Claim, ...], missing: tuple[str, ...], preset: Preset, seed: int
) -> bytes:
    """Return the claims as they are stored; nothing in them depends on the time or the machine."""
    content: dict[str, Any] = {
        "preset": asdict(preset),
        "seed": seed,
        "claims": [claim.as_dict() for claim in claims],
        "not_examined": list(missing),
    }
    return (json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False) + "\n").encode()


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
        MADE_BY,
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
        "paper_label": result.part.label,
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
        parts = [f"{verdict.value} {verdicts[verdict]}" for verdict in Verdict if verdicts[verdict]]
        sentences.append(f"{len(run.claims)} claims: {', '.join(parts)}.")
        if run.preset.name == "quick":
            sentences.append(
                "The quick preset has fewer set sizes, costs and trials than the paper preset, "
                "with which the page on the claims is made: verdicts may differ."
            )
        failed = [f"“{c.statement}”" for c in run.claims if c.verdict is Verdict.FAILS]
    if run.not_examined:
        sentences.append(f"Not examined, for want of their data: {len(run.not_examined)}.")
    if failed:
        sentences.append(f"As measured here these do not hold: {' '.join(failed)}")
    return (" ".join(sentences),) if sentences else ()


def _claims(run: Reproduction) -> Section:
    groups: dict[str, list[Claim]] = {}
    for claim in run.claims:
        groups.setdefault(group_of(claim.new, claim.where), []).append(claim)
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
        for title, claims in sorted(groups.items(), key=lambda group: GROUPS.index(group[0]))
    ]
    if run.not_examined:
        blocks.append(Text((f"Not examined in this run: {listing(run.not_examined)}.",)))
    return Section("claims", "Claims", tuple(blocks))


def _what(check: Check) -> str:
    return f"{check.what}, steps of {check.step}" if check.step else check.what


def _statement(claim: Claim) -> Statement:
    rows: list[tuple[str, ...]] = [
        (_what(check), check.measured, check.wanted, check.outcome.value, check.reason)
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
