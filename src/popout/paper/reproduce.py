"""The run over figures, tables and claims: compute or read back, store, draw, examine.

For each figure the folder receives ``NAME.nc`` and ``NAME.json`` (see `store`), ``NAME.png`` and
``NAME.svg``; a table leaves data alone. Pictures are always drawn again: it takes a second, and
they follow the code. The claims are examined on these data (``claims.json``) every time, and are
the same for the same data. Last comes the report (``report.html``, ``report.json``).
"""

from __future__ import annotations

import hashlib
import inspect
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import xarray as xr

from popout.drawing.style import picture
from popout.paper import FIGURES, PRESETS, PaperFigure, part_module, part_names
from popout.paper.claims import Claim, examine
from popout.paper.preset import Preset
from popout.paper.report import write_report
from popout.report.store import inputs_of, load, save, writable_folder, write_whole
from popout.task import Faults

__all__ = ["Made", "Reproduction", "Watch", "reproduce"]

KINDS = ("png", "svg")
CLAIMS_FILE = "claims.json"
Watch = Callable[[str, float, str], None]
"""Called with the name of the figure or table, the share of its work done and a few words."""


@dataclass(frozen=True)
class Made:
    """A figure or table that was made.

    Attributes
    ----------
    name, title, paper_label : str
        The label is that of the paper's figure; empty for a table.
    data : str
        Path of the NetCDF file.
    pictures : tuple of str
        Paths; none for a table.
    key : str
        Hash of the inputs.
    from_store : bool
        Whether the data were there already.
    seconds : float
    """

    name: str
    title: str
    paper_label: str
    data: str
    pictures: tuple[str, ...]
    key: str
    from_store: bool
    seconds: float


@dataclass(frozen=True)
class Reproduction:
    """What a run made.

    Attributes
    ----------
    figures, tables : tuple of Made
    claims : tuple of Claim
    not_examined : tuple of str
        Names of the claims whose data were not asked for.
    datasets : dict of str to Dataset
        The data of every figure and table, by name.
    folder : Path
    preset : Preset
    seed : int
    seconds : float
        Of the whole run.
    report : str
        Path of the page.
    """

    figures: tuple[Made, ...]
    tables: tuple[Made, ...]
    claims: tuple[Claim, ...]
    not_examined: tuple[str, ...]
    datasets: dict[str, xr.Dataset]
    folder: Path
    preset: Preset
    seed: int
    seconds: float
    report: str = ""


def reproduce(
    names: tuple[str, ...] = (),
    preset: str | Preset = "quick",
    out: str | Path = "results",
    seed: int = 1,
    watch: Watch | None = None,
) -> Reproduction:
    """Make figures and tables of the paper, and examine its claims on them.

    Parameters
    ----------
    names : tuple of str
        Figures and tables, see `popout.paper.FIGURES` and `popout.paper.TABLES`; all when empty.
    preset : {"quick", "paper"} or Preset
    out : path
        Folder for data and pictures; made if need be.
    seed : int
    watch : callable, optional
        Told how far the work is.

    Returns
    -------
    Reproduction
    """
    start = time.perf_counter()
    faults = Faults("")
    if isinstance(preset, str) and preset not in PRESETS:
        faults.add("preset", f"one of {', '.join(PRESETS)}", preset, "choose one")
    faults.raise_if_any()
    chosen = PRESETS[preset] if isinstance(preset, str) else preset
    wanted = part_names(names)
    folder = writable_folder(Path(out))
    made, datasets = [], {}
    for name in wanted:
        one, datasets[name] = _make(name, chosen, folder, seed, watch)
        made.append(one)
    claims, missing = examine(datasets)
    write_whole(folder / CLAIMS_FILE, _claims_json(claims, missing, chosen, seed))
    run = Reproduction(
        figures=tuple(one for one in made if one.name in FIGURES),
        tables=tuple(one for one in made if one.name not in FIGURES),
        claims=claims,
        not_examined=missing,
        datasets=datasets,
        folder=folder,
        preset=chosen,
        seed=seed,
        seconds=time.perf_counter() - start,
    )
    return replace(run, report=str(write_report(run, folder)))


def _make(
    name: str, preset: Preset, folder: Path, seed: int, watch: Watch | None
) -> tuple[Made, xr.Dataset]:
    def report(share: float, words: str) -> None:
        if watch is not None:
            watch(name, share, words)

    start = time.perf_counter()
    module = part_module(name)
    inputs = inputs_of(name, {**asdict(preset), **_source(name, module)}, seed)
    report(0.0, "")
    stored = load(folder, inputs)
    data = stored
    if data is None:
        data = save(folder, inputs, module.compute(preset, seed, report))
    pictures = []
    if name in FIGURES:
        report(1.0, "drawing")
        figure = cast(PaperFigure, module).draw(data)
        for kind in KINDS:
            pictures.append(folder / f"{name}.{kind}")
            write_whole(pictures[-1], picture(figure, kind))
    made = Made(
        name=name,
        title=module.TITLE,
        paper_label=getattr(module, "PAPER_LABEL", ""),
        data=str(folder / f"{name}.nc"),
        pictures=tuple(str(path) for path in pictures),
        key=inputs["key"],
        from_store=stored is not None,
        seconds=time.perf_counter() - start,
    )
    return made, data


def _source(name: str, module: object) -> dict[str, str]:
    """Return a hash of a table's own module, which does nothing but compute."""
    if name in FIGURES:
        return {}
    source = inspect.getsource(cast(ModuleType, module))
    return {"source": hashlib.sha256(source.encode()).hexdigest()}


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
