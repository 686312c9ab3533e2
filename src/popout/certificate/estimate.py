"""From followed paths to estimates: wanted precision in, effort follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.certificate.bound import MOST_STEPS, Followed, Policy, follow, in_order
from popout.certificate.problem import Array, Value
from popout.drawing.representation import Card, HasCard, count, with_error
from popout.progress import Progress

FEWEST_BLOCKS = 16
"""From which a standard error is taken. Of two block means it would be a matter of luck; of 16, two
standard errors cover 94 % and three 99 % (Student's t), nearly as if they were known."""
FREEZE = 1e-3
"""Freeze level, as a share of the value at the start."""
GROWTH = 4.0
"""Most by which a round enlarges the number of blocks."""


@dataclass(frozen=True)
class ControlledRisk(HasCard):
    """The risk of a strategy, with the martingale as control variate and without.

    Attributes
    ----------
    risk, risk_se : float
        With it.
    plain, plain_se : float
        The mean cost of the same trials without it; errors count by their probability.
    variance_ratio : float
        Variance of the plain mean over that of the controlled one: how many times more trials the
        plain mean would need.
    excess, excess_se : float
        The risk less that of the first strategy on the same trials.
    n_trials, undecided : int
        How many there were; how many the strategy had not ended after 20,000 looks, where the
        better answer was given for it.

    Examples
    --------
    >>> import popout as po
    >>> from popout.certificate.learn import Effort
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=1.0)
    >>> strategy = po.SPRT.for_task(task, -2.8, 2.8)
    >>> quick = Effort(first_blocks=8, later_blocks=3, passes=1, shape=(16, 8))
    >>> [found] = po.controlled_risk(task, costs, [strategy], most_trials=1024, effort=quick)
    >>> found.risk_se < found.plain_se, found.variance_ratio > 10.0
    (True, True)
    """

    risk: float
    risk_se: float
    plain: float
    plain_se: float
    variance_ratio: float
    excess: float
    excess_se: float
    n_trials: int
    undecided: int

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            f"risk {with_error(self.risk, self.risk_se)}",
            [
                ("without the control variate", with_error(self.plain, self.plain_se)),
                ("trials saved", f"a factor of {self.variance_ratio:.3g}"),
                ("from", count(self.n_trials, "trial")),
            ],
            note=f"{count(self.undecided, 'trial')} not ended after {MOST_STEPS} looks, where the "
            "better answer was given."
            if self.undecided
            else "",
        )


@dataclass(frozen=True, eq=False)
class Estimates:
    """Means of blocks of trials.

    Attributes
    ----------
    lower : ndarray of shape (n_blocks,)
    controlled, plain : ndarray of shape (n_policies, n_blocks)
    block_size : int
    undecided : ndarray of int, shape (n_policies,)
    """

    lower: Array
    controlled: Array
    plain: Array
    block_size: int
    undecided: NDArray[np.int64]

    @classmethod
    def of(cls, blocks: Sequence[Followed]) -> Estimates:
        """Collect what blocks have given."""
        return cls(
            np.array([block.lower.mean() for block in blocks]),
            np.array([block.controlled.mean(axis=1) for block in blocks]).T,
            np.array([block.plain.mean(axis=1) for block in blocks]).T,
            len(blocks[0].lower),
            np.sum([block.undecided for block in blocks], axis=0),
        )

    @property
    def n_trials(self) -> int:
        """Trials behind each mean."""
        return len(self.lower) * self.block_size

    @property
    def lower_bound(self) -> tuple[float, float]:
        """The bound and its standard error."""
        return mean_and_se(self.lower)

    def gap(self, policy: int) -> tuple[float, float]:
        """Return upper less lower bound and its standard error, from pairs."""
        return mean_and_se(self.controlled[policy] - self.lower)

    def gap_share(self, policy: int) -> tuple[float, float]:
        """Return the gap over the upper bound and its standard error; both vary, together."""
        upper, gap = self.controlled[policy], self.controlled[policy] - self.lower
        share, whole = float(gap.mean() / upper.mean()), float(upper.mean())
        return share, mean_and_se(gap - share * upper)[1] / whole

    def risk(self, policy: int) -> ControlledRisk:
        """Return the risk of a policy."""
        value, se = mean_and_se(self.controlled[policy])
        plain, plain_se = mean_and_se(self.plain[policy])
        ratio = (plain_se / se) ** 2 if se > 0.0 else math.inf
        excess = mean_and_se(self.controlled[policy] - self.controlled[0])
        return ControlledRisk(
            value,
            se,
            plain,
            plain_se,
            ratio,
            *excess,
            self.n_trials,
            int(self.undecided[policy]),
        )

    def errors(self, policy: int | None = None) -> float:
        """Return the largest standard error over the lowest risk: of one policy, or of all."""
        errors = [self.lower_bound[1]]
        for n in range(len(self.controlled)) if policy is None else [policy]:
            errors += [self.risk(n).risk_se, self.gap(n)[1]]
        return max(errors) / float(self.controlled.mean(axis=1).min())


def mean_and_se(x: Array) -> tuple[float, float]:
    """Return the mean of blocks and its standard error."""
    return float(x.mean()), float(x.std(ddof=1) / math.sqrt(len(x)))


def estimate(
    make_block: Callable[[int], Any],
    value: Value,
    policies: Sequence[Policy],
    *,
    precision: float,
    most_blocks: int,
    best: int | None = None,
    freeze: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Estimates:
    """Follow blocks of trials until the errors are as small as wanted.

    Parameters
    ----------
    make_block : callable
        Maps the number of a block to the block at its start.
    value : Value
    policies : sequence of Policy
    precision : float
        Wanted standard error of every bound, as a share of the risk.
    most_blocks : int
        Where effort ends. Errors from fewer than `FEWEST_BLOCKS` are not to be told.
    best : int, optional
        The policy whose risk and gap are to be so precise; all of them when left out.
    freeze : float, optional
        See `popout.certificate.bound`; a thousandth of the value at the start when left out.
    threads : int, optional
        Results do not depend on it.
    progress : Progress, optional
    """
    start = make_block(0)
    if freeze is None:
        v = start.problem.prices.stop(start.S[0, :1]) - np.maximum(
            value.advantage(start.S[:, :1]), 0.0
        )
        freeze = FREEZE * float(v[0])
    done: list[Followed] = []
    wanted = min(FEWEST_BLOCKS, most_blocks)
    while True:
        if progress is not None:
            trials = len(done) * start.problem.block_size
            progress(len(done) / wanted, f"bounds from {trials} trials so far")
        numbers = range(len(done), wanted)
        done += in_order(lambda n: follow(make_block(n), value, policies, freeze), numbers, threads)
        found = Estimates.of(done)
        error = found.errors(best)
        if error <= precision or len(done) >= most_blocks:
            return found
        needed = len(done) * min(GROWTH, 1.1 * (error / precision) ** 2)
        wanted = min(most_blocks, max(len(done) + 4, math.ceil(needed)))
