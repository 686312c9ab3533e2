r"""Every observer of every task: which attention, which guidance, how far from optimal.

Give tasks as NAME=FILE, with trials to choose and pay where they are needed; files are not part of
this repository (Wolfe et al. 2010, Shi et al. 2019, Visconti di Oleggio Castello et al. 2017):

    python benchmarks/table_observers.py "feature=FeatureData.csv" \
        "conjunction=ConjunctionData.csv" "T among L=exp1.csv;dyn=Static" \
        "T among L, paid=exp2.csv;dyn=Static;pay" "faces=trials.csv;orientation=Upright" \
        --predictions predictions.json --picture guidance.png

Fits go to a file, and are not repeated; the tables are printed from it. Work is shared out over
processes. `ideal` has the thresholds of least risk, `free` its own; slips are wrong keys at normal
times. The yardstick, one ex-Gaussian a cell, has its AIC less that of the best model. The guidance
g comes with its 95 % interval, or with the reason why there is none. The population is that of
`ideal-guided`: g of the median observer, and the middle 68 % of observers. Predictions are those
that `table_prediction.py people` keeps.
"""

import argparse
import os
from collections import Counter
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.special import expit

from popout.people.fitting.fitted_population import independent_draws, split_r_hat
from popout.people.fitting.frontier import index_of
from popout.people.fitting.model_comparison import fit_models
from popout.people.fitting.population import Hierarchy, find_modes, sample_chain
from popout.people.models.ex_gaussian import ExGaussianCells
from popout.people.models.search_models import MODELS, models
from popout.people.passages.decision_times import share_of
from popout.people.passages.passage_tables import GUIDANCE
from popout.people.reading.reader import read_trials
from sharing import keep, kept_in, share_out, tables_of

PARALLEL, SERIAL = 5e-4, 100.0
"""Guidances below and above which nothing changes any more."""
YARDSTICK = ExGaussianCells.name
SHARED = "ideal-guided"
"""The model of the population."""
CHOSEN = (*MODELS, "ideal-guided+slips", "free-guided+slips", YARDSTICK)
PAY = {"reward": {"Absent": (1.0, 3.0), "Present": (3.0, 1.0)}}
"""What errors cost where correct "absent", or "present", is paid: an assumption."""
CHAINS = 4
MOST_APART = 1.1
"""R-hat above which chains have not met, and nothing is said of a population."""


def read_task(words):
    """Return the name of a task and its trials, from ``NAME=FILE;COLUMN=VALUE;pay``."""
    name, rest = words.split("=", 1)
    file, *choices = rest.split(";")
    where = dict(each.split("=", 1) for each in choices if "=" in each)
    return name, read_trials(file, where=where or None, pay=PAY if "pay" in choices else None)


def fit_observer(trials, missing, set_sizes, n_paths, longest):
    """Return some models of one observer, with the indices of those with free thresholds."""
    rows = []
    searching = [name for name in missing if name != YARDSTICK]
    chosen = [
        *models(searching, longest),
        *[ExGaussianCells.for_trials(trials, longest)] * (YARDSTICK in missing),
    ]
    tables = tables_of(set_sizes, n_paths, GUIDANCE) if searching else None
    for fitted in fit_models(chosen, trials, tables).fitted:
        row = fitted.as_dict()
        if fitted.name.startswith("free"):
            row["index"] = index_of(fitted).as_dict()
        rows.append(row)
    return rows


def sample_guidance(people, starts, set_sizes, n_paths, longest, sweeps, chain):
    """Return draws of the guidance of a population: logits of means, spreads, observers."""
    (model,) = models([SHARED], longest)
    hierarchy = Hierarchy(model, people, tables_of(set_sizes, n_paths, GUIDANCE))
    drawn = sample_chain(hierarchy, find_modes(hierarchy, starts), sweeps, 1, chain)
    g = hierarchy.names.index("guidance")
    whole = {"mean": drawn.mean[:, 0, g], "spread": drawn.spread[:, g], "u": drawn.u[:, :, g]}
    return {name: each.tolist() for name, each in whole.items()}


def population_of(kept, task):
    """Return the guidance of the median observer, and of the middle 68 %, as shares g/(1 + g)."""
    chains = [*kept["populations"][task].values()]
    mean, spread = (np.array([each[name] for each in chains]) for name in ("mean", "spread"))
    low, middle, high = np.quantile(expit(mean), (0.025, 0.5, 0.975))
    ends = [float(np.median(expit(mean + side * spread))) for side in (-1.0, 1.0)]
    both = np.stack([mean, np.log(spread)], axis=-1)
    sampled = float(split_r_hat(both).max()), float(independent_draws(both).min())
    own = {"low": low, "middle": middle, "high": high, "ends": ends, "sampled": sampled}
    return {**own, "met": sampled[0] <= MOST_APART}


