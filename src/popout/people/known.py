"""Data sets that are recognised by their SHA-256: what to cite, and under which licence they are.

The files themselves are no part of popout. Whoever has one gets its name and citation in every
result, and the certainty that it is unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KnownData:
    """A data set that popout knows.

    Attributes
    ----------
    name, citation, licence : str
    """

    name: str
    citation: str
    licence: str


_WOLFE = (
    "Wolfe, Palmer & Horowitz (2010), Reaction time distributions constrain models of visual "
    "search, Vision Research 50:1304-1311"
)
_ASKED = "no formal licence; the owners ask to be cited"

KNOWN_DATA = {
    "6fd73e39f2674f83ec41dfae7844dcaf9ee1040a184a2065dc52c5f87e9b7975": KnownData(
        "Wolfe, Palmer & Horowitz 2010, conjunction search", _WOLFE, _ASKED
    ),
    "548884832767e2ea0da60769cab8f1cfee1f48675a0340c2464bc10173b7ccaa": KnownData(
        "Wolfe, Palmer & Horowitz 2010, feature search", _WOLFE, _ASKED
    ),
    "7afa6171f05f5a94bc35b3d10c93b5d5ae1711dc6eefa20f620e0cba70c251dd": KnownData(
        "Shi, Allenmark, Zhu, Elliott & Müller 2019, experiment 1, T among L",
        "Shi, Allenmark, Zhu, Elliott & Müller (2019), To quit or not to quit in dynamic search, "
        "Attention, Perception & Psychophysics, doi:10.3758/s13414-019-01857-7",
        "none stated",
    ),
    "064068a13a40967ccae370632efcdf392459121a63425c16dc073d9870ea61e5": KnownData(
        "Mazor & Fleming 2021, pilot, shape and conjunction search",
        "Mazor & Fleming (2021), pilot data of matanmazor/termination on GitHub",
        "MIT",
    ),
}
"""By SHA-256 of the file."""
