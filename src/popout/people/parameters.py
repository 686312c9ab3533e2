r"""Parameters of a model of people: declared once, with unit, bounds and words.

Fits, samplers and intervals work in the **unit cube**: a parameter with bounds :math:`[l, h]` is
:math:`x = (v - l)/(h - l)`, or :math:`\log(v/l)/\log(h/l)` where what matters is its ratio to other
values; a power from 0 to infinity is :math:`v/(1 + v)`. Every coordinate then has the same range,
which is what CMA-ES wants, and the width of an interval in the cube says at once how much of what
was possible beforehand the data have excluded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.task import Faults


@unique
class Scale(Enum):
    """In which terms a parameter is searched."""

    LINEAR = "linear"
    LOG = "log"
    SHARE = "share"


@dataclass(frozen=True)
class ModelParameter:
    """One parameter of a model of people.

    Parameters
    ----------
    name : str
    words : str
        What it is, for a table.
    unit : str
        Empty for a pure number.
    low, high : float
        Bounds of the search, and of the flat prior of the sampler.
    scale : Scale

    Examples
    --------
    >>> rate = ModelParameter("information", "information rate", "1/s", 1.0, 100.0, Scale.LOG)
    >>> rate.from_unit(0.5), rate.to_unit(10.0)
    (10.0, 0.5)
    """

    name: str
    words: str
    unit: str
    low: float
    high: float
    scale: Scale = Scale.LINEAR

    def __post_init__(self) -> None:
        """Check the bounds."""
        faults = Faults("ModelParameter")
        if self.scale is Scale.SHARE:
            expected, good = "bounds 0 and inf", (self.low, self.high) == (0.0, math.inf)
        elif self.scale is Scale.LOG:
            expected = "low below high, both finite and positive"
            good = 0.0 < self.low < self.high < math.inf
        else:
            expected = "low below high, both finite"
            good = -math.inf < self.low < self.high < math.inf
        if not good:
            faults.add("low", expected, (self.low, self.high), f"mend the bounds of {self.name}")
        faults.raise_if_any()

    def to_unit(self, value: float) -> float:
        """Return where a value lies between the bounds, from 0 to 1; outside it is clipped."""
        if self.scale is Scale.LOG:
            x = math.log(max(value, 1e-300) / self.low) / math.log(self.high / self.low)
        elif self.scale is Scale.SHARE:
            x = 1.0 if math.isinf(value) else value / (1.0 + value)
        else:
            x = (value - self.low) / (self.high - self.low)
        return min(max(x, 0.0), 1.0)

    def from_unit(self, x: float) -> float:
        """Return the value at a place between the bounds."""
        if self.scale is Scale.LOG:
            return self.low * math.exp(x * math.log(self.high / self.low))
        if self.scale is Scale.SHARE:
            return x / (1.0 - x) if x < 1.0 else math.inf
        return self.low + (self.high - self.low) * x


def values_at(parameters: Sequence[ModelParameter], x: ArrayLike) -> dict[str, float]:
    """Return the values at a point of the unit cube, by name.

    Examples
    --------
    >>> values_at([ModelParameter("lapse", "lapses", "", 0.0, 0.2)], [0.25])
    {'lapse': 0.05}
    """
    each = zip(parameters, np.asarray(x, np.float64), strict=True)
    return {parameter.name: parameter.from_unit(float(here)) for parameter, here in each}


def position_of(
    parameters: Sequence[ModelParameter], values: Mapping[str, float]
) -> NDArray[np.float64]:
    """Return the point of the unit cube of some values."""
    faults = Faults("values")
    for parameter in parameters:
        if math.isnan(values.get(parameter.name, math.nan)):
            remedy = "give a number for every parameter of the model"
            faults.add(parameter.name, "a number", values.get(parameter.name), remedy)
    faults.raise_if_any()
    return np.array([p.to_unit(float(values[p.name])) for p in parameters])
