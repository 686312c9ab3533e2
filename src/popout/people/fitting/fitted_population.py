r"""A fitted population: its means and spreads, shrunken observers, and how well it was sampled.

The population is normal in unbounded coordinates; what is reported is on the scale of each
parameter. The *mean* is the value of the median observer, :math:`\theta(\mathrm{expit}(A\mu))`; the
*sd* is that of :math:`y = \mathrm{logit}\,x`, and beside it stand the values that hold the middle
68 % of observers, :math:`\mu \pm \sigma`. All intervals are 95 % of the posterior. Contrasts are of
the median observer: between levels of a condition, within observers; and between groups of them.

Chains agree if the split :math:`\hat R` (the spread between half chains against that within) is
below 1.05 or so; the number of independent draws follows from autocorrelations. Intervals are
quantiles of draws, and of few draws they are too narrow: `benchmarks/table_groups.py` saw 91 to 92
of 100 hold the truth with 120 independent draws, and 93 to 95 with 350.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, count
from popout.people.fitting.conditions import effect_words, effects
from popout.people.fitting.fitted_model import FittedModel, in_words
from popout.people.fitting.population import (
    Chain,
    Hierarchy,
    Prior,
    find_modes,
    sample_chain,
)
from popout.people.models.conditioned import Conditioned
from popout.people.models.model import Model, ModelParameter, Scale, values_at
from popout.people.passages.passage_tables import PassageTables
from popout.progress import Progress, stretch
from popout.simulation.responses import Responses

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
CHAINS, SWEEPS = 4, 4000
"""Chains, and sweeps of each."""
ENOUGH, AGREE = 400, 1.05
"""Independent draws, and R-hat, with which intervals can be trusted."""
_INTERVAL = (0.025, 0.5, 0.975)


@dataclass(frozen=True, eq=False)
class FittedPopulation(HasCard):
    """Draws of a population and its observers.

    Attributes
    ----------
    hierarchy : Hierarchy
        Model, observers and trials.
    chains : tuple of Chain
    separate : mapping of str to FittedModel
        Separate fits of the observers, to compare with.
    column : str
        That tells the groups.

    Examples
    --------
    >>> import popout as po
    >>> class Guesses(po.Model):
    ...     name, label = "guesses", "exponential guesses"
    ...     parameters = (po.ModelParameter("mean", "mean response time", "s", 0.05, 5.0),)
    ...
    ...     def log_densities(self, values, responses, tables=None):
    ...         return -responses.rt / values["mean"] - np.log(2.0 * values["mean"])
    >>> cells = [(4, True, 20), (4, False, 20)]
    >>> people = {
    ...     str(k): Guesses().predict({"mean": mean}, (4,)).draw(cells, seed=k)
    ...     for k, mean in enumerate((0.5, 0.6, 0.7, 0.8))
    ... }
    >>> population = po.fit_population(Guesses(), people, n_chains=2, n_sweeps=200)
    >>> row = population.to_pandas().set_index("parameter").loc["mean"]
    >>> bool(row["low"] < 0.65 < row["high"])
    True
    """

    hierarchy: Hierarchy
    chains: tuple[Chain, ...]
    separate: Mapping[str, FittedModel] = field(default_factory=dict)
    column: str = ""

    @property
    def model(self) -> Model:
        """The same for all observers."""
        return self.hierarchy.model

    @property
    def observers(self) -> tuple[str, ...]:
        """Their names."""
        return self.hierarchy.people

    @property
    def levels(self) -> tuple[str, ...]:
        """Groups of observers whose means differ; one without a name if there are none."""
        return tuple(self.hierarchy.levels.tolist())

    @cached_property
    def mean(self) -> Array:
        """Means of y, shape (chains, draws, G, P)."""
        return np.array([c.mean for c in self.chains]) @ self.hierarchy.matrix.T

    @cached_property
    def spread(self) -> Array:
        """Standard deviations of y between observers, shape (chains, draws, P)."""
        variance = np.array([c.spread for c in self.chains]) ** 2
        return np.asarray(np.sqrt(variance @ (self.hierarchy.matrix.T**2)))

    @cached_property
    def positions(self) -> Array:
        """Observers in the unit cube, shape (chains, draws, N, P)."""
        return np.asarray(expit(np.array([c.u for c in self.chains]) @ self.hierarchy.matrix.T))

    def values(self, parameter: ModelParameter, y: Array) -> Array:
        """Return values of a parameter from unbounded coordinates."""
        return np.asarray(np.vectorize(parameter.from_unit)(expit(y)), np.float64)

    def shrunken(self, observer: str) -> dict[str, float]:
        """Return the parameters of an observer: medians of the posterior in the unit cube."""
        x = np.median(self.positions[:, :, self.observers.index(observer)], axis=(0, 1))
        return values_at(self.model.parameters, x)

    @cached_property
    def _sampled(self) -> tuple[Array, Array]:
        """R-hat and independent draws of all means, spreads and observers."""
        u = np.array([c.u for c in self.chains])
        n = u.shape[:2]
        mean = np.array([c.mean for c in self.chains]).reshape(*n, -1)
        spread = np.log(np.array([c.spread for c in self.chains]))
        draws = np.concatenate([mean, spread, u.reshape(*n, -1)], axis=-1)
        return split_r_hat(draws), independent_draws(draws)

    @property
    def r_hat(self) -> float:
        """The worst of all quantities; 1 is best."""
        return float(self._sampled[0].max())

    @property
    def n_independent(self) -> float:
        """Independent draws of the quantity that has the fewest."""
        return float(self._sampled[1].min())

    @property
    def warning(self) -> str:
        """What to know before one trusts the intervals; empty if all is well."""
        if self.r_hat <= AGREE and self.n_independent >= ENOUGH:
            return ""
        numbers = f"R-hat {self.r_hat:.2f}, {self.n_independent:.0f} independent draws"
        longer = max(2.0, ENOUGH / self.n_independent)
        more = f"sample {longer:.2g} times as many sweeps"
        return f"Intervals are some percent too narrow, the chains being short ({numbers}): {more}."

    def to_pandas(self) -> pd.DataFrame:
        """Return the population: a row for each parameter, and group if there are any.

        ``mean`` (the median observer) with ``low``, ``high``; ``sd`` in unbounded coordinates with
        ``sd_low``, ``sd_high``; ``observers_low`` and ``observers_high`` hold the middle 68 %.
        """
        rows = []
        for g, level in enumerate(self.levels):
            for p, parameter in enumerate(self.model.parameters):
                y, sd = self.mean[:, :, g, p], self.spread[:, :, p]
                low, middle, high = np.quantile(self.values(parameter, y), _INTERVAL)
                spreads = np.quantile(sd, _INTERVAL)
                ends = np.median(self.values(parameter, np.array([y - sd, y + sd])), axis=(1, 2))
                row: dict[str, Any] = {self.column: level} if self.column else {}
                row |= {"parameter": parameter.name, "mean": middle, "low": low, "high": high}
                row |= dict(zip(("sd_low", "sd", "sd_high"), spreads, strict=True))
                row |= {"observers_low": ends[0], "observers_high": ends[1]}
                rows.append({**row, "unit": parameter.unit})
        return pd.DataFrame(rows)

    def people(self) -> pd.DataFrame:
        """Return the observers, shrunken and separate: a row for each and for each parameter."""
        rows = []
        for i, name in enumerate(self.observers):
            alone = self.separate.get(name)
            for p, parameter in enumerate(self.model.parameters):
                x = np.quantile(self.positions[:, :, i, p], _INTERVAL)
                low, value, high = (parameter.from_unit(float(each)) for each in x)
                row = {"observer": name, "parameter": parameter.name, "value": value}
                row |= {"low": low, "high": high}
                if alone is not None:
                    row["separate"] = alone.estimates[parameter.name]
                rows.append(row)
        return pd.DataFrame(rows)

    def contrasts(self) -> pd.DataFrame:
        """Return what differs between conditions, within observers, and between groups.

        Columns ``parameter``, ``condition``, ``against``, ``scale``, ``value``, ``low``, ``high``.
        """
        rows = []
        names = [parameter.name for parameter in self.model.parameters]
        if isinstance(self.model, Conditioned):
            for parameter in self.model.model.parameters:
                own = self.model.level_names(parameter.name)
                for pair in combinations(own, 2):
                    y = (self.mean[..., names.index(each)].mean(axis=-1) for each in pair)
                    first, second = (each.removeprefix(parameter.name).strip("[]") for each in pair)
                    rows.append(self._contrast(parameter, first, second, *y))
        for (a, first), (b, second) in combinations(enumerate(self.levels), 2):
            for p, parameter in enumerate(self.model.parameters):
                y = (self.mean[:, :, g, p] for g in (a, b))
                rows.append(self._contrast(parameter, first, second, *y))
        columns = ["parameter", "condition", "against", "scale", "value", "low", "high"]
        return pd.DataFrame(rows, columns=columns)

    def _contrast(
        self, parameter: ModelParameter, first: str, second: str, a: Array, b: Array
    ) -> tuple[Any, ...]:
        apart = effects(parameter, self.values(parameter, a), self.values(parameter, b))
        scale = {Scale.LOG: "ratio", Scale.SHARE: "share"}.get(parameter.scale, "difference")
        low, value, high = np.quantile(np.exp(apart) if scale == "ratio" else apart, _INTERVAL)
        return parameter.name, first, second, scale, value, low, high

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """Return the population in words."""
        rows = []
        for row in self.to_pandas().to_dict("records"):
            who = [str(row[self.column])] if self.column else []
            mean, *ends = (in_words(row[name]) for name in ("mean", "low", "high"))
            spread = f"{row['sd']:.2f} ({row['sd_low']:.2f} to {row['sd_high']:.2f})"
            most = (in_words(row[f"observers_{end}"]) for end in ("low", "high"))
            words = [f"{mean} {row['unit']}".strip(), " to ".join(ends), spread, " to ".join(most)]
            rows.append([*who, str(row["parameter"]), *words])
        group = [self.column] if self.column else []
        headings = [*group, "parameter", "mean", "95 % interval", "sd (logit)"]
        return [*headings, "68 % of observers"], rows

    def contrast_rows(self) -> list[list[str]]:
        """Return parameter, what is compared, and the contrast in words."""
        rows = []
        for row in self.contrasts().to_dict("records"):
            words = effect_words(*(row[name] for name in ("scale", "value", "low", "high")))
            rows.append([row["parameter"], f"{row['condition']} against {row['against']}", words])
        return rows

    def card(self) -> Card:
        """Return means, spreads and contrasts."""
        headings, rows = self.rows()
        facts: list[tuple[str, object]] = [("model", self.model.label)]
        facts += [(f"{what}, {name}", words) for name, what, words in self.contrast_rows()]
        sampled = f"R-hat {self.r_hat:.3f}, {self.n_independent:.0f} independent draws at least"
        facts.append(("chains", f"{len(self.chains)}; {sampled}"))
        title = f"Population of {count(len(self.observers), 'observer')}"
        return Card(title, facts, headings, rows, self.warning, 2 if self.column else 1)

    def as_dict(self) -> dict[str, Any]:
        """Return parameters (each with mean, sd and their intervals), contrasts and observers."""
        parameters = []
        for row in self.to_pandas().to_dict("records"):
            own: dict[str, Any] = {"name": row["parameter"]}
            own |= {"level": row[self.column]} if self.column else {}
            own |= {"mean": row["mean"], "mean_interval": [row["low"], row["high"]]}
            own |= {"sd": row["sd"], "sd_interval": [row["sd_low"], row["sd_high"]]}
            own["observers"] = [row["observers_low"], row["observers_high"]]
            parameters.append(own)
        whole: dict[str, Any] = {
            "model": self.model.name,
            "column": self.column or None,
            "levels": self.levels,
        }
        whole |= {"parameters": parameters, "contrasts": self.contrasts().to_dict("records")}
        whole |= {"observers": self.people().to_dict("records")}
        whole |= {"r_hat": self.r_hat, "n_independent": self.n_independent}
        made: dict[str, Any] = plain({**whole, "warning": self.warning})
        return made

    def to_arviz(self) -> Any:
        """Return draws, log likelihoods of trials, and replicated trials; see `arviz_data`.

        Variables ``mean`` and ``sd`` are those of the population in unbounded coordinates,
        ``observers`` the values of each observer.
        """
        from popout.people.fitting.arviz_data import arviz_data

        each = [
            np.vectorize(parameter.from_unit)(self.positions[..., p])
            for p, parameter in enumerate(self.model.parameters)
        ]
        posterior = {"mean": self.mean, "sd": self.spread, "observers": np.stack(each, axis=-1)}
        lp = np.array([chain.log_likelihood.sum(axis=1) for chain in self.chains])
        names = [parameter.name for parameter in self.model.parameters]
        return arviz_data(
            posterior,
            lp,
            self.hierarchy.likelihoods,
            self.positions,
            coords={"level": [*self.levels], "parameter": names, "observer": [*self.observers]},
            dims={
                "mean": ["level", "parameter"],
                "sd": ["parameter"],
                "observers": ["observer", "parameter"],
            },
            attributes={"model": self.model.name},
        )

    def plot(self) -> Figure:
        """Draw the population with its observers, shrunken and separate."""
        from popout.people.fitting.group_pictures import draw_population

        return draw_population(self)


def fit_population(
    model: Model,
    people: Mapping[str, Responses],
    tables: PassageTables | None = None,
    *,
    levels: Mapping[str, str] | None = None,
    separate: Mapping[str, FittedModel] | None = None,
    prior: Prior | None = None,
    n_chains: int = CHAINS,
    n_sweeps: int = SWEEPS,
    seed: int = 1,
    progress: Progress | None = None,
) -> FittedPopulation:
    """Sample a population over observers.

    Parameters
    ----------
    model : Model
        The same for all, also one with parameters that vary (`Conditioned`).
    people : mapping of str to Responses
    tables : PassageTables, optional
        Of all set sizes, for the models that need them.
    levels : mapping of str to str, optional
        The group of each observer; means of the population differ between groups.
    separate : mapping of str to FittedModel, optional
        Separate fits, where chains begin.
    prior : Prior, optional
    n_chains, n_sweeps : int
    seed : int
    progress : Progress, optional

    Examples
    --------
    >>> import numpy as np, popout as po
    >>> class Guesses(po.Model):
    ...     name, label = "guesses", "exponential guesses"
    ...     parameters = (po.ModelParameter("mean", "mean response time", "s", 0.05, 5.0),)
    ...
    ...     def log_densities(self, values, responses, tables=None):
    ...         return -responses.rt / values["mean"] - np.log(2.0 * values["mean"])
    >>> random, one, columns = np.random.default_rng(1), np.ones(50), {"set_size": np.ones(50)}
    >>> times = {name: random.exponential(0.5, 50) for name in ("ag", "bm", "km")}
    >>> people = {k: po.Responses(one, rt, -one, columns=columns) for k, rt in times.items()}
    >>> population = po.fit_population(Guesses(), people, n_chains=2, n_sweeps=200)
    >>> 0.3 < population.shrunken("ag")["mean"] < 0.8
    True
    """
    hierarchy = Hierarchy(model, people, tables, levels, prior)
    alone = separate or {}
    modes = find_modes(hierarchy, {name: fit.estimates for name, fit in alone.items()})
    chains = []
    for k in range(n_chains):
        part = stretch(progress, k / n_chains, (k + 1) / n_chains)
        chains.append(sample_chain(hierarchy, modes, n_sweeps, seed, k, progress=part))
    return FittedPopulation(hierarchy, tuple(chains), alone, "group" if levels else "")


def split_r_hat(draws: Array) -> Array:
    """Return R-hat of each quantity, from both halves of every chain.

    Parameters
    ----------
    draws : ndarray of shape (chains, draws, ...)

    Examples
    --------
    >>> random = np.random.default_rng(1)
    >>> same = random.standard_normal((2, 500, 1))
    >>> float(split_r_hat(same)[0]) < 1.01 < 1.5 < float(split_r_hat(same + [[[0.0]], [[3.0]]])[0])
    True
    """
    n = draws.shape[1] // 2
    halves = np.concatenate([draws[:, :n], draws[:, n : 2 * n]])
    within, between = (
        halves.var(axis=1, ddof=1).mean(axis=0),
        halves.mean(axis=1).var(axis=0, ddof=1),
    )
    return np.asarray(np.sqrt((n - 1) / n + between / np.maximum(within, 1e-300)))


def independent_draws(draws: Array) -> Array:
    """Return the number of independent draws of each quantity, from autocorrelations.

    Parameters
    ----------
    draws : ndarray of shape (chains, draws, Q)
    """
    from emcee.autocorr import integrated_time

    time = integrated_time(np.swapaxes(draws, 0, 1), tol=0)
    return np.asarray(draws.shape[0] * draws.shape[1] / np.maximum(time, 1.0))
