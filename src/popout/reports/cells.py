"""Tables filled cell by cell: variables over named axes, from a function of one point.

The function says what there is at one point, in the terms of `xarray.Dataset`: names with a number
each, or with further dimensions, values and attributes. `over` asks it at every point of the axes
and puts the answers together. What a point leaves out is NaN there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import chain, product
from typing import Any

import numpy as np
import xarray as xr

from popout.progress import Progress

WORDS = {"set_size": "{:g} locations", "time_cost": "cost {:g}/s", "drift": "drift {:g}/s"}
"""What a point of an axis is called."""
NATS, PER_SECOND, SECONDS = {"units": "nats"}, {"units": "1/s"}, {"units": "s"}
UNITS = {
    **dict.fromkeys(("drift", "time_cost"), PER_SECOND),
    **dict.fromkeys(("time", "time_sprt", "time_optimal", "remaining"), SECONDS),
    **dict.fromkeys(("z1", "z2", "end", "level"), NATS),
    "difference": {"units": "nats", "long_name": "Z1 - Z2"},
}
"""Of coordinates, by name."""
Variables = Mapping[str, Any]
"""By name: a number, or a tuple of dimensions, values and attributes."""


def over(
    axes: Mapping[str, Collection[Any]],
    cell: Callable[..., Variables],
    progress: Progress | None = None,
) -> dict[str, xr.Variable]:
    """Return variables over the axes, in the order in which they are first named.

    Parameters
    ----------
    axes : mapping of str to collection
        The points of every axis, by its name.
    cell : callable
        Takes a point of each axis, a tuple as several arguments, and returns the variables there.
    progress : Progress, optional
        Told at which point the work is.

    Examples
    --------
    >>> table = over({"drift": (2.0, 4.0)}, lambda drift: {"z": (("side",), [-drift, drift])})
    >>> table["z"].dims, table["z"].values.tolist()
    (('drift', 'side'), [[-2.0, 2.0], [-4.0, 4.0]])
    """
    points, shape = list(product(*axes.values())), [len(points) for points in axes.values()]
    table: dict[str, xr.Variable] = {}
    for number, point in enumerate(points):
        if progress is not None:
            words = (WORDS.get(axis, f"{axis} {{}}") for axis in axes)
            progress(number / len(points), ", ".join(map(str.format, words, point)))
        parts = (at if isinstance(at, tuple) else (at,) for at in point)
        for name, value in cell(*chain.from_iterable(parts)).items():
            dims, values, *attrs = value if isinstance(value, tuple) else ((), value)
            there = xr.Variable(dims, np.asarray(values), *attrs)
            if name not in table:
                empty = np.full((*shape, *there.shape), np.nan)
                table[name] = xr.Variable((*axes, *there.dims), empty, there.attrs)
            table[name].values[np.unravel_index(number, shape)] = there.values
    return table


def labelled(
    variables: Variables, coords: Mapping[str, Any], attrs: Mapping[str, Any] | None = None
) -> xr.Dataset:
    """Return a dataset whose coordinates carry the units that belong to their names.

    Parameters
    ----------
    variables : mapping
        As `xarray.Dataset` takes them.
    coords : mapping of str to sequence or Variable
        The points of a dimension of that name; a Variable is taken as it is.
    attrs : mapping, optional

    Examples
    --------
    >>> labelled({"risk": ("drift", [0.1, 0.05])}, {"drift": (2.0, 4.0)})["drift"].attrs
    {'units': '1/s'}
    """
    points = {
        name: at if isinstance(at, xr.Variable) else (name, list(at), UNITS.get(name, {}))
        for name, at in coords.items()
    }
    return xr.Dataset(variables, points, attrs)
