"""What time and errors cost.

The paper's risk (eq:risk) weighs errors against response time. With the prior-averaged reading
that `popout` uses throughout,

    risk = P(C=0) ( c_fa   P(say present | C=0) + C_time,0 E[T | C=0] )
         + P(C=1) ( c_miss P(say absent  | C=1) + C_time,1 E[T | C=1] ),

where the paper has c_fa = c_miss = 1 and C_time,0 = C_time,1 and notes that different costs are
easily accommodated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from popout.drawing.representation import Card, HasCard
from popout.task.faults import Faults, as_tuple

__all__ = ["Costs"]

LARGEST_RATIO = 1e10  # beyond it no grid is fine enough, and no experiment long enough
TIME_REMEDY = "give the risk of one second, or a pair (absent, present)"


@dataclass(frozen=True, init=False)
class Costs(HasCard):
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

    time: float | tuple[float, float]
    miss: float
    false_alarm: float

    def __init__(self, time: Any, miss: Any = 1.0, false_alarm: Any = 1.0) -> None:
        faults = Faults("Costs")
        object.__setattr__(self, "time", _check_time(faults, time))
        object.__setattr__(self, "miss", faults.positive("miss", miss, "give a risk, e.g. 1"))
        alarm = faults.positive("false_alarm", false_alarm, "give a risk, e.g. 1")
        object.__setattr__(self, "false_alarm", alarm)
        faults.raise_if_any()
        all_costs = (self.time_absent, self.time_present, self.miss, self.false_alarm)
        if max(*all_costs, 1.0) > LARGEST_RATIO * min(*all_costs, 1.0):
            expected = f"costs within a factor of {LARGEST_RATIO:g} of each other and of one"
            faults = Faults("")
            faults.add("Costs", expected, all_costs, "bring time and errors closer together")
            faults.raise_if_any()

    @property
    def time_absent(self) -> float:
        """Risk per second while no target is there."""
        return self.time[0] if isinstance(self.time, tuple) else self.time

    @property
    def time_present(self) -> float:
        """Risk per second while a target is there."""
        return self.time[1] if isinstance(self.time, tuple) else self.time

    def card(self) -> Card:
        """Return what is shown of it."""
        time = f"{self.time_absent:g} /s"
        if isinstance(self.time, tuple):
            time += f" while absent, {self.time_present:g} /s while present"
        errors = [("miss", f"{self.miss:g}"), ("false alarm", f"{self.false_alarm:g}")]
        return Card("Costs, in units of risk", [("time", time), *errors])


def _check_time(faults: Faults, time: Any) -> float | tuple[float, float]:
    pair = as_tuple(time)
    if pair is None:
        return faults.positive("time", time, TIME_REMEDY)
    if len(pair) != 2:
        faults.add("time", "a positive number or a pair of them", time, TIME_REMEDY)
        return math.nan
    absent = faults.positive("time[0]", pair[0], TIME_REMEDY)
    present = faults.positive("time[1]", pair[1], TIME_REMEDY)
    return absent if absent == present else (absent, present)
