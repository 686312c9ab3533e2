"""Do certificates hold? Bounds beside the exact optima of random tasks.

``--part rates``: two to five locations, drifts, equal or not, priors of presence and of locations,
and costs drawn at random. ``--part looks``: where looks are chosen, in turn gaze (two to four items
and gazes at random places) and one of two to four locations at a time where information is limited,
with random fall-off, rates, durations, priors up to 0.9 and costs. The bound there is on observers
who look at one location at a time; their optimum is that of a gaze that sees nothing else.

Value functions come in turn from the exact table, from regression and, with looks, from the table
of a single rule (ELM) with the stopping that is best for it. Both bounds are compared with the
exact optimum, whose own error is counted in the certificate's favour. *z* is how many standard
errors a bound lies on the wrong side; a certificate fails above three.

The last columns change one thing each. *biased*: the value now is taken for its expectation after a
step; this negative control must fail. *slightly*: the expectation is too large by half a percent,
to see how small a mistake would have been noticed. *freeze*: the change of the lower bound, in
percent of the risk, when paths are frozen a hundred times later.
"""

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

import popout as po
from popout.certificate.bound import GREEDY, Estimates, estimate, follow, policy_of
from popout.certificate.learn import Effort, learn
from popout.certificate.look_paths import LookBlock, LookProblem
from popout.certificate.prophet import follow_looks, most_looks
from popout.certificate.search_paths import SearchBlock, SearchProblem
from popout.certificate.value import table_value
from popout.policies.observer import Observer

RTOL = {2: 1e-4, 3: 3e-4, 4: 2e-3, 5: 3e-3}
LOOK_RTOL = {2: 5e-4, 3: 1e-3, 4: 4e-3}
LOOK_POINTS = {2: 10, 3: 9, 4: 7}
"""Logarithm of the points of an expectation: a table in four dimensions is slow to read."""
EFFORT = Effort(first_blocks=60, later_blocks=16, passes=2, log2_points=6, shape=(24, 10))
LOOK_EFFORT = Effort(first_blocks=60, later_blocks=40, passes=1, log2_points=6, shape=(12, 6))
FREEZE = 1e-2
WRONG = 3.0
MOST_COUNTS = 1_000
"""Counts of looks that a trial can lead to; problems with more are drawn again, to save time."""
SLIGHTLY = 5e-3


WORTH = 0.95
"""A bound proves nothing where answering at once is best: what looks save is more than the rest."""


def now(block, value, S):
    """Return the value now, for the negative control."""
    return block.problem.prices.stop(S[0]) - np.maximum(value.advantage(S), 0.0)


class Stuck(SearchBlock):
    """The negative control: takes the value now for the expected value after a step."""

    def expected(self, value, trials):
        """Return the value now."""
        return now(self, value, self.S[:, trials])


class StuckLooks(LookBlock):
    """The same where looks are chosen."""

    def after(self, value, Z, e, look):
        """Return the value now."""
        return now(self, value, value.statistics.of(e, Z))


class Slightly(SearchBlock):
    """Expectations that are a little too large."""

    def expected(self, value, trials):
        """Return a little more than the expectation."""
        return (1.0 + SLIGHTLY) * super().expected(value, trials)


class SlightlyLooks(LookBlock):
    """The same where looks are chosen."""

    def after(self, value, Z, e, look):
        """Return a little more than the expectation."""
        return (1.0 + SLIGHTLY) * super().after(value, Z, e, look)


class OneAtATime:
    """The looks of gazes that see one item each, as attention to one location at a time."""

    def __init__(self, gaze):
        self.gaze = gaze

    def shares(self, Z, t):
        """Return all of the information for the item that is looked at."""
        return np.eye(Z.shape[-1])[self.gaze.gaze(Z)]


@dataclass(frozen=True)
class Case:
    """A random problem whose optimum is known, and what bounds it."""

    name: str
    size: int
    source: str
    problem: Any
    value: Any
    optimum: po.Solution
    policies: Sequence[Any]
    kinds: Sequence[Any]
    points: int = 6
    following: Callable[..., Any] = follow

    def bounds(self, kind: int, blocks: int, seed: int, freeze: float = FREEZE) -> Estimates:
        """Return both bounds from some blocks, of a kind: honest, or one of the controls."""
        return estimate(
            lambda n: self.kinds[kind](self.problem, seed, n, self.value.statistics, self.points),
            self.value,
            self.policies,
            precision=1e-9,
            most_blocks=blocks,
            freeze=freeze * self.optimum.risk,
            following=self.following,
        )


