"""The design of an experiment, typical people, and synthetic observers who sit down to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from popout.noise.seeds import Purpose, fresh_seed
from popout.people.models.model import Model, values_at
from popout.people.models.search_models import SearchModel
from popout.people.models.situation import USUAL, Situation
from popout.people.passages.passage_tables import PassageTables
from popout.simulation.responses import Responses
from popout.task import Faults
from popout.task.faults import did_you_mean


@dataclass(frozen=True)
class Design:
    """Set sizes and trials of an experiment, and what is at stake.

    Parameters
    ----------
    set_sizes : tuple of int
    trials_per_cell : int
        For each set size, absent and present, where both are equally likely; else half of the
        trials of a set size.
    situation : Situation
        Its prior is the share of trials with a target.

    Examples
    --------
    >>> Design((3, 6, 12, 18), 500).n_trials
    4000
    """

    set_sizes: tuple[int, ...]
    trials_per_cell: int
    situation: Situation = USUAL

    def __post_init__(self) -> None:
        """Check the numbers."""
        faults = Faults("Design")
        if not self.set_sizes:
            faults.add("set_sizes", "one set size at least", self.set_sizes, "count items")
        for M in self.set_sizes:
            faults.integer("set_sizes", M, "count items", at_least=1)
        faults.integer("trials_per_cell", self.trials_per_cell, "some 100 or more", at_least=1)
        faults.raise_if_any()

    @classmethod
    def of(
        cls, trials_by_size: Mapping[int, int], situations: Mapping[Situation, int] | None = None
    ) -> Design:
        """Return the design nearest to what some data hold, in their most frequent situation."""
        sizes = tuple(sorted(trials_by_size))
        usual = max(situations, key=situations.__getitem__) if situations else USUAL
        each = max(1, round(sum(trials_by_size.values()) / (2 * len(sizes))))
        return cls(sizes, each, usual)

    @property
    def n_trials(self) -> int:
        """Number of trials of an observer."""
        return 2 * len(self.set_sizes) * self.trials_per_cell

    @property
    def cells(self) -> list[tuple[int, bool, int]]:
        """Set size, presence and number of trials of each cell."""
        n = 2 * self.trials_per_cell
        present = min(max(round(self.situation.prior * n), 1), n - 1)
        counts = ((False, n - present), (True, present))
        return [(M, *each) for M in self.set_sizes for each in counts]


def synthetic_observer(
    model: Model,
    values: Mapping[str, float],
    design: Design,
    tables: PassageTables | None,
    seed: int = 1,
) -> Responses:
    """Return the trials of an observer drawn from a model."""
    prediction = model.predict(values, design.set_sizes, tables, design.situation)
    return prediction.draw(design.cells, fresh_seed(seed, Purpose.SYNTHETIC_OBSERVER))


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
    >>> from popout.people.models.search_models import models
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
