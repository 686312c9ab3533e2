"""Recovery: what comes back from synthetic observers like those of a real experiment.

    python benchmarks/table_recovery.py --observers 42 --processes 16 --keep recovery.json

Observers are drawn in turn from models with ideal and free thresholds and three kinds of attention;
their parameters differ, over the range (`RANGES`) that fits to the conjunction search of Wolfe,
Palmer and Horowitz (2010) span, and so does the design: set sizes 3, 6, 12 and 18, 500 trials a
cell. Each is fitted with every model. Printed are, over all observers, bias and coverage of each
parameter, how often each model is taken for another, and the distance from optimal against the
true one; for ideal observers it is the floor below which an index means nothing.

What the experimenter sets can be set: ``--prior .2 --miss 3``, or ``--cut .2``, a time limit that
cuts a fifth of each observer's trials. ``--untold`` is the control: the same trials, fitted as if
stakes were even and trials without an answer had never been. ``--own`` fits only the model that an
observer was drawn from.

Observers go to a file as soon as they are done, and are not repeated.
"""

import argparse
import os
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from popout.noise.seeds import Purpose, fresh_seed
from popout.people.fitting.model_comparison import Criterion, fit_models
from popout.people.fitting.recovery import RecoveredObserver, Recovery, recovered
from popout.people.fitting.synthetic import Design, synthetic_observer
from popout.people.models.search_models import models
from popout.people.models.situation import FIELDS, Situation
from popout.policies.stopping import Action
from sharing import keep, kept_in, share_out, tables_of

MODELS = ",".join(f"{stopping}-{attention}" for stopping in ("ideal", "free")
                  for attention in ("parallel", "guided", "serial"))  # fmt: skip
LOG = ("information", "time_cost", "lower", "upper", "residual_sd", "lapse", "slip")
RANGES = {
    "information": (60.0, 200.0),
    "capacity": (-0.5, 0.5),
    "variability": (0.35, 0.8),
    "guidance": (0.2, 4.0),  # even in g / (1 + g), as it is searched
    "time_cost": (0.1, 0.9),
    "lower": (2.8, 5.5),
    "lower_slope": (-0.8, 0.1),
    "upper": (3.3, 7.0),
    "upper_slope": (-1.0, 1.0),
    "residual_mean": (0.33, 0.52),
    "residual_sd": (0.03, 0.15),
    "residual_constant": (0.2, 0.7),
    "absent_extra": (0.0, 0.07),
    "lapse": (5e-4, 8e-3),
    "slip": (1e-3, 1.2e-2),
}
PARALLEL = {"information": (100.0, 240.0), "capacity": (0.2, 0.7)}  # fits of it ask for more
LONGEST = 10.0


def drawn_values(model, seed):
    """Return the parameters of an observer, evenly drawn from their ranges."""
    random = np.random.default_rng(seed)
    values = {}
    for parameter in model.parameters:
        ranges = RANGES | (PARALLEL if model.guidance == 0.0 else {})
        low, high = ranges[parameter.name]
        x = random.random()
        if parameter.name in LOG:
            values[parameter.name] = low * (high / low) ** x
        elif parameter.name == "guidance":
            share = low / (1 + low) + x * (high / (1 + high) - low / (1 + low))
            values[parameter.name] = share / (1 - share)
        else:
            values[parameter.name] = low + x * (high - low)
    return values


def recover_one(number, names, design, how, n_paths, seed):
    """Draw an observer and fit it; return what `RecoveredObserver` keeps."""
    candidates = models(names, LONGEST)
    model = candidates[number % len(candidates)]
    values = drawn_values(model, fresh_seed(seed, Purpose.SYNTHETIC_OBSERVER, number))
    tables = tables_of(design.set_sizes, n_paths, needed(names))
    noise = fresh_seed(seed, Purpose.SYNTHETIC_OBSERVER, number)
    if how["cut"]:
        unlimited = synthetic_observer(model, values, design, tables, noise)
        limit = float(np.quantile(unlimited.rt, 1.0 - how["cut"]))
        design = replace(design, situation=replace(design.situation, deadline=limit))
    trials = synthetic_observer(model, values, design, tables, noise)
    if how["untold"]:
        kept = {name: each for name, each in trials.columns.items() if name not in FIELDS}
        trials = replace(trials, prior=0.5, columns=kept)
        trials = trials.where(trials.response != Action.WAIT)
    fits = fit_models([model] if how["own"] else candidates, trials, tables, seed)
    return recovered(model, values, fits).as_dict()


def needed(names):
    """Return the guidances whose tables some models need."""
    return tuple(sorted({g for model in models(names) for g in model.guidances}))


def row(*cells):
    print(f"| {' | '.join(map(str, cells))} |")