def random_task(number: int, seed: int) -> tuple[po.SearchTask, po.Costs]:
    chance = np.random.default_rng([seed, number])
    M = 2 + number % 4
    equal = M == 5 or chance.random() < 0.5
    task = po.SearchTask(
        n_locations=M,
        drift=chance.uniform(2.5, 7) if equal else tuple(chance.uniform(2.5, 7, M)),
        prior=chance.uniform(0.25, 0.75),
        location_prior=None if equal else tuple(chance.dirichlet(np.full(M, 4.0))),
    )
    costs = po.Costs(
        time=tuple(chance.uniform(0.3, 1.5, 2)),
        miss=chance.uniform(0.5, 2.0),
        false_alarm=chance.uniform(0.5, 2.0),
    )
    return task, costs


def rates(number: int, seed: int) -> Case:
    """Return a task whose locations observe at rates of their own."""
    task, costs = random_task(number, seed)
    optimum = po.solve(task, costs, RTOL[task.n_locations])
    problem = SearchProblem(task, costs)
    exact = (number // 4) % 2 == 0
    if exact:
        value = table_value(optimum.strategy, problem.prices, problem.sd)
    else:
        value = learn(problem, optimum.strategy, effort=EFFORT, seed=number)
    name = "equal drifts" if len(set(np.atleast_1d(task.drift))) == 1 else "unequal drifts"
    source = "exact" if exact else "regression"
    policies = [policy_of(optimum.strategy), GREEDY]
    kinds = (SearchBlock, Stuck, Slightly)
    return Case(name, task.n_locations, source, problem, value, optimum, policies, kinds)


def random_looks(number: int, *seed: int) -> tuple[po.Task, po.GazeTask, po.Costs]:
    """Return a task with looks, the gaze task that has its optimum, and costs."""
    chance = np.random.default_rng([*seed, number])
    M, uniform = 2 + number // 2 % 3, chance.uniform
    shared = {
        "information": uniform(8.0, 40.0),
        "prior": uniform(0.2, 0.9),
        "location_prior": tuple(chance.dirichlet(np.full(M, 4.0))),
    }
    costs = po.Costs(
        tuple(uniform(0.1, 0.5, 2)), miss=uniform(0.5, 2.0), false_alarm=uniform(0.5, 2.0)
    )
    if number % 2:
        seen, dt = uniform(0.3, 1.0, M), uniform(0.08, 0.25)
        task = po.LimitedSearchTask(visibility=tuple(seen), dt=dt, **shared)
        line = [(float(k), 0.0) for k in range(M)]
        same = po.GazeTask(line, visibility=np.diag(seen), fixation=dt, saccade=0.0, **shared)
        return task, same, costs
    items, gazes = (
        [tuple(place) for place in uniform(0.0, 2.0, (n, 2)).round(2).tolist()]
        for n in (M, int(chance.integers(2, 5)))
    )
    task = po.GazeTask(
        items,
        gazes,
        falloff=uniform(0.4, 1.5),
        fixation=uniform(0.1, 0.3),
        saccade=uniform(0.0, 0.1),
        **shared,
    )
    return task, task, costs


def looks(number: int, seed: int) -> Case:
    """Return a task whose looks are chosen."""
    for again in count():
        task, same, costs = random_looks(number, seed, again)
        problem = LookProblem(task, costs)
        n_looks, M = len(problem.rows), task.n_locations
        if math.comb(most_looks(problem) + n_looks, n_looks) > MOST_COUNTS:
            continue
        optimum = po.solve(same, costs, LOOK_RTOL[M])
        at_once = min(task.prior * costs.miss, (1.0 - task.prior) * costs.false_alarm)
        if optimum.risk < WORTH * at_once:
            break
    source = ("exact", "ELM", "regression")[number // 6 % 3]
    best = optimum.observer
    if task is not same:
        best = Observer(OneAtATime(best.attention), best.strategy)
    problem = LookProblem(task, costs, best.attention)
    if source == "regression":
        value = learn(problem, best.strategy, effort=LOOK_EFFORT, seed=number)
    else:
        known = po.solve(same, costs, 1e-2, attention=po.ELM) if source == "ELM" else optimum
        value = table_value(known.strategy, problem.prices, problem.seen)
    kinds = (LookBlock, StuckLooks, SlightlyLooks)
    name = "gaze" if task is same else "one location at a time"
    how = kinds, LOOK_POINTS[M], follow_looks
    return Case(name, M, source, problem, value, optimum, [best], *how)


def excess(value: float, se: float, limit: float) -> float:
    """Return by how many standard errors, of 1e-5 or more, a value exceeds a limit."""
    return (value - limit) / max(se, 1e-5 * abs(limit))


def row(case: Case, number: int, blocks: int) -> dict[str, float | str]:
    """Print a row of the table, and return what is summed up."""
    optimum, few = case.optimum, max(2, blocks // 3)
    bound = case.bounds(0, blocks, number)
    lower, se = bound.lower_bound
    risk, risk_se = min(bound.risk(n) for n in range(len(case.policies)))
    top, bottom = optimum.risk + optimum.risk_error, optimum.risk - optimum.risk_error
    z = {
        "lower": excess(lower, se, top),
        "upper": excess(-risk, risk_se, -bottom),
        "biased": excess(*case.bounds(1, few, number).lower_bound, top),
        "slightly": excess(*case.bounds(2, few, number).lower_bound, top),
    }
    change = ""
    if case.following is follow:
        late = case.bounds(0, few, number, FREEZE / 100)
        moved = float((late.lower - bound.lower[: len(late.lower)]).mean())
        change = f"{100 * moved / optimum.risk:.4f}"
    gap = 100 * (optimum.risk - lower) / optimum.risk
    print(
        f"| {case.name} | {case.size} | {case.source} | {optimum.risk:.5f} ± "
        f"{optimum.risk_error:.5f} | {lower:.5f} ± {se:.5f} | {risk:.5f} ± {risk_se:.5f} "
        f"| {gap:.3f} | {z['lower']:.1f} | {z['upper']:.1f} | {z['biased']:.0f} "
        f"| {z['slightly']:.1f} | {change} |",
        flush=True,
    )
    return {"name": case.name, "source": case.source, "gap": gap, "above": lower > top, **z}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--part", choices=("rates", "looks"), default="rates")
    parser.add_argument("--tasks", type=int, default=44)
    parser.add_argument("--first", type=int, default=0, help="number of the first task")
    parser.add_argument("--blocks", type=int, default=48, help="of 64 trials, with looks 32")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.process_time()
    print(
        "| task | M | v | exact | lower | upper | gap % | z lower | z upper | biased | slightly "
        "| freeze |"
    )
    print(f"|{'---|' * 12}")
    make = {"rates": rates, "looks": looks}[given.part]
    rows = [
        row(make(number, given.seed), number, given.blocks)
        for number in range(given.first, given.first + given.tasks)
    ]
    names = "task, v, tasks, gap %: median, largest, z lower: median, largest, above the optimum"
    names += f", by {WRONG:g} errors, upper wrong, biased caught, slightly caught"
    print(f"\n| {' | '.join(names.split(', '))} |\n|{'---|' * 12}")
    for name, source in sorted({(each["name"], each["source"]) for each in rows}):
        some = [each for each in rows if (each["name"], each["source"]) == (name, source)]
        gaps, z = ([each[key] for each in some] for key in ("gap", "lower"))
        wrong = [
            f"{sum(each[key] > WRONG for each in some)}"
            for key in ("lower", "upper", "biased", "slightly")
        ]
        above = sum(each["above"] for each in some)
        print(
            f"| {name} | {source} | {len(some)} | {np.median(gaps):.3f} | {max(gaps):.3f} "
            f"| {np.median(z):.1f} | {max(z):.1f} | {above} | {' | '.join(wrong)} |"
        )
    print(f"\n{given.tasks} tasks, {time.process_time() - began:.0f} s of processor time")


if __name__ == "__main__":
    main()
