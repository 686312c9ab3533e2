"""Limited information: time to accuracy of the solver, and time per step of the simulator.

First table: `popout.solve`, for the best and for serial attention, from a cold start to the named
tolerance, beside a search at the drift of equal shares in the same run (drift 4/s, cost 0.2/s,
dt 10 ms, processor time, best of several runs). Second table: processor time per simulated step of
serial and of parallel attention, one thread, the same rate of information for every set size.
"""

import argparse
import time

import popout as po
from popout.policies.looking import Parallel, Serial
from popout.task import LimitedSearchTask

DRIFT, COST = 4.0, 0.2
INFORMATION = 20.0


def best_of(function, repeats, clock=time.process_time):
    """Return the last result, the shortest time by the clock, and the shortest on the wall."""
    times, walls = [], []
    for _ in range(repeats):
        start, wall = clock(), time.perf_counter()
        result = function()
        times.append(clock() - start)
        walls.append(time.perf_counter() - wall)
    return result, min(times), min(walls)


def solver_table(goals):
    costs = po.Costs(time=COST)
    print(f"{'M':>2} {'rtol':>6} {'attention':>9} {'risk':>10} {'error':>8}", end="")
    print(f" {'CPU s':>8} {'wall s':>8}", end="")
    print(f" {'nodes':>14} {'shares':>6} {'times solve':>11}")
    for M, rtol in goals:
        task = LimitedSearchTask(n_locations=M, information=M * DRIFT**2)
        repeats = 5 if M <= 2 else 1
        search = task.with_shares()
        known, usual, wall = best_of(lambda s=search, r=rtol: po.solve(s, costs, r), repeats)
        print(
            f"{M:2d} {rtol:6.0e} {'(solve)':>9} {known.risk:10.7f} {known.risk_error:8.1e}", end=""
        )
        print(f" {usual:8.2f} {wall:8.2f}")
        for policy in (None, Serial.for_task(task)):

            def run(task=task, rtol=rtol, policy=policy):
                return po.solve(task, costs, rtol, attention=policy)

            result, seconds, wall = best_of(run, repeats)
            label = "optimum" if policy is None else policy.label
            nodes = " x ".join(str(n) for n in result.diagnostics.nodes_per_axis)
            print(
                f"{M:2d} {rtol:6.0e} {label:>9} {result.risk:10.7f} {result.risk_error:8.1e} "
                f"{seconds:8.2f} {wall:8.2f} {nodes:>14} {result.diagnostics.n_shares:6d} "
                f"{seconds / usual:11.1f}",
                flush=True,
            )


def simulator_table(sizes, trials):
    print(f"\n{'M':>4} {'parallel (ns/step)':>19} {'serial (ns/step)':>17} {'ratio':>6}")
    for M in sizes:
        task = LimitedSearchTask(n_locations=M, information=INFORMATION)
        stop = po.SPRT.for_task(task.with_shares(), -3.0, 3.0)
        spent = []
        for policy, n in ((Parallel.for_task(task), trials // 4), (Serial.for_task(task), trials)):

            def run(task=task, stop=stop, policy=policy, n=n):
                return po.simulate(task, po.Observer(policy, stop), n, seed=1, threads=1)

            run()
            result, seconds, _ = best_of(run, 4, time.thread_time)
            spent.append(1e9 * seconds / result.steps.sum())
        print(f"{M:4d} {spent[0]:19.1f} {spent[1]:17.1f} {spent[0] / spent[1]:6.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--goal", action="append", metavar="M:RTOL", help="e.g. 4:3e-3; repeatable")
    parser.add_argument("--trials", type=int, default=800)
    args = parser.parse_args()
    goals = [(2, 1e-4), (3, 1e-3)]
    if args.goal:
        goals = [(int(M), float(rtol)) for M, rtol in (goal.split(":") for goal in args.goal)]
    warm = LimitedSearchTask(n_locations=2, information=32.0)
    for policy in (None, Serial):  # imports and compilation
        po.solve(warm, po.Costs(time=COST), 1e-2, attention=policy)
    solver_table(goals)
    simulator_table((8, 32, 128), args.trials)


if __name__ == "__main__":
    main()
