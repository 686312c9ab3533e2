"""How much work goes into a run: presets by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from popout.task import Faults

P = TypeVar("P")


def preset_of(preset: str | P, known: Mapping[str, P], faults: Faults | None = None) -> P:
    """Return the preset of that name, or the one that is given.

    Parameters
    ----------
    preset : str or preset
    known : mapping of str to preset
    faults : Faults, optional
        Told of earlier faults of other arguments, which are then named together with this one.

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
