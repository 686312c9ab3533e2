"""A part of a report: one module that computes, draws and describes.

The module of a part has

- ``TITLE``, and ``EFFORT``, what it takes in seconds of the quick preset, for the time left;
- ``compute(..., progress)``, which returns labelled data;
- ``draw(data)``, which makes the picture from them and nothing else, and ``describe(data)``, the
  sentences under it; a part without a picture has neither;
- where need be ``tables(data)``, shown after the picture; ``preface(data)``, sentences before it;
  and ``PAPER_LABEL``, the label of the paper's figure.

A package of parts names them once, in its ``ORDER``; the module of ``some-name`` is ``some_name``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import xarray as xr

from popout.report.page import Table
from popout.task import Faults
from popout.task.faults import did_you_mean


@dataclass(frozen=True)
class Part:
    """A part, known by its name and the package that its module lies in.

    Examples
    --------
    >>> Part("displays", "popout.study.sections").title
    'Displays'
    """

    name: str
    package: str

    @property
    def path(self) -> str:
        """The module's name as it is imported."""
        return f"{self.package}.{self.name.replace('-', '_')}"

    @property
    def module(self) -> Any:
        """The module itself."""
        return import_module(self.path)

    @property
    def title(self) -> str:
        """What it shows, in a few words."""
        return str(self.module.TITLE)

    @property
    def effort(self) -> float:
        """Seconds that the quick preset takes, roughly."""
        return float(self.module.EFFORT)

    @property
    def paper_label(self) -> str:
        """The label of the paper's figure, or empty."""
        return getattr(self.module, "PAPER_LABEL", "")

    @property
    def is_drawn(self) -> bool:
        """Whether it has a picture."""
        return hasattr(self.module, "draw")

    def caption(self, data: xr.Dataset) -> tuple[str, ...]:
        """Return the sentences under the picture; none without one."""
        return self._said("describe", data)

    def preface(self, data: xr.Dataset) -> tuple[str, ...]:
        """Return sentences that stand before the picture."""
        return self._said("preface", data)

    def tables(self, data: xr.Dataset) -> tuple[Table, ...]:
        """Return tables that stand after the picture."""
        return self._said("tables", data)

    def _said(self, function: str, data: xr.Dataset) -> tuple[Any, ...]:
        """Return what a function of the module says, without what is empty, if it has one."""
        found = getattr(self.module, function, None)
        return tuple(filter(None, found(data))) if found else ()


def parts_in(*packages: str) -> tuple[Part, ...]:
    """Return the parts of packages, in order.

    Examples
    --------
    >>> parts_in("popout.study.sections")[0].name
    'displays'
    """
    return tuple(Part(name, each) for each in packages for name in import_module(each).ORDER)


def chosen_parts(
    parts: Iterable[Part], names: tuple[str, ...], what: str = "part"
) -> tuple[Part, ...]:
    """Return the parts of these names, in the order of the parts; all of them when none is named.

    Examples
    --------
    >>> sections = parts_in("popout.study.sections")
    >>> [part.name for part in chosen_parts(sections, ("cost", "displays"))]
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
