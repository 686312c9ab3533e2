r"""Is a location worth a look? What can be told without solving the whole problem.

Let :math:`p_l` be the odds of "target at l" against "absent" (:math:`w_l` at the start),
:math:`S = \sum_l p_l`, and V the least expected cost times :math:`1 + S`, as in `bellman`. With
shares :math:`\alpha` the odds are martingales under "absent", :math:`dp_l = 2
\sqrt{\alpha_l \Lambda v_l}\, p_l\, dW_l`; answers cost :math:`\min(c_{fa}, c_{miss} S)`, time
:math:`C_0 + C_1 S`. V is the least of functions that are linear in the odds, one for each way to
look and to answer, hence concave. Let :math:`V^{-l}` be the same for observers who never look at l.
**Location l is worth a look if** :math:`V < V^{-l}` **at the start**: every optimum looks there
sooner or later, with some probability.

*A look of its own.* If only l is looked at and the others keep the odds :math:`\rho`, the part
:math:`c_{miss}\,\rho` of "absent" can be taken off both answers. What remains is discrimination
with the costs :math:`c_{miss}`, :math:`c_{fa} - c_{miss}\,\rho` and time :math:`C_0 + C_1 \rho`,
:math:`C_1` (`leftover_costs`). Its thresholds :math:`p_\pm(\Lambda v_l; \rho)` are known, in closed
form in continuous time: looking pays between them and nowhere else. Because V is concave,
:math:`p_-` is a concave function of :math:`\rho`; it is zero from
:math:`\rho = c_{fa} / c_{miss}` on, where "present" is the better answer whatever is seen at l.

What follows is proved, not approximated:

1. *One location*: it is worth a look if and only if :math:`p_- < w < p_+`.
2. *No.* S is a martingale too, and no shares move it faster than the best seen location would with
   all odds in it, since :math:`\sum_l \alpha_l v_l p_l^2 \le \bar v S^2`. Discrimination at the
   rate :math:`\Lambda \bar v` and the odds S has a concave value, so it bounds V from below. If S
   lies outside its thresholds, the optimum answers at once: **no location is worth a look.** (With
   steps the same follows from the convex order of S after a step.)
3. *Yes, together.* The same bound, for the odds and the best visibility of the others and with what
   is left of the costs at :math:`\rho = w_l`, holds for :math:`V^{-l}`. It is the cost of an answer
   at once if the others are hardly worth it, or if :math:`w_l \ge c_{fa} / c_{miss}`, where
   "present" is all that one can say without a look at l. Any observer who costs less than the
   bound proves that l is worth a look. We take one who looks at each location until its odds
   are :math:`a_k` (then at the next) or :math:`b_k` (then he says "present"), and says "absent"
   after the last; against an answer at once also those who look at one location only. A stage of
   the first has the closed form

   .. math:: \frac{(b - w)\,(N - F(a)) + (w - a)\,(c_{fa} - F(b))}{b - a} + F(w), \quad
             F(p) = \frac{(C_0 + C_1 E) \log p - C_1\, p\,(\log p - 1)}{2 \Lambda v} ,

   where N is the cost of what comes next and E the odds elsewhere. With steps there is no such
   form, and only looks at one location count.
4. *Yes, after the others.* If the best observer without l waits at all, he says "absent" at some
   odds :math:`\rho` elsewhere. If :math:`w_l > p_-(\Lambda v_l; \rho)`, going on at l is better.
   With one other location k, :math:`\rho = p_-(\Lambda v_k; w_l)` (and likewise for "present" at
   :math:`p_+`). With more, no location is worth a look of its own where he stops, and by 2 he
   stops no earlier than at :math:`p_-(\Lambda \bar v_{-l}; w_l)`: :math:`\rho` lies between that
   and :math:`\sum_{k \ne l} \max_\rho p_-(\Lambda v_k; \rho)`, and all of that is tested. That he
   waits is shown as in 3; it is not needed where a look of its own pays at l at the start.

Between "yes" and "no" lies what **cannot be told** from one location at a time: a look that does
not pay by itself may pay with the option to turn to another location afterwards. The exact optimum
of two locations begins to look a little below the visibility that 4 gives
(`popout.paper.figures.worth_a_look`), and ``benchmarks/search_worth_a_look.py`` has what such looks
save in random tasks.

All thresholds widen with :math:`v_l` and V falls, while :math:`V^{-l}` stays: what is worth a
look at some visibility is so at every better one (`least_visibility`). With equal costs 1, time
that costs c and all others ruled out, a location with :math:`w_l < 1` is worth a look while

.. math:: \frac{\Lambda v_l}{c} > \sinh(-\log w_l) - \log w_l .
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

from scipy.optimize import minimize_scalar

from popout.exact.continuous_discrimination import ContinuousDiscrimination
from popout.exact.discretisation import check_costs_and_rtol
from popout.exact.discrimination import thresholds
from popout.task import Costs, Faults, LimitedSearchTask, Task
from popout.task.look import Shares

ROUNDS, SETTLED = 1000, 1e-10
WIDEST, PRECISE = 40.0, 1e-5  # of the search for a rate, in its logarithm
RTOL = 1e-5  # of thresholds with steps
NOTHING_LEFT = 1e-9  # of the cost of a false alarm
SURELY = 1.0 - 1e-6  # costs that differ by less are the same: far beyond what rounding does
FARTHEST = 60.0  # nats above the start at which an observer may say "present"


def leftover_costs(costs: Costs, odds: float) -> Costs | None:
    """Return the costs of looking at one location while others keep some odds of a target.

    None where these odds alone make "present" the better answer.
    """
    false_alarm = costs.false_alarm - costs.miss * odds
    if false_alarm <= NOTHING_LEFT * costs.false_alarm:
        return None
    time = costs.time_absent + costs.time_present * odds, costs.time_present
    return Costs(time=time, miss=costs.miss, false_alarm=false_alarm)


@lru_cache(maxsize=1 << 14)
def own_look(rate: float, costs: Costs, odds: float, dt: float = 0.0) -> tuple[float, float]:
    """Return the odds of a location between which a look of its own pays.

    Parameters
    ----------
    rate : float
        Information that the location gets, in 1/s.
    costs : Costs
    odds : float
        Of a target elsewhere.
    dt : float
        Time step in seconds; 0 is continuous time.
    """
    left = leftover_costs(costs, odds)
    if left is None:
        return 0.0, 0.0
    if dt > 0.0:
        pair = thresholds(math.sqrt(rate), left, dt=dt, rtol=RTOL)
        return math.exp(pair.lower), math.exp(pair.upper)
    kink = left.false_alarm / left.miss  # always between them, however close they are
    low, high = math.nextafter(kink, 0.0), math.nextafter(kink, math.inf)
    problem = ContinuousDiscrimination.of(math.sqrt(rate), left)
    try:
        return min(math.exp(problem.lower), low), max(math.exp(problem.upper), high)
    except ValueError:  # closer than rounding
        return low, high


def leftover_odds(task: LimitedSearchTask, costs: Costs, dt: float = 0.0) -> tuple[float, ...]:
    """Return the odds of a target at each location when a search that finds nothing ends.

    No location is worth another look of its own then. All locations that were looked at are as
    good as ruled out; the others keep their odds.

    Parameters
    ----------
    task : LimitedSearchTask
        Its own ``dt`` plays no part.
    costs : Costs
    dt : float
        Time step in seconds; 0 is continuous time.

    Returns
    -------
    odds : tuple of float, length M
        Of "target here" against "absent"; those of the prior where a look does not pay.

    Examples
    --------
    >>> task = LimitedSearchTask(information=1.0, visibility=(1.0, 0.1))
    >>> [round(p, 4) for p in leftover_odds(task, Costs(time=0.1))]
    [0.091, 0.5]
    """
    _check("leftover_odds", task, costs)
    return _Start.of(task, costs, dt).left


def worth_a_look(task: LimitedSearchTask, costs: Costs, dt: float = 0.0) -> tuple[bool | None, ...]:
    """Say of each location whether it is worth a look, as far as that can be told.

    Parameters
    ----------
    task : LimitedSearchTask
        Any number of locations. Its own ``dt`` plays no part.
    costs : Costs
    dt : float
        Time step in seconds; 0 is continuous time.

    Returns
    -------
    verdicts : tuple of bool or None, length M
        True: the optimum looks there, sooner or later. False: it never does. None: not told by
        looks at one location at a time; `popout.solve` knows, for few locations.

    Examples
    --------
    >>> task = LimitedSearchTask(information=1.0, visibility=(1.0, 0.1, 0.5))
    >>> worth_a_look(task, Costs(time=0.05))
    (True, None, True)
    >>> rare = LimitedSearchTask(n_locations=3, information=1.0, prior=0.01)
    >>> worth_a_look(rare, Costs(time=0.05))
    (False, False, False)
    """
    _check("worth_a_look", task, costs)
    start = _Start.of(task, costs, dt)
    return tuple(start.worth(place) for place in range(task.n_locations))


def least_visibility(
    task: LimitedSearchTask, costs: Costs, location: int = -1, dt: float = 0.0
) -> float:
    """Return a visibility from which on a location is surely worth a look.

    Parameters
    ----------
    task : LimitedSearchTask
        The visibilities of the other locations; its own ``dt`` plays no part.
    costs : Costs
    location : int
        From 0; the last one when left out.
    dt : float
        Time step in seconds; 0 is continuous time.

    Returns
    -------
    visibility : float
        The smallest one at which `worth_a_look` is True: the very smallest for one location, else
        an upper bound. 0 if any visibility does, NaN if none is sure to.

    Examples
    --------
    >>> task = LimitedSearchTask(n_locations=2, information=32.0)
    >>> round(least_visibility(task, Costs(time=0.2)), 4)
    0.009
    """
    _check("least_visibility", task, costs, location)
    place = location % task.n_locations
    start = _Start.of(task, costs, dt)

    def sure(log_rate: float) -> bool:
        rates = list(start.rates)
        rates[place] = math.exp(log_rate)
        return _Start(start.odds, tuple(rates), costs, dt).worth(place) is True

    # A rate of the order of the cost of time is worth a look at even odds.
    first = low = high = math.log(costs.time_absent)
    while sure(low):
        low -= 1.0
        if low < first - WIDEST:
            return 0.0
    while not sure(high):
        high += 1.0
        if high > first + WIDEST:
            return math.nan
    while high - low > PRECISE:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if sure(middle) else (middle, high)
    return math.exp(high) / task.information


@dataclass(frozen=True)
class _Start:
    """Odds and rates of all locations at the start; the numbers are those of the module's list."""

    odds: tuple[float, ...]
    rates: tuple[float, ...]
    costs: Costs
    dt: float

    @classmethod
    def of(cls, task: LimitedSearchTask, costs: Costs, dt: float) -> _Start:
        odds = math.exp(task.log_prior_odds)
        return cls(
            tuple(odds * p for p in task.location_prior),
            tuple(task.information * seen for seen in task.visibilities),
            costs,
            dt,
        )

    def worth(self, place: int) -> bool | None:
        """Say whether a location is worth a look: no by 1 or 2, yes by 1, 3 or 4."""
        own, rate = self.odds[place], self.rates[place]
        others = [k for k, p in enumerate(self.odds) if p > 0.0 and k != place]
        if own == 0.0 or not self._pays_at_all:
            return False
        if not others:
            return True
        rest = sum(self.odds[k] for k in others)
        low, high = self._own(max(self.rates[k] for k in others), own)
        if not low < rest < high:  # by 2, an observer without it answers at once
            return True if self._waits(None) else None
        if len(others) == 1:
            after = any(self._pays(rate, own, end) for end in (low, high))
        else:
            most = self.costs.false_alarm / self.costs.miss
            last = min(sum(self._highest(self.rates[k], 0.0, most) for k in others), most - own)
            after = self._highest(rate, low if self.dt == 0.0 else 0.0, last) < own and (
                self._pays(rate, own, rest) or self._waits(place)
            )
        return True if after or self._cheaper(None, self._without(place)) else None

    @cached_property
    def left(self) -> tuple[float, ...]:
        """The odds of all locations when none is worth another look of its own."""
        if not self._pays_at_all:
            return self.odds
        left = [0.0] * len(self.odds)
        for _ in range(ROUNDS):
            before = list(left)
            for k in self._in_turn:
                low, _ = self._own(self.rates[k], sum(left) - left[k])
                left[k] = min(self.odds[k], low)
            if max(abs(a - b) for a, b in zip(left, before, strict=True)) < SETTLED:
                break
        return tuple(left)

    @cached_property
    def _pays_at_all(self) -> bool:
        """Whether a look would pay if all odds were at the location seen best."""
        possible = [rate for rate, p in zip(self.rates, self.odds, strict=True) if p > 0.0]
        return self._pays(max(possible), sum(self.odds), 0.0)

    @property
    def _in_turn(self) -> list[int]:
        """Locations, the best seen first."""
        return sorted(range(len(self.odds)), key=lambda k: -self.rates[k])

    def _own(self, rate: float, elsewhere: float) -> tuple[float, float]:
        return own_look(rate, self.costs, elsewhere, self.dt)

    def _pays(self, rate: float, own: float, elsewhere: float) -> bool:
        low, high = self._own(rate, elsewhere)
        return low < own < high

    def _highest(self, rate: float, first: float, last: float) -> float:
        """Return the highest lower threshold, a concave function, over some odds elsewhere."""
        ends = self._own(rate, first)[0], self._own(rate, max(first, last))[0]
        if last <= first:
            return ends[0]
        best = minimize_scalar(
            lambda odds: -self._own(rate, odds)[0], bounds=(first, last), method="bounded"
        )
        return float(max(*ends, -best.fun))

    def _waits(self, without: int | None) -> bool:
        """Whether an observer, who may never look at one of the locations, surely waits."""
        total = sum(self.odds)
        if any(
            k != without and self._pays(self.rates[k], p, total - p)
            for k, p in enumerate(self.odds)
        ):
            return True
        return self._cheaper(without, min(self.costs.false_alarm, self.costs.miss * total))

    def _cheaper(self, without: int | None, cost: float) -> bool:
        """Whether the observer of 3 costs surely less; with steps that is not known."""
        return self.dt == 0.0 and self._one_after_another(without) < SURELY * cost

    def _without(self, place: int) -> float:
        """Return a bound from below on the cost of observers who never look at a location."""
        own = self.odds[place]
        left = leftover_costs(self.costs, own)
        assert left is not None
        best = max(rate for k, rate in enumerate(self.rates) if k != place and self.odds[k] > 0.0)
        problem = ContinuousDiscrimination.of(math.sqrt(best), left)
        return self.costs.miss * own + problem.value(math.log(sum(self.odds) - own))

    def _one_after_another(self, without: int | None) -> float:
        """Return what the observer of 3 costs, times one plus the odds: a bound on V from above."""
        costs = self.costs
        looked = [k for k in self._in_turn if k != without and self.odds[k] > self.left[k]]
        total = sum(self.odds) - sum(self.odds[k] - self.left[k] for k in looked)
        value = costs.miss * total
        for k in reversed(looked):
            elsewhere = total - self.left[k]
            value = min(value, costs.false_alarm)
            value = self._stage(k, elsewhere, value)
            total = elsewhere + self.odds[k]
        return value

    def _stage(self, place: int, elsewhere: float, following: float) -> float:
        """Return the cost of looking at one location, the best threshold for "present" chosen."""
        costs, rate = self.costs, self.rates[place]
        w, a = self.odds[place], self.left[place]
        idle = costs.time_absent + costs.time_present * elsewhere

        def F(p: float) -> float:
            x = math.log(p)
            return (idle * x - costs.time_present * p * (x - 1.0)) / (2.0 * rate)

        def cost(log_b: float) -> float:
            b = math.exp(log_b)
            absent, present = (b - w) * (following - F(a)), (w - a) * (costs.false_alarm - F(b))
            return (absent + present) / (b - a) + F(w)

        x = math.log(w)
        return float(minimize_scalar(cost, bounds=(x, x + FARTHEST), method="bounded").fun)


def _check(owner: str, task: object, costs: object, location: object = -1) -> None:
    faults = Faults(owner)
    check_costs_and_rtol(faults, costs, RTOL)
    if not (isinstance(task, Task) and isinstance(task.look, Shares)):
        remedy = "attention is a choice where information is limited; see docs/attention.md"
        faults.add("task", "a LimitedSearchTask", type(task).__name__, remedy)
    elif not isinstance(location, int) or not -task.n_locations <= location < task.n_locations:
        expected = f"a location from 0 to {task.n_locations - 1}"
        faults.add("location", expected, location, "-1 is the last one")
    faults.raise_if_any()
