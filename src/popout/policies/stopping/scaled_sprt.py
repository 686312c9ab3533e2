r"""The family of the Conjecture and of its Extension: two SPRTs on scaled log likelihood ratios.

With offsets :math:`o_l`, scales :math:`a_\pm` and per-location factors :math:`c^{(l)}_\pm`,

.. math::

   S_\pm(Z) = \frac{1}{a_\pm} \log \sum_{l=1}^{M}
              \exp\bigl( a_\pm\, c^{(l)}_\pm (Z_l - o_l) \bigr),

the observer says *present* once :math:`S_+ \ge \tau_+`, *absent* once :math:`S_- \le \tau_-`, and
waits otherwise (paper Equations 8, 9; with the factors :math:`c`, Equations
10, 11). Every strategy of the paper is a member:

=========  =====================  =========================================
strategy   scales                 thresholds
=========  =====================  =========================================
a-SPRT     :math:`a_\pm` tuned    1-D discrimination
SPRT       1, 1                   1-D discrimination
SPRT-opt   1, 1                   tuned
Hardmax    inf, inf (the max)     1-D discrimination: one pair, or one per
                                  location (factors :math:`c`), or tuned
=========  =====================  =========================================

The offset carries the priors, :math:`o_l = -\log \pi_l - \log\frac{p}{1-p}` (:math:`\log M` for a
uniform location prior and an even prior of presence), so that with :math:`a = 1, c = 1` the
statistic is the posterior log odds of presence. Because
:math:`\max_l y_l \le S_a \le \max_l y_l + \log(M)/a`, a member is always between its max and SPRT.

Notes
-----
The paper prints ``>=`` in the lower test of the Extension; it is ``<=``. At ``t = 0`` a test may
already be satisfied: every :math:`Z_l - o_l = -\log M`, so Hardmax with
:math:`\tau_- \ge -\log M` says "absent" before looking.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.drawing.representation import Card, listed
from popout.policies.stopping.recipe import state_prior
from popout.policies.stopping.strategy import BoundaryStrategy, Margins, ScaledTest
from popout.task import Faults, Task

NUMBERS = ("tau_minus", "tau_plus", "a_minus", "a_plus")


def location_offsets(task: Task) -> tuple[float, ...]:
    r"""Return :math:`o_l = -\log \pi_l - \log\frac{p}{1-p}` for each location.

    For a task with unknown distractors the state is the log likelihood ratio of presence itself,
    which already holds the location prior: one entry, minus the log prior odds.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> location_offsets(SearchTask(n_locations=1, drift=4.0))
    (0.0,)
    """
    with np.errstate(divide="ignore"):
        log_prior = np.log(state_prior(task))
    # The sum with 0.0 turns -0.0 into 0.0, which prints better.
    return tuple(float(o) + 0.0 for o in -(log_prior + task.log_prior_odds))


def scaled_softmax(y: ArrayLike, a: float) -> NDArray[np.float64]:
    """Return ``log(sum(exp(a * y))) / a`` over the last axis; the maximum for ``a = inf``.

    Parameters
    ----------
    y : array_like of shape (..., M)
        May hold -inf.
    a : float
        Scale, positive.

    Returns
    -------
    S : ndarray of shape (...)

    Examples
    --------
    >>> scaled_softmax([0.0, 0.0], 1.0).round(6)
    np.float64(0.693147)
    >>> scaled_softmax([-1.0, 3.0], np.inf)
    np.float64(3.0)
    """
    y = np.asarray(y, dtype=np.float64)
    top = y.max(axis=-1)
    if np.isinf(a) or y.shape[-1] == 1:
        return np.asarray(top)[()]
    excess = np.exp(a * (y - top[..., None])).sum(axis=-1)
    return np.asarray(top + np.log(excess) / a)[()]


@dataclass(frozen=True)
class ScaledSPRT(BoundaryStrategy):
    """Two SPRTs on scaled log likelihood ratios, with constant thresholds.

    Parameters
    ----------
    tau_minus, tau_plus : float
        Absent once ``S_minus <= tau_minus``, present once ``S_plus >= tau_plus``; on the scale of
        the log posterior odds. Equal thresholds answer at once.
    a_minus, a_plus : float
        Scales, positive; ``inf`` gives the maximum, 1 the log posterior odds.
    c_minus, c_plus : tuple of float, length M
        Positive factors of the Extension; all 1 for equal drifts.
    offset : tuple of float, length M
        Subtracted from ``Z``; ``+inf`` switches a location off (its prior is zero).
    label : str
        Its name in tables; plays no part in comparisons.

    Examples
    --------
    >>> strategy = ScaledSPRT(-2.5, 2.5, 1.7, 0.7, (1.0, 1.0), (1.0, 1.0), (0.7, 0.7))
    >>> strategy.decide([[0.0, 0.0], [3.5, -4.0], [-4.0, -4.0]], 0.1)
    array([0, 2, 1], dtype=int8)
    """

    tau_minus: float
    tau_plus: float
    a_minus: float
    a_plus: float
    c_minus: tuple[float, ...]
    c_plus: tuple[float, ...]
    offset: tuple[float, ...]
    label: str = field(default="scaled SPRT", compare=False)

    def __post_init__(self) -> None:
        """Coerce to plain floats and tuples, then check everything at once."""
        for key in NUMBERS:
            object.__setattr__(self, key, float(getattr(self, key)))
        for key in ("c_minus", "c_plus", "offset"):
            object.__setattr__(self, key, tuple(float(v) for v in getattr(self, key)))
        self._validate()

    def _validate(self) -> None:
        faults = Faults("ScaledSPRT")
        if not (np.isfinite(self.tau_minus) and np.isfinite(self.tau_plus)):
            got = (self.tau_minus, self.tau_plus)
            faults.add("tau_minus, tau_plus", "finite numbers", got, "give both thresholds")
        elif not self.tau_minus <= self.tau_plus:
            expected = f"not above tau_plus = {self.tau_plus}"
            remedy = "swap the thresholds or check their signs"
            faults.add("tau_minus", expected, self.tau_minus, remedy)
        for key in ("a_minus", "a_plus"):
            a = getattr(self, key)
            if not a > 0:
                faults.add(key, "a positive scale", a, "use 1 for SPRT, inf for Hardmax")
        M = len(self.offset)
        if M == 0 or not all(o > -np.inf for o in self.offset) or min(self.offset) == np.inf:
            expected = "one number per location, some of them finite"
            remedy = "use minus the log prior of each location"
            faults.add("offset", expected, self.offset, remedy)
        for key in ("c_minus", "c_plus"):
            c = getattr(self, key)
            if len(c) != M or not all(0 < v < np.inf for v in c):
                faults.add(key, f"{M} positive factors, one per location", c, "use 1.0 each")
        faults.raise_if_any()

    @property
    def parameters(self) -> dict[str, float]:
        """Thresholds and scales."""
        return {name: getattr(self, name) for name in NUMBERS}

    @property
    def n_locations(self) -> int:
        """Number of locations M."""
        return len(self.offset)

    @property
    def is_axis_aligned(self) -> bool:
        """Whether both tests compare the largest term alone, as Hardmax does."""
        return bool(np.isinf(self.a_minus) and np.isinf(self.a_plus))

    def statistics(self, Z: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ``(S_minus, S_plus)``, each of shape (...), for `Z` of shape (..., M).

        Examples
        --------
        >>> strategy = ScaledSPRT(-2.5, 2.5, 1.0, 1.0, (1.0,), (1.0,), (0.0,))
        >>> strategy.statistics([0.3])
        (np.float64(0.3), np.float64(0.3))
        """
        y = np.asarray(Z, dtype=np.float64) - np.asarray(self.offset)
        return (
            scaled_softmax(np.asarray(self.c_minus) * y, self.a_minus),
            scaled_softmax(np.asarray(self.c_plus) * y, self.a_plus),
        )

    def margins(self, Z: ArrayLike, t: ArrayLike) -> Margins:
        """Return ``(tau_minus - S_minus, S_plus - tau_plus)``; the time plays no part."""
        S_minus, S_plus = self.statistics(Z)
        return np.asarray(self.tau_minus - S_minus), np.asarray(S_plus - self.tau_plus)

    def scaled_test(self, times: NDArray[np.float64]) -> ScaledTest:
        """Return the compiled form; `times` (the looks) play no part here."""
        return ScaledTest(
            np.array([self.tau_minus]),
            np.array([self.tau_plus]),
            self.a_minus,
            self.a_plus,
            np.asarray(self.c_minus),
            np.asarray(self.c_plus),
            np.asarray(self.offset),
        )

    def card(self) -> Card:
        """Return what is shown of it."""
        scales = [
            f"{name} = {'inf (the largest)' if np.isinf(a) else f'{a:.4g}'}"
            for name, a in (("a_minus", self.a_minus), ("a_plus", self.a_plus))
        ]
        factors = [
            (name, listed(c, digits=4))
            for name, c in (("c_minus", self.c_minus), ("c_plus", self.c_plus))
            if set(c) != {1.0}
        ]
        return Card(
            self.label,
            [
                ('say "absent"', f"once S_minus <= {self.tau_minus:.4f}"),
                ('say "present"', f"once S_plus >= {self.tau_plus:.4f}"),
                ("scales", ", ".join(scales)),
                *factors,
                ("offset of Z", listed(self.offset, digits=4)),
                ("locations", str(self.n_locations)),
            ],
        )


def one_pair(
    task: Task, tau_minus: float, tau_plus: float, label: str, scale: float = 1.0
) -> ScaledSPRT:
    """Return the member of the family with one scale, and every factor 1.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> one_pair(SearchTask(n_locations=2, drift=4.0), -2.0, 2.0, "SPRT").a_plus
    1.0
    """
    offset = location_offsets(task)
    ones = (1.0,) * len(offset)
    return ScaledSPRT(tau_minus, tau_plus, scale, scale, ones, ones, offset, label)
