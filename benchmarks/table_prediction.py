"""Are observers predicted in experiments they were never fitted to? Simulated ones, and people.

    python benchmarks/table_prediction.py recovery --keep recovery.json --processes 16
    python benchmarks/table_prediction.py people exp1.csv exp2.csv --out predictions

`recovery` draws observers, fits them in an even experiment, and predicts another one: how often
95 % intervals hold the true mean response times and error rates of a cell, how many trials tell
those whose thresholds are ideal there from those who keep them, and how often the interval of the
share of the shift holds the true share. Rows are kept as they come; a repeated run adds what is
missing.

`people` wants the trials of Shi et al. (2019), which are not part of this repository: each pay
session is predicted from the other, and dynamic displays from static ones and the other way round.
Fits and predictions are kept in folders, with a page each. The pay of a correct answer is worth as
much as `--pay` errors more (2: a mistake there costs three times as much as elsewhere).
"""

import argparse
import os
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from popout.people.fitting.fit_observers import fit_observers
from popout.people.fitting.synthetic import Design, synthetic_observer, typical_values
from popout.people.models.changes import Changes
from popout.people.models.model import position_of, values_at
from popout.people.models.partly_ideal import PartlyIdeal
from popout.people.models.search_models import models
from popout.people.models.situation import USUAL
from popout.people.prediction.held_against import realised_share
from popout.people.prediction.parameter_draws import draw_parameters
from popout.people.prediction.predict_observers import SHARE_DRAWS, predict_observers
from popout.people.prediction.predicted_cells import MEASURES, measures, predict_cells, widened
from popout.people.reading.reader import read_trials
from sharing import keep, kept_in, share_out, tables_of

SIZES = (8, 12, 16)
TRIALS = (35, 100, 300)
SHARES = (0.0, 0.5, 1.0)
SPREAD = 0.04
"""Standard deviation between observers, of every parameter in the unit cube."""
PERIOD = 0.11
"""Seconds between reshuffles in the experiments of Shi et al."""


