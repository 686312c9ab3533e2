"""From labelled arrays to checks: the hardest point of many, and the words that name it.

A claim about every cost and set size holds if it holds where it is hardest to satisfy. `hardest`
finds that point: the one whose value, with its margin, comes closest to breaking the relation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr

from popout.paper.claims.bounds import REASONS
from popout.paper.claims.check import STANDARD_ERRORS, Check, ErrorKind, Relation

__all__ = [
    "above",
    "below",
    "costs_of",
    "excess_of",
    "hardest",
    "independent",
    "largest",
    "near",
    "unequal_excess",
]

WORDS = {"set_size": "{:g} locations", "time_cost": "cost {:g}/s", "drift": "drift {:g}/s"}


def below(what: str, value: object, bound: float, error: object = 0.0, **rest: Any) -> Check:
    """Return a check that a number lies below a bound.

    Examples
    --------
    >>> below("excess risk", 0.02, 0.1, unit="%").outcome.value
    'passes'
    """
    return _check(what, value, Relation.BELOW, bound, error, rest)


def above(what: str, value: object, bound: float, error: object = 0.0, **rest: Any) -> Check:
    """Return a check that a number lies above a bound.

    Examples
    --------
    >>> above("excess risk", 0.02, 0.1, unit="%").outcome.value
    'fails'
    """
    return _check(what, value, Relation.ABOVE, bound, error, rest)


def near(what: str, value: object, bound: float, error: object = 0.0, **rest: Any) -> Check:
    """Return a check that a number lies within a tolerance of another.

    Examples
    --------
    >>> near("scale", 0.65, 1.5, tolerance=0.005).outcome.value
    'fails'
    """
    return _check(what, value, Relation.NEAR, bound, error, rest)


def _check(
    what: str, value: object, relation: Relation, bound: float, error: object, rest: dict[str, Any]
) -> Check:
    rest.setdefault("reason", REASONS.get(bound, ""))
    return Check(what, _number(value), relation, bound, error=_number(error), **rest)


def _number(value: object) -> float:
    return float(np.asarray(value))


def hardest(
    what: str,
    values: xr.DataArray,
    relation: Relation,
    bound: float,
    errors: xr.DataArray | None = None,
    error_kind: ErrorKind = ErrorKind.STANDARD,
    **rest: Any,
) -> Check:
    """Return the check of the point that comes closest to breaking the relation.

    Parameters
    ----------
    what : str
        What was measured; the point's coordinates are added.
    values : DataArray
        NaN where nothing was computed: left out.
    relation : {Relation.BELOW, Relation.ABOVE}
    bound : float
    errors : DataArray, optional
    error_kind, **rest
        As in `Check`.

    Examples
    --------
    >>> excess = xr.DataArray([0.02, 0.3], dims="set_size", coords={"set_size": [2, 8]})
    >>> check = hardest("excess risk", excess, Relation.BELOW, 0.1)
    >>> check.what, check.value
    ('excess risk, 8 locations', 0.3)
    """
    errors = xr.zeros_like(values) if errors is None else errors
    errors = errors.broadcast_like(values)
    rest = {"error_kind": error_kind, **rest}
    if bool(values.isnull().all()):
        return _check(what, math.nan, relation, bound, 0.0, rest)
    margin = errors * (STANDARD_ERRORS if error_kind is ErrorKind.STANDARD else 1.0)
    if relation is Relation.BELOW:
        worst = (values + margin).argmax(...)
    else:
        worst = (values - margin).argmin(...)
    here = {dim: int(index) for dim, index in dict(worst).items()}
    place = values.isel(here)
    named = [
        WORDS[str(dim)].format(float(place[dim]))
        for dim in values.dims
        if dim in place.coords and dim in WORDS
    ]
    return _check(", ".join([what, *named]), place, relation, bound, errors.isel(here), rest)


def excess_of(data: xr.Dataset, strategy: str, over: str) -> tuple[xr.DataArray, xr.DataArray]:
    """Return what one strategy of the figure of set sizes risks more than another, in percent.

    Parameters
    ----------
    data : Dataset
        Of the figure ``homogeneous-risk``: excess over the optimum where that is solved, over
        a-SPRT where it is not.
    strategy : str
    over : str
        A strategy, or ``"optimal"``, which leaves out the set sizes where it is not solved.

    Returns
    -------
    value, error : DataArray of dims (time_cost, set_size)
        The error is a standard error: of both excesses, as if they were independent.
    """
    exact = data["set_size"] <= data.attrs["largest_exact"]
    base = data["optimal_risk"].where(exact, data["risk"].sel(strategy="a-SPRT"))
    value, se = (100 * data[name] / base for name in ("excess", "excess_se"))
    one = value.sel(strategy=strategy), se.sel(strategy=strategy)
    if over == "optimal":
        return one[0].where(exact), one[1].where(exact)
    other = value.sel(strategy=over), se.sel(strategy=over)
    return one[0] - other[0], independent(one[1], other[1])


def costs_of(data: xr.Dataset) -> Iterator[float]:
    """Yield the costs of time."""
    for cost in data["time_cost"].to_numpy():
        yield float(cost)


def unequal_excess(data: xr.Dataset, strategy: str) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the excess over the optimum in percent, and a bound on its error."""
    risk, error = data["risk"], data["risk_error"]
    optimal = risk.sel(strategy="optimal")
    bound = error.sel(strategy=strategy) + error.sel(strategy="optimal")
    return 100 * (risk.sel(strategy=strategy) / optimal - 1), 100 * bound / optimal


def independent(first: xr.DataArray, second: xr.DataArray) -> xr.DataArray:
    """Return the standard error of a sum or difference of two independent numbers.

    Examples
    --------
    >>> float(independent(xr.DataArray(3.0), xr.DataArray(4.0)))
    5.0
    """
    return (first**2 + second**2) ** 0.5


def largest(values: xr.DataArray) -> dict[str, int]:
    """Return where an array is largest, as an index by dimension.

    Examples
    --------
    >>> largest(xr.DataArray([1.0, 3.0, 2.0], dims="set_size"))
    {'set_size': 1}
    """
    filled = values.fillna(-math.inf).to_numpy()
    found = np.unravel_index(int(filled.argmax()), values.shape)
    return {str(dim): int(index) for dim, index in zip(values.dims, found, strict=True)}
