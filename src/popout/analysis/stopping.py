r"""When to stop, for an observer whose attention is given.

Up to four locations `best_stopping` finds the best stopping exactly. Beyond that the observer
stops by SPRT on the log posterior odds of presence, with the two thresholds of least simulated
risk: found by Nelder and Mead's simplex on common noise, where the risk is a smooth function of the
thresholds up to a few single trials. Score it on other trials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from popout.attention import Attention
from popout.attention.named import named_attention
from popout.drawing.representation import Card, HasCard
from popout.exact.discrimination import thresholds
from popout.exact.joint_solver import best_stopping, solve_joint
from popout.progress import UNKNOWN, Progress
from popout.simulation.attention_simulate import simulate_joint
from popout.strategies import SPRT, ScaledSPRT, Strategy
from popout.task import Costs, Faults, LimitedSearchTask

STOPPING = ("optimal", "sprt-opt", "sprt")
START = np.array([-3.5, 5.0])
SIMPLEX = START + np.array([[0.0, 0.0], [1.2, 0.0], [0.0, -1.5]])
CLOSEST = 0.05  # to zero that a threshold may come
RTOL = 1e-3  # of what is solved


@dataclass(frozen=True)
class JointObserver(HasCard):
    """Where an observer looks, and when it stops.

    Attributes
    ----------
    attention : Attention
    strategy : Strategy

    Examples
    --------
    See `make_joint`.
    """

    attention: Attention
    strategy: Strategy

    def card(self) -> Card:
        """Return the names of both, and the numbers of the strategy."""
        numbers = [(name, f"{value:.4g}") for name, value in self.strategy.numbers.items()]
        return Card(f"{self.strategy.label}, {self.attention.label} attention", numbers)

    def as_dict(self) -> dict[str, Any]:
        """Return the names of both, and the numbers of the strategy."""
        return {
            "attention": self.attention.label,
            "attention_parameters": self.attention.parameters,
            **self.strategy.as_dict(),
        }


def make_joint(
    task: LimitedSearchTask,
    costs: Costs,
    attention: str = "serial",
    stopping: str = "sprt-opt",
    *,
    n_trials: int = 20_000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> JointObserver:
    """Make an observer by names.

    Parameters
    ----------
    task : LimitedSearchTask
    costs : Costs
    attention : str
        See `popout.attention.named.named_attention`.
    stopping : {"sprt-opt", "sprt", "optimal"}
        SPRT with tuned thresholds, with those of discrimination at a location that gets all
        information, or the exact optimum for this attention.
    n_trials, seed, threads, progress
        Of the tuning, see `tune_stopping`.

    Examples
    --------
    >>> task = LimitedSearchTask(n_locations=2, information=32.0)
    >>> observer = make_joint(task, Costs(time=0.2), "serial", "sprt")
    >>> observer.strategy.label, observer.attention.label
    ('SPRT', 'serial')
    """
    if stopping not in STOPPING:
        faults = Faults("make_joint")
        faults.add("stopping", f"one of {', '.join(STOPPING)}", stopping, "choose one")
        faults.raise_if_any()
    policy = named_attention(attention, task)
    if policy is None:
        solution = solve_joint(task, costs, RTOL, progress=progress)
        policy = solution.attention
        if stopping == "optimal":
            return JointObserver(policy, solution.strategy)
    if stopping == "optimal":
        return JointObserver(
            policy, best_stopping(task, policy, costs, RTOL, progress=progress).strategy
        )
    if stopping == "sprt":
        rate = task.information * max(task.visibilities)
        pair = thresholds(rate**0.5, costs, dt=task.dt)
        return JointObserver(policy, SPRT.for_task(task, pair.lower, pair.upper))
    return JointObserver(
        policy,
        tune_stopping(task, policy, costs, n_trials, seed, threads=threads, progress=progress),
    )


def tune_stopping(
    task: LimitedSearchTask,
    attention: Attention,
    costs: Costs,
    n_trials: int = 20_000,
    seed: int = 0,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ScaledSPRT:
    """Return SPRT with the thresholds of least simulated risk, for a given attention.

    Parameters
    ----------
    task : LimitedSearchTask
    attention : Attention
    costs : Costs
    n_trials : int
        Trials per candidate, all on the same noise.
    seed : int
    threads : int, optional
    progress : callable, optional
        Told of each candidate.

    Examples
    --------
    >>> from popout.attention import Serial
    >>> task = LimitedSearchTask(n_locations=8, information=40.0)
    >>> stop = tune_stopping(task, Serial.for_task(task), Costs(time=0.2), n_trials=2000)
    >>> stop.tau_minus < 0 < stop.tau_plus
    True
    """

    def at(tau: NDArray[np.float64]) -> ScaledSPRT:
        return SPRT.for_task(task, float(min(tau[0], -CLOSEST)), float(max(tau[1], CLOSEST)))

    def risk(tau: NDArray[np.float64]) -> float:
        trials = simulate_joint(task, attention, at(tau), n_trials, seed, threads=threads)
        found = trials.summary(costs).risk
        if progress is not None:
            progress(UNKNOWN, f"thresholds {tau[0]:.2f} and {tau[1]:.2f}, risk {found:.4f}")
        return found

    options: Any = {"initial_simplex": SIMPLEX, "xatol": 0.03, "fatol": 2e-5, "maxfev": 60}
    return at(minimize(risk, START, method="Nelder-Mead", options=options).x)
