r"""a-SPRT: the conjectured optimum, two SPRTs with scales of their own.

Conjecture (equal drifts, Equations 8 and 9): thresholds :math:`\tau_\pm` are those
of one-dimensional discrimination, only the scales :math:`a_\pm` are unknown. Extension (unequal
drifts, Equations 10 and 11): location *l* enters with the factors
:math:`c^{(l)}_\pm = \tau^{(M)}_\pm / \tau^{(l)}_\pm` and the thresholds are those of location *M*.

**Before looking.** At :math:`t = 0` every :math:`Z_l = 0`, and :math:`S_a` falls with *a*, from
infinity to its largest term. So "present" is said at once with :math:`a_+ \le a^*(\tau_+)` and
"absent" with :math:`a_- \ge a^*(\tau_-)`, where :math:`S_{a^*}(0) = \tau`: for equal locations

.. math:: a^*(\tau) = \frac{\log M}{\log M + \tau - \log\frac{p}{1-p}}

(none if the denominator is not positive). The risk jumps there to that of a guess. A search for
scales stays between the two, and the guesses are compared with what it finds.

Notes
-----
The captions of the paper print scales without a unit; in nats they do not fit its own boundaries,
in decades they come close (`popout.paper.conjecture`). Here scales are tuned or fitted, never
copied.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.policies.stopping.recipe import (
    Lower,
    Parameter,
    Recipe,
    Tunable,
    Upper,
    thresholds_per_location,
)
from popout.policies.stopping.scaled_sprt import ScaledSPRT, location_offsets, scaled_softmax
from popout.task import Faults, Task


def has_factors(task: Task, tau_minus: Lower, tau_plus: Upper = None) -> bool:
    """Whether the thresholds of every location have ratios: they are equal, or have one sign.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> task = SearchTask(drift=(8.0, 3.0))
    >>> has_factors(task, (-4.0, -2.0), (4.0, 2.0)), has_factors(task, (-4.0, -2.0), (4.0, -1.0))
    (True, False)
    """
    return all(map(_have_ratios, thresholds_per_location("has_factors", task, tau_minus, tau_plus)))


def _have_ratios(tau: NDArray[np.float64]) -> bool:
    return bool((tau == tau[-1]).all() or (tau > 0).all() or (tau < 0).all())


def check_local(owner: str, task: object) -> None:
    """Refuse a task that has no log likelihood ratio for each location."""
    if isinstance(task, Task) and task.local_drifts is None:
        faults = Faults(owner)
        expected = "a SearchTask, or a task with an equivalent one"
        remedy = f"{task.why_no_search}, so that the state is S alone; use SPRT"
        faults.add("task", expected, type(task).__name__, remedy)
        faults.raise_if_any()


def relative_to_last(
    owner: str, task: Task, tau_minus: Lower, tau_plus: Upper = None
) -> tuple[float, float, tuple[float, ...], tuple[float, ...]]:
    r"""Return :math:`\tau^{(M)}_-, \tau^{(M)}_+, c_-, c_+` of the Extension.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> relative_to_last("doc", SearchTask(drift=(8.0, 3.0)), (-4.0, -2.0), (4.0, 2.0))
    (-2.0, 2.0, (0.5, 1.0), (0.5, 1.0))
    """
    check_local(owner, task)
    lower, upper = thresholds_per_location(owner, task, tau_minus, tau_plus)
    faults = Faults(owner)
    factors = []
    for key, tau in (("tau_minus", lower), ("tau_plus", upper)):
        if (tau == tau[-1]).all():
            factors.append(np.ones_like(tau))
            continue
        if not _have_ratios(tau):
            expected = "the same sign, not zero, at every location (the factors c are ratios)"
            remedy = "use costs under which every location needs looking at"
            faults.add(key, expected, tuple(tau.tolist()), remedy)
            tau = np.ones_like(tau)
        factors.append(tau[-1] / tau)
    faults.raise_if_any()
    c_minus, c_plus = (tuple(float(v) for v in c) for c in factors)
    return float(lower[-1]), float(upper[-1]), c_minus, c_plus


def scale_at_onset(y: ArrayLike, tau: float) -> float:
    r"""Return the scale :math:`a^*` with which a test is met exactly before looking.

    Parameters
    ----------
    y : array_like of shape (M,)
        :math:`c_l (Z_l - o_l)` at t = 0; -inf for a location that never holds the target.
    tau : float

    Returns
    -------
    a : float
        inf if the statistic is above `tau` for every scale.

    Examples
    --------
    >>> round(scale_at_onset([-np.log(4)] * 4, -0.7), 4)
    2.02
    >>> scale_at_onset([-np.log(4)] * 4, -2.0)
    inf
    """
    y = np.asarray(y, dtype=np.float64)
    if y.max() >= tau:
        return math.inf
    low, high = -30.0, 30.0  # of log a; the statistic falls with a
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = scaled_softmax(y, math.exp(middle)) > tau
        low, high = (middle, high) if above else (low, middle)
    return math.exp(0.5 * (low + high))


class ASPRT(Recipe):
    """a-SPRT of the Conjecture and its Extension; `popout.tune` chooses the two scales.

    Examples
    --------
    >>> import popout as po
    >>> task = po.SearchTask(n_locations=2, drift=4.0)
    >>> rule = po.ASPRT.for_task(task, -4.546, 4.546, a_minus=1.0, a_plus=0.7)
    >>> rule.decide([[-6.0, 6.0], [0.0, 0.0]], 0.1)
    array([2, 0], dtype=int8)
    >>> rule.parameters["a_plus"]
    0.7
    """

    name = "a-sprt"
    is_local = True

    @classmethod
    def tunable(cls, task: Task, tau_minus: Lower, tau_plus: Upper = None) -> Tunable:
        """Return the scales; with one location the scales play no part and none is free."""
        if len(location_offsets(task)) == 1:
            return Tunable()
        unscaled = cls.for_task(task, tau_minus, tau_plus, a_minus=1.0, a_plus=1.0)
        most, least = _looking_scales(unscaled)
        lowest, highest = 0.1, 50.0
        bounds = {
            "a_minus": (min(1.7, math.sqrt(most)), lowest, min(highest, most), most),
            "a_plus": (max(0.7, math.sqrt(least)), max(lowest, least), highest, least),
        }
        parameters = tuple(
            Parameter(
                name,
                start,
                lower,
                upper,
                scale=0.35,
                logarithmic=True,
                cliff=cliff if cliff in (lower, upper) else None,
            )
            for name, (start, lower, upper, cliff) in bounds.items()
        )
        sprt = {"a_minus": 1.0, "a_plus": 1.0}
        at_once = [{"a_minus": 1.1 * most, "a_plus": 1.0}] if most < math.inf else []
        at_once += [sprt] if max(unscaled.margins(np.zeros(task.n_locations), 0.0)) >= 0 else []
        at_once += [{"a_minus": 1.0, "a_plus": least / 1.1}] if least > 0.0 else []
        return Tunable(parameters, ({}, sprt), (sprt,), tuple(at_once))

    @classmethod
    def for_task(
        cls,
        task: Task,
        tau_minus: Lower,
        tau_plus: Upper = None,
        *,
        a_minus: float = 1.7,
        a_plus: float = 0.7,
    ) -> ScaledSPRT:
        """Return a-SPRT for a task.

        Parameters
        ----------
        task : Task
            With one log likelihood ratio for each location.
        tau_minus, tau_plus : float or sequence of float, length M; or Costs alone
            Optimal thresholds of discrimination at each location, even prior.
        a_minus, a_plus : float
            Scales of the lower and the upper test.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> task = SearchTask(n_locations=2, drift=4.0)
        >>> strategy = ASPRT.for_task(task, -2.4, 2.4, a_minus=1.65, a_plus=0.7)
        >>> strategy.tau_plus, strategy.c_plus
        (2.4, (1.0, 1.0))
        """
        lower, upper, c_minus, c_plus = relative_to_last("ASPRT", task, tau_minus, tau_plus)
        return ScaledSPRT(
            lower, upper, a_minus, a_plus, c_minus, c_plus, location_offsets(task), "a-SPRT"
        )


def _looking_scales(strategy: ScaledSPRT) -> tuple[float, float]:
    """Return the largest a_minus and the least a_plus with which it looks at all.

    Where SPRT itself answers at once there are no such bounds: inf and 0.
    """
    onset = -np.asarray(strategy.offset)
    most = scale_at_onset(onset * strategy.c_minus, strategy.tau_minus)
    least = scale_at_onset(onset * strategy.c_plus, strategy.tau_plus)
    return (most, least) if most > 1.0 > least else (math.inf, 0.0)
