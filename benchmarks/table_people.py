"""People: the log likelihoods, errors and times of docs/people.md, from a file of trials.

Give the file of conjunction (or feature) search by Wolfe, Palmer and Horowitz (2010), which is not
part of this repository. Parts:

- ``fits``: every model for every observer, with evaluations, seconds and Monte-Carlo error;
- ``noise``: how far log likelihoods from independent tables differ, at the same parameters;
- ``steps``: what coarse steps, the grid of times and interpolation between guidances cost;
- ``speed``: seconds a table (``bench_people.py`` has the milliseconds of an evaluation);
- ``search``: evaluations and processor seconds of all default models, tables apart, and how far
  searches with other seeds end from the best of them;
- ``posterior``: 95 % intervals from the curvature at the maximum, and from emcee's walkers;
- ``yardstick``: the ex-Gaussian per cell by another optimiser, and what its definition is worth.
"""

import argparse
import time

import numpy as np
from scipy.optimize import differential_evolution
from scipy.special import xlogy
from scipy.stats import exponnorm

from popout.people.fitting.fit_job import DEFAULT_MODELS, YARDSTICK
from popout.people.fitting.frontier import index_of
from popout.people.fitting.model_comparison import fit_models
from popout.people.fitting.model_posterior import sample_posterior
from popout.people.models import search_density, search_models
from popout.people.models.ex_gaussian import ExGaussianCells
from popout.people.models.search_models import MODELS, SearchModel, Stopping, models
from popout.people.passages.first_passages import make_passages
from popout.people.passages.passage_tables import GUIDANCE, PassageTables
from popout.people.reading.reader import read_trials


def fits(people, chosen, tables):
    """Print a line for each observer and model."""
    print(f"{'observer':>8} {'model':22} {'par.':>4} {'log lik.':>9} {'+-':>5} {'bias':>5} "
          f"{'AIC':>9} {'BIC':>9} {'evals':>6} {'s':>6}  not determined")  # fmt: skip
    for observer, trials in people.items():
        comparison = fit_models(chosen, trials, tables)
        for each in comparison.fitted:
            loose = [name for name, interval in each.errors.items() if not interval.determined]
            print(
                f"{observer:>8} {each.name:22} {each.n_parameters:4d} {each.log_likelihood:9.1f} "
                f"{each.log_likelihood_error:5.1f} {each.log_likelihood_bias:5.1f} {each.aic:9.1f} "
                f"{each.bic:9.1f} {each.n_evaluations:6d} {each.seconds:6.1f}  {', '.join(loose)}",
                flush=True,
            )
            if each.name.startswith("free"):
                index = index_of(each)
                wasted = " to ".join(f"{end:.1f}" for end in index.wasted_interval)
                excess = " to ".join(f"{end:.2f}" for end in index.excess_interval)
                print(
                    f"{'':8} wasted {index.wasted_ms:.1f} ms ({wasted}), "
                    f"excess risk {index.excess_percent:.2f} % ({excess}), "
                    f"implied cost of time {index.implied_time_cost:.3g} /s",
                    flush=True,
                )
        print(f"{observer:>8} best: {comparison.best.name}", flush=True)


def noise(people, chosen, tables):
    """Print log likelihoods of the same parameters under independent tables."""
    others = [PassageTables(tables.set_sizes, tables.n_paths, seed) for seed in range(1, 4)]
    for observer, trials in people.items():
        for model in chosen:
            best = model.fit(trials, tables)
            again = [model.likelihood(trials, t).total(best.estimates) for t in others]
            print(
                f"{observer:>8} {model.name:22} fitted {best.log_likelihood:.2f} "
                f"(said: error {best.log_likelihood_error:.2f}, "
                f"bias {best.log_likelihood_bias:.2f}), other tables",
                ", ".join(f"{x:.2f}" for x in again),
                flush=True,
            )


class FromNeighbours(SearchModel):
    """A fixed guidance, interpolated from the two tables around it instead of read from its own."""

    @property
    def guidances(self):
        """Leave the table of this guidance out."""
        place = GUIDANCE.index(self.guidance)
        return GUIDANCE[place - 1], GUIDANCE[place + 1]


def steps(people, tables):
    """Print what each approximation costs in log likelihood, at the same parameters."""
    finer = PassageTables(tables.set_sizes, tables.n_paths, tables.seed, coarseness=0.2)
    for observer, trials in people.items():
        for g in (0.0, 0.5, 1.0, 4.0):
            model = SearchModel(Stopping.FREE, g)
            best = model.fit(trials, tables).estimates
            total = model.likelihood(trials, tables).total(best)
            coarse = model.likelihood(trials, finer).total(best) - total
            search_density.STEP = search_models.STEP = 0.005
            grid = model.likelihood(trials, tables).total(best) - total
            search_density.STEP = search_models.STEP = 0.01
            line = f"{observer:>8} {model.name:16} {total:9.1f}: half the steps {coarse:+.2f}"
            line += f", a grid of 5 ms {grid:+.2f}"
            if g > 0.0:
                around = FromNeighbours(Stopping.FREE, g)
                change = around.likelihood(trials, tables).total(best) - total
                line += (
                    f", from g = {around.guidances[0]:g} and {around.guidances[1]:g} {change:+.2f}"
                )
            print(line, flush=True)


def speed(tables):
    """Print seconds a table."""
    for g in GUIDANCE:
        wall, processor = time.perf_counter(), time.process_time()
        for M in tables.set_sizes:
            make_passages(M, g, tables.n_paths, tables.seed, tables.threads)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        print(f"tables of {len(tables.set_sizes)} set sizes, g = {g:g}: {wall:.1f} s, "
              f"processor {processor:.1f} s", flush=True)  # fmt: skip


