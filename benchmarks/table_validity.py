"""Do certificates hold? Bounds beside the exact optima of random tasks of two to five locations.

Drifts, equal or not, priors of presence and of locations, and costs are drawn at random. Value
functions come in turn from the exact table and from regression; both bounds are compared with the
exact optimum, whose own error is counted in the certificate's favour. *z* is how many standard
errors a bound lies on the wrong side; a certificate fails above three.

The last columns change one thing each. *biased*: the value now is taken for its expectation after a
step, a conditional expectation with a small bias; this negative control must fail. *freeze*: the
change of the lower bound, in percent of the risk, when paths are frozen a hundred times later.
"""

import argparse
import math
import time

import numpy as np

import popout as po
from popout.certificate.bound import GREEDY, Estimates, estimate, policy_of
from popout.certificate.learn import Effort, learn
from popout.certificate.search_paths import SearchBlock, SearchProblem
from popout.certificate.value import table_value

RTOL = {2: 1e-4, 3: 3e-4, 4: 2e-3, 5: 3e-3}
EFFORT = Effort(first_blocks=60, later_blocks=16, passes=2, log2_points=6, shape=(24, 10))
FREEZE = 1e-2
WRONG = 3.0


class Stuck(SearchBlock):
    """The negative control: takes the value now for the expected value after a step."""

    def expected(self, value, trials):
        """Return the value now."""
        S = self.S[:, trials]
        return self.problem.prices.stop(S[0]) - np.maximum(value.advantage(S), 0.0)


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


def bounds(problem, value, solution, kind, freeze, blocks, seed) -> Estimates:
    return estimate(
        lambda n: kind(problem, seed, n, value.statistics, 6),
        value,
        [policy_of(solution.strategy), GREEDY],
        precision=1e-9,
        most_blocks=blocks,
        freeze=freeze * solution.risk,
    )


def excess(value: float, se: float, limit: float) -> float:
    """Return by how many standard errors a value exceeds a limit."""
    return (value - limit) / max(se, 1e-12)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", type=int, default=44)
    parser.add_argument("--first", type=int, default=0, help="number of the first task")
    parser.add_argument("--blocks", type=int, default=48, help="of 64 trials, for each bound")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    print(
        "| M | drifts | v | exact | lower | upper | gap % | z lower | z upper | biased | freeze |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    wrong = {"lower": 0, "upper": 0, "biased": 0}
    highest = -math.inf
    for number in range(given.first, given.first + given.tasks):
        task, costs = random_task(number, given.seed)
        solution = po.solve(task, costs, RTOL[task.n_locations])
        problem = SearchProblem(task, costs)
        exact = (number // 4) % 2 == 0
        if exact:
            value = table_value(solution.strategy, problem.prices, problem.sd)
        else:
            value = learn(problem, solution.strategy, effort=EFFORT, seed=number)
        given_case = (problem, value, solution)
        bound = bounds(*given_case, SearchBlock, FREEZE, given.blocks, number)
        late = bounds(*given_case, SearchBlock, FREEZE / 100, max(2, given.blocks // 3), number)
        biased = bounds(*given_case, Stuck, FREEZE, max(2, given.blocks // 3), number)
        lower, se = bound.lower_bound
        risk, risk_se = min(bound.risk(n) for n in range(2))
        top, bottom = solution.risk + solution.risk_error, solution.risk - solution.risk_error
        z_lower = excess(lower, se, top)
        z_upper = excess(-risk, risk_se, -bottom)
        z_biased = excess(*biased.lower_bound, top)
        wrong["lower"] += z_lower > WRONG
        wrong["upper"] += z_upper > WRONG
        wrong["biased"] += z_biased > WRONG
        highest = max(highest, z_lower, z_upper)
        change = 100 * float((late.lower - bound.lower[: len(late.lower)]).mean()) / solution.risk
        drifts = "equal" if len(set(np.atleast_1d(task.drift))) == 1 else "unequal"
        print(
            f"| {task.n_locations} | {drifts} | {'exact' if exact else 'regression'} "
            f"| {solution.risk:.5f} | {lower:.5f} | {risk:.5f} "
            f"| {100 * (risk - lower) / risk:.3f} "
            f"| {z_lower:.1f} | {z_upper:.1f} | {z_biased:.0f} | {change:.4f} |",
            flush=True,
        )
    print(
        f"\n{given.tasks} tasks; on the wrong side by {WRONG:g} standard errors: "
        f"lower {wrong['lower']}, upper {wrong['upper']} (largest z {highest:.1f}); "
        f"negative control {wrong['biased']}; {time.monotonic() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
