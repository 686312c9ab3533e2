"""Folders as `popout fit` leaves them, of observers whose parameters are known."""

import json
from dataclasses import replace

import numpy as np

from popout.drawing.plain import json_bytes
from popout.people.fitting.fit_job import ModelFit, file_of
from popout.people.fitting.fitted_model import FittedModel, Interval
from popout.people.fitting.synthetic import typical_values
from popout.people.models.model import position_of, values_at
from popout.people.models.search_models import models
from popout.people.models.situation import USUAL

SD = 0.01
"""Of every parameter, in the unit cube."""


def known_fit(name="ideal-parallel", sd=SD, sizes=(1, 4), given=None, situations=None, **unknown):
    """Return a fit with given estimates, independent errors, and parameters not determined.

    Parameters
    ----------
    name : str
    sd : float
        Of the estimates in the unit cube; 0 is a fit that knows everything.
    sizes : tuple of int
    given : dict, optional
        Estimates that are not typical.
    situations : dict, optional
    **unknown
        Why parameters are not determined.
    """
    (model,) = models([name], 3.0)
    model = replace(model, fastest=0.15)
    estimates = typical_values(model, {"lapse": 0.01, **(given or {})})
    x = position_of(model.parameters, estimates)
    ends = [values_at(model.parameters, np.clip(x + s * 1.96 * sd, 0, 1)) for s in (-1, 1)]
    errors = {k: Interval(ends[0][k], ends[1][k]) for k in estimates}
    covariance = np.eye(len(x)) * sd**2
    for k, parameter in enumerate(model.parameters):
        if parameter.name in unknown:
            why = unknown[parameter.name]
            errors[parameter.name] = Interval(parameter.low, parameter.high, False, why)
            covariance[k, k] = 1.0 / 12.0
    by_size = dict.fromkeys(sizes, 200)
    about = {"covariance": covariance, "situations": situations or {USUAL: 400}}
    return FittedModel(model, estimates, errors, -100.0, 400, by_size, **about)


def write_fits(folder, fits, paths=2000, seed=3):
    """Write fits, a dict of them by observer, into a folder."""
    (folder / "fits").mkdir(parents=True)
    observers = []
    for observer, own in fits.items():
        some = [own] if isinstance(own, FittedModel) else own
        observers.append({"observer": observer, "models": [each.as_dict() for each in some]})
        for each in some:
            stored = {"fit": ModelFit(each).to_dict()}
            path = folder / "fits" / file_of(f"{observer}, {each.name}")
            path.write_text(json.dumps(stored))
    numbers = {"plan": {"paths": paths, "seed": seed}, "observers": observers}
    (folder / "report.json").write_bytes(json_bytes({"numbers": numbers}))
    return folder