def predicted_observer(name, changes, n_trials, share, seed, n_paths):
    """Return how one simulated observer was predicted, who moves by a share of the way."""
    (model,) = models([name], 5.0)
    tables = tables_of(SIZES, n_paths, model.guidances)
    random = np.random.default_rng([seed, 1])
    x = position_of(model.parameters, typical_values(model))
    x = np.clip(x + SPREAD * random.standard_normal(len(x)), 0.02, 0.98)
    values = values_at(model.parameters, x)
    trials = synthetic_observer(model, values, Design(SIZES, n_trials), tables, 2 * seed)
    fitted = model.fit(trials, tables, seed)
    (there,) = Changes.of(changes).applied([USUAL])
    wide = widened(fitted, there, SIZES)
    draws = draw_parameters(fitted, 200, seed)
    rows = predict_cells(fitted, wide, there, SIZES, draws)
    moved, moving = PartlyIdeal.of(wide, {USUAL: 1}), {**values, "share": share}
    truth = measures(moved.predict(moving, SIZES, tables, there))
    result = {
        "x": x.tolist(),
        "undetermined": sum(not e.determined for e in fitted.errors.values()),
    }
    for name, expected in zip(MEASURES[:2], truth, strict=False):
        ends = np.array([row[f"{name}_interval"] for row in rows])
        result[f"{name}_inside"] = (
            (ends[:, 0] <= expected.ravel()) & (expected.ravel() <= ends[:, 1])
        ).tolist()
    again = synthetic_observer(moved, moving, Design(SIZES, n_trials, there), tables, 2 * seed + 1)
    likelihood = moved.likelihood(again, tables)
    both = [likelihood.log_densities({**fitted.estimates, "share": s}) for s in (1.0, 0.0)]
    gain = both[0] - both[1]
    result |= {"gain": float(gain.sum()), "gain_se": float(gain.std(ddof=1) * len(gain) ** 0.5)}
    few = draws[:: len(draws) // SHARE_DRAWS]
    return result | {"share": vars(realised_share(fitted, wide, again, few, seed))}


def recover(given):
    """Simulate, fit, predict; then print the tables."""
    asked = dict(part.split("=") for part in given.set)
    changes = {name: float(value) for name, value in asked.items()}
    kept, jobs = kept_in(given.keep), {}
    for n in given.trials:
        for share in given.shares:
            for seed in range(1, given.people + 1):
                key = f"{given.model} {' '.join(given.set)} {n} {share} {seed}"
                if key not in kept:
                    jobs[key] = (given.model, changes, n, share, seed, given.paths)
    if jobs:
        tables_of(SIZES, given.paths, models([given.model])[0].guidances)  # before the processes
    for key, result in share_out(predicted_observer, jobs, given.processes):
        kept[key] = result
        keep(given.keep, kept)
    print(f"\n{given.model}, {' '.join(given.set)}, {given.people} observers a row\n")
    names = ["trials a cell", "share", "RT inside (%)", "errors inside (%)"]
    names += ["ideal scores better (%)", "for certain (%)", "kept for certain (%)"]
    names += ["mean share", "its interval holds (%)", "not determined (%)"]
    print(f"| {' | '.join(names)} |\n|{'---|' * len(names)}")
    for n in given.trials:
        for share in given.shares:
            start = f"{given.model} {' '.join(given.set)} {n} {share} "
            rows = [row for key, row in kept.items() if key.startswith(start)]
            if rows:
                print(f"| {n} | {share:g} | {' | '.join(recovery_words(rows, share))} |")


def recovery_words(rows, share):
    """Return one row of the table in words; errors are standard errors over observers."""
    words = []
    for name in MEASURES[:2]:
        inside = [np.mean(row[f"{name}_inside"]) for row in rows]
        words.append(percent(inside) if share == 1.0 else "-")
    gain = np.array([row["gain"] for row in rows])
    certain = 1.96 * np.array([row["gain_se"] for row in rows])
    words += [percent(each) for each in (gain > 0.0, gain > certain, gain < -certain)]
    known = [row["share"] for row in rows if row["share"]["determined"]]
    if len(known) > 1:
        values = np.array([each["value"] for each in known])
        words.append(f"{values.mean():.2f} ± {values.std(ddof=1) / len(values) ** 0.5:.2f}")
        words.append(percent([each["low"] <= share <= each["high"] for each in known]))
    else:
        words += ["-", "-"]
    return [*words, percent([not row["share"]["determined"] for row in rows])]


def percent(values):
    """Return a mean share in per cent with its standard error over observers."""
    values = np.asarray(values, float)
    p, n = values.mean(), len(values)
    spread = values.std(ddof=1) if 0.0 < p < 1.0 else (n + 1) ** 0.5 / (n + 2)  # no 0 +- 0
    return f"{100 * p:.0f} ± {100 * spread / n**0.5:.0f}"


def experiments(first, second, pay):
    """Yield name, what is fitted, and what is predicted: how to read both, and their periods."""
    rewards = {"Absent": (1.0, 1.0 + pay), "Present": (1.0 + pay, 1.0)}

    def trials(file, display, reward=None):
        where = {"dyn": display} if reward is None else {"dyn": display, "reward": reward}
        paid = {} if reward is None else {"pay": rewards[reward]}
        period = PERIOD if display == "Dynamic" else np.inf
        return {"data": file, "where": where, **paid}, period

    for name, other in (("Absent", "Present"), ("Present", "Absent")):
        old, new = (trials(second, "Static", each) for each in (name, other))
        yield f"exp2 static, paid {name} to {other}", old, new
    for old, new in (("Static", "Dynamic"), ("Dynamic", "Static")):
        yield f"exp1 {old} to {new}", trials(first, old), trials(first, new)
        for name in rewards:
            about = f"exp2 {old} to {new}, paid {name}"
            yield about, trials(second, old, name), trials(second, new, name)


def read(how, period):
    """Return trials of displays with a period."""
    trials = read_trials(**how)
    observers = {
        name: replace(own, columns={**own.columns, "period": np.full(len(own), period)})
        for name, own in trials.observers.items()
    }
    return replace(trials, observers=observers)


def predict_people(given):
    """Fit, predict, and print one table over all experiments."""
    names = ["experiment", "observers", "predicted", "refitted", "kept", "yardstick", "share"]
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    fits, cells = {}, []
    for name, old, new in experiments(*given.files, given.pay):
        if given.only not in name:
            continue
        folder = given.out / name.replace(" ", "-").replace(",", "")
        source = str(old)
        if source not in fits:
            fits[source] = folder / "fit"
            how = {"models": given.models, "paths": given.paths, "workers": given.processes}
            fit_observers(read(*old), fits[source], **how)
        beside = {"against": read(*new), "out": folder / "prediction"}
        predicted = predict_observers(fits[source], **beside, workers=given.processes)
        group, scores = predicted.group, predicted.scores()
        words = [name, str(len(scores)), f"{scores['predicted'].mean():.3f}"]
        for each in ("refitted", "kept", "yardstick"):
            words.append(f"{group[each]['value']:+.3f} ± {group[each]['se']:.3f}")
        share = group.get("share")
        ends = f"{share['low']:.2f} to {share['high']:.2f}" if share else ""
        words.append(f"{share['value']:.2f} ({ends}), n = {share['n']}" if share else "-")
        lines.append(f"| {' | '.join(words)} |")
        cells += ["", *cell_lines(name, predicted)]
        keep(given.out / "predictions.json", {"lines": [*lines, *cells]})
        print(f"{name}: {predicted.report}", flush=True)
    print("\nNats per trial; all but the first over predicted, with standard errors over people.\n")
    print("\n".join([*lines, *cells]))


def cell_lines(name, predicted):
    """Return a table of times and errors by cell, means over people: seen, predicted, kept."""
    by_cell = predicted.to_pandas().groupby(["set_size", "target"])
    means = by_cell.mean(numeric_only=True)
    measures = {"mean_rt": ("mean RT (s)", 1.0, 2), "error_rate": ("errors (%)", 100.0, 1)}
    headings = [f"{words}: seen, predicted, kept" for words, _, _ in measures.values()]
    lines = [name, "", f"| set size | target | {' | '.join(headings)} |", "|---" * 4 + "|"]
    for (M, target), row in means.iterrows():
        words = []
        for measure, (_, factor, digits) in measures.items():
            three = (row[f"{prefix}{measure}"] for prefix in ("observed_", "", "kept_"))
            words.append(", ".join(f"{factor * each:.{digits}f}" for each in three))
        lines.append(f"| {M} | {target} | {' | '.join(words)} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="part", required=True)
    recovery, people = parts.add_parser("recovery"), parts.add_parser("people")
    for each in (recovery, people):
        each.add_argument("--paths", type=int, default=100_000)
        each.add_argument("--processes", type=int, default=os.cpu_count())
    recovery.add_argument("--keep", type=Path, default=Path("recovery.json"))
    recovery.add_argument("--model", default="ideal-serial")
    recovery.add_argument("--set", nargs="+", default=["prior=0.2"])
    recovery.add_argument("--trials", type=int, nargs="+", default=TRIALS, help="of a cell")
    recovery.add_argument("--shares", type=float, nargs="+", default=SHARES)
    recovery.add_argument("--people", type=int, default=40)
    people.add_argument("files", nargs=2, help="of experiments 1 and 2")
    people.add_argument("--out", type=Path, default=Path("predictions"))
    people.add_argument("--pay", type=float, default=2.0)
    people.add_argument("--only", default="", help="experiments whose names hold this")
    people.add_argument(
        "--models", nargs="+", default=["ideal-parallel", "ideal-guided", "ideal-serial"]
    )
    given = parser.parse_args()
    {"recovery": recover, "people": predict_people}[given.part](given)


if __name__ == "__main__":
    main()
