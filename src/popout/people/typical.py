"""A typical observer of a model: what to simulate where nobody has been measured yet."""

from __future__ import annotations

import math
from collections.abc import Mapping

from popout.people.parameters import values_at
from popout.people.search_models import SearchModel
from popout.task import Faults
from popout.task.faults import did_you_mean


def typical_values(
    model: SearchModel, given: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return parameters of a typical observer, with some of them as given.

    Parameters
    ----------
    model : SearchModel
    given : mapping of str to float, optional
        Parameters by name; those that the model does not have are left out.

    Raises
    ------
    InputError
        If a number is outside the range of its parameter.

    Examples
    --------
    >>> from popout.people.search_models import models
    >>> (model,) = models(["ideal-serial"])
    >>> values = typical_values(model, {"time_cost": 0.05})
    >>> values["time_cost"], values["information"]
    (0.05, 40.0)
    """
    faults = Faults("recover")
    middle = values_at(model.parameters, [0.5] * len(model.parameters))
    start = model.starts[0]
    values = {name: start.get(name, middle[name]) for name in middle}
    for parameter in model.parameters:
        value = (given or {}).get(parameter.name, values[parameter.name])
        if math.isnan(value) or not parameter.low <= value <= parameter.high:
            expected = f"a number from {parameter.low:g} to {parameter.high:g}"
            faults.add(("values", parameter.name), expected, value, parameter.words)
        values[parameter.name] = value
    faults.raise_if_any()
    return values


def check_names(models: tuple[SearchModel, ...], given: Mapping[str, float]) -> None:
    """Refuse names that are a parameter of none of the models."""
    faults = Faults("recover")
    known = {parameter.name: None for model in models for parameter in model.parameters}
    for name in given:
        if name not in known:
            remedy = did_you_mean(name, known, "choose from them")
            faults.add("values", f"one of {', '.join(known)}", name, remedy)
    faults.raise_if_any()
