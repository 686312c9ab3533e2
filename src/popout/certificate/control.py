r"""The risk of a strategy by simulation, with a martingale as control variate.

:math:`G_\tau - M_\tau` has the mean of the cost of a trial, whatever the martingale, and a small
fraction of its spread where v is close to the strategy's own cost to go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from popout.certificate.bound import policy_of
from popout.certificate.estimate import FEWEST_BLOCKS, ControlledRisk, estimate
from popout.certificate.learn import Effort, learn
from popout.certificate.problem import Value
from popout.certificate.problems import problem_for
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.stopping import Strategy
from popout.progress import Progress, stretch
from popout.task import Costs, Faults, Task


def controlled_risk(
    task: Task,
    costs: Costs,
    strategies: Sequence[Strategy],
    *,
    value: Value | None = None,
    precision: float = 1e-3,
    most_trials: int = 200_000,
    effort: Effort = Effort(),  # noqa: B008 (frozen)
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[ControlledRisk]:
    """Return the risks of strategies on the same trials.

    Parameters
    ----------
    task : Task
    costs : Costs
    strategies : sequence of Strategy
        The value function is learned from the first, and excesses are over it.
    value : Value, optional
        Learned when left out.
    precision : float
        Wanted standard error, as a share of the risk.
    most_trials : int
        At least 1024: standard errors are taken between 16 blocks of trials or more.
    effort : Effort
        Of learning.
    seed : int
    threads : int, optional
        Results do not depend on it.
    progress : Progress, optional

    Returns
    -------
    list of ControlledRisk

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=1.0)
    >>> strategy = po.ASPRT.for_task(task, -2.8, 2.8)
    >>> quick = Effort(first_blocks=8, later_blocks=3, passes=1, shape=(16, 8))
    >>> [found] = controlled_risk(task, costs, [strategy], most_trials=1024, effort=quick)
    >>> abs(found.risk - found.plain) < 4 * found.plain_se, found.variance_ratio > 4
    (True, True)
    """
    problem = problem_for(task, costs)
    faults = Faults("controlled_risk")
    most = check_most_trials(faults, "most_trials", most_trials, problem.block_size)
    faults.raise_if_any()
    if value is None:
        value = learn(
            problem,
            strategies[0],
            effort=effort,
            seed=fresh_seed(seed, Purpose.CERTIFICATE_LEARNING),
            threads=threads,
            progress=stretch(progress, 0.0, 0.5),
        )
    bound_seed, known = fresh_seed(seed, Purpose.CERTIFICATE_BOUND), value

    def block(number: int) -> Any:
        return problem.block(
            bound_seed, number, known.statistics, effort.points(problem.information)
        )

    found = estimate(
        block,
        known,
        [policy_of(strategy) for strategy in strategies],
        precision=precision,
        most_blocks=most // problem.block_size,
        threads=threads,
        progress=stretch(progress, 0.5, 1.0),
    )
    return [found.risk(n) for n in range(len(strategies))]


def check_most_trials(faults: Faults, field: str, value: object, block_size: int) -> int:
    """Check that trials are enough for standard errors between blocks, and return their number.

    Examples
    --------
    >>> faults = Faults("doc")
    >>> check_most_trials(faults, "trials", 1024, 64), check_most_trials(faults, "trials", 999, 64)
    (1024, 1024)
    >>> print(*faults.lines)
    doc.trials: expected an integer of at least 1024, got 999; \
allow 1024: errors are taken between 16 blocks of 64 trials
    """
    fewest = FEWEST_BLOCKS * block_size
    remedy = (
        f"allow {fewest}: errors are taken between {FEWEST_BLOCKS} blocks of {block_size} trials"
    )
    return faults.integer(field, value, remedy, at_least=fewest)
