"""Every observer of two tasks: which attention, which guidance, and how far from optimal.

Give files of trials, which are not part of this repository (Wolfe, Palmer and Horowitz 2010):

    python benchmarks/table_observers.py ConjunctionData.csv FeatureData.csv --keep fits.json

Fits go to a file, and are not repeated; the tables are printed from it. Observers are shared out
over processes. `ideal` has the thresholds of least risk, `free` its own; slips are wrong keys at
normal times. The yardstick, one ex-Gaussian a cell, has its AIC less that of the best model. The
guidance g comes with its 95 % interval, or with the reason why there is none.
"""

import argparse
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from popout.people.fitting.frontier import index_of
from popout.people.fitting.model_comparison import fit_models
from popout.people.models.ex_gaussian import ExGaussianCells
from popout.people.models.search_models import MODELS, models
from popout.people.passages.passage_tables import GUIDANCE
from popout.people.reading.reader import read_trials
from sharing import keep, kept_in, share_out, tables_of

PARALLEL, SERIAL = 5e-4, 100.0
"""Guidances below and above which nothing changes any more."""
YARDSTICK = ExGaussianCells.name
CHOSEN = (*MODELS, "ideal-guided+slips", "free-guided+slips", YARDSTICK)


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
    """Draw the guidance of every observer with its interval, task by task."""
    import matplotlib.pyplot as plt

    from popout.drawing.style import styled

    def place(g):
        return 1.0 if g is None else g / (1.0 + g)

    @styled
    def picture():
        figure, ax = plt.subplots(figsize=(5.2, 3.6), layout="constrained")
        row, ticks = 0, []
        for task, observers in kept.items():
            for observer, rows in in_order(observers):
                guidance = next(r for r in rows if r["name"] == "ideal-guided")["parameters"][
                    "guidance"
                ]
                sure = guidance["determined"]
                if sure:
                    ends = [place(guidance["low"]), place(guidance["high"])]
                    ax.plot(ends, [row, row], color="0.3", linewidth=1.5)
                fill = "0.2" if sure else "white"
                ax.plot(place(guidance["best"]), row, "o", color="0.2", markerfacecolor=fill)
                ticks.append((row, f"{task.removesuffix('Data')} {observer}"))
                row += 1
            row += 1
        labels = {0.0: "0\nparallel", 0.25: "0.25", 0.5: "0.5", 1.0: "1", 2.0: "2", 4.0: "4"}
        ax.set_xticks([*(place(g) for g in labels), 1.0], [*labels.values(), "serial"])
        ax.set_yticks(*zip(*ticks, strict=True))
        ax.tick_params(axis="y", labelsize=7)
        ax.invert_yaxis()
        ax.set_xlabel("guidance of attention g, with 95 % interval")
        figure.savefig(path)

    picture()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--keep", type=Path, default=Path("observers.json"))
    parser.add_argument("--paths", type=int, default=100_000)
    parser.add_argument("--picture", type=Path, help="draw the guidance of all observers here")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    given = parser.parse_args()
    kept = kept_in(given.keep)
    jobs = {}
    for path in given.files:
        task, trials = Path(path).stem, read_trials(path)
        for observer, own in trials.observers.items():
            done = {row["name"] for row in kept.setdefault(task, {}).setdefault(observer, [])}
            missing = [name for name in CHOSEN if name not in done]
            if missing and missing != [YARDSTICK]:
                tables_of(trials.set_sizes, given.paths, GUIDANCE)  # before the processes begin
            if missing:
                how = (trials.set_sizes, given.paths, trials.reading.slowest)
                jobs[task, observer] = (own, missing, *how)
    for (task, observer), fits in share_out(fit_observer, jobs, given.processes):
        kept[task][observer] += fits
        keep(given.keep, kept)
    for task, observers in kept.items():
        print_task(task, observers)
    if given.picture:
        draw(kept, given.picture)


if __name__ == "__main__":
    main()
