r"""How the scales of a-SPRT depend on the task: a law fitted to exact boundaries.

With equal drifts :math:`\mu`, a cost of time *c* and errors that cost 1 the exact boundary depends
on :math:`k = c / \mu^2`, the step :math:`\iota = \mu^2\,dt` and the number of locations *M*, not on
the prior of presence (which is where the evidence starts). The scales that fit it best follow

.. math::

   \log a_- &= e^{\alpha_- + \beta_- \sqrt k - \gamma_- \sqrt\iota - \delta_- \iota}
               \,(M/2)^{\epsilon_-}, \\
   -\log a_+ &= e^{\alpha_+ + \beta_+ \sqrt k - \gamma_+ \sqrt\iota - \delta_+ \iota}
               \,(M/2)^{\epsilon_+} .

Both scales approach 1, SPRT, as steps grow longer: a single look then decides. The form was chosen
for its shape and is no theory; ``python benchmarks/table_scale_law.py`` computes the boundaries,
fits the numbers below and prints what is left, `ERROR` at most. It holds where time is not too
expensive: `LARGEST_RATIO`, `LONGEST_STEP`, thresholds of a nat or more.
"""

from __future__ import annotations

import math

from popout.exact.continuous_discrimination import ContinuousDiscrimination
from popout.task import Costs, Task

COEFFICIENTS = {
    "a_minus": (1.0, (-0.308, 0.787, -1.164, -0.125, -0.008)),
    "a_plus": (-1.0, (-0.852, 0.564, -0.505, -0.297, -0.027)),
}
"""The sign of log a, then the factors of 1, sqrt(k), sqrt(iota), iota and log(M / 2)."""
ERROR = 0.06
"""Largest difference of log a from a boundary that was solved."""
LARGEST_RATIO, LONGEST_STEP, LEAST_THRESHOLD = 0.25, 1.5, 1.0


def scales_by_law(task: Task, costs: Costs) -> dict[str, float] | None:
    """Return both scales by the law, or None where it does not hold.

    Parameters
    ----------
    task : Task
        A search with equal drifts and two locations at least.
    costs : Costs
        Errors that cost the same, and time that costs the same with and without a target.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=8, drift=4.0)
    >>> {name: round(a, 2) for name, a in scales_by_law(task, Costs(time=0.2)).items()}
    {'a_minus': 1.63, 'a_plus': 0.71}
    """
    drifts = () if task.search is None else task.search.possible.drifts
    alike = costs.miss == costs.false_alarm and costs.time_absent == costs.time_present
    if len(drifts) < 2 or len(set(drifts)) > 1 or not alike:
        return None
    ratio = costs.time_absent / costs.miss / drifts[0] ** 2
    step = drifts[0] ** 2 * task.dt
    if not 0.0 < ratio <= LARGEST_RATIO or step > LONGEST_STEP:
        return None
    # Steps bring thresholds closer together, by about half the size of a step.
    b = ContinuousDiscrimination.of(1.0, Costs(time=ratio)).upper
    if b - 1.17 * math.sqrt(step) < LEAST_THRESHOLD:
        return None
    terms = (1.0, math.sqrt(ratio), math.sqrt(step), step, math.log(len(drifts) / 2))
    return {
        name: math.exp(sign * math.exp(sum(w * x for w, x in zip(weights, terms, strict=True))))
        for name, (sign, weights) in COEFFICIENTS.items()
    }