def search(people, longest, tables):
    """Print what the fits of all default models cost, and how far their ends agree."""
    chosen = models([name for name in DEFAULT_MODELS if name != YARDSTICK], longest)
    for model in chosen:
        tables.decision_times(model.guidances)
    for observer, trials in people.items():
        ends = {}
        for seed in (1, 2):
            known, began = {}, time.process_time()
            for model in chosen:
                fitted = model.fit_once(known, trials, tables, seed)
                ends.setdefault(model.name, []).append(fitted.log_likelihood)
            evaluations = sum(each.n_evaluations for each in known.values())
            ExGaussianCells.for_trials(trials, longest).fit(trials)
            seconds = time.process_time() - began
            print(f"{observer:>8} seed {seed}: {len(known)} searches, {evaluations} evaluations, "
                  f"{seconds:.1f} s with the yardstick", flush=True)  # fmt: skip
        print("         ", ", ".join(f"{k} {a:.2f} {b - a:+.2f}" for k, (a, b) in ends.items()))


def posterior(people, chosen, tables, n_steps):
    """Print both kinds of intervals of every parameter, and correlations of the draws above .8."""
    for observer, trials in people.items():
        for model in chosen:
            fitted = model.fit(trials, tables)
            began = time.process_time()
            drawn = sample_posterior(fitted, trials, n_steps)
            seconds = time.process_time() - began
            data = drawn.to_arviz()["posterior"]
            print(f"{observer:>8} {model.name}: {dict(data.sizes)}, some {drawn.n_independent:.0f} "
                  f"independent draws in {seconds:.0f} s of processor time")  # fmt: skip
            drawn_values = drawn.as_dict()["parameters"]
            for name, interval in fitted.errors.items():
                row = drawn_values[name]
                said = "" if row["determined"] else "  (not determined)"
                print(f"{'':8} {name:18} {fitted.estimates[name]:8.3g}  {interval!s:60} "
                      f"posterior {row['median']:.3g}, {row['low']:.3g} to {row['high']:.3g}"
                      f"{said}")  # fmt: skip
            names = list(drawn_values)
            like = np.corrcoef(drawn.positions.T)
            pairs = [(a, b) for a in range(len(names)) for b in range(a) if abs(like[a, b]) > 0.8]
            for a, b in pairs:
                print(f"{'':8} {names[b]} and {names[a]}: correlation {like[a, b]:.2f}", flush=True)


def ex_gaussians(trials, lapse, longest, apart):
    """Return log likelihood and number of parameters of one ex-Gaussian per cell, for some lapses.

    Differential evolution and SciPy's density: nothing is shared with `ex_gaussian` in popout.
    """

    def best(t):
        def cost(x):
            mu, sigma, tau = np.exp(x)
            density = (1.0 - lapse) * exponnorm.pdf(t, tau / sigma, mu, sigma) + lapse / longest
            return -np.log(np.maximum(density, 1e-300)).sum()

        bounds = np.log([(0.1, 3.0), (0.001, 1.0), (0.001, 3.0)])
        return -differential_evolution(cost, bounds, seed=1, tol=1e-7, popsize=10).fun

    total, n_parameters = 0.0, 1
    for M in np.unique(trials.columns["set_size"]):
        for present in (False, True):
            cell = (trials.columns["set_size"] == M) & (trials.present == present)
            wrong = cell & ~trials.correct
            n, k = cell.sum(), wrong.sum()
            total += xlogy(k, k / n) + xlogy(n - k, 1.0 - k / n)
            parts = [cell & ~wrong, wrong] if apart((M, present), k) else [cell]
            total += sum(best(trials.rt[part]) for part in parts)
            n_parameters += 1 + 3 * len(parts)
    return total, n_parameters


def yardstick(people, longest):
    """Print the fit of the yardstick, the same by differential evolution, and its variants."""
    for observer, trials in people.items():
        fitted = ExGaussianCells.for_trials(trials, longest).fit(trials)
        lapse, own = fitted.estimates["lapse"], fitted.model.own_errors

        def chosen(cell, k, own=own):
            return cell in own

        print(f"{observer:>8} fitted {fitted.log_likelihood:.1f} ({fitted.n_parameters}), lapses "
              f"{100 * lapse:.2f} %; by differential evolution:", end=" ")  # fmt: skip
        variants = {
            "the same": (lapse, chosen),
            "no lapses": (0.0, chosen),
            "errors apart where there are 10": (lapse, lambda cell, k: k >= 10),
            "errors never apart": (lapse, lambda cell, k: False),
        }
        for words, (share, apart) in variants.items():
            total, n = ex_gaussians(trials, share, longest, apart)
            print(f"{words} {total:.1f} ({n})", end="; ", flush=True)
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--part", default="fits")
    parser.add_argument("--observers", default="2,6,10")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--longest", type=float, default=5.0)
    parser.add_argument("--paths", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=1500, help="of each walker")
    args = parser.parse_args()
    everybody = read_trials(args.file, slowest=args.longest)
    people = {name: everybody[name] for name in args.observers.split(",")}
    sizes = sorted({int(M) for trials in people.values() for M in trials.columns["set_size"]})
    tables = PassageTables(sizes, args.paths)
    chosen = models(args.models.split(","), args.longest)
    print(f"{args.part}: set sizes {sizes}, {args.paths} paths, longest {args.longest:g} s")
    {
        "fits": lambda: fits(people, chosen, tables),
        "noise": lambda: noise(people, chosen, tables),
        "steps": lambda: steps(people, tables),
        "speed": lambda: speed(tables),
        "search": lambda: search(people, args.longest, tables),
        "posterior": lambda: posterior(people, chosen, tables, args.steps),
        "yardstick": lambda: yardstick(people, args.longest),
    }[args.part]()


if __name__ == "__main__":
    main()
