"""Observers by name, made for a task.

Solutions and finished observers are kept for a while: a visitor who asks for the boundary mostly
asks for trials and examples of the same observer next.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from popout.analysis.making import FinishedObserver, Workshop, wanted_attention
from popout.exact import Solution, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.progress import Progress
from popout.task import Costs, Faults, Task
from popout.task.look import FixedRates, Gazes
from popout.web.explorer.questions import Question

T = TypeVar("T")
FEW = 3
"""Locations up to which the optimum is found at once."""
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


def observer_for(
    question: Question, task: Task, costs: Costs, progress: Progress | None = None
) -> tuple[FinishedObserver, dict[str, Any]]:
    """Make the observer of a question for a task and costs.

    The trials that it is tuned on are others than those that are shown.

    Returns
    -------
    observer : FinishedObserver
    described : dict
        Its names and numbers, as the command line writes them.
    """
    attention = question.attention or _usual_attention(task)
    seed = fresh_seed(question.seed, Purpose.TUNING)
    strategy = question.strategy or _usual(task)
    wanted = (strategy, attention, question.tune_trials, seed, question.rtol)
    observer = _made(task, costs, *wanted, progress=progress)
    names = {"strategy": strategy} | ({} if attention is None else {"attention": attention})
    return observer, {**observer.as_dict(), **names}


def _usual(task: Task) -> str:
    if task.search is None:
        return "sprt-opt"
    return "optimal" if task.n_locations <= FEW else "a-sprt"


def _usual_attention(task: Task) -> str | None:
    """Return where to look by default, as the command line does; None if there is no choice."""
    if isinstance(task.look, FixedRates):
        return None
    if isinstance(task.look, Gazes):
        return "elm:0.2" if task.look.is_free else "elm"
    return "serial"


@remembered
def _made(
    task: Task,
    costs: Costs,
    strategy: str,
    attention: str | None,
    n_trials: int,
    seed: int,
    rtol: float,
    *,
    progress: Progress | None,
) -> FinishedObserver:
    best = None
    if strategy == "optimal":
        best = solved(task, costs, attention, rtol, progress=progress)
    how: dict[str, Any] = {"attention": attention, "n_trials": n_trials, "seed": seed}
    return Workshop(task, costs, solution=best, **how).make(strategy, progress=progress)


@remembered
def solved(
    task: Task, costs: Costs, attention: str | None, rtol: float, *, progress: Progress | None
) -> Solution:
    """Return the optimum, or the best stopping for attention of a name."""
    faults = Faults("")
    policy = None if attention is None else wanted_attention(faults, task, attention)
    faults.raise_if_any()
    return solve(task, costs, rtol, attention=policy, progress=progress)
