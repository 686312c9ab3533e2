"""The run over parts: compute or read back, store, draw, and keep account.

For each part the folder receives ``NAME.nc`` and ``NAME.json`` (see `store`), and where it has a
picture ``NAME.png`` and ``NAME.svg``. Pictures are always drawn again: it takes a second, and they
follow the code.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xarray as xr

from popout.drawing.style import picture
from popout.progress import Progress, stretch
from popout.report.files import write_whole
from popout.report.part import Part
from popout.report.store import inputs_of, load, save

KINDS = ("png", "svg")


@dataclass(frozen=True, eq=False)
class PartResult:
    """A part that was computed or read back.

    Attributes
    ----------
    part : Part
    data : Dataset
    folder : Path
        Where its files are.
    key : str
        Hash of the inputs.
    from_store : bool
        Whether the data were there already.
    other_versions : str
        Libraries that computed them then and are installed in another version now.
    seconds : float
    """

    part: Part
    data: xr.Dataset
    folder: Path
    key: str
    from_store: bool
    other_versions: str
    seconds: float

    @property
    def name(self) -> str:
        """The name of the part."""
        return self.part.name

    @property
    def data_file(self) -> Path:
        """The NetCDF file."""
        return self.folder / f"{self.name}.nc"

    @property
    def pictures(self) -> tuple[Path, ...]:
        """Files of the picture; none for a part without one."""
        kinds = KINDS if self.part.is_drawn else ()
        return tuple(self.folder / f"{self.name}.{kind}" for kind in kinds)

    @property
    def origin(self) -> str:
        """Whether the data were computed now or kept, and by which versions if not these."""
        kept = f"kept, by {self.other_versions}" if self.other_versions else "kept"
        return kept if self.from_store else "computed"

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {
            "name": self.name,
            "title": self.part.title,
            "paper_label": self.part.paper_label,
            "data": str(self.data_file),
            "pictures": [str(path) for path in self.pictures],
            "key": self.key,
            "from_store": self.from_store,
            "other_versions": self.other_versions,
            "seconds": self.seconds,
        }


def run_parts(
    parts: Sequence[Part],
    arguments: tuple[Any, ...],
    folder: Path,
    *,
    parameters: Mapping[str, Any],
    seed: int,
    progress: Progress | None = None,
) -> Iterator[PartResult]:
    """Make one part after the other, and yield each as soon as it is there.

    Parameters
    ----------
    parts : sequence of Part
    arguments : tuple
        What ``compute`` of each part takes before ``progress``.
    folder : Path
        For data and pictures; it exists.
    parameters : mapping
        What the data depend on besides seed and code, in terms that JSON knows.
    seed : int
    progress : Progress, optional
        Told the share of the whole, by the effort of the parts, and the name of the part.
    """
    total = sum(part.effort for part in parts)
    done = 0.0
    for part in parts:
        began = time.perf_counter()
        start, done = done, done + part.effort
        within = stretch(progress, start / total, done / total, part.name)
        within(0.0, "")
        inputs = inputs_of(part.name, parameters, seed, part.path)
        kept = load(folder, inputs)
        stored = kept or save(folder, inputs, part.module.compute(*arguments, within))
        if part.is_drawn:
            within(1.0, "drawing")
            figure = part.module.draw(stored.data)
            for kind in KINDS:
                write_whole(folder / f"{part.name}.{kind}", picture(figure, kind))
        yield PartResult(
            part=part,
            data=stored.data,
            folder=folder,
            key=inputs["key"],
            from_store=kept is not None,
            other_versions=stored.other_versions,
            seconds=time.perf_counter() - began,
        )
