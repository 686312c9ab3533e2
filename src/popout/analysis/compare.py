r"""`compare`: strategies side by side, on the same trials.

Every strategy of a cell (a task and its costs) is tuned where its recipe has free parameters, and
then all are scored on one fresh set of trials. The excess over the reference is

- with at most three locations: over the exact optimum;
- with more: over tuned a-SPRT, the conjectured optimum;
- with unknown distractors: over tuned SPRT-opt. Every strategy watches the log likelihood ratio of
  presence, and no optimum is known.

Where information is limited, attention policies are compared as well; see `joint_compare`.

With ``controlled=True`` the last two come from fewer trials, with a martingale as control variate
(see `popout.certificate`). That saves trials, not time: for search, plain trials are so quick that
a second of them says more (docs/certificates.md).

Asked for ``optimal``, it is solved whatever the number of locations, and the excess is over it.

See `making` for how strategies are made and `reference` for how they are scored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from popout.analysis.comparison import CLASSES, Comparison, with_slopes
from popout.analysis.joint_compare import ATTENTION, JointCell, check_attentions
from popout.analysis.making import (
    OPTIMAL,
    Wanted,
    Workshop,
    check_wanted,
)
from popout.analysis.reference import (
    ControlledReference,
    OptimalReference,
    Reference,
    SimulatedReference,
)
from popout.analysis.stopping import WantedAttention
from popout.analysis.thresholds import Pair, threshold_pair
from popout.analysis.tune import MAX_EXACT, SOLUTION_RTOL
from popout.certificate import ControlledRisk, Effort, controlled_risk
from popout.certificate.estimate import FEWEST_BLOCKS
from popout.drawing.representation import count
from popout.exact import Solution, solve
from popout.exact.discretisation import check_divided
from popout.exact.notes import problem_notes
from popout.noise.seeds import Purpose, fresh_seed
from popout.noise.streams import LANES
from popout.policies.stopping import ASPRT, RECIPES, SPRTOpt, Strategy
from popout.progress import Progress, stretch
from popout.simulation import Trials, simulate
from popout.simulation.simulate import check_trials
from popout.task import Costs, Faults, LimitedSearchTask, Task, check_costs, check_task

ThresholdRule = Callable[[Task, Costs], Pair]
"""Gives the thresholds ``(tau_minus, tau_plus)`` of discrimination for a task and costs."""
TRIALS, TRIALS_DIVIDED = (1_000_000, 200_000), (100_000, 20_000)
"""Trials of the score and of tuning when left out: as a rule, and where attention is compared."""
REGRET_SHARE = 50
"""Every 50th trial is run again for the regret, which mostly needs far fewer."""


def compare(
    task: Task | Sequence[Task],
    costs: Costs | Sequence[Costs],
    strategies: Wanted | Sequence[Wanted],
    *,
    attention: WantedAttention | Sequence[WantedAttention] | None = None,
    thresholds: ThresholdRule = threshold_pair,
    n_trials: int | None = None,
    tune_trials: int | None = None,
    controlled: bool = False,
    effort: Effort = Effort(),  # noqa: B008 (frozen)
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare strategies over tasks and costs.

    Parameters
    ----------
    task : Task or sequence of them
    costs : Costs or sequence of them
        Every task is combined with every cost.
    strategies : recipe, name or strategy, or a sequence of them
        Recipes are tuned for each cell; a finished strategy is taken as it is.
    attention : name, Attention or a class of it, or a sequence of them, optional
        Where to look, for tasks with limited information alone: ``parallel``, ``guided``,
        ``guided:0.5``, ``serial``, ``optimal`` or policies of your own. Each is combined with each
        strategy, which is tuned for it; the first three names when left out.
    thresholds : callable, optional
        Gives ``(tau_minus, tau_plus)`` of discrimination for a task and costs.
    n_trials, tune_trials : int
        Trials of the common score, and of each candidate while tuning. With attention 100,000 and
        20,000 when left out, because a step of guided attention costs every location.
    controlled : bool
        Whether risk and excess come from trials with a control variate, where no optimum is solved:
        as many as make their errors a thousandth of the risk, `n_trials` at most, which is then
        1024 or more. A value function is learned first.
    effort : Effort
        Of learning it.
    seed : int
    threads : int, optional
    progress : callable, optional
        Called with the share that is done and a few words before each piece of work.

    Returns
    -------
    table : Comparison
        A DataFrame with a row for each strategy of each cell: ``strategy``, ``locations``,
        ``drift``, ``time_cost``, ``risk``, ``risk_se``, ``excess``, ``excess_se``, ``reference``,
        ``is_reference``, error rates and mean response times by class with their standard errors,
        ``undecided``, the parameters that are single numbers, and over several set sizes the slopes
        of the response times in ms per item. Where information is limited also ``attention``, and
        ``information`` in place of ``drift``. ``risk_trials`` and ``excess_trials`` say on how many
        trials these rest (0: exact), ``trials`` does for all the others. ``note`` says what looks
        wrong with a cell, such as a step that is long for the response times.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> from popout.policies.stopping import SPRT, Hardmax
    >>> table = compare(
    ...     SearchTask(n_locations=4, drift=12.0),
    ...     Costs(time=0.5),
    ...     [ASPRT, SPRT, Hardmax],
    ...     n_trials=20_000,
    ...     tune_trials=10_000,
    ... )
    >>> table.strategy.tolist()
    ['a-SPRT', 'SPRT', 'Hardmax']
    >>> table[["excess", "excess_se"]].iloc[0].tolist()
    [0.0, 0.0]
    """
    tasks, all_costs, rivals = (_several(values) for values in (task, costs, strategies))
    faults = Faults("compare")
    for field, values in (("task", tasks), ("costs", all_costs), ("strategies", rivals)):
        if not values:
            faults.add(field, "one or more", values, "name something to compare")
    for one in tasks:
        check_task(faults, "task", one)
    for one in all_costs:
        check_costs(faults, "costs", one)
    limited = [one for one in tasks if isinstance(one, LimitedSearchTask)]
    divided = attention is not None or any(one.search is None for one in limited)
    policies = list(ATTENTION) if attention is None else _several(attention)
    if divided:
        for one in tasks:
            check_divided(faults, one)
        check_attentions(faults, policies, limited)
    check_wanted(faults, "strategies", rivals, tasks, attention=divided)
    usual, usual_tuning = TRIALS_DIVIDED if divided else TRIALS
    n_trials = usual if n_trials is None else n_trials
    tune_trials = usual_tuning if tune_trials is None else tune_trials
    fewest = FEWEST_BLOCKS * LANES if controlled and not divided else 2
    n_trials = check_trials(faults, "n_trials", n_trials, at_least=fewest, keep=True)
    tune_trials = check_trials(faults, "tune_trials", tune_trials, at_least=1000)
    seed = faults.integer("seed", seed, "choose any number")
    faults.raise_if_any()

    wanted = [RECIPES.get(item, item) if isinstance(item, str) else item for item in rivals]
    cells = list(product(tasks, all_costs))
    rows = []
    for number, (here, cost) in enumerate(cells):
        words = count(here.n_locations, "location")
        told = stretch(progress, number / len(cells), (number + 1) / len(cells), words)
        told(0.0, "")
        if divided:
            joint = JointCell(here, cost, n_trials, tune_trials, seed, threads)
            rows += joint.rows(policies, wanted, told)
            continue
        solution = None
        few = here.search is not None and here.n_locations <= MAX_EXACT
        if few or OPTIMAL in (item for item in wanted if isinstance(item, str)):
            solution = solve(here.search or here, cost, SOLUTION_RTOL)
        workshop = Workshop(
            here,
            cost,
            thresholds(here, cost),
            solution,
            n_trials=tune_trials,
            seed=seed,
            threads=threads,
        )
        learning = effort if controlled else None
        cell = _Cell(workshop, n_trials, fresh_seed(seed, Purpose.COMPARISON), learning)
        rows += cell.rows(wanted, told)
    return with_slopes(Comparison(rows))


