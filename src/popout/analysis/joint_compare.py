r"""Attention policies side by side: the cells of `compare` where information is limited.

Each policy is combined with each strategy, which is tuned for it; all observers of a cell then face
the same displays, and the *n*-th look at a location brings all of them the same noise. Errors count
by their posterior probability (see `score`). The excess is

- over the joint optimum with at most three possible locations, or where it is asked for. Two
  estimates of it are at hand, the difference from the trials of the optimum itself, paired, and the
  mean loss less the exact risk; the one with the smaller standard error counts. Where the best
  stopping was solved, both risks are exact, and the error is a bound on that of the computation;
- over the observer of least risk with more, paired trial by trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from popout.analysis.making import OPTIMAL, FinishedStrategy, Wanted
from popout.analysis.reference import Scored, never_certain
from popout.analysis.score import Estimate, expected_losses, paired_difference, stratified
from popout.analysis.stopping import RTOL, JointObserver, WantedAttention, make_joint
from popout.analysis.tune import MAX_EXACT
from popout.exact import Solution, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.looking import Attention
from popout.policies.looking.names import made_for, named_attention
from popout.policies.observer import Observer
from popout.progress import Progress, stretch
from popout.simulation import Trials, simulate
from popout.task import Costs, Faults, LimitedSearchTask

ATTENTION = ("parallel", "guided", "serial")
"""What is compared when nothing is named."""


@dataclass(frozen=True)
class JointCell:
    """The observers of one task under one cost.

    Parameters
    ----------
    task : LimitedSearchTask
    costs : Costs
    n_trials, tune_trials, seed, threads
        See `popout.compare`.
    """

    task: LimitedSearchTask
    costs: Costs
    n_trials: int
    tune_trials: int
    seed: int
    threads: int | None

    def rows(
        self,
        attention: Sequence[WantedAttention],
        wanted: Sequence[Wanted],
        progress: Progress,
    ) -> list[dict[str, Any]]:
        """Make and score every observer."""
        few = sum(p > 0 for p in self.task.location_prior) <= MAX_EXACT
        best = None
        if few or OPTIMAL in (item for item in attention if isinstance(item, str)):
            progress(0.0, "joint optimum")
            best = solve(self.task, self.costs, RTOL)
        pairs = [(policy, item) for policy in attention for item in wanted]
        observers = []
        for k, (policy, item) in enumerate(pairs):
            told = stretch(progress, 0.1 + 0.7 * k / len(pairs), 0.1 + 0.7 * (k + 1) / len(pairs))
            told(0.0, f"making {_name(policy)}, {_name(item)}")
            observer = make_joint(
                self.task,
                self.costs,
                policy,
                item,
                best=best,
                n_trials=self.tune_trials,
                seed=self.seed,
                threads=self.threads,
                progress=told,
            )
            observers.append(observer)
        progress(0.8, "scoring")
        trials = [self.trials(observer) for observer in observers]
        reference = self.reference(observers, trials, best)
        rows = []
        for observer, ended in zip(observers, trials, strict=True):
            scored = reference.score(observer, ended)
            rows.append(
                {
                    "attention": observer.attention.label,
                    "strategy": observer.strategy.label,
                    "locations": self.task.n_locations,
                    "information": self.task.information,
                    "time_cost": self.costs.time,
                    **scored.row(),
                }
            )
        return rows

    def trials(self, observer: JointObserver) -> Trials:
        """Return the common trials as this observer ends them."""
        seed = fresh_seed(self.seed, Purpose.COMPARISON)
        pair = Observer(observer.attention, observer.strategy)
        return simulate(self.task, pair, self.n_trials, seed, threads=self.threads)

    def reference(
        self,
        observers: Sequence[JointObserver],
        trials: Sequence[Trials],
        best: Solution | None,
    ) -> JointReference:
        """Return what the observers are measured against: the optimum, or the best of them."""
        if best is not None:
            assert best.attention is not None
            optimum = JointObserver(best.attention, FinishedStrategy(best.strategy), best)
            known = [t for o, t in zip(observers, trials, strict=True) if o.solution is best]
            return JointReference(optimum, known[0] if known else self.trials(optimum), self.costs)
        risks = [_mean_loss(one, self.costs).value for one in trials]
        lowest = risks.index(min(risks))
        return JointReference(observers[lowest], trials[lowest], self.costs)


@dataclass(frozen=True)
class JointReference:
    """What observers are measured against: the joint optimum, or one of them.

    Parameters
    ----------
    observer : JointObserver
        With its solution where it is the joint optimum.
    trials : Trials
        Its trials.
    costs : Costs
    """

    observer: JointObserver
    trials: Trials
    costs: Costs

    def score(self, observer: JointObserver, trials: Trials) -> Scored:
        """Score an observer on its trials."""
        best, own = self.observer.solution, observer.solution
        n, nothing = len(trials), Estimate(0.0, 0.0)
        scored = Scored(
            observer.strategy,
            trials,
            trials.summary(self.costs),
            _mean_loss(trials, self.costs),
            nothing,
            self.observer.label if best is None else OPTIMAL,
            risk_trials=n,
            excess_trials=n,
        )
        if own is not None:
            scored = replace(scored, risk=Estimate(own.risk, own.risk_error), risk_trials=0)
        if observer is self.observer or (own is not None and own is best):
            return replace(scored, is_reference=True, excess_trials=scored.risk_trials)
        if own is not None and best is not None:
            bound = own.risk_error + best.risk_error
            excess = Estimate(own.risk - best.risk, bound)
            return replace(scored, excess=excess, excess_trials=0)
        excess = never_certain(paired_difference(trials, self.trials, self.costs), n, self.costs)
        if best is not None:
            loss = scored.risk
            if loss.se < excess.se:
                excess = Estimate(loss.value - best.risk, loss.se)
            risk = Estimate(best.risk + excess.value, excess.se + best.risk_error)
            scored = replace(scored, risk=risk)
        return replace(scored, excess=excess)


def check_attentions(
    faults: Faults, attention: Sequence[Any], tasks: Sequence[LimitedSearchTask]
) -> None:
    """Record every fault of the attention policies that are wanted."""
    for wanted in attention:
        item = made_for(wanted, tasks[0]) if tasks else wanted
        if not isinstance(item, str | Attention):
            remedy = f"choose from {', '.join(ATTENTION)} and optimal, or subclass Attention"
            faults.add("attention", "names or attention policies", item, remedy)
        for task in tasks:
            if isinstance(item, str):
                named_attention(item, task, faults)
            elif isinstance(wanted, Attention) and wanted.n_locations not in (
                None,
                task.n_locations,
            ):
                remedy = "name it, so that it is made for each task"
                expected = f"policies for {task.n_locations} locations"
                faults.add("attention", expected, f"one for {wanted.n_locations}", remedy)


def _mean_loss(trials: Trials, costs: Costs) -> Estimate:
    return stratified(expected_losses(trials, costs), trials.present, trials.prior)


def _name(item: Any) -> str:
    return item if isinstance(item, str) else str(getattr(item, "name", getattr(item, "label", "")))
