r"""SPRT with thresholds that change with time.

The statistic is the log posterior odds :math:`S(t)` (Equation 2); the thresholds
:math:`\tau_\pm(t)` are given at knots, linear in between and constant after the last (paper, "Can
time-varying threshold make SPRT optimal?"). The paper's answer is no, because :math:`S(t)` is not
sufficient; this strategy lets one measure how much is lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout import evidence
from popout.drawing.representation import Card
from popout.policies.stopping.recipe import (
    Lower,
    Parameter,
    Recipe,
    Tunable,
    Upper,
    mean_thresholds,
)
from popout.policies.stopping.scaled_sprt import location_offsets, scaled_softmax
from popout.policies.stopping.strategy import BoundaryStrategy, Margins, ScaledTest
from popout.task import Faults, Task

_KNOTS = np.array([0.0, 0.5, 1.0, 2.0, 4.0])
"""Default knots, in units of the time the mean evidence takes to reach the upper threshold."""


@dataclass(frozen=True)
class TimeVaryingSPRT(BoundaryStrategy, Recipe):
    """SPRT with time-varying thresholds, and its own recipe.

    Parameters
    ----------
    knots : tuple of float, length K
        Times in seconds, increasing, the first not negative.
    tau_minus, tau_plus : tuple of float, length K
        Thresholds at the knots, on the scale of the log posterior odds; constant before the
        first knot and after the last. Where they are equal the observer answers.
    offset : tuple of float, length M
        See `ScaledSPRT`.
    label : str
        Its name in tables; plays no part in comparisons.

    Examples
    --------
    Thresholds that collapse over one second:

    >>> s = TimeVaryingSPRT((0.0, 1.0), (-3.0, -0.5), (3.0, 0.5), offset=(0.0,))
    >>> s.decide([[2.0], [2.0]], [0.1, 0.9])
    array([0, 2], dtype=int8)
    """

    knots: tuple[float, ...]
    tau_minus: tuple[float, ...]
    tau_plus: tuple[float, ...]
    offset: tuple[float, ...]
    label: str = field(default="time-varying SPRT", compare=False)
    name: ClassVar[str] = "time-varying-sprt"
    attributes: ClassVar = {"lower": "tau_minus", "upper": "tau_plus"}

    def __post_init__(self) -> None:
        """Coerce to tuples of floats, then check everything at once."""
        for key in ("knots", "tau_minus", "tau_plus", "offset"):
            object.__setattr__(self, key, tuple(float(v) for v in getattr(self, key)))
        faults = Faults("TimeVaryingSPRT")
        knots, K = np.asarray(self.knots), len(self.knots)
        if K == 0 or not np.isfinite(knots).all() or knots[0] < 0 or (np.diff(knots) <= 0).any():
            expected = "increasing times in seconds, the first >= 0"
            faults.add("knots", expected, self.knots, "sort them and drop repeats")
        for key in ("tau_minus", "tau_plus"):
            tau = getattr(self, key)
            if len(tau) != K or not np.isfinite(tau).all():
                faults.add(key, f"{K} finite numbers, one per knot", tau, "give each knot one")
        if len(self.tau_minus) == len(self.tau_plus) == K:
            crossed = np.asarray(self.tau_minus) > np.asarray(self.tau_plus)
            if crossed.any():
                expected, got = "at most tau_plus at every knot, not above it", knots[crossed]
                faults.add("tau_minus", expected, tuple(got.tolist()), "swap the thresholds")
        if len(self.offset) == 0 or not all(o > -np.inf for o in self.offset):
            faults.add("offset", "one number per location", self.offset, "use minus the log prior")
        faults.raise_if_any()

    @property
    def parameters(self) -> dict[str, list[float]]:
        """Knots, and the thresholds at each."""
        return {name: list(getattr(self, name)) for name in ("knots", "tau_minus", "tau_plus")}

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return len(self.offset)

    @property
    def settles(self) -> float:
        """The last knot, in seconds."""
        return self.knots[-1]

    def margins(self, Z: ArrayLike, t: ArrayLike) -> Margins:
        """Return ``(tau_minus(t) - S, S - tau_plus(t))``."""
        S = scaled_softmax(np.asarray(Z, dtype=np.float64) - np.asarray(self.offset), 1.0)
        times = np.asarray(t, dtype=np.float64)
        lower = np.interp(times, self.knots, self.tau_minus)
        upper = np.interp(times, self.knots, self.tau_plus)
        return np.asarray(lower - S), np.asarray(S - upper)

    def card(self) -> Card:
        """Return what is shown of it."""
        points = zip(self.knots, self.tau_minus, self.tau_plus, strict=True)
        return Card(
            self.label,
            [("locations", str(self.n_locations))],
            ["time (s)", "absent at or below", "present at or above"],
            [[f"{t:.4g}", f"{low:.4f}", f"{high:.4f}"] for t, low, high in points],
            "thresholds on the log posterior odds S, linear in between",
        )

    def scaled_test(self, times: NDArray[np.float64]) -> ScaledTest:
        """Return the compiled form, with the thresholds at each of the `times` (the looks)."""
        ones = np.ones(self.n_locations)
        n = int(np.searchsorted(times, self.knots[-1])) + 1
        lower = np.interp(times[:n], self.knots, self.tau_minus)
        upper = np.interp(times[:n], self.knots, self.tau_plus)
        return ScaledTest(lower, upper, 1.0, 1.0, ones, ones, np.asarray(self.offset))

    @classmethod
    def tunable(cls, task: Task, tau_minus: Lower, tau_plus: Upper = None) -> Tunable:
        """Return a threshold of either side at each of the default knots."""
        low, high = mean_thresholds("TimeVaryingSPRT", task, tau_minus, tau_plus)
        middle = (low + high) / 2
        sides = (("lower", low, low - 20.0, middle), ("upper", high, middle, high + 20.0))
        return Tunable(
            tuple(
                Parameter(f"{side}_{k}", start, least, most, scale=0.5)
                for side, start, least, most in sides
                for k in range(len(_KNOTS))
            )
        )

    @classmethod
    def for_task(
        cls, task: Task, tau_minus: Lower, tau_plus: Upper = None, **at_knots: float
    ) -> TimeVaryingSPRT:
        """Return a time-varying SPRT for a task, with the default knots.

        Parameters
        ----------
        task : Task
        tau_minus, tau_plus : float or sequence of float, length M; or Costs alone
            Optimal thresholds of discrimination: what every knot defaults to.
        **at_knots : float
            ``lower_0 ... lower_4`` and ``upper_0 ... upper_4``.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> task = SearchTask(n_locations=2, drift=4.0)
        >>> TimeVaryingSPRT.for_task(task, -2.4, 2.4, upper_0=3.0).tau_plus
        (3.0, 2.4, 2.4, 2.4, 2.4)
        """
        start = {p.name: p.start for p in cls.tunable(task, tau_minus, tau_plus).parameters}
        faults = Faults("TimeVaryingSPRT")
        for name in at_knots.keys() - start:
            faults.add(name, f"one of {', '.join(start)}", at_knots[name], "count knots from 0")
        faults.raise_if_any()
        values = list((start | at_knots).values())
        lower, upper = values[: len(_KNOTS)], values[len(_KNOTS) :]
        rate = 1.0  # no simple time scale where distractors are unknown: knots in seconds
        if task.local_drifts is not None:
            rate = float(np.mean(evidence.llr_step(task).mean_target)) / task.dt
        knots = _KNOTS * max(abs(start["upper_0"]), 1.0) / rate
        return cls(tuple(knots), tuple(lower), tuple(upper), location_offsets(task))