def print_parameters(recovery):
    """Print bias and coverage of every parameter, over all models that have it."""
    print("\n**Parameters**\n")
    row("parameter", "observers", "median true", "median error", "IQR of errors",
        "bias (s.e. of the fit)", "spread (s.e.)", "covered by 95 %", "determined")  # fmt: skip
    print("|---" * 9 + "|")
    for each in recovery.summary(pooled=True).to_dict("records"):
        n = round(each["determined"] * each["observers"])
        bias, covered, errors = "-", "-", ("-", "-")
        if n:
            bias = f"{each['bias']:+.2f} ± {1 / np.sqrt(n):.2f}"
            covered = f"{round(each['coverage'] * n)} of {n}"
            errors = tuple(f"{each[name]:.2g}" for name in ("median_error", "iqr"))
        spread = f"{each['spread']:.2f}" if n > 1 else "-"
        true = f"{each['median_true']:.3g}"
        row(each["parameter"], each["observers"], true, *errors, bias, spread, covered,
            f"{100 * each['determined']:.0f} %")  # fmt: skip
    known = recovery.parameters().query("determined")
    n, held = len(known), int(known["covered"].sum())
    print(f"\nOf {n} intervals {held} hold the truth: {100 * held / n:.1f} %.")


def print_confusion(recovery):
    """Print which model each observer is taken for."""
    for criterion in Criterion:
        table = recovery.confusion(criterion)
        print(f"\n**Best model by {criterion.name}** (rows: drawn from)\n")
        row("", *table.columns)
        print("|---" * (1 + len(table.columns)) + "|")
        for name, counts in zip(table.index, table.to_numpy(), strict=True):
            row(name, *counts)


def print_indices(recovery):
    """Print the distance from optimal, found and true, by the model that observers came from."""
    table = recovery.indices()
    if "true_wasted_ms" not in table:
        return
    print("\n**Distance from optimal**, under the true attention with free thresholds\n")
    row("drawn from", "observers", "", "true: median", "found: median", "found: 90 %",
        "median size of error", "covered by 95 %")  # fmt: skip
    print("|---" * 8 + "|")
    matched = table.dropna(subset=["true_wasted_ms"])
    for name, part in matched.groupby("true", sort=False):
        for words, value, ends in (
            ("wasted ms", "wasted_ms", "wasted_interval"),
            ("excess risk %", "excess_percent", "excess_interval"),
        ):
            true, estimate = part[f"true_{value}"], part[value]
            low, high = np.array(part[ends].tolist()).T
            held = int(((low <= true) & (true <= high)).sum())
            numbers = (true.median(), estimate.median(), estimate.quantile(0.9))
            error = (estimate - true).abs().median()
            shown = (f"{number:.2g}" for number in (*numbers, error))
            # What is optimal lies at the end of every interval, so the count says nothing there.
            row(name, len(part), words, *shown,
                "-" if name.startswith("ideal") else f"{held} of {len(part)}")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--observers", type=int, default=42)
    parser.add_argument("--models", default=MODELS, help="that they are drawn from, and fitted")
    parser.add_argument("--set-sizes", default="3,6,12,18")
    parser.add_argument("--trials", type=int, default=500, help="of each set size and class")
    parser.add_argument("--paths", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--prior", type=float, default=0.5, help="share of targets")
    parser.add_argument("--miss", type=float, default=1.0, help="cost of a miss")
    parser.add_argument("--cut", type=float, default=0.0, help="share of trials over the limit")
    parser.add_argument("--untold", action="store_true", help="fit without stakes and time-outs")
    parser.add_argument("--own", action="store_true", help="fit the true model alone")
    parser.add_argument("--keep", type=Path, default=Path("recovery.json"))
    given = parser.parse_args()
    names = tuple(given.models.split(","))
    situation = Situation(prior=given.prior, miss=given.miss)
    design = Design(tuple(int(M) for M in given.set_sizes.split(",")), given.trials, situation)
    how = {name: getattr(given, name) for name in ("cut", "untold", "own")}
    settings = {"models": list(names), "set_sizes": list(design.set_sizes), "seed": given.seed}
    settings |= {"trials": given.trials, "paths": given.paths, **how}
    settings |= {"prior": given.prior, "miss": given.miss}
    kept = kept_in(given.keep) or {"settings": settings, "observers": {}}
    if kept["settings"] != settings:
        parser.error(f"{given.keep} holds observers of {kept['settings']}; name another file")
    done = kept["observers"]
    missing = [number for number in range(given.observers) if str(number) not in done]
    if missing:
        tables_of(design.set_sizes, given.paths, needed(names))
    jobs = {n: (n, names, design, how, given.paths, given.seed) for n in missing}
    for number, observer in share_out(recover_one, jobs, given.processes):
        done[str(number)] = observer
        keep(given.keep, kept)
    observers = [RecoveredObserver.of(done[key]) for key in sorted(done, key=int)]
    recovery = Recovery(tuple(observers))
    print(f"{len(observers)} observers, {design.n_trials} trials each, "
          f"set sizes {given.set_sizes}, {given.paths} paths a table")  # fmt: skip
    print_parameters(recovery)
    if not given.own:
        print_confusion(recovery)
    print_indices(recovery)


if __name__ == "__main__":
    main()
