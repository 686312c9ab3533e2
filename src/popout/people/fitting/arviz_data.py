"""Draws of parameters as ArviZ data: a DataTree that its functions compare, check and draw.

Groups ``posterior``, ``sample_stats`` (``lp``), ``log_likelihood`` (``rt``: of each trial, of its
answer and time together), ``observed_data`` and ``posterior_predictive`` (``rt`` and ``response``:
0 none, 1 absent, 2 present). A trial without an answer has its time limit for a time. So
``arviz_stats.loo`` and ``compare`` run on what is returned, and ``arviz_plots.plot_ppc_dist`` too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.people.models.conditioned import Conditioned, rows_by_cell
from popout.people.models.model import Model, TrialLikelihood, values_at
from popout.people.models.situation import situations_of
from popout.people.passages.passage_tables import PassageTables
from popout.simulation.responses import Responses

Array = NDArray[np.float64]
DRAWS, REPLICATED = 1000, 100
"""Draws whose log likelihoods, and whose replicated trials, are computed."""


def replicated(
    model: Model,
    values: Mapping[str, float],
    trials: Responses,
    tables: PassageTables | None,
    random: np.random.Generator,
) -> tuple[NDArray[np.int64], Array]:
    """Return answers and times that a model gives to the displays of some trials.

    Examples
    --------
    >>> from popout.people.models.ex_gaussian import ExGaussianCells
    >>> from popout.people.reading.reader import read_trials
    >>> trials = read_trials("examples/people/two_observers.csv")["ag"]
    >>> fitted = ExGaussianCells((3, 6, 12, 18)).fit(trials)
    >>> random = np.random.default_rng(1)
    >>> said, rt = replicated(fitted.model, fitted.estimates, trials, None, random)
    >>> len(said) == len(rt) == len(trials), bool(abs(rt.mean() - trials.rt.mean()) < 0.05)
    (True, True)
    """
    said, rt = np.empty(len(trials), np.int64), np.empty(len(trials))
    if isinstance(model, Conditioned):
        for cell, rows in rows_by_cell(model.columns, model.levels, trials).items():
            own = model.at(values, dict(zip(model.columns, cell, strict=True)))
            some = trials.where(rows)
            said[rows], rt[rows] = replicated(model.model, own, some, tables, random)
        return said, rt
    size = np.asarray(trials.columns["set_size"])
    sizes = tuple(np.unique(size).tolist())
    for k, situation in enumerate(situations_of(trials)[0]):
        prediction = model.predict(values, sizes, tables, situation)
        inside = situations_of(trials)[1] == k
        for M in sizes:
            for present in (False, True):
                rows = np.flatnonzero(inside & (size == M) & (trials.present == present))
                if rows.size:
                    seed = int(random.integers(2**62))
                    drawn = prediction.draw([(M, present, rows.size)], seed)
                    said[rows], rt[rows] = drawn.response, drawn.rt
    return said, rt


def arviz_data(
    posterior: Mapping[str, Array],
    lp: Array,
    likelihoods: Sequence[TrialLikelihood],
    positions: Array,
    *,
    coords: Mapping[str, Sequence[Any]] | None = None,
    dims: Mapping[str, Sequence[str]] | None = None,
    attributes: Mapping[str, str] | None = None,
) -> Any:
    """Return draws, log likelihoods, trials and replicated trials as a DataTree.

    Parameters
    ----------
    posterior : mapping of str to ndarray of shape (chains, draws, ...)
    lp : ndarray of shape (chains, draws)
        Log density of the draws.
    likelihoods : sequence of TrialLikelihood
        Of each observer.
    positions : ndarray of shape (chains, draws, N, P)
        Their parameters in the unit cube.
    coords, dims : mapping, optional
        Of the posterior, as ArviZ takes them.
    attributes : mapping of str to str, optional
    """
    try:
        from arviz_base import from_dict
    except ImportError as error:
        raise ImportError("ArviZ data need `pip install popout[arviz]`") from error
    step = -(-lp.size // DRAWS)
    posterior, lp = {k: v[:, ::step] for k, v in posterior.items()}, lp[:, ::step]
    positions = positions[:, ::step]
    parameters = likelihoods[0].model.parameters
    chains, draws = lp.shape
    each: list[list[Array]] = []
    for place in np.ndindex(chains, draws):
        values = [values_at(parameters, x) for x in positions[place]]
        each.append([own.log_densities(v) for own, v in zip(likelihoods, values, strict=True)])
    pointwise = np.array([np.concatenate(row) for row in each]).reshape(chains, draws, -1)
    random = np.random.default_rng(0)
    some = positions.reshape(-1, *positions.shape[2:])[:: -(-chains * draws // REPLICATED)]
    pairs = []
    for x in some:
        parts = [
            replicated(own.model, values_at(parameters, place), own.responses, own.tables, random)
            for own, place in zip(likelihoods, x, strict=True)
        ]
        pairs.append([np.concatenate(part) for part in zip(*parts, strict=True)])
    said, rt = (np.array(part)[None] for part in zip(*pairs, strict=True))
    trials = [own.responses for own in likelihoods]
    seen = {
        "rt": np.concatenate([own.rt for own in trials]),
        "response": np.concatenate([own.response for own in trials]).astype(np.int64),
    }
    own_dims = {"rt": ["trial"], "response": ["trial"], **(dims or {})}
    return from_dict(
        {
            "posterior": dict(posterior),
            "sample_stats": {"lp": lp},
            "log_likelihood": {"rt": pointwise},
            "observed_data": seen,
            "posterior_predictive": {"rt": rt, "response": said},
        },
        coords={"trial": np.arange(pointwise.shape[-1]), **(coords or {})},
        dims=own_dims,
        attrs={"/": dict(attributes or {})},
    )
