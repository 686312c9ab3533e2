"""Set size, limited information and attention: the tables and pictures of docs/attention.md.

Observers with the same rate of information share it out in parallel, guided by the posterior, or
serially, and stop by SPRT on the posterior odds of presence, with both thresholds tuned for each
set size by simulation (common noise, then fresh noise for the score). Slopes are least-squares
lines of the mean response time of correct and wrong answers together over set size.

Second table: the exact risks at two and three locations. Third: their limits in continuous time at
two. With ``--out`` the pictures are drawn too.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import popout as po
from popout.analysis.stopping import make_joint
from popout.attention import Guided, Parallel, Serial
from popout.drawing.style import styled
from popout.exact.joint_limit import continuous_time
from popout.exact.joint_solver import best_stopping, solve_joint
from popout.simulation.attention_simulate import simulate_joint
from popout.task import LimitedSearchTask

INFORMATION, COST = 20.0, 0.1
SETS = (3, 6, 12, 18)
LOOKS = {
    "parallel": ("#0072B2", "o"),
    "guided, g = 1": ("#E69F00", "s"),
    "serial": ("#009E73", "^"),
}


def policies(task):
    return [Parallel.for_task(task), Guided.for_task(task, 1.0), Serial.for_task(task)]


def observers(trials, tuning):
    """Return a row of results for every policy and set size."""
    costs = po.Costs(time=COST)
    rows = []
    for M in SETS:
        task = LimitedSearchTask(n_locations=M, information=INFORMATION)
        for attention in policies(task):
            stop = make_joint(task, costs, attention, n_trials=tuning, seed=1).strategy
            summary = simulate_joint(task, attention, stop, trials, seed=2).summary(costs)
            rows.append((attention.label, M, stop, summary))
            print(
                f"{attention.label:14} {M:3d} {summary.risk:.5f} +- {summary.risk_se:.5f}"
                f" {stop.tau_minus:7.2f} {stop.tau_plus:6.2f}"
                f" {1e3 * summary.absent.mean_rt:8.0f} {1e3 * summary.present.mean_rt:8.0f}"
                f" {100 * summary.present.error_rate:7.2f} {100 * summary.absent.error_rate:7.2f}",
                flush=True,
            )
    return rows


def slopes(rows):
    """Print milliseconds per item."""
    print(f"\n{'attention':14} {'absent':>8} {'present':>8} {'ratio':>6}   ms per item")
    for label in LOOKS:
        mine = [(M, s) for name, M, _, s in rows if name == label]
        sizes = [M for M, _ in mine]
        lines = [
            1e3 * np.polyfit(sizes, [getattr(s, c).mean_rt for _, s in mine], 1)[0]
            for c in ("absent", "present")
        ]
        print(f"{label:14} {lines[0]:8.1f} {lines[1]:8.1f} {lines[0] / lines[1]:6.2f}")


def exact_risks(rtol):
    """Print the exact risks of the probe's three cases, and of three locations."""
    cases = [(2, 4.0, 0.2), (2, 2.0, 0.5), (2, 2.0, 0.1), (3, 4.0, 0.2)]
    print(f"\n{'M':>2} {'drift':>5} {'cost':>5}  exact risks, each with its own best stopping")
    for M, drift, cost in cases:
        task = LimitedSearchTask(n_locations=M, information=M * drift**2)
        costs = po.Costs(time=cost)
        chosen = [Parallel.for_task(task), *(Guided.for_task(task, g) for g in (0.5, 1.0, 2.0))]
        chosen.append(Serial.for_task(task))
        goal = rtol if M == 2 else 10 * rtol
        found = [best_stopping(task, policy, costs, goal) for policy in chosen]
        found.append(solve_joint(task, costs, goal))
        numbers = "  ".join(f"{s.risk:.6f} ({s.risk_error:.0e})" for s in found)
        print(f"{M:2d} {drift:5g} {cost:5g}  {numbers}", flush=True)


