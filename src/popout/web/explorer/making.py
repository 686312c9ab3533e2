"""Observers by name, made for a task.

Solutions and finished observers are kept for a while: a visitor who asks for the boundary mostly
asks for trials and examples of the same observer next.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from popout.analysis.making import Workshop
from popout.analysis.stopping import make_joint
from popout.exact import Solution, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.looking.names import named_attention
from popout.policies.observer import Observer
from popout.progress import Progress
from popout.task import Costs, Fault, InputError, Task
from popout.task.look import FixedRates
from popout.web.explorer.questions import ObserverQuestion

T = TypeVar("T")
FEW = 3
"""Locations up to which the optimum is found at once."""
STOPPING = ("optimal", "sprt-opt", "sprt")
"""Strategies where information is limited."""
KEPT = 32


def remembered(make: Callable[..., T]) -> Callable[..., T]:
    """Keep what was made last, by what it was made from; `progress` does not matter for that.

    Examples
    --------
    >>> @remembered
    ... def square(n, progress=None):
    ...     print("made")
    ...     return n * n
    >>> square(3, progress=print), square(3)
    made
    (9, 9)
    """
    kept: OrderedDict[Hashable, T] = OrderedDict()

    def get(*key: Any, progress: Progress | None = None) -> T:
        value = kept.pop(key) if key in kept else make(*key, progress=progress)
        kept[key] = value
        if len(kept) > KEPT:
            kept.popitem(last=False)
        return value

    return get


@dataclass(frozen=True)
class MadeObserver:
    """An observer that is finished.

    Attributes
    ----------
    name : str
        Of the strategy.
    observer : Observer
    described : dict
        Names and numbers, as the command line writes them.
    """

    name: str
    observer: Observer
    described: dict[str, Any]


def observer_for(
    question: ObserverQuestion, task: Task, costs: Costs, progress: Progress | None = None
) -> MadeObserver:
    """Make the observer of a question for a task and costs.

    The trials that it is tuned on are others than those that are shown.
    """
    seed = fresh_seed(question.seed, Purpose.TUNING)
    wanted = (question.strategy, question.attention, question.tune_trials, seed, question.rtol)
    return _made(task, costs, *wanted, progress=progress)


@remembered
def _made(
    task: Any,
    costs: Costs,
    strategy: str | None,
    attention: str | None,
    n_trials: int,
    seed: int,
    rtol: float,
    *,
    progress: Progress | None,
) -> MadeObserver:
    if isinstance(task.look, FixedRates):
        _refuse_attention(attention)
        name = strategy or _usual(task)
        best = solved(task, costs, None, rtol, progress=progress) if name == "optimal" else None
        workshop = Workshop(task, costs, solution=best, n_trials=n_trials, seed=seed)
        made = workshop.make(name, progress=progress)
        return MadeObserver(
            name, Observer(None, made.strategy), made.as_dict() | {"strategy": name}
        )
    name, where = strategy or "sprt-opt", attention or "serial"
    if name not in STOPPING:
        expected = f"one of {', '.join(STOPPING)} where information is limited"
        raise InputError([Fault("", ("strategy",), expected, repr(name), "choose one")])
    joint = make_joint(task, costs, where, name, n_trials=n_trials, seed=seed, progress=progress)
    described = {**joint.as_dict(), "attention": where, "strategy": name}
    return MadeObserver(name, Observer(joint.attention, joint.strategy), described)


def _usual(task: Task) -> str:
    if task.search is None:
        return "sprt-opt"
    return "optimal" if task.n_locations <= FEW else "a-sprt"


def _refuse_attention(attention: str | None) -> None:
    if attention is not None:
        expected = "none for a task in which every location has a drift of its own"
        remedy = 'leave it out, or choose the kind "limited-search"'
        raise InputError([Fault("", ("attention",), expected, repr(attention), remedy)])


@remembered
def solved(
    task: Task, costs: Costs, attention: str | None, rtol: float, *, progress: Progress | None
) -> Solution:
    """Return the optimum, or the best stopping for attention of a name."""
    if isinstance(task.look, FixedRates):
        _refuse_attention(attention)
    policy = None if attention is None else named_attention(attention, task)
    return solve(task, costs, rtol, attention=policy, progress=progress)
