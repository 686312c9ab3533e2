"""Does the population calibrate? Simulation-based calibration, coverage, time, and held-out trials.

    python benchmarks/table_groups.py --model lognormal --populations 200
    python benchmarks/table_groups.py --model ideal-serial --populations 40
    python benchmarks/table_groups.py --part held-out --populations 5

Populations are drawn from the prior, observers from the populations, trials from the observers
(Talts et al. 2018). If the sampler is right, the share of draws below the truth is uniform, and
95 % intervals hold 95 % of the truths. For the search model the priors are narrow, about a typical
observer: over the whole ranges most observers would answer at once or never.
"""

import argparse
import os
import time
from copy import copy
from functools import lru_cache

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.special import expit, logit
from scipy.stats import kstest

from popout.people.fitting.fitted_population import fit_population, independent_draws, split_r_hat
from popout.people.fitting.population import (
    Hierarchy,
    Prior,
    coordinates_of,
    find_modes,
    sample_chain,
)
from popout.people.fitting.synthetic import Design, synthetic_observer, typical_values
from popout.people.models.model import Model, ModelParameter, Scale, position_of, values_at
from popout.people.models.search_models import models
from popout.people.passages.passage_tables import PassageTables
from popout.simulation.responses import Responses
from sharing import share_out

SIZES = (4, 8, 12)


class LogNormalTimes(Model):
    """Lognormal times, whatever the display: an evaluation takes microseconds."""

    name, label = "lognormal", "lognormal times"
    parameters = (
        ModelParameter("median", "median", "s", 0.1, 10.0, Scale.LOG),
        ModelParameter("sd", "sd of log times", "", 0.05, 2.0, Scale.LOG),
    )

    def log_densities(self, values, responses, tables=None):
        """Return the log density of each time."""
        z = (np.log(responses.rt) - np.log(values["median"])) / values["sd"]
        return -0.5 * z**2 - np.log(values["sd"] * responses.rt * np.sqrt(2 * np.pi))


