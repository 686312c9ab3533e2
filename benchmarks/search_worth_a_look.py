"""Which locations are worth a look: verdicts against a slow dynamic program, over random tasks.

The program shares no code with popout. A location is looked at until its log odds have moved by h,
up or down; then the observer decides anew. The cost of such a look is known exactly in continuous
time, so that the least cost on this lattice belongs to an observer who exists, and falls to that of
the optimum as h becomes small. It is computed with all locations and without each of them: a
location is worth a look if it makes a difference.

Printed: for each number of locations how often `popout.worth_a_look` says yes, no or nothing, and
what the program finds. A yes is wrong if the program, even with a tenth more visibility, gains
nothing by the location; a no if it gains anything by looking at all.
"""

import argparse
import math

import numpy as np

import popout as po

SPACING = {1: 0.15, 2: 0.25, 3: 0.4}
GAIN = 1e-9  # of the cost of a guess: beyond what stopping the iteration leaves
WARMER = 1.1


def least_cost(odds, rates, costs, h, without=None):
    """Return the least expected cost on the lattice, times one plus the odds."""
    kept = 0.0 if without is None else odds[without]
    places = [k for k in range(len(odds)) if k != without and odds[k] > 0]
    answer = min(costs.false_alarm, costs.miss * sum(odds))
    if not places:
        return answer
    kink = costs.false_alarm / costs.miss
    best = max(rates[k] for k in places)
    lowest = min(kink, costs.time_absent / (2 * best * costs.miss))
    highest = max(kink, 2 * best * costs.false_alarm / costs.time_present)
    axes = []
    for k in places:
        down = max(2, math.ceil((math.log(odds[k] / lowest) + 1.0) / h))
        up = max(2, math.ceil((math.log(highest / odds[k]) + 1.0) / h))
        axes.append(odds[k] * np.exp(h * np.arange(-down, up + 1)))
    start = tuple(int(np.argmin(abs(axis - odds[k]))) for axis, k in zip(axes, places, strict=True))
    p = np.meshgrid(*axes, indexing="ij")
    total = sum(p) + kept
    stop = np.minimum(costs.false_alarm, costs.miss * total)
    rises = 1 / (1 + math.exp(h))  # under "absent", so that the odds stay a martingale
    looks = []
    for number, k in enumerate(places):
        elsewhere = total - p[number]

        def F(q, idle=costs.time_absent + costs.time_present * elsewhere, rate=rates[k]):
            return (idle * np.log(q) - costs.time_present * q * (np.log(q) - 1)) / (2 * rate)

        q = p[number]
        price = F(q) - rises * F(q * math.exp(h)) - (1 - rises) * F(q * math.exp(-h))
        inside = tuple(slice(1, -1) if n == number else slice(None) for n in range(len(places)))
        above = tuple(slice(2, None) if n == number else slice(None) for n in range(len(places)))
        below = tuple(slice(0, -2) if n == number else slice(None) for n in range(len(places)))
        looks.append((price[inside], inside, above, below))
    V = stop.copy()
    for _ in range(20_000):
        before = V.copy()
        for price, inside, above, below in looks:  # from above, so that only less is better
            V[inside] = np.minimum(V[inside], price + rises * V[above] + (1 - rises) * V[below])
        if np.max(before - V) < 1e-13 * answer:
            return float(V[start])
    raise RuntimeError(f"the program has not settled at the spacing {h:g}")


def random_task(rng, M):
    """Return a task and costs: likely and unlikely targets, cheap and costly errors."""
    visibility = np.exp(rng.uniform(math.log(0.02), 0.0, M))
    task = po.LimitedSearchTask(
        n_locations=M,
        information=1.0,
        visibility=tuple((visibility / visibility.max()).tolist()),
        prior=float(1 / (1 + math.exp(rng.uniform(-4.0, 4.0)))),
        location_prior=tuple(rng.dirichlet(np.full(M, 2.0)).tolist()),
    )
    time = np.exp(rng.uniform(math.log(0.005), math.log(0.3)))
    miss, false_alarm = np.exp(rng.uniform(-1.2, 1.2, 2))
    ratio = math.exp(rng.uniform(-0.7, 0.7))
    costs = po.Costs(time=(time * ratio, time / ratio), miss=miss, false_alarm=false_alarm)
    return task, costs


def gains(task, costs, h, warmer=None):
    """Return the cost of a guess, what looking saves, and what a look at each location does."""
    total = task.prior / (1 - task.prior)
    odds = [total * p for p in task.location_prior]
    rates = [task.information * v for v in task.visibilities]
    if warmer is not None:
        rates[warmer] *= WARMER
    guess = min(costs.false_alarm, costs.miss * total)
    best = least_cost(odds, rates, costs, h)
    without = [least_cost(odds, rates, costs, h, k) for k in range(len(odds))]
    return guess, guess - best, [value - best for value in without]


def judge(task, costs, h):
    """Return each location's verdict, the share of the guess it saves, and if that is wrong."""
    guess, looking, saved = gains(task, costs, h)
    verdicts = []
    for k, verdict in enumerate(po.worth_a_look(task, costs)):
        wrong = verdict is False and looking > GAIN * guess
        if verdict and saved[k] <= GAIN * guess:
            wrong = gains(task, costs, h, k)[2][k] <= GAIN * guess
        verdicts.append((verdict, saved[k] / guess, wrong))
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, nargs=3, default=[60, 80, 60], metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    words = {True: "yes", False: "no", None: "cannot be told"}
    print("| locations | tasks | verdict | places | looked at | largest saving | wrong |")
    print("|---|---|---|---|---|---|---|")
    for M, n in zip(SPACING, args.tasks, strict=True):
        rng = np.random.default_rng([args.seed, M])
        verdicts = [row for _ in range(n) for row in judge(*random_task(rng, M), SPACING[M])]
        for verdict, word in words.items():
            rows = [row for row in verdicts if row[0] is verdict]
            looked = [row[1] for row in rows if row[1] > GAIN]
            most = f"{100 * max(looked, default=0.0):.2g} %"
            wrong = sum(row[2] for row in rows)
            print(
                f"| {M} | {n} | {word} | {len(rows)} | {len(looked)} | {most} | {wrong} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
