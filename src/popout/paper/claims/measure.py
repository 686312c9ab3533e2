"""From labelled arrays to checks: the hardest point of many, and the words that name it.

A claim about every cost and set size holds if it holds where it is hardest to satisfy: at the point
whose value, with its margin, comes closest to breaking the relation. `below` and `above` look for
that point wherever they are given more than one number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from popout.paper.claims.bounds import Bound
from popout.paper.claims.claim import STANDARD_ERRORS, Check, ErrorKind, Relation

WORDS = {"set_size": "{:g} locations", "time_cost": "cost {:g}/s", "drift": "drift {:g}/s"}


@dataclass(frozen=True, eq=False)
class Measured:
    """Numbers with their errors; see `with_se` and `within`.

    Attributes
    ----------
    value, error : DataArray
        NaN where nothing was computed.
    kind : ErrorKind
    """

    value: xr.DataArray
    error: xr.DataArray
    kind: ErrorKind

    def sel(self, **where: Any) -> Measured:
        """Select by coordinates."""
        return Measured(self.value.sel(where), self.error.sel(where), self.kind)

    def isel(self, **where: Any) -> Measured:
        """Select by index."""
        return Measured(self.value.isel(where), self.error.isel(where), self.kind)

    def __sub__(self, other: Measured) -> Measured:
        """Return the difference: standard errors as if independent, bounds added."""
        if self.kind is ErrorKind.STANDARD:
            return with_se(self.value - other.value, independent(self.error, other.error))
        return within(self.value - other.value, self.error + other.error)

    def __rmul__(self, factor: float) -> Measured:
        """Return the numbers in another unit."""
        return Measured(factor * self.value, factor * self.error, self.kind)

    @property
    def largest(self) -> Measured:
        """The point with the largest value.

        Examples
        --------
        >>> both = xr.DataArray([0.02, 0.3], dims="set_size"), xr.DataArray([0.1, 0.2])
        >>> float(with_se(*both).largest.value)
        0.3
        """
        filled = self.value.fillna(-math.inf)
        return self.isel(**{str(dim): int(at) for dim, at in dict(filled.argmax(...)).items()})

    @property
    def margin(self) -> xr.DataArray:
        """How far the truth may lie from the value."""
        return self.error * (STANDARD_ERRORS if self.kind is ErrorKind.STANDARD else 1.0)


def with_se(value: Any, se: Any) -> Measured:
    """Return numbers with their standard errors.

    Examples
    --------
    >>> float(with_se(0.3, 0.1).margin)
    0.2
    """
    value = xr.DataArray(value)
    return Measured(value, xr.DataArray(se).broadcast_like(value), ErrorKind.STANDARD)


def within(value: Any, error: Any) -> Measured:
    """Return numbers with bounds on the errors of their computation.

    Examples
    --------
    >>> float(within(0.3, 0.1).margin)
    0.1
    """
    value = xr.DataArray(value)
    return Measured(value, xr.DataArray(error).broadcast_like(value), ErrorKind.BOUND)


def below(what: str, value: Any, bound: Bound) -> Check:
    """Return a check that numbers lie below a bound, where that is hardest.

    Parameters
    ----------
    what : str
        What was measured; where there are several numbers, the point's coordinates are added.
    value : Measured, DataArray or float
        NaN where nothing was computed: left out.
    bound : Bound

    Examples
    --------
    >>> excess = xr.DataArray([0.02, 0.3], dims="set_size", coords={"set_size": [2, 8]})
    >>> check = below("excess risk", excess, Bound(0.1, "%"))
    >>> check.what, check.value, check.outcome.value
    ('excess risk, 8 locations', 0.3, 'fails')
    """
    return _hardest(what, value, Relation.BELOW, bound)


def above(what: str, value: Any, bound: Bound) -> Check:
    """Return a check that numbers lie above a bound, where that is hardest; see `below`.

    Examples
    --------
    >>> above("excess risk", 0.02, Bound(0.1, "%")).outcome.value
    'fails'
    """
    return _hardest(what, value, Relation.ABOVE, bound)


def near(what: str, value: Any, bound: Bound, tolerance: float) -> Check:
    """Return a check that a number lies within a tolerance of another.

    Examples
    --------
    >>> near("scale", 0.65, Bound(1.5), tolerance=0.005).outcome.value
    'fails'
    """
    return _check(what, value, Relation.NEAR, bound, tolerance)


def _check(
    what: str, value: Any, relation: Relation, bound: Bound, tolerance: float = 0.0
) -> Check:
    if not isinstance(value, Measured):
        value = with_se(value, 0.0)
    return Check(
        what,
        float(value.value),
        relation,
        bound.value,
        error=float(value.error),
        error_kind=value.kind,
        unit=bound.unit,
        tolerance=tolerance,
        reason=bound.reason,
    )


def _hardest(what: str, value: Any, relation: Relation, bound: Bound) -> Check:
    """Return the check of the point that comes closest to breaking the relation."""
    if not isinstance(value, Measured):
        value = with_se(value, 0.0)
    if not value.value.ndim:
        return _check(what, value, relation, bound)
    if bool(value.value.isnull().all()):
        nothing = Measured(xr.DataArray(math.nan), xr.DataArray(0.0), value.kind)
        return _check(what, nothing, relation, bound)
    if relation is Relation.BELOW:
        worst = (value.value + value.margin).argmax(...)
    else:
        worst = (value.value - value.margin).argmin(...)
    place = value.isel(**{str(dim): int(at) for dim, at in dict(worst).items()})
    named = [
        WORDS[str(dim)].format(float(place.value[dim]))
        for dim in value.value.dims
        if dim in place.value.coords and dim in WORDS
    ]
    return _check(", ".join([what, *named]), place, relation, bound)


def each(data: Any, dim: str) -> Iterator[tuple[Any, Any]]:
    """Yield every value of a coordinate, and the data there.

    Parameters
    ----------
    data : Dataset or Measured
    dim : str
    """
    values = data.value[dim] if isinstance(data, Measured) else data[dim]
    for value in values.to_numpy():
        yield value, data.sel(**{dim: value})


def cases(data: xr.Dataset) -> Iterator[tuple[str, xr.Dataset]]:
    """Yield the data of every case, with its drifts and its cost in words."""
    for k in range(data.sizes["case"]):
        case = data.isel(case=k)
        yield f"{_drifts(case)}, cost {float(case['time_cost']):g}/s", case


def pairs(data: xr.Dataset) -> Iterator[tuple[str, xr.Dataset]]:
    """Yield the data of every pair of drifts, with the pair in words."""
    for k in range(data.sizes["drifts"]):
        at_drifts = data.isel(drifts=k)
        yield _drifts(at_drifts), at_drifts


def _drifts(case: xr.Dataset) -> str:
    values = [f"{v:g}" for v in dict.fromkeys(np.atleast_1d(case["drift"]))]
    return f"drift{'s' * (len(values) > 1)} {' and '.join(values)}/s"


def excess_of(data: xr.Dataset, strategy: str, over: str) -> Measured:
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
    Measured of dims (time_cost, set_size)
        With standard errors: of both excesses, as if they were independent.
    """
    exact = data["set_size"] <= data.attrs["largest_exact"]
    base = data["optimal_risk"].where(exact, data["risk"].sel(strategy="a-SPRT"))
    every = percent(data, "excess", base)
    own = every.sel(strategy=strategy)
    if over == "optimal":
        return with_se(own.value.where(exact), own.error.where(exact))
    return own - every.sel(strategy=over)


