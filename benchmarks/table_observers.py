"""Every observer of two tasks: which attention, which guidance, and how far from optimal.

Give files of trials as `table_people` does, each with the longest response time to keep:

    python benchmarks/table_observers.py ConjunctionData.csv:5 FeatureData.csv:3 --keep fits.json

Fits go to a file, and are not repeated; the tables are printed from it. Observers are shared out
over processes. `ideal` has the thresholds of least risk, `free` its own; slips are wrong keys at
normal times. The guidance g comes with its 95 % interval, or with the reason why there is none.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from popout.people.comparison import fit_models
from popout.people.frontier import index_of
from popout.people.search_models import MODELS, models
from popout.people.tables import GUIDANCE, Tables
from table_people import observers_of

CHOSEN = (*MODELS, "ideal-guided+slips", "free-guided+slips")


def fit_observer(path, longest, observer, n_paths):
    """Return every model of one observer, with the indices of those with free thresholds."""
    trials = observers_of(path, longest)[observer]
    tables = Tables([3, 6, 12, 18], n_paths, threads=1)
    rows = []
    for fitted in fit_models(models(CHOSEN), trials, tables).fitted:
        row = fitted.as_dict()
        if fitted.name.startswith("free"):
            row["index"] = index_of(fitted).as_dict()
        rows.append(row)
    return rows


def guidance(row):
    """Return g with its interval in words."""
    found = row["parameters"]["guidance"]
    if not found["determined"]:
        return f"undetermined ({number(found['best'])})"
    return f"{number(found['value'])} ({number(found['low'])} to {number(found['high'])})"


def number(value):
    """Return a guidance to two digits; an infinite one, which JSON does not know, is serial."""
    return "serial" if value is None else f"{value:.2g}"


def print_task(task, observers):
    """Print one task as a table."""
    names = "observer, best by AIC, second (AIC), g of ideal guided, g of free guided, "
    names += "wasted ms, excess risk %, with slips: wasted ms, excess risk %"
    columns = names.split(", ")
    print(f"\n{task}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for observer, rows in sorted(observers.items(), key=lambda item: int(item[0])):
        by_name = {row["name"]: row for row in rows}
        best, second, *_ = sorted(rows, key=lambda row: row["aic"])
        cells = [observer, best["name"], f"{second['name']} (+{second['aic'] - best['aic']:.0f})"]
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", help="FILE:LONGEST, in seconds")
    parser.add_argument("--keep", type=Path, default=Path("observers.json"))
    parser.add_argument("--paths", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    kept = json.loads(given.keep.read_text()) if given.keep.exists() else {}
    every = Tables([3, 6, 12, 18], given.paths)
    for M in every.set_sizes:
        for g in GUIDANCE:
            every.passages(M, g)
    with ProcessPoolExecutor(given.processes) as pool:
        jobs = {}
        for named in given.files:
            path, longest = named.rsplit(":", 1)
            done = kept.setdefault(Path(path).stem, {})
            for observer in observers_of(path, float(longest)):
                if str(observer) not in done:
                    job = pool.submit(fit_observer, path, float(longest), observer, given.paths)
                    jobs[job] = (Path(path).stem, str(observer))
        for job in as_completed(jobs):
            task, observer = jobs[job]
            kept[task][observer] = job.result()
            given.keep.write_text(json.dumps(kept))
    for task, observers in kept.items():
        print_task(task, observers)


if __name__ == "__main__":
    main()
