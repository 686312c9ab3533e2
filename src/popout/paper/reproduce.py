"""The run over the figures: compute or read back, store, draw.

For each figure the folder receives ``NAME.nc`` and ``NAME.json`` (see `store`), ``NAME.png`` and
``NAME.svg``. Pictures are always drawn again: it takes a second, and they follow the code.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from popout.drawing.style import picture
from popout.paper import PRESETS, figure_module, figure_names
from popout.paper.preset import Preset
from popout.report.store import inputs_of, load, save, writable_folder, write_whole
from popout.task import Faults

__all__ = ["Made", "Watch", "reproduce"]

KINDS = ("png", "svg")
Watch = Callable[[str, float, str], None]
"""Called with the name of the figure, the share of its work done and a few words."""


@dataclass(frozen=True)
class Made:
    """A figure that was made.

    Attributes
    ----------
    name, title, paper_label : str
    data : str
        Path of the NetCDF file.
    pictures : tuple of str
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


def reproduce(
    names: tuple[str, ...] = (),
    preset: str | Preset = "quick",
    out: str | Path = "results",
    seed: int = 1,
    watch: Watch | None = None,
) -> list[Made]:
    """Make figures of the paper.

    Parameters
    ----------
    names : tuple of str
        Figures, see `popout.paper.FIGURES`; all when empty.
    preset : {"quick", "paper"} or Preset
    out : path
        Folder for data and pictures; made if need be.
    seed : int
    watch : callable, optional
        Told how far the work is.

    Returns
    -------
    list of Made
    """
    faults = Faults("")
    if isinstance(preset, str) and preset not in PRESETS:
        faults.add("preset", f"one of {', '.join(PRESETS)}", preset, "choose one")
    faults.raise_if_any()
    chosen = PRESETS[preset] if isinstance(preset, str) else preset
    wanted = figure_names(names)
    folder = writable_folder(Path(out))
    return [_make(name, chosen, folder, seed, watch) for name in wanted]


def _make(name: str, preset: Preset, folder: Path, seed: int, watch: Watch | None) -> Made:
    def report(share: float, words: str) -> None:
        if watch is not None:
            watch(name, share, words)

    start = time.perf_counter()
    module = figure_module(name)
    inputs = inputs_of(name, asdict(preset), seed)
    report(0.0, "")
    stored = load(folder, inputs)
    data = stored
    if data is None:
        data = save(folder, inputs, module.compute(preset, seed, report))
    report(1.0, "drawing")
    figure = module.draw(data)
    for kind in KINDS:
        write_whole(folder / f"{name}.{kind}", picture(figure, kind))
    return Made(
        name=name,
        title=module.TITLE,
        paper_label=module.PAPER_LABEL,
        data=str(folder / f"{name}.nc"),
        pictures=tuple(str(folder / f"{name}.{kind}") for kind in KINDS),
        key=inputs["key"],
        from_store=stored is not None,
        seconds=time.perf_counter() - start,
    )
