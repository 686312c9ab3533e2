r"""Posteriors: what the data leave possible, by an ensemble sampler.

The prior is flat in the unit cube (`popout.people.models.model`): over the bounds, or over their
logarithms, as each parameter is declared. emcee's walkers suit evaluations of a millisecond and
correlated, bounded parameters. They start around the maximum; the first half is thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard
from popout.noise.seeds import Purpose, fresh_seed
from popout.people.fitting.fitted_model import FittedModel
from popout.people.models.model import position_of, values_at
from popout.progress import Progress
from popout.simulation.responses import Responses

Array = NDArray[np.float64]
_WIDE = 0.7  # a flat prior has a 95 % interval of 0.95 of the range


@dataclass(frozen=True, eq=False)
class ModelPosterior(HasCard):
    """Draws from the posterior of a model.

    Attributes
    ----------
    fitted : FittedModel
        Where the walkers started.
    chains : ndarray of shape (n_walkers, n_draws, P)
        In the unit cube.
    log_likelihood : ndarray of shape (n_walkers, n_draws)
    autocorrelation : float
        Longest integrated autocorrelation time of a parameter, in steps; the number of
        independent draws is some ``n_walkers * n_draws / autocorrelation``.
    trials : Responses

    Examples
    --------
    >>> import numpy as np, pandas as pd, popout as po
    >>> from popout.people.models.ex_gaussian import ExGaussianCells
    >>> random = np.random.default_rng(1)
    >>> present = random.random(200) < 0.5
    >>> table = pd.DataFrame({"set_size": 4, "present": present, "response": present})
    >>> trials = po.read_trials(table.assign(rt=0.3 + random.gamma(4.0, 0.05, 200)))["1"]
    >>> fitted = ExGaussianCells((4,)).fit(trials)
    >>> found = po.sample_posterior(fitted, trials, n_steps=40, seed=1)
    >>> found.draws["mu_4_absent"].shape == found.log_likelihood.shape
    True
    """

    fitted: FittedModel
    chains: Array
    log_likelihood: Array
    autocorrelation: float
    trials: Responses

    @property
    def positions(self) -> Array:
        """All draws in the unit cube, shape (n, P)."""
        return self.chains.reshape(-1, self.chains.shape[-1])

    @cached_property
    def draws(self) -> dict[str, Array]:
        """Draws of each parameter, shape (n_walkers, n_draws)."""
        each = enumerate(self.fitted.model.parameters)
        return {p.name: np.vectorize(p.from_unit)(self.chains[..., i]) for i, p in each}

    @property
    def n_independent(self) -> float:
        """Roughly how many independent draws there are."""
        return float(self.log_likelihood.size / self.autocorrelation)

    def determined(self, name: str) -> bool:
        """Whether the data narrow the flat prior of a parameter down."""
        names = [parameter.name for parameter in self.fitted.model.parameters]
        low, high = np.quantile(self.positions[:, names.index(name)], (0.025, 0.975))
        return bool(high - low < _WIDE)

    def to_arviz(self) -> Any:
        """Return draws, log likelihoods of trials, and replicated trials; see `arviz_data`."""
        from popout.people.fitting.arviz_data import arviz_data

        likelihood = self.fitted.model.likelihood(self.trials, self.fitted.tables)
        attributes = {"model": self.fitted.name, "inference_library": "emcee"}
        positions = self.chains[:, :, None]
        whole = (self.draws, self.log_likelihood, [likelihood], positions)
        return arviz_data(*whole, attributes=attributes)

    def _rows(self) -> list[tuple[str, float, float, float, bool]]:
        rows = []
        for name, values in self.draws.items():
            low, middle, high = np.quantile(values, (0.025, 0.5, 0.975), method="nearest")
            rows.append((name, float(middle), float(low), float(high), self.determined(name)))
        return rows

    def as_dict(self) -> dict[str, Any]:
        """Return medians and 95 % intervals."""
        names = ("median", "low", "high", "determined")
        rows = {name: dict(zip(names, rest, strict=True)) for name, *rest in self._rows()}
        about = {"model": self.fitted.name, "n_independent": self.n_independent}
        made: dict[str, Any] = plain({**about, "parameters": rows})
        return made

    def card(self) -> Card:
        """Return medians and 95 % intervals."""
        rows = [
            [name, f"{middle:.3g}", f"{low:.3g} to {high:.3g}", "" if known else "not determined"]
            for name, middle, low, high, known in self._rows()
        ]
        facts = [("independent draws", f"{self.n_independent:.0f}")]
        headings = ["", "median", "95 % interval", ""]
        return Card(f"Posterior, {self.fitted.model.label}", facts, headings, rows)


def sample_posterior(
    fitted: FittedModel,
    responses: Responses,
    n_steps: int = 600,
    n_walkers: int | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> ModelPosterior:
    """Sample the posterior of a fitted model.

    Parameters
    ----------
    fitted : FittedModel
    responses : Responses
        That it was fitted to.
    n_steps : int
        Of each walker; the first half is thrown away.
    n_walkers : int, optional
        Default: three for each parameter.
    seed : int
    progress : Progress, optional

    Examples
    --------
    >>> import pandas as pd
    >>> from popout.people.models.ex_gaussian import ExGaussianCells
    >>> from popout.people.reading.reader import read_trials
    >>> random = np.random.default_rng(1)
    >>> present = random.random(200) < 0.5
    >>> table = pd.DataFrame({"set_size": 4, "present": present, "response": present})
    >>> trials = read_trials(table.assign(rt=0.3 + random.gamma(4.0, 0.05, 200)))["1"]
    >>> fitted = ExGaussianCells((4,)).fit(trials)
    >>> found = sample_posterior(fitted, trials, n_steps=40, seed=1)
    >>> low, high = np.quantile(found.draws["mu_4_absent"], [0.025, 0.975])
    >>> bool(0.3 < low < high < 0.6)
    True
    """
    import emcee

    parameters = fitted.model.parameters
    likelihood = fitted.model.likelihood(responses, fitted.tables)
    walkers = 2 * (-(-3 * len(parameters) // 2)) if n_walkers is None else n_walkers

    def log_posterior(x: Array) -> float:
        if ((x < 0.0) | (x > 1.0)).any():
            return -np.inf
        return likelihood.total(values_at(parameters, x))

    random = np.random.default_rng(fresh_seed(seed, Purpose.POSTERIOR))
    centre = np.clip(position_of(parameters, fitted.estimates), 0.01, 0.99)
    spread = np.eye(len(centre)) * 1e-4 if fitted.covariance is None else fitted.covariance
    start = random.multivariate_normal(centre, spread, size=walkers, method="eigh")
    start = np.where((start > 0.0) & (start < 1.0), start, random.random(start.shape))
    state = np.random.RandomState(random.integers(2**32 - 1)).get_state()
    moves = [(emcee.moves.DEMove(), 0.8), (emcee.moves.DESnookerMove(), 0.2)]
    sampler = emcee.EnsembleSampler(walkers, len(parameters), log_posterior, moves=moves)
    sampler.random_state = state
    for i, _ in enumerate(sampler.sample(start, iterations=n_steps)):
        if progress is not None and i % 20 == 0:
            progress(i / n_steps, f"posterior of {fitted.name}")
    half = n_steps // 2
    tau = float(np.max(sampler.get_autocorr_time(discard=half, tol=0)))
    chains = np.swapaxes(sampler.get_chain(discard=half), 0, 1)
    likelihoods = np.swapaxes(sampler.get_log_prob(discard=half), 0, 1)
    tau = tau if np.isfinite(tau) else float(half)
    return ModelPosterior(fitted, chains, likelihoods, tau, responses)
