"""One entry for solve, simulate and evaluate until the branches that bring it are merged."""

from __future__ import annotations

from typing import Any

from popout.exact import evaluate as evaluate_strategy
from popout.exact import solve as solve_search
from popout.exact.joint_evaluation import evaluate_joint
from popout.exact.joint_solver import best_stopping, solve_joint
from popout.policies.observer import Observer


def solve(
    task: Any,
    costs: Any,
    rtol: Any = None,
    *,
    attention: Any = None,
    memory_limit: Any = None,
    progress: Any = None,
) -> Any:
    """Solve."""
    found: Any
    if attention is not None:
        found = best_stopping(task, attention, costs, rtol or 1e-3, progress=progress)
    elif task.search is None:
        found = solve_joint(task, costs, rtol or 1e-3, progress=progress)
    else:
        found = solve_search(task, costs, rtol or 1e-4, memory_limit=memory_limit)
    return found


def evaluate(task: Any, observer: Any, costs: Any, rtol: Any = None) -> Any:
    """Evaluate."""
    given = Observer.of(observer)
    if given.attention is None:
        return evaluate_strategy(task, given.strategy, costs, rtol or 1e-4)
    stop: Any = given.strategy
    return evaluate_joint(task, given.attention, stop, costs, rtol or 1e-3)
