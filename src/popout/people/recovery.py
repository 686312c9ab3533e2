r"""Recovery: what a design can tell, from synthetic observers whose truth is known.

Observers are drawn from a model, their trials are fitted like those of people, and what was found
is set against what was put in: bias and coverage of every parameter, how often each model is
mistaken for another, and which distance from optimal ideal observers seem to have (the floor
of the indices). A design can thus be judged before anybody sits down to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from popout.noise.seeds import Purpose, fresh_seed
from popout.people.comparison import fit_models
from popout.people.design import Design, synthetic_observer
from popout.people.fit import fit_model
from popout.people.frontier import index_of
from popout.people.model import Model
from popout.people.recovered import RecoveredObserver, Recovery, recovered
from popout.people.search_models import SearchModel, Stopping
from popout.people.tables import Tables
from popout.progress import Progress, stretch


def recover(
    design: Design,
    observers: Sequence[tuple[Model, Mapping[str, float]]],
    n: int = 1,
    candidates: Sequence[Model] | None = None,
    tables: Tables | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> Recovery:
    """Fit synthetic observers of a design.

    Parameters
    ----------
    design : Design
    observers : sequence of (Model, mapping)
        What they are, and their parameters.
    n : int
        Synthetic observers of each kind, with noise of their own.
    candidates : sequence of Model, optional
        Models fitted to each; the one it was drawn from when left out.
    tables : Tables, optional
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
    >>> found = po.recover(po.Design((3, 6), 50), [(Guesses(), {"mean": 0.5})], n=4)
    >>> found.as_dict()["confusion"]
    {'guesses': {'guesses': 4}}
    """
    tables = Tables(design.set_sizes) if tables is None else tables
    found = []
    total = n * len(observers)
    for i in range(total):
        model, values = observers[i % len(observers)]
        part = stretch(progress, i / total, (i + 1) / total, f"observer {i + 1} of {total}")
        chosen = candidates or [model]
        found.append(recover_observer(design, model, values, chosen, tables, seed, i, part))
    return Recovery(tuple(found))


def recover_observer(
    design: Design,
    model: Model,
    values: Mapping[str, float],
    candidates: Sequence[Model],
    tables: Tables | None = None,
    seed: int = 1,
    number: int = 0,
    progress: Progress | None = None,
) -> RecoveredObserver:
    """Fit one synthetic observer of a design.

    Parameters
    ----------
    design : Design
    model : Model
        That the observer is drawn from.
    values : mapping of str to float
        Its parameters.
    candidates : sequence of Model
        Models fitted to it.
    tables : Tables, optional
    seed : int
    number : int
        Of the observer; each number has noise of its own.
    progress : Progress, optional
    """
    noise = fresh_seed(seed, Purpose.SYNTHETIC_OBSERVER, number)
    trials = synthetic_observer(model, values, design, tables, noise)
    found = fit_models(candidates, trials, tables, seed, progress=progress)
    return recovered(model, values, found)


def index_floor(
    ideal: Mapping[str, float],
    model: SearchModel,
    design: Design,
    tables: Tables,
    n: int = 8,
    seed: int = 1,
    progress: Progress | None = None,
) -> tuple[float, float]:
    """Return the median wasted ms and excess risk (%) that ideal observers seem to have.

    Parameters
    ----------
    ideal : mapping of str to float
        Parameters of the ideal observer, best those fitted to the data at hand.
    model : SearchModel
        With free thresholds, the one whose indices are to be judged.
    design : Design
    tables : Tables
    n : int
        Synthetic observers.
    seed : int
    progress : Progress, optional
    """
    true = replace(model, stopping=Stopping.IDEAL)
    start = (model.like_ideal(ideal, tables),)  # the truth is known: no need to search for it
    found = []
    for i in range(n):
        noise = fresh_seed(seed, Purpose.SYNTHETIC_OBSERVER, i)
        trials = synthetic_observer(true, ideal, design, tables, noise)
        fitted = fit_model(model, trials, tables, seed, starts=start)
        index = index_of(fitted, n_draws=2)
        found.append((index.wasted_ms, index.excess_percent))
        if progress is not None:
            progress((i + 1) / n, "floor of the index")
    wasted, excess = np.median(found, axis=0)
    return float(wasted), float(excess)
