"""`reproduce`: the run over figures and tables, the claims examined on them, and the report.

The claims are examined every time (``claims.json``), and are the same for the same data. See
`popout.report.runner` for what a figure or table leaves in the folder.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import xarray as xr

from popout.drawing.representation import Card, HasCard
from popout.paper.claims import Claim, examine
from popout.paper.preset import PRESETS, Preset
from popout.paper.report import write_reproduction
from popout.progress import Progress
from popout.report.files import writable_folder, write_whole
from popout.report.part import chosen_parts, parts_in
from popout.report.preset import preset_of
from popout.report.runner import PartResult, run_parts

FIGURES = parts_in("popout.paper.figures")
"""The figures."""
CHAPTER = parts_in("popout.paper.limited")
"""The figures of the chapter beyond the paper."""
PARTS = (*FIGURES, *parts_in("popout.paper.tables"), *CHAPTER)
"""Figures and tables, then the chapter, in the order in which they are made."""
CLAIMS_FILE = "claims.json"


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
    chosen = preset_of(preset, PRESETS)
    parts = chosen_parts(PARTS, names, "figure")
    folder = writable_folder(Path(out))
    results = tuple(
        run_parts(
            parts, (chosen, seed), folder, parameters=asdict(chosen), seed=seed, progress=progress
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
    return result.part.paper_label or drawn


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
