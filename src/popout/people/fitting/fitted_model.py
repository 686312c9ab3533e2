"""A fitted model: estimates with intervals, the log likelihood with its error, predictions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, with_error
from popout.people.models.situation import FIELDS, USUAL, Situation

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from popout.people.models.model import Model
    from popout.people.models.prediction import Prediction
    from popout.people.passages.passage_tables import PassageTables
    from popout.simulation.responses import Responses

UNDETERMINED = "not determined by these data"
STORED = (
    *("log_likelihood", "log_likelihood_error", "log_likelihood_bias"),
    *("n_trials", "n_evaluations", "seconds", "starts"),
)
"""Numbers of a fit that are stored as they are."""


def in_words(value: float) -> str:
    """Return three digits; what can be infinite is guidance, and infinite guidance is serial.

    Examples
    --------
    >>> in_words(0.12345), in_words(math.inf)
    ('0.123', 'serial')
    """
    return "serial" if math.isinf(value) else f"{value:.3g}"


def _stored(value: float) -> float | str:
    return float(value) if math.isfinite(value) else str(float(value))


@dataclass(frozen=True)
class Interval:
    """A 95 % interval of a parameter, or the reason why the data give none.

    Parameters
    ----------
    low, high : float
        Cut at the bounds of the search.
    determined : bool
        Whether the data, rather than the bounds, hold the parameter.
    why : str
        If they do not.

    Examples
    --------
    >>> print(Interval(0.1, 0.3)), print(Interval(0.0, 1.0, False, "any value fits as well"))
    0.1 to 0.3
    not determined by these data: any value fits as well
    (None, None)
    """

    low: float
    high: float
    determined: bool = True
    why: str = ""

    def __str__(self) -> str:
        """Return the interval in words."""
        if self.determined:
            return f"{in_words(self.low)} to {in_words(self.high)}"
        return ": ".join(filter(None, (UNDETERMINED, self.why)))


@dataclass(frozen=True, eq=False)
class FittedModel(HasCard):
    """A model with the parameters that make some trials most likely.

    Attributes
    ----------
    model : Model
    estimates : dict of str to float
        By name; where `errors` says that a parameter is not determined, its estimate means nothing.
    errors : dict of str to Interval
        95 % intervals.
    log_likelihood : float
        Of densities in 1/s.
    log_likelihood_error : float
        Monte-Carlo standard error, from the tables. Differences below it mean nothing.
    log_likelihood_bias : float
        How much the noise of the tables lowers the log likelihood, estimated; not corrected for.
    n_trials, n_evaluations : int
    seconds : float
    starts : tuple of float
        Best log likelihood from each start of the search: how far they agree says how far the
        optimum can be trusted.
    covariance : ndarray of shape (P, P), optional
        Of the estimates in the unit cube (`popout.people.models.model`).
    trials_by_size : mapping of int to int
        Number of trials of each set size in the data.
    situations : mapping of Situation to int
        Number of trials of each.
    tables : PassageTables, optional
        That it was fitted with.

    Examples
    --------
    >>> import popout as po
    >>> from popout.people.models.ex_gaussian import ExGaussianCells
    >>> trials = po.read_trials("examples/people/two_observers.csv")["ag"]
    >>> fitted = ExGaussianCells((3, 6, 12, 18)).fit(trials)
    >>> fitted.n_trials, fitted.n_parameters
    (598, 33)
    >>> print(f"{fitted.estimates['mu_18_absent']:.2f} s")
    0.69 s
    >>> row = fitted.to_pandas().set_index("parameter").loc["mu_18_absent"]
    >>> print(f"{row.low:.2f} to {row.high:.2f} {row.unit}")
    0.63 to 0.75 s
    >>> fitted.plot(trials).get_ylabel()
    'response time (s)'
    >>> again = FittedModel.from_dict(fitted.to_dict(), fitted.model)
    >>> again.estimates == fitted.estimates, again.aic == fitted.aic
    (True, True)
    """

    model: Model
    estimates: Mapping[str, float]
    errors: Mapping[str, Interval]
    log_likelihood: float
    n_trials: int
    trials_by_size: Mapping[int, int]
    log_likelihood_error: float = 0.0
    log_likelihood_bias: float = 0.0
    n_evaluations: int = 0
    seconds: float = 0.0
    starts: tuple[float, ...] = ()
    covariance: NDArray[np.float64] | None = field(default=None, repr=False)
    tables: PassageTables | None = field(default=None, repr=False)
    situations: Mapping[Situation, int] = field(default_factory=lambda: {USUAL: 1})

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.model.name

    @property
    def set_sizes(self) -> tuple[int, ...]:
        """Set sizes in the data."""
        return tuple(sorted(self.trials_by_size))

    @property
    def n_parameters(self) -> int:
        """Number of free parameters."""
        return len(self.model.parameters)

    @property
    def aic(self) -> float:
        """Akaike's criterion; smaller is better."""
        return 2.0 * self.n_parameters - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """The Bayesian criterion of Schwarz; smaller is better."""
        return self.n_parameters * math.log(self.n_trials) - 2.0 * self.log_likelihood

    def predict(
        self, set_sizes: Sequence[int] | None = None, **changes: float | Sequence[float]
    ) -> Prediction:
        """Return densities, quantiles, mean response times, error rates and slopes.

        Where trials had several situations, those of all of them together. With arguments, of the
        same observer in another experiment: nothing is fitted again, and ideal thresholds follow
        what is at stake there.

        Parameters
        ----------
        set_sizes : sequence of int, optional
            Those of the fit when left out.
        **changes
            ``prior``, ``miss``, ``false_alarm``, ``deadline``, ``dynamic``, as of
            `popout.predict_observers`; what is left out stays as it was.
        """
        from popout.people.models.changes import Changes, reaching
        from popout.people.models.prediction import Prediction

        asked = changes if set_sizes is None else {**changes, "set_size": set_sizes}
        other = Changes.of(asked)
        sizes = other.set_sizes or self.set_sizes
        tables = self.tables and self.tables.for_sizes(sizes)
        parts = dict[Prediction, float]()
        for situation, n in self.situations.items():
            for there in other.applied([situation]):
                about = (self.estimates, sizes, tables, there)
                model = reaching(self.model, *about) if asked else self.model
                parts[model.predict(*about)] = n
        return Prediction.mixed(parts)

    def plot(self, trials: Responses | None = None, ax: Axes | None = None) -> Axes:
        """Draw predicted quantiles (10, 50, 90 %) of correct response times against set size.

        Parameters
        ----------
        trials : Responses, optional
            Drawn over the model as points, with the medians of errors where there are enough.
        ax : Axes, optional
        """
        from popout.people.fitting.fit_pictures import draw_quantiles

        return draw_quantiles(self.predict(), trials, ax)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each parameter: value, 95 % interval, unit and words.

        A value that is not determined is missing; its best place is under ``best``.
        """
        import pandas as pd

        rows = self.as_dict()["parameters"].items()
        return pd.DataFrame([{"parameter": name, **row} for name, row in rows])

    def as_dict(self) -> dict[str, Any]:
        """Return name, log likelihood, criteria and parameters.

        Each parameter has its place between its bounds too: JSON has no infinity, and the guidance
        of a serial observer is infinite (position 1).
        """
        parameters = {}
        for parameter in self.model.parameters:
            interval, best = self.errors[parameter.name], self.estimates[parameter.name]
            known = {"value": best, "low": interval.low, "high": interval.high}
            parameters[parameter.name] = {
                **(known if interval.determined else dict.fromkeys(known)),
                "determined": interval.determined,
                "best": best,
                "position": parameter.to_unit(best),
                "unit": parameter.unit,
                "words": parameter.words,
            }
        names = ("log_likelihood", "log_likelihood_error", "log_likelihood_bias", "aic", "bic")
        more = ("n_trials", "n_parameters", "n_evaluations", "seconds", "starts")
        about = {"name": self.name, "label": self.model.label}
        about |= {name: getattr(self, name) for name in (*names, *more)}
        made: dict[str, Any] = plain({**about, "parameters": parameters})
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return all but model and tables in terms of JSON, every digit kept, for `from_dict`.

        JSON has no infinity: that of a serial observer's guidance is the word ``inf``.
        """
        covariance = None if self.covariance is None else self.covariance.tolist()
        return {
            "estimates": {name: _stored(value) for name, value in self.estimates.items()},
            "errors": {
                name: {**vars(each), "low": _stored(each.low), "high": _stored(each.high)}
                for name, each in self.errors.items()
            },
            **{name: getattr(self, name) for name in STORED},
            "trials_by_size": {str(M): n for M, n in self.trials_by_size.items()},
            "covariance": covariance,
            "situations": [
                [*(_stored(getattr(each, name)) for name in FIELDS), n]
                for each, n in self.situations.items()
            ],
        }

    @classmethod
    def from_dict(
        cls, stored: Mapping[str, Any], model: Model, tables: PassageTables | None = None
    ) -> FittedModel:
        """Return a fitted model from `to_dict`.

        Parameters
        ----------
        stored : mapping
        model : Model
            That was fitted.
        tables : PassageTables, optional
            That it was fitted with; its predictions need them.
        """
        bounds = {
            name: Interval(float(each["low"]), float(each["high"]), each["determined"], each["why"])
            for name, each in stored["errors"].items()
        }
        covariance = stored["covariance"]
        return cls(
            model,
            {name: float(value) for name, value in stored["estimates"].items()},
            bounds,
            trials_by_size={int(M): n for M, n in stored["trials_by_size"].items()},
            **{name: stored[name] for name in STORED if name != "starts"},
            starts=tuple(stored["starts"]),
            covariance=None if covariance is None else np.array(covariance),
            tables=tables,
            situations={Situation(*map(float, row)): n for *row, n in stored["situations"]},
        )

    def card(self) -> Card:
        """Return the log likelihood, the criteria and the parameters."""
        shown = with_error(self.log_likelihood, self.log_likelihood_error)
        facts = [
            ("log likelihood", shown if self.log_likelihood_error else f"{shown} (no noise)"),
            ("AIC, BIC", f"{self.aic:.1f}, {self.bic:.1f}"),
            ("trials", str(self.n_trials)),
            ("evaluations", f"{self.n_evaluations} in {self.seconds:.1f} s"),
        ]
        rows = []
        for parameter in self.model.parameters:
            interval = self.errors[parameter.name]
            best = in_words(self.estimates[parameter.name]) if interval.determined else "-"
            rows.append([parameter.name, best, parameter.unit, str(interval), parameter.words])
        return Card(self.model.label, facts, ["", "best", "unit", "95 % interval", "what"], rows)
