r"""SPRT-opt: SPRT whose two thresholds minimise the risk.

The same statistic as SPRT, :math:`S(t)` (Eq. homo-search); the thresholds are free and
`popout.tune` chooses them to minimise the risk (Eq. risk). They need not agree with those of
discrimination, so SPRT-opt may give up asymptotic optimality for a lower risk.
"""

from __future__ import annotations

from popout.strategies.recipe import Parameter, Recipe, Thresholds
from popout.strategies.scaled_sprt import ScaledSPRT
from popout.strategies.sprt import SPRT, unscaled
from popout.task import Task

__all__ = ["SPRTOpt"]


class SPRTOpt(Recipe):
    """SPRT with tuned thresholds; the search starts from SPRT's own."""

    name = "sprt-opt"

    @classmethod
    def parameters(
        cls, task: Task, tau_minus: Thresholds, tau_plus: Thresholds
    ) -> tuple[Parameter, ...]:
        """Return the two thresholds."""
        start = SPRT.for_task(task, tau_minus, tau_plus)
        middle = (start.tau_minus + start.tau_plus) / 2
        return (
            Parameter("lower", start.tau_minus, start.tau_minus - 20.0, middle, scale=0.5),
            Parameter("upper", start.tau_plus, middle, start.tau_plus + 20.0, scale=0.5),
        )

    @classmethod
    def for_task(
        cls,
        task: Task,
        tau_minus: Thresholds,
        tau_plus: Thresholds,
        *,
        lower: float | None = None,
        upper: float | None = None,
    ) -> ScaledSPRT:
        """Return SPRT-opt for a task.

        Parameters
        ----------
        task : Task
        tau_minus, tau_plus : float or sequence of float, length M
            Optimal thresholds of discrimination: what `lower` and `upper` default to.
        lower, upper : float, optional
            The thresholds used.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> task = SearchTask(n_locations=2, drift=4.0)
        >>> SPRTOpt.for_task(task, -2.4, 2.4, upper=1.9).tau_plus
        1.9
        """
        start = SPRT.for_task(task, tau_minus, tau_plus)
        lower = start.tau_minus if lower is None else lower
        upper = start.tau_plus if upper is None else upper
        return unscaled(task, lower, upper, "SPRT-opt")