def limits(rtol):
    """Print the risks of two locations in continuous time."""
    task, costs = LimitedSearchTask(n_locations=2, information=32.0), po.Costs(time=0.2)
    print("\ncontinuous time, 2 locations, information 32 /s, cost 0.2 /s")
    for attention in (*policies(task), None):
        limit = continuous_time(task, costs, rtol, attention=attention)
        label = "optimum" if attention is None else attention.label
        steps = "  ".join(
            f"{1e3 * dt:g} ms {r:.6f}" for dt, r in zip(limit.dt, limit.risks, strict=True)
        )
        print(f"{label:14} {limit.risk:.6f} +- {limit.risk_error:.6f}   {steps}", flush=True)


@styled
def draw_slopes(rows, path):
    """Draw response times, misses and false alarms over set size."""
    figure = Figure(figsize=(8.6, 3.2), layout="constrained")
    times, misses, alarms = figure.subplots(1, 3)
    for label, (colour, marker) in LOOKS.items():
        mine = [(M, s) for name, M, _, s in rows if name == label]
        sizes = [M for M, _ in mine]
        line = {"color": colour, "marker": marker}
        times.plot(sizes, [1e3 * s.absent.mean_rt for _, s in mine], ls="-", **line, label=label)
        times.plot(sizes, [1e3 * s.present.mean_rt for _, s in mine], ls="--", **line)
        for ax, part in ((misses, "present"), (alarms, "absent")):
            rate = [100 * getattr(s, part).error_rate for _, s in mine]
            error = [100 * getattr(s, part).error_rate_se for _, s in mine]
            ax.errorbar(sizes, rate, error, **line)
    times.plot([], [], color="0.3", ls="-", label="target absent")
    times.plot([], [], color="0.3", ls="--", label="target present")
    figure.legend(*times.get_legend_handles_labels(), loc="outside lower center", ncols=5)
    times.set(ylabel="mean response time (ms)", title="Response times")
    misses.set(ylabel="misses (%)", title="Misses")
    alarms.set(ylabel="false alarms (%)", title="False alarms")
    top = max(misses.get_ylim()[1], alarms.get_ylim()[1])
    for ax in (misses, alarms):
        ax.set_ylim(0.0, top)
    for ax in (times, misses, alarms):
        ax.set(xlabel="set size", xticks=SETS)
    times.set_ylim(bottom=0.0)
    figure.savefig(path, dpi=150)


@styled
def draw_policies(path):
    """Draw where to look: equal locations, and one that is seen less well."""
    figure = Figure(figsize=(8.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    costs = po.Costs(time=0.2)
    for ax, seen in ((left, (1.0, 1.0)), (right, (1.0, 0.4))):
        task = LimitedSearchTask(information=32.0, visibility=seen)
        solution = solve_joint(task, costs, rtol=1e-4 if seen[1] == 1.0 else 1e-3)
        solution.plot(ax)
        ax.set_title(f"visibility {seen[0]:g} and {seen[1]:g}, risk {solution.risk:.4f}")
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--tuning", type=int, default=20_000)
    parser.add_argument("--rtol", type=float, default=1e-4)
    parser.add_argument("--out", type=Path, help="folder for the pictures")
    args = parser.parse_args()
    print(f"information {INFORMATION:g} /s, cost of time {COST:g} /s, {args.trials} trials")
    print(
        f"{'attention':14} {'M':>3} {'risk':>18} {'tau_-':>7} {'tau_+':>6}"
        f" {'absent':>8} {'present':>8} {'misses':>7} {'alarms':>7}   ms, %"
    )
    rows = observers(args.trials, args.tuning)
    slopes(rows)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        draw_slopes(rows, args.out / "attention_slopes.png")
        draw_policies(args.out / "attention_policy.png")
    exact_risks(args.rtol)
    limits(10 * args.rtol)


if __name__ == "__main__":
    main()
