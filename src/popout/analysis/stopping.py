r"""An observer by names: where to look, and when to stop.

Strategies are made as for any task (`making`), for an attention that is given: thresholds and
scales of least simulated risk (`tune`), or the best stopping, which is solved. The joint optimum is
the observer whose attention and strategy are both ``optimal``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from popout.analysis.making import OPTIMAL, FinishedStrategy, Wanted, Workshop
from popout.drawing.representation import Card, HasCard
from popout.exact import Solution, solve
from popout.policies.looking import Attention
from popout.policies.looking.names import made_for, named_attention
from popout.policies.stopping import Strategy
from popout.progress import Progress
from popout.task import Costs, LimitedSearchTask

RTOL = 1e-3
"""Relative accuracy of what is solved."""
WantedAttention = str | Attention | type[Attention]
"""An attention policy: its name, or a finished one."""


@dataclass(frozen=True)
class JointObserver(HasCard):
    """Where an observer looks, and when it stops.

    Attributes
    ----------
    attention : Attention
    made : FinishedStrategy
        The strategy, and how well what was tuned is known.
    solution : Solution or None
        Where the strategy was solved.

    Examples
    --------
    >>> import popout as po
    >>> task = po.LimitedSearchTask(n_locations=2, information=32.0)
    >>> observer = po.make_joint(task, po.Costs(time=0.2), "serial", "sprt")
    >>> observer.label, observer.attention.label
    ('serial, SPRT', 'serial')
    >>> pair = po.Observer(observer.attention, observer.strategy)
    >>> len(po.simulate(task, pair, n_trials=100))
    100
    """

    attention: Attention
    made: FinishedStrategy
    solution: Solution | None = None

    @property
    def strategy(self) -> Strategy:
        """When it stops, and what it says."""
        return self.made.strategy

    @property
    def label(self) -> str:
        """Its name in tables."""
        return f"{self.attention.label}, {self.strategy.label}"

    def card(self) -> Card:
        """Return the names of both, and the numbers of the strategy."""
        card = self.made.card()
        return Card(
            f"{self.strategy.label}, {self.attention.label} attention",
            card.facts,
            card.headings,
            card.rows,
            card.note,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the names of both, and the numbers of the strategy with their errors."""
        return {
            "attention": self.attention.label,
            "attention_parameters": self.attention.parameters,
            **self.made.as_dict(),
        }


def make_joint(
    task: LimitedSearchTask,
    costs: Costs,
    attention: WantedAttention = "serial",
    stopping: Wanted = "sprt-opt",
    *,
    best: Solution | None = None,
    n_trials: int = 20_000,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> JointObserver:
    """Make an observer by names.

    Parameters
    ----------
    task : LimitedSearchTask
    costs : Costs
    attention : str, Attention or a class of it
        See `popout.policies.looking.names`.
    stopping : name, recipe or strategy
        What is free in it is tuned for this attention; ``"optimal"`` is solved for it.
    best : Solution, optional
        Of the task and the costs, where it is known already.
    n_trials, seed, threads, progress
        Of the tuning, see `popout.tune`.

    Examples
    --------
    >>> task = LimitedSearchTask(n_locations=2, information=32.0)
    >>> observer = make_joint(task, Costs(time=0.2), "serial", "sprt")
    >>> observer.label
    'serial, SPRT'
    """
    if isinstance(attention, str):
        policy = named_attention(attention, task)
    else:
        policy = made_for(attention, task)
    solution = None
    if policy is None:
        solution = best or solve(task, costs, RTOL, progress=progress)
        policy = solution.attention
    assert policy is not None
    workshop = Workshop(
        task,
        costs,
        solution=solution,
        rtol=RTOL,
        n_trials=n_trials,
        seed=seed,
        threads=threads,
        attention=policy,
    )
    made = workshop.make(stopping, progress=progress)
    if stopping != OPTIMAL:
        return JointObserver(policy, made)
    return JointObserver(policy, made, workshop.optimum)