def _several(values: Any) -> list[Any]:
    """Return one thing, or several in a sequence, as a list; a name is one thing."""
    is_one = isinstance(values, str) or not isinstance(values, Sequence)
    return [values] if is_one else list(values)


@dataclass(frozen=True)
class _Cell:
    """The strategies of one task under one cost, on the same fresh trials."""

    workshop: Workshop
    n_trials: int
    seed: int
    learning: Effort | None = None

    def rows(self, wanted: Sequence[Wanted], progress: Progress) -> list[dict[str, Any]]:
        """Make and score the strategies."""
        task, costs = self.workshop.task, self.workshop.costs
        place = {
            "locations": task.n_locations,
            "drift": getattr(task, "drift", math.nan),
            "time_cost": costs.time,
        }
        strategies = []
        for k, item in enumerate(wanted):
            told = stretch(progress, k / (2 * len(wanted)), (k + 1) / (2 * len(wanted)))
            told(0.0, f"making {getattr(item, 'name', OPTIMAL)}")
            strategies.append(self.workshop.make(item, progress=told).strategy)
        reference = self.reference(wanted, strategies)
        rows = []
        for k, strategy in enumerate(strategies):
            progress(0.5 + k / (2 * len(wanted)), f"scoring {strategy.label}")
            scored = reference.score(strategy, self.trials(strategy), costs)
            rows.append({"strategy": strategy.label, **place, **scored.row()})
        note = " ".join(self.notes(rows, reference))
        return [{**row, "note": note} for row in rows]

    def notes(self, rows: Sequence[dict[str, Any]], reference: Reference) -> tuple[str, ...]:
        """Say what looks wrong with the task, from the mean response time of the best strategy."""
        if isinstance(self.workshop.solution, Solution):
            return self.workshop.solution.notes
        task, best = self.workshop.task, min(rows, key=lambda row: float(row["excess"]))
        if best["excess"] > 0.0 and isinstance(reference, SimulatedReference):
            best = reference.trials.summary(self.workshop.costs).row()
        absent, present = (float(best[f"mean_rt_{side}"]) for side in CLASSES)
        mean_rt = (1.0 - task.prior) * absent + task.prior * present
        return problem_notes(task, self.workshop.costs, mean_rt)

    def trials(self, strategy: Strategy) -> Trials:
        """Return the common trials as this strategy ends them."""
        task, threads = self.workshop.task, self.workshop.threads
        return simulate(task, strategy, self.n_trials, self.seed, threads=threads)

    def reference(self, wanted: Sequence[Wanted], finished: Sequence[Strategy]) -> Reference:
        """Return what the strategies are measured against, one of them if possible."""
        if isinstance(self.workshop.solution, Solution):
            n = max(2000, self.n_trials // REGRET_SHARE)
            return OptimalReference(self.workshop.solution, n, self.seed, self.n_trials)
        best = SPRTOpt if self.workshop.task.search is None else ASPRT
        known = [made for item, made in zip(wanted, finished, strict=True) if item is best]
        strategy = known[0] if known else self.workshop.make(best).strategy
        if self.learning is not None:
            rivals = [strategy, *(made for made in finished if made is not strategy)]
            return ControlledReference(rivals, self.controlled(rivals, self.learning))
        return SimulatedReference(strategy, self.trials(strategy))

    def controlled(
        self, strategies: Sequence[Strategy], effort: Effort
    ) -> Sequence[ControlledRisk]:
        """Return the risks of strategies from trials with a control variate."""
        return controlled_risk(
            self.workshop.task,
            self.workshop.costs,
            strategies,
            most_trials=self.n_trials,
            effort=effort,
            seed=self.seed,
            threads=self.workshop.threads,
        )
