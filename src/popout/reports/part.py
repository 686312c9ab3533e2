"""A part of a report: what computes, draws and describes; and the run over parts.

A `Part` is a figure, a table or a section of any report. `compute` returns labelled data; `draw`
makes the picture from them and nothing else, and `describe` the sentences under it. A part without
a picture has neither.

For each part the folder receives ``NAME.nc`` and ``NAME.json`` (see `store`), and where it has a
picture ``NAME.png`` and ``NAME.svg``. Pictures are always drawn again: it takes a second, and they
follow the code.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import xarray as xr
from matplotlib.figure import Figure

from popout.drawing.style import picture
from popout.progress import Progress, stretch
from popout.reports.page import Table
from popout.reports.store import inputs_of, load, save, write_whole
from popout.task import Faults
from popout.task.faults import did_you_mean

KINDS = ("png", "svg")
P = TypeVar("P")
Compute = TypeVar("Compute", bound=Callable[..., xr.Dataset])
Words = Callable[[xr.Dataset], tuple[str, ...]]


def no_words(data: xr.Dataset) -> tuple[str, ...]:
    """Say nothing."""
    return ()


def no_tables(data: xr.Dataset) -> tuple[Table, ...]:
    """Return no table."""
    return ()


@dataclass(frozen=True)
class Part(Generic[Compute]):
    """A part of a report.

    Attributes
    ----------
    name : str
        With hyphens; its files are called after it.
    title : str
        What it shows, in a few words.
    compute : callable
        Returns the data; takes what the report has to offer, and progress last.
    effort : float
        Seconds that the quick preset takes, roughly, for the time left.
    draw : callable, optional
        Makes the picture from the data.
    describe, preface, summary : callable
        Sentences from the data: under the picture, before it, and at the head of the report. Empty
        ones are left out.
    tables : callable
        Tables after the picture, from the data.
    label : str
        Of the paper's figure.
    version : int
        Raised when the numbers change, so that stored ones are computed again.

    Examples
    --------
    >>> part = Part("risks", "Risks", lambda progress: xr.Dataset({"risk": 0.5}), effort=1.0)
    >>> part.is_drawn, part.caption(part.compute(None))
    (False, ())
    """

    name: str
    title: str
    compute: Compute
    effort: float
    draw: Callable[[xr.Dataset], Figure] | None = None
    describe: Words = no_words
    preface: Words = no_words
    summary: Words = no_words
    tables: Callable[[xr.Dataset], tuple[Table, ...]] = no_tables
    label: str = ""
    version: int = 1

    @property
    def is_drawn(self) -> bool:
        """Whether it has a picture."""
        return self.draw is not None

    def caption(self, data: xr.Dataset) -> tuple[str, ...]:
        """Return the sentences under the picture."""
        return tuple(filter(None, self.describe(data)))


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

    part: Part[Any]
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
            "paper_label": self.part.label,
            "data": str(self.data_file),
            "pictures": [str(path) for path in self.pictures],
            "key": self.key,
            "from_store": self.from_store,
            "other_versions": self.other_versions,
            "seconds": self.seconds,
        }


def run_parts(
    parts: Sequence[Part[Compute]],
    call: Callable[[Compute, Progress], xr.Dataset],
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
    call : callable
        Calls the ``compute`` of a part with what it takes.
    folder : Path
        For data and pictures; it exists.
    parameters : mapping
        What the data depend on besides seed and version, in terms that JSON knows.
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
        inputs = inputs_of(part.name, parameters, seed, part.version)
        kept = load(folder, inputs)
        stored = kept or save(folder, inputs, call(part.compute, within))
        if part.draw is not None:
            within(1.0, "drawing")
            write_pictures(part.draw, stored.data, folder / part.name)
        yield PartResult(
            part=part,
            data=stored.data,
            folder=folder,
            key=inputs["key"],
            from_store=kept is not None,
            other_versions=stored.other_versions,
            seconds=time.perf_counter() - began,
        )


def write_pictures(draw: Callable[[xr.Dataset], Figure], data: xr.Dataset, path: Path) -> None:
    """Draw, and write a picture of each kind; the path is without its suffix."""
    figure = draw(data)
    for kind in KINDS:
        write_whole(path.parent / f"{path.name}.{kind}", picture(figure, kind))


def chosen_parts(
    parts: Iterable[Part[Compute]], names: tuple[str, ...], what: str = "part"
) -> tuple[Part[Compute], ...]:
    """Return the parts of these names, in the order of the parts; all of them when none is named.

    Examples
    --------
    >>> from popout.reports.analyse import SECTIONS
    >>> [part.name for part in chosen_parts(SECTIONS, ("cost", "displays"))]
    ['displays', 'cost']
    """
    known = {part.name: part for part in parts}
    faults = Faults("")
    for name in names:
        if name not in known:
            remedy = did_you_mean(name, known, "choose from them")
            faults.add(what, f"one of {', '.join(known)}", name, remedy)
    faults.raise_if_any()
    return tuple(part for name, part in known.items() if not names or name in names)


def preset_of(preset: str | P, known: Mapping[str, P], faults: Faults | None = None) -> P:
    """Return how much work goes into a run: the preset of that name, or the one that is given.

    Parameters
    ----------
    preset : str or preset
    known : mapping of str to preset
    faults : Faults, optional
        Faults of other arguments, which are then named together with this one.

    Raises
    ------
    InputError
        If there is no such name, or if there are other faults.

    Examples
    --------
    >>> preset_of("quick", {"quick": 1000}), preset_of(7, {"quick": 1000})
    (1000, 7)
    """
    faults = faults or Faults("")
    if isinstance(preset, str) and preset not in known:
        faults.add("preset", f"one of {', '.join(known)}", preset, "choose one")
    faults.raise_if_any()
    return known[preset] if isinstance(preset, str) else preset