def starts_of(rows):
    """Return the parameters of a separate fit, from which a chain begins."""
    own = next(row for row in rows if row["name"] == SHARED)["parameters"]
    return {k: np.inf if each["best"] is None else each["best"] for k, each in own.items()}


def of_share(share):
    """Return g in words, from g/(1 + g)."""
    return number(share / (1.0 - share) if share < 1.0 else None)


def print_everything(kept):
    """Print one row for each task."""
    names = "task, observers, g of the median observer, middle 68 % of observers, "
    names += "independent draws, R-hat, best by AIC (observers), "
    names += "yardstick (AIC; observers for whom the theory is better)"
    columns = names.split(", ")
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for task, observers in kept["observers"].items():
        best, apart = Counter(), []
        for rows in observers.values():
            by_name = {row["name"]: row for row in rows}
            yardstick = by_name.pop(YARDSTICK)
            least = min(by_name.values(), key=lambda row: row["aic"])
            best[least["name"]] += 1
            apart.append(yardstick["aic"] - least["aic"])
        words = [task, str(len(observers))]
        own = population_of(kept, task)
        if own["met"]:
            low, high = (of_share(own[end]) for end in ("low", "high"))
            words.append(f"{of_share(own['middle'])} ({low} to {high})")
            words.append(" to ".join(of_share(end) for end in own["ends"]))
        else:
            words += ["chains differ", "-"]
        words += [f"{own['sampled'][1]:.0f}", f"{own['sampled'][0]:.2f}"]
        words.append(", ".join(f"{name} ({n})" for name, n in best.most_common(3)))
        words.append(f"{sum(apart):+.0f}; {sum(each > 0 for each in apart)} of {len(apart)}")
        print(f"| {' | '.join(words)} |")


def guidance(row):
    """Return g with its interval in words."""
    guidance = row["parameters"]["guidance"]
    if not guidance["determined"]:
        return f"undetermined ({number(guidance['best'])})"
    return f"{number(guidance['value'])} ({number(guidance['low'])} to {number(guidance['high'])})"


def number(value):
    """Return a guidance to two digits; an infinite one, which JSON does not know, is serial."""
    if value is None or value > SERIAL:
        return "serial"
    return "0" if value < PARALLEL else f"{value:.2g}"


def in_order(observers):
    """Return observers by number, then by name."""
    return sorted(observers.items(), key=lambda each: each[0].rjust(4))