def computed_excess(data: xr.Dataset, name: str, dim: str = "strategy") -> Measured:
    """Return the excess over the optimum in percent, where risks are computed without noise."""
    ours, best = (data.sel({dim: which}) for which in (name, "optimal"))
    return excess(ours["risk"], best["risk"], ours["risk_error"] + best["risk_error"])


def excess(risk: Any, base: Any, error: Any) -> Measured:
    """Return by how many percent a risk lies above another; the error is that of both.

    Examples
    --------
    >>> float(excess(0.6, 0.5, 0.01).value), float(excess(0.6, 0.5, 0.01).error)
    (19.999999999999996, 2.0)
    """
    return within(100 * (risk / base - 1), 100 * error / base)


def stored(data: xr.Dataset, name: str, factor: Any = 1.0) -> Measured:
    """Return a variable that is stored with its standard error, in another unit."""
    return with_se(factor * data[name], factor * data[f"{name}_se"])


def percent(data: xr.Dataset, name: str, of: Any = 1.0) -> Measured:
    """Return a variable that is stored with its standard error, in percent of something."""
    return with_se(100 * data[name] / of, 100 * data[f"{name}_se"] / of)


def independent(first: xr.DataArray, second: xr.DataArray) -> xr.DataArray:
    """Return the standard error of a sum or difference of two independent numbers.

    Examples
    --------
    >>> float(independent(xr.DataArray(3.0), xr.DataArray(4.0)))
    5.0
    """
    return (first**2 + second**2) ** 0.5
