"""What time and errors cost.

The paper's risk (Equation 6) weighs errors against response time. With the prior-averaged reading
that `popout` uses throughout,

    risk = P(C=0) ( c_fa   P(say present | C=0) + C_time,0 E[T | C=0] )
         + P(C=1) ( c_miss P(say absent  | C=1) + C_time,1 E[T | C=1] ),

where the paper has c_fa = c_miss = 1 and C_time,0 = C_time,1 and notes that different costs are
easily accommodated.
"""

from __future__ import annotations

from typing import Any

from popout.drawing.representation import Card, HasCard
from popout.task.declared import Declared, Field, Stored, optional, required
from popout.task.faults import Faults, Path
from popout.task.kinds import Number, OneOrEach

LARGEST_RATIO = 1e10  # beyond it no grid is fine enough, and no experiment long enough
RISK = Number(above=0.0)


class Costs(Declared, HasCard):
    """Costs of time, of a miss and of a false alarm.

    Parameters
    ----------
    time : float or pair of float
        Risk per second; a pair is (target absent, target present). Equal members of a pair are
        stored as one number.
    miss, false_alarm : float
        Risk of saying "absent" to a target and "present" to none.

    Notes
    -----
    The paper's displayed risk sums over the two classes; its recursion averages over them with
    the prior. `popout` averages.

    Examples
    --------
    >>> from popout.task import Costs
    >>> Costs(time=0.2)
    Costs(time=0.2, miss=1.0, false_alarm=1.0)
    >>> Costs(time=(0.1, 0.3)).time_present
    0.3
    """

    time: Stored[float | tuple[float, float]] = required(
        Field(
            OneOrEach(RISK, "a positive number or a pair of them", length=2),
            "Risk per second; a pair is (target absent, target present).",
            "give the risk of one second, or a pair (absent, present)",
            "1/s",
        )
    )
    miss: Stored[float] = optional(
        Field(RISK, "Risk of saying absent to a target.", "give a risk, e.g. 1", default=1.0)
    )
    false_alarm: Stored[float] = optional(
        Field(RISK, "Risk of saying present to none.", "give a risk, e.g. 1", default=1.0)
    )

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, Any]) -> None:
        """Check that costs can be weighed against each other."""
        if faults:
            return
        time = known["time"]
        pair = time if isinstance(time, tuple) else (time, time)
        costs = (*pair, known["miss"], known["false_alarm"])
        if max(*costs, 1.0) > LARGEST_RATIO * min(*costs, 1.0):
            expected = f"costs within a factor of {LARGEST_RATIO:g} of each other and of one"
            faults.add((), expected, costs, "bring time and errors closer together")

    @property
    def time_absent(self) -> float:
        """Risk per second while no target is there."""
        return self.time[0] if isinstance(self.time, tuple) else self.time

    @property
    def time_present(self) -> float:
        """Risk per second while a target is there."""
        return self.time[1] if isinstance(self.time, tuple) else self.time

    @property
    def patience(self) -> float:
        r"""The mean time, in seconds, that going on can be worth at most.

        Whatever has been seen, the better answer costs at most
        :math:`g = c_{miss} c_{fa} / (c_{miss} + c_{fa})`, so nobody should expect to look for
        longer than :math:`g / c` from any moment on, where a second costs c or more. It follows
        (Markov's inequality, again and again) that the best observer still looks after
        :math:`n e\, g / c` in a share of :math:`e^{-n}` of the trials at most.

        Examples
        --------
        >>> Costs(time=0.5).patience, Costs(time=(0.5, 0.2), miss=3.0).patience
        (1.0, 3.75)
        """
        worst = self.miss * self.false_alarm / (self.miss + self.false_alarm)
        return worst / min(self.time_absent, self.time_present)

    def card(self) -> Card:
        """Return what is shown of it."""
        time = f"{self.time_absent:g} /s"
        if isinstance(self.time, tuple):
            time += f" while absent, {self.time_present:g} /s while present"
        errors = [("miss", f"{self.miss:g}"), ("false alarm", f"{self.false_alarm:g}")]
        return Card("Costs, in units of risk", [("time", time), *errors])


def check_costs(faults: Faults, field: str | Path, costs: object) -> None:
    """Record that something is no costs; a number is taken for a cost of time that lost its name.

    Examples
    --------
    >>> faults = Faults("compare")
    >>> check_costs(faults, "costs", 0.2)
    >>> faults.lines
    ['compare.costs: expected Costs, got 0.2; write Costs(time=0.2)']
    """
    if not isinstance(costs, Costs):
        is_number = isinstance(costs, int | float) and not isinstance(costs, bool)
        example = costs if is_number else 0.2
        faults.add(field, "Costs", costs, f"write Costs(time={example!r})")