def print_task(task, observers):
    """Print one task as a table."""
    names = "observer, best by AIC, second (AIC), yardstick (AIC), g of ideal guided, "
    names += "g of free guided, wasted ms, excess risk %, with slips: wasted ms, excess risk %"
    columns = names.split(", ")
    print(f"\n{task}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for observer, rows in in_order(observers):
        by_name = {row["name"]: row for row in rows}
        yardstick = by_name.pop(YARDSTICK)
        best, second, *_ = sorted(by_name.values(), key=lambda row: row["aic"])
        cells = [observer, best["name"], f"{second['name']} (+{second['aic'] - best['aic']:.0f})"]
        cells.append(f"{yardstick['aic'] - best['aic']:+.0f}")
        cells += [guidance(by_name[name]) for name in ("ideal-guided", "free-guided")]
        for name in ("free-guided", "free-guided+slips"):
            index = by_name[name]["index"]
            for value, ends in (
                ("wasted_ms", "wasted_interval"),
                ("excess_percent", "excess_interval"),
            ):
                low, high = index[ends]
                cells.append(f"{index[value]:.2g} ({low:.2g} to {high:.2g})")
        print(f"| {' | '.join(cells)} |")


def draw(kept, path):
    """Draw the guidance of every observer and of every population, task by task."""
    import matplotlib.pyplot as plt

    from popout.drawing.style import styled

    def place(g):
        return 1.0 if g is None else share_of(g)

    @styled
    def picture():
        n = sum(len(observers) + 2.5 for observers in kept["observers"].values())
        figure, ax = plt.subplots(figsize=(5.6, 0.6 + 0.095 * n), layout="constrained")
        row, ticks = 0.0, []
        for task, observers in kept["observers"].items():
            first, every = row, []
            for rows in observers.values():
                every.append(next(r for r in rows if r["name"] == SHARED)["parameters"]["guidance"])
            for guidance in sorted(every, key=lambda each: place(each["best"])):
                sure = guidance["determined"]
                if sure:
                    ends = [place(guidance["low"]), place(guidance["high"])]
                    ax.plot(ends, [row, row], color="0.6", linewidth=1.0, zorder=1)
                fill = "0.3" if sure else "white"
                ax.plot(place(guidance["best"]), row, "o", color="0.3", markerfacecolor=fill,
                        markersize=3.0, zorder=2)  # fmt: skip
                row += 1.0
            own = population_of(kept, task)
            if own["met"]:
                ax.axvspan(*own["ends"], *span(first, row, n), color="C0", alpha=0.15, lw=0.0)
                ax.plot([own["low"], own["high"]], [row, row], color="C0", linewidth=2.0)
                ax.plot(own["middle"], row, "D", color="C0", markersize=5.0)
            ticks.append((0.5 * (first + row), f"{task}\n{len(every)} observers"))
            row += 2.5
        labels = {0.0: "0\nparallel", 0.25: "0.25", 0.5: "0.5", 1.0: "1", 2.0: "2", 4.0: "4"}
        ax.set_xticks([*(place(g) for g in labels), 1.0], [*labels.values(), "serial"])
        ax.set_yticks(*zip(*ticks, strict=True))
        ax.tick_params(axis="y", length=0.0)
        ax.set_ylim(n - 1.0, -1.0)
        ax.set_xlim(-0.02, 1.02)
        ax.set_xlabel("guidance of attention g, with 95 % intervals")
        dots = ax.plot([], [], "o", color="0.3", markersize=3.0)
        open_dots = ax.plot([], [], "o", color="0.3", markerfacecolor="white", markersize=3.0)
        diamonds = ax.plot([], [], "D-", color="C0", markersize=5.0)
        names = ["observer", "not determined", "median observer (band: 68 %)"]
        figure.legend([*dots, *open_dots, *diamonds], names, loc="outside upper center", ncols=3,
                      frameon=False)  # fmt: skip
        figure.savefig(path)

    def span(first, last, n):
        """Return rows as shares of the axis, from below."""
        return 1.0 - (last + 1.6) / n, 1.0 - (first + 0.4) / n

    picture()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="+", help="NAME=FILE;COLUMN=VALUE;pay")
    parser.add_argument("--keep", type=Path, default=Path("observers.json"))
    parser.add_argument("--paths", type=int, default=100_000)
    parser.add_argument("--sweeps", type=int, default=4000)
    parser.add_argument("--predictions", type=Path, help="that table_prediction.py keeps")
    parser.add_argument("--picture", type=Path, help="draw the guidance of all observers here")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    given = parser.parse_args()
    kept = {"observers": {}, "populations": {}, **kept_in(given.keep)}
    tasks, jobs = dict(map(read_task, given.tasks)), {}
    for task, trials in tasks.items():
        before = kept["observers"].setdefault(task, {})
        how = (trials.set_sizes, given.paths, trials.reading.slowest)
        for observer, own in trials.observers.items():
            done = {row["name"] for row in before.setdefault(observer, [])}
            if missing := [name for name in CHOSEN if name not in done]:
                tables_of(*how[:2], GUIDANCE)  # before the processes begin
                jobs[task, observer] = (own, missing, *how)
    for (task, observer), fits in share_out(fit_observer, jobs, given.processes):
        kept["observers"][task][observer] += fits
        keep(given.keep, kept)
    jobs = {}
    for task, trials in tasks.items():
        starts = {name: starts_of(rows) for name, rows in kept["observers"][task].items()}
        how = (trials.set_sizes, given.paths, trials.reading.slowest, given.sweeps)
        for chain in range(CHAINS):
            if str(chain) not in kept["populations"].setdefault(task, {}):
                tables_of(*how[:2], GUIDANCE)
                jobs[task, chain] = (dict(trials.observers), starts, *how, chain)
    for (task, chain), draws in share_out(sample_guidance, jobs, given.processes):
        kept["populations"][task][str(chain)] = draws
        keep(given.keep, kept)
    kept = {part: {task: each[task] for task in tasks} for part, each in kept.items()}
    print_everything(kept)
    if given.predictions:
        print("\n".join(["", *kept_in(given.predictions)["lines"]]))
    for task, observers in kept["observers"].items():
        print_task(task, observers)
    if given.picture:
        draw(kept, given.picture)


if __name__ == "__main__":
    main()