class Setting:
    """A model, its prior, and how trials are drawn."""

    def __init__(self, name: str, n_trials: int) -> None:
        self.n_trials, self.tables = n_trials, None
        if name == "lognormal":
            self.model: Model = LogNormalTimes()
            names, _ = coordinates_of(self.model)
            self.prior = Prior.weak(names, names)
            return
        (self.model,) = models([name])
        self.tables = PassageTables(SIZES, n_paths=20_000, seed=1)
        x = np.clip(position_of(self.model.parameters, typical_values(self.model)), 0.05, 0.95)
        n = len(x)
        self.prior = Prior(logit(x), np.full(n, 0.4), np.full(n, 0.4))

    def observer(self, u: np.ndarray, seed: int) -> Responses:
        """Return the trials of an observer."""
        values = values_at(self.model.parameters, expit(u))
        if isinstance(self.model, LogNormalTimes):
            random, n = np.random.default_rng(seed), self.n_trials
            rt = values["median"] * np.exp(values["sd"] * random.standard_normal(n))
            return Responses(np.ones(n), rt, -np.ones(n), columns={"set_size": np.full(n, 4)})
        design = Design(SIZES, self.n_trials // (2 * len(SIZES)))
        return synthetic_observer(self.model, values, design, self.tables, seed)

    def population(self, seed: int, n: int):
        """Draw means, spreads, observers and trials."""
        random = np.random.default_rng(seed)
        means, spread = self.prior.draw(1, random)
        u = means[0] + spread * random.standard_normal((n, means.shape[1]))
        seeds = random.integers(2**31, size=n)
        people = {str(k): self.observer(u[k], int(seeds[k])) for k in range(n)}
        return means[0], spread, u, people


@lru_cache(maxsize=2)
def setting_of(name: str, n_trials: int) -> Setting:
    """Return a setting with its tables ready for use; the same one within a process."""
    setting = Setting(name, n_trials)
    if setting.tables:
        setting.model.likelihood(setting.population(0, 1)[3]["0"], setting.tables)
    return setting


def calibrate_once(name: str, n_trials: int, k: int, observers: int, sweeps: int):
    """Return how many draws lie below each truth, and how well one population was sampled."""
    trial = setting_of(name, n_trials)
    mean, spread, u, people = trial.population(1000 + k, observers)
    hierarchy = Hierarchy(trial.model, people, trial.tables, prior=trial.prior)
    start = values_at(trial.model.parameters, expit(trial.prior.centre))
    modes = find_modes(hierarchy, dict.fromkeys(people, start))
    chains = [sample_chain(hierarchy, modes, sweeps, seed=k, chain=c) for c in range(2)]
    rows = []
    for name, truth in (("mean", mean[None]), ("spread", spread), ("u", u)):
        draws = np.concatenate([getattr(chain, name) for chain in chains])
        rows.append((draws < truth).mean(axis=0).reshape(-1, len(spread)))
    both = np.array([np.concatenate([c.mean[:, 0], np.log(c.spread)], axis=1) for c in chains])
    return rows, split_r_hat(both).max(), independent_draws(both).min()


def calibrate(setting, populations: int, observers: int, sweeps: int, processes: int) -> None:
    """Print ranks and coverage."""
    trial = setting_of(*setting)
    began = time.monotonic()
    jobs = {k: (*setting, k, observers, sweeps) for k in range(populations)}
    results = [result for _, result in share_out(calibrate_once, jobs, processes)]
    shares, worst, fewest = zip(*results, strict=True)
    seconds = (time.monotonic() - began) * processes / populations
    whole = f"{len(shares)} populations of {observers} observers with {trial.n_trials} trials"
    print(f"{trial.model.name}: {whole}, two chains of {sweeps} sweeps, {seconds:.1f} s each")
    print(f"R-hat {np.median(worst):.3f}, {np.median(fewest):.0f} independent draws (medians)")
    headings = "quantity | parameter | mean rank | spread of ranks | 95 % intervals hold"
    print(f"| {headings} | uniform (p) |")
    print("|---|---|---|---|---|---|")
    random = np.random.default_rng(0)
    for q, name in enumerate(("population mean", "population sd", "observer")):
        share = np.array([rows[q] for rows in shares])  # populations, 1 or observers, P
        for p, parameter in enumerate(trial.model.parameters):
            own = share[:, :, p].ravel()
            # Intervals of one population go wrong together: the error is over populations.
            inside = ((share[:, :, p] > 0.025) & (share[:, :, p] < 0.975)).mean(axis=1)
            held, error = 100 * inside.mean(), 100 * inside.std(ddof=1) / len(inside) ** 0.5
            apart = own + random.uniform(-0.5, 0.5, own.size) / 500
            test = kstest(np.clip(apart[:: 1 if q < 2 else observers], 0, 1), "uniform").pvalue
            print(
                f"| {name} | {parameter.name} | {own.mean():.3f} | {own.std() * 12**0.5:.3f} "
                f"| {held:.1f} +- {error:.1f} % | {test:.2f} |"
            )


N_NEW = 400  # trials of an observer that are predicted


def held_out_once(name: str, n_trials: int, k: int, observers: int) -> list[float]:
    """Return by how much shrunken observers predict new trials better than separate fits."""
    trial = setting_of(name, n_trials)
    _, _, u, people = trial.population(5000 + k, observers)
    separate = {name: trial.model.fit(own, trial.tables) for name, own in people.items()}
    population = fit_population(
        trial.model, people, trial.tables, separate=separate, prior=trial.prior,
        n_chains=2, n_sweeps=400,
    )  # fmt: skip
    more = copy(trial)
    more.n_trials = N_NEW
    gains = []
    for i, (name, fit) in enumerate(separate.items()):
        likelihood = trial.model.likelihood(more.observer(u[i], 9000 + 100 * k + i), trial.tables)
        gains.append(likelihood.total(population.shrunken(name)) - likelihood.total(fit.estimates))
    return gains


def held_out(setting, populations: int, observers: int, processes: int) -> None:
    """Print what shrunken observers and separate fits say of new trials."""
    trial = setting_of(*setting)
    jobs = {k: (*setting, k, observers) for k in range(populations)}
    gains = [gain for _, own in share_out(held_out_once, jobs, processes) for gain in own]
    n = len(gains)
    error = np.std(gains, ddof=1) / np.sqrt(n)
    better = f"{np.mean(gains):.2f} +- {error:.2f} log units"
    people = f"{sum(g > 0 for g in gains)} of {n} observers"
    print(f"{trial.model.name}, {trial.n_trials} trials each: {N_NEW} new trials of an observer")
    print(f"are predicted better by {better}, in {people}, than by separate fits")


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=("calibration", "held-out"), default="calibration")
    parser.add_argument("--model", default="lognormal")
    parser.add_argument("--populations", type=int, default=100)
    parser.add_argument("--observers", type=int, default=6)
    parser.add_argument("--trials", type=int, default=None)
    parser.add_argument("--sweeps", type=int, default=600)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    given = parser.parse_args()
    setting = given.model, given.trials or (10 if given.model == "lognormal" else 120)
    if given.part == "calibration":
        calibrate(setting, given.populations, given.observers, given.sweeps, given.processes)
    else:
        held_out(setting, given.populations, given.observers, given.processes)


if __name__ == "__main__":
    main()
