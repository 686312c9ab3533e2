r"""`compare`: observers side by side, on the same trials.

Every observer of a cell (a task and its costs) is tuned where its recipe has free parameters, and
then all are scored on one fresh set of trials. The excess over the reference is

- with at most three locations, or where the optimum is asked for: over the exact optimum;
- with more: over tuned a-SPRT, the conjectured optimum;
- with unknown distractors: over tuned SPRT-opt. Every strategy watches the log likelihood ratio of
  presence, and no optimum is known;
- with more locations that share a limited rate of information: over the observer of least risk.

Where information is shared out each attention policy is combined with each strategy, which is tuned
for it; all observers of a cell face the same displays, and the *n*-th look at a location brings all
of them the same noise.

See `making` for how observers are made and `scoring` for how they are scored.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import pandas as pd

from popout.analysis.comparison import CLASSES, Comparison, with_slopes
from popout.analysis.making import (
    FinishedObserver,
    Wanted,
    WantedAttention,
    Workshop,
    check_wanted,
    wanted_attention,
)
from popout.analysis.score import Estimate, mean_loss
from popout.analysis.scoring import OptimalReference, Reference, SimulatedReference
from popout.analysis.tune import MAX_EXACT
from popout.drawing.representation import count, listing
from popout.exact import Solution, solve
from popout.exact.notes import problem_notes
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.looking.names import attention_names
from popout.policies.observer import Observer
from popout.policies.stopping import ASPRT, RECIPES, SPRTOpt
from popout.policies.vocabulary import ATTENTION, OPTIMAL
from popout.progress import Progress, stretch
from popout.simulation import Trials, simulate
from popout.simulation.simulator import check_trials
from popout.task import Costs, Faults, Task, check_costs, check_task
from popout.task.look import Gazes

TRIALS, TRIALS_DIVIDED = (1_000_000, 200_000), (100_000, 20_000)
"""Trials of the score and of tuning when left out: as a rule, and where attention is compared."""
REGRET_SHARE = 50
"""Every 50th trial is run again for the regret, which mostly needs far fewer."""
Rival = tuple[WantedAttention | None, Wanted]
"""Where to look and when to stop, as they are wanted."""


def compare(
    task: Task | Sequence[Task],
    costs: Costs | Sequence[Costs],
    strategies: Wanted | Observer | Sequence[Wanted | Observer],
    *,
    attention: WantedAttention | Sequence[WantedAttention] | None = None,
    n_trials: int | None = None,
    tune_trials: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare observers over tasks and costs.

    Parameters
    ----------
    task : Task or sequence of them
    costs : Costs or sequence of them
        Every task is combined with every cost.
    strategies : recipe, name, strategy or observer, or a sequence of them
        Recipes are tuned for each cell; a finished strategy is taken as it is.
    attention : name, Attention or a class of it, or a sequence of them, optional
        Where to look, for tasks with limited information alone: ``parallel``, ``guided``,
        ``guided:0.5``, ``serial``, ``optimal`` or policies of your own; with gaze ``map``, ``elm``,
        ``ideal``, ``random``, ``stay:1``. Each is combined with each strategy, which is tuned for
        it; the names without ``optimal`` when left out, and optimal stopping then only for those
        that do not change with time. Observers have their own.
    n_trials, tune_trials : int
        Trials of the common score, and of each candidate while tuning. With attention 100,000 and
        20,000 when left out, because a step of guided attention costs every location.
    seed : int
    threads : int, optional
    progress : callable, optional
        Called with the share that is done and a few words before each piece of work.

    Returns
    -------
    table : Comparison
        A DataFrame with a row for each observer of each cell: ``strategy``, ``locations``,
        ``drift``, ``time_cost``, ``risk``, ``risk_se``, ``excess``, ``excess_se``, ``reference``,
        ``is_reference``, error rates and mean response times by class with their standard errors,
        ``undecided``, the parameters that are single numbers, and over several set sizes the slopes
        of the response times in ms per item. Where information is limited also ``attention``, and
        ``information`` in place of ``drift``; with gaze also the means of `Fixations`.
        ``risk_trials`` and ``excess_trials`` say on how many trials these rest (0: exact),
        ``trials`` does for all the others. ``note`` says what looks wrong with a cell, such as a
        step that is long for the response times.

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
    for each in tasks:
        check_task(faults, "task", each)
    for each in all_costs:
        check_costs(faults, "costs", each)
    observers = [item for item in rivals if isinstance(item, Observer)]
    alone = [item for item in rivals if not isinstance(item, Observer)]
    limited = [each for each in tasks if isinstance(each, Task) and each.look.is_chosen]
    given = attention is not None or any(item.attention is not None for item in observers)
    gazes = [each for each in limited if isinstance(each.look, Gazes)]
    divided = given or any(each.search is None for each in limited)
    usual_looks = attention_names(gazes[0]) if gazes else ATTENTION
    policies = list(usual_looks) if attention is None else _several(attention)
    chosen_here = attention is None and divided and OPTIMAL in alone
    left_out = _without_best_stopping(policies, tasks) if chosen_here else []
    if left_out == policies and alone == [OPTIMAL]:
        remedy = "choose e.g. sprt-opt, or name where to look, e.g. optimal"
        expected = "when to stop, for rules whose best stopping is not known"
        faults.add("strategies", expected, OPTIMAL, remedy)
    looks = [(policy, OPTIMAL in alone and policy not in left_out) for policy in policies]
    looks = looks if alone else []
    looks += [(item.attention, False) for item in observers]
    for each, (policy, steady) in product(tasks if divided else [], looks):
        if isinstance(each, Task):
            wanted_attention(faults, each, policy, steady=steady)
    stops = [*alone, *(item.strategy for item in observers)]
    check_wanted(faults, "strategies", stops, tasks)
    usual, usual_tuning = TRIALS_DIVIDED if divided else TRIALS
    n_trials = usual if n_trials is None else n_trials
    tune_trials = usual_tuning if tune_trials is None else tune_trials
    n_trials = check_trials(faults, "n_trials", n_trials, at_least=2, keep=True)
    tune_trials = check_trials(faults, "tune_trials", tune_trials, at_least=1000)
    seed = faults.integer("seed", seed, "choose any number")
    faults.raise_if_any()

    if not divided:  # a single gaze, or place, is the search that it comes to
        tasks = [each.search or each if each.look.is_chosen else each for each in tasks]
    wanted = [RECIPES.get(item, item) if isinstance(item, str) else item for item in alone]
    pairs: list[Rival] = list(product(policies if divided else [None], wanted))
    pairs = [pair for pair in pairs if pair[0] not in left_out or pair[1] != OPTIMAL]
    note = f"Left out: optimal stopping for {listing(left_out)}, which cannot be solved."
    pairs += [(item.attention, item.strategy) for item in observers]
    cells, scoring = list(product(tasks, all_costs)), fresh_seed(seed, Purpose.COMPARISON)
    rows = []
    for number, (each, cost) in enumerate(cells):
        words = count(each.n_locations, "location")
        part = stretch(progress, number / len(cells), (number + 1) / len(cells), words)
        part(0.0, "")
        cell = _Cell(each, cost, divided, n_trials, tune_trials, seed, scoring, threads)
        rows += [{**row, "note": note} if left_out else row for row in cell.rows(pairs, part)]
    return with_slopes(pd.DataFrame(rows))


def _without_best_stopping(policies: Sequence[Any], tasks: Sequence[Any]) -> list[Any]:
    """Return the policies that change with time, for which no best stopping can be solved."""
    unknown = Faults("")
    made = [
        (policy, wanted_attention(unknown, task, policy))
        for policy, task in product(policies, tasks)
        if isinstance(task, Task)
    ]
    changing = [given for given, policy in made if getattr(policy, "settles", 0.0) > 0.0]
    return [policy for policy in policies if policy in changing]


def _several(values: Any) -> list[Any]:
    """Return one thing, or several in a sequence, as a list; a name is one thing."""
    is_one = isinstance(values, str) or not isinstance(values, Sequence)
    return [values] if is_one else list(values)


@dataclass(frozen=True)
class _Cell:
    """The observers of one task under one cost, on the same fresh trials."""

    task: Task
    costs: Costs
    divided: bool
    n_trials: int
    tune_trials: int
    seed: int
    scoring: int
    threads: int | None

    def rows(self, rivals: Sequence[Rival], progress: Progress) -> list[dict[str, Any]]:
        """Make and score the observers."""
        optimum = self.optimum(rivals)
        observers = []
        for k, (attention, item) in enumerate(rivals):
            part = stretch(progress, k / (2 * len(rivals)), (k + 1) / (2 * len(rivals)))
            part(0.0, f"making {', '.join(filter(None, map(_name, (attention, item))))}")
            observers.append(self.workshop(attention, optimum).make(item, progress=part))
        # Where one of them is the reference all trials are needed at once; there they are few.
        trials: Iterable[Trials] = map(self.trials, observers)
        trials = list(trials) if self.is_paired else trials
        reference = self.reference(rivals, observers, trials, optimum)
        rows = []
        for k, (observer, ended) in enumerate(zip(observers, trials, strict=True)):
            progress(0.5 + k / (2 * len(rivals)), f"scoring {observer.label}")
            scored = reference.score(observer, ended, self.costs, _exact(observer.solution))
            chosen = ended.looks is not None and isinstance(self.task.look, Gazes)
            eyes = ended.fixations.row() if chosen else {}
            rows.append({**self.place(observer), **scored.row(), **eyes})
        if self.divided:
            return rows
        note = " ".join(self.notes(rows, reference, optimum))
        return [{**row, "note": note} for row in rows]

    @property
    def is_paired(self) -> bool:
        """Whether the reference is simulated, for there is no regret along trials."""
        return self.divided or bool(self.task.steps_per_period)

    def optimum(self, rivals: Sequence[Rival]) -> Solution | None:
        """Solve the cell where that is quick, or asked for."""
        places = sum(p > 0 for p in self.task.location_prior)
        few = places if self.divided else self.task.n_locations
        known = self.divided or self.task.equivalent is not None
        asked = [attention if self.divided else item for attention, item in rivals]
        if (known and few <= MAX_EXACT) or any(name == OPTIMAL for name in asked):
            task = self.task if self.divided else self.task.equivalent or self.task
            return solve(task, self.costs)
        return None

    def workshop(self, attention: WantedAttention | None, optimum: Solution | None) -> Workshop:
        """Return what makes observers that look in a certain way."""
        return Workshop(
            self.task,
            self.costs,
            solution=optimum if attention in (None, OPTIMAL) else None,
            n_trials=self.tune_trials,
            seed=self.seed,
            threads=self.threads,
            attention=attention,
        )

    def trials(self, observer: Observer) -> Trials:
        """Return the common trials as this observer ends them."""
        return simulate(self.task, observer, self.n_trials, self.scoring, threads=self.threads)

    def place(self, observer: Observer) -> dict[str, Any]:
        """Return what tells a row from the others."""
        looks = {} if observer.attention is None else {"attention": observer.attention.label}
        rate = "information" if self.divided else "drift"
        return {
            **looks,
            "strategy": observer.strategy.label,
            "locations": self.task.n_locations,
            rate: getattr(self.task, rate, math.nan),
            **({"period": self.task.period} if self.task.steps_per_period else {}),
            "time_cost": self.costs.time,
        }

    def reference(
        self,
        rivals: Sequence[Rival],
        observers: Sequence[FinishedObserver],
        trials: Iterable[Trials],
        optimum: Solution | None,
    ) -> Reference:
        """Return what the observers are measured against, one of them if possible."""
        if self.is_paired:
            runs = list(trials)
            if optimum is None:
                risks = [mean_loss(run, self.costs).value for run in runs]
                lowest = risks.index(min(risks))
                return SimulatedReference(observers[lowest], runs[lowest])
            best = optimum.observer
            pairs = zip(observers, runs, strict=True)
            known = [run for observer, run in pairs if observer.solution is optimum]
            run = known[0] if known else self.trials(best)
            return SimulatedReference(best, run, _exact(optimum))
        if optimum is not None:
            n = max(2000, self.n_trials // REGRET_SHARE)
            return OptimalReference(optimum, n, self.scoring, self.n_trials)
        recipe = SPRTOpt if self.task.search is None else ASPRT
        made = zip(rivals, observers, strict=True)
        usual = [observer for (_, item), observer in made if item is recipe]
        chosen = usual[0] if usual else self.workshop(None, None).make(recipe)
        return SimulatedReference(chosen, self.trials(chosen))

    def notes(
        self, rows: Sequence[dict[str, Any]], reference: Reference, optimum: Solution | None
    ) -> tuple[str, ...]:
        """Say what looks wrong with the task, from the mean response time of the best observer."""
        if optimum is not None:
            return optimum.notes
        task, best = self.task, min(rows, key=lambda row: float(row["excess"]))
        if best["excess"] > 0.0 and isinstance(reference, SimulatedReference):
            best = reference.trials.summary(self.costs).row()
        absent, present = (float(best[f"mean_rt_{side}"]) for side in CLASSES)
        mean_rt = (1.0 - task.prior) * absent + task.prior * present
        return problem_notes(task, self.costs, mean_rt)


def _exact(solution: Solution | None) -> Estimate | None:
    """Return the risk of what was solved."""
    return None if solution is None else Estimate(solution.risk, solution.risk_error)


def _name(item: Any) -> str:
    if item is None or isinstance(item, str):
        return item or ""
    return str(getattr(item, "name", getattr(item, "label", "")))
