"""Strategies and attention by name, made for a task, and trials of them.

Solutions and finished observers are kept for a while: a visitor who asks for the boundary mostly
asks for trials and examples of the same observer next.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from popout.analysis.making import Workshop
from popout.analysis.stopping import make_joint
from popout.exact import Solution, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.looking import Attention
from popout.policies.looking.names import named_attention
from popout.policies.observer import Observer as Pair
from popout.policies.stopping import Strategy
from popout.progress import Progress, stretch
from popout.simulation import Trials, simulate
from popout.task import Costs, Fault, InputError, LimitedSearchTask, Task
from popout.web.explorer.settings import STOPPING

T = TypeVar("T")
FEW = 3
"""Locations up to which the optimum is found at once."""


class Recent(Generic[T]):
    """What was made last, by what it was made from.

    Parameters
    ----------
    kept : int

    Examples
    --------
    >>> recent = Recent(kept=2)
    >>> [recent.get(n, lambda: n * n) for n in (3, 4, 5)]
    [9, 16, 25]
    >>> recent.get(5, lambda: "made again"), recent.get(3, lambda: "made again")
    (25, 'made again')
    """

    def __init__(self, kept: int) -> None:
        self.kept = kept
        self._made: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what was made from a key, or make it now."""
        found = self._made.pop(key) if key in self._made else make()
        self._made[key] = found
        while len(self._made) > self.kept:
            self._made.popitem(last=False)
        return found


@dataclass(frozen=True)
class Observer:
    """Who answers: a strategy, with attention where information is limited.

    Attributes
    ----------
    name : str
        Of the strategy.
    strategy : Strategy
    attention : Attention or None
    described : dict
        Names and numbers, as the command line writes them.
    """

    name: str
    strategy: Strategy
    attention: Attention | None
    described: dict[str, Any]

    def trials(
        self,
        task: Task,
        n_trials: int,
        seed: int,
        time_limit: float | None = None,
        progress: Progress | None = None,
    ) -> Trials:
        """Simulate trials."""
        pair = Pair(self.attention, self.strategy)
        return simulate(task, pair, n_trials, seed, time_limit=time_limit, progress=progress)


_OBSERVERS: Recent[Observer] = Recent(32)
_SOLUTIONS: Recent[Solution] = Recent(16)


def make_observer(
    task: Task,
    costs: Costs,
    strategy: str | None,
    attention: str | None,
    tune_trials: int,
    seed: int,
    rtol: float,
    progress: Progress | None = None,
) -> Observer:
    """Make an observer for a task and costs.

    Parameters
    ----------
    task : Task
    costs : Costs
    strategy : str, optional
        A name; the best one that is quick to find when left out.
    attention : str, optional
        A name, where information is limited.
    tune_trials, seed : int
        Of the tuning; the trials that are shown are others.
    rtol : float
        Of the optimum.
    progress : callable, optional
    """
    made = (task, costs, strategy, attention, tune_trials, seed, rtol)
    told = stretch(progress, 0.0, 1.0)
    return _OBSERVERS.get(made, lambda: _make(*made, told))


def _make(
    task: Task,
    costs: Costs,
    strategy: str | None,
    attention: str | None,
    tune_trials: int,
    seed: int,
    rtol: float,
    told: Progress,
) -> Observer:
    tuning = fresh_seed(seed, Purpose.TUNING)
    if isinstance(task, LimitedSearchTask):
        name, where = strategy or "sprt-opt", attention or "serial"
        if name not in STOPPING:
            expected = f"one of {', '.join(STOPPING)} where information is limited"
            raise InputError([Fault("", ("strategy",), expected, repr(name), "choose one")])
        joint = make_joint(
            task, costs, where, name, n_trials=tune_trials, seed=tuning, progress=told
        )
        described = {**joint.as_dict(), "attention": where, "strategy": name}
        return Observer(name, joint.strategy, joint.attention, described)
    refuse_attention(attention)
    name = strategy or _usual(task)
    solution = solved(task, costs, rtol, told) if name == "optimal" else None
    workshop = Workshop(task, costs, solution=solution, n_trials=tune_trials, seed=tuning)
    made = workshop.make(name, progress=told)
    return Observer(name, made.strategy, None, {**made.as_dict(), "strategy": name})


def _usual(task: Task) -> str:
    if task.search is None:
        return "sprt-opt"
    return "optimal" if task.n_locations <= FEW else "a-sprt"


def refuse_attention(attention: str | None) -> None:
    """Refuse attention where there is nothing to divide."""
    if attention is not None:
        expected = "none for a task in which every location has a drift of its own"
        remedy = 'leave it out, or choose the kind "limited-search"'
        raise InputError([Fault("", ("attention",), expected, repr(attention), remedy)])


def solved(
    task: Task,
    costs: Costs,
    rtol: float,
    progress: Progress | None = None,
    attention: str | None = None,
) -> Solution:
    """Return the exact solution, from a while ago or now; for attention of a name where it has one.

    Parameters
    ----------
    task : Task
    costs : Costs
    rtol : float
    progress : callable, optional
    attention : str, optional
    """

    def work() -> Solution:
        policy = None
        if attention is not None:
            assert isinstance(task, LimitedSearchTask)
            policy = named_attention(attention, task)
        return solve(task, costs, rtol, attention=policy, progress=progress)

    return _SOLUTIONS.get((task, costs, attention, rtol), work)
