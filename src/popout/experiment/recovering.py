r"""How well parameters come back: synthetic participants, fitted as `popout fit` fits people.

The bound of `precision` holds for an observer of whom all but three numbers are known. People are
fitted with more (how information grows with the display, how it varies between trials, lapses, the
share of the non-decision time that never varies), and a design may tell too little about some of
them. Here synthetic participants sit down to the design, `popout.people.fitting.recovery` fits them, and
the scatter of what comes back is the standard error to expect.

A participant has the expected observer's drift :math:`\mu` at every location, looks everywhere at
once and stops ideally for the mean cost of time: the model ``ideal-parallel`` with the information
:math:`\Lambda_M = \mu^2 M`, that is, :math:`8 \mu^2` at the 8 items at which rates are quoted and a
capacity of 1. Its trials are spread evenly over set sizes, half of them with a target. Where
distractors or contrasts differ, the mean separation of target and distractors stands for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from popout.experiment.design import ExperimentDesign
from popout.experiment.observer import cells_of, mean_search, mean_time_cost, task_of
from popout.people.fitting.recovery import Recovery, recover
from popout.people.fitting.synthetic import Design
from popout.people.models.search_models import REFERENCE, SearchModel, Stopping
from popout.people.passages.passage_tables import PassageTables
from popout.progress import Progress, stretch
from popout.task import Faults

N_PATHS = 20_000
UNSAID = {
    "capacity": 1.0,
    "variability": 0.3,
    "residual_constant": 0.5,
    "absent_extra": 0.0,
    "lapse": 0.003,
}
"""What a design does not say of its observer: usual values of people."""


@dataclass(frozen=True)
class RecoveredParameter:
    """How well a parameter comes back.

    Attributes
    ----------
    name, unit : str
    true : float
    se : float
        Half of the range that holds the middle 68 % of the estimates: their standard deviation, if
        they are Gaussian. NaN for fewer than two.
    median_error : float
    determined : float
        Share of the fits that could tell it at all; the others count in neither number.
    """

    name: str
    unit: str
    true: float
    se: float
    median_error: float
    determined: float

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class DesignRecovery:
    """What fits of synthetic participants of a design found.

    Attributes
    ----------
    model : str
        That was drawn from and fitted.
    participants : int
    parameters : tuple of RecoveredParameter
    """

    model: str
    participants: int
    parameters: tuple[RecoveredParameter, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        rows = [parameter.as_dict() for parameter in self.parameters]
        return {"model": self.model, "participants": self.participants, "parameters": rows}


def observer_values(design: ExperimentDesign) -> dict[str, float]:
    """Return the parameters of the expected observer, in the words of `popout fit`.

    Examples
    --------
    >>> from popout.experiment import Block, ExperimentDesign
    >>> texts = ("I agree.", "We store.", "Search.")
    >>> design = ExperimentDesign("Search", [4], [0], [90], *texts, [Block("All", 8)])
    >>> observer_values(design)["information"]
    288.0
    """
    drifts, weights = [], []
    for cell in cells_of(design):
        whole = task_of(design, cell.block, cell.set_size)
        drifts.append(float(np.mean((whole.search or mean_search(whole)).drifts)))
        weights.append(cell.n)
    observer = design.observer
    return {
        **UNSAID,
        "information": REFERENCE * float(np.average(drifts, weights=weights)) ** 2,
        "time_cost": mean_time_cost(design),
        "residual_mean": observer.non_decision_time,
        "residual_sd": observer.non_decision_sd,
    }


def recover_design(
    design: ExperimentDesign,
    participants: int,
    tables: PassageTables | None = None,
    progress: Progress | None = None,
) -> DesignRecovery:
    """Fit synthetic participants of a design.

    Parameters
    ----------
    design : ExperimentDesign
    participants : int
        Twenty give standard errors to a sixth of themselves.
    tables : PassageTables, optional
        Of first passages, for the design's set sizes; made when left out, which takes as long as
        some fits.
    progress : callable, optional
    """
    model = SearchModel(Stopping.IDEAL, guidance=0.0, longest=design.timing.time_limit)
    values = observer_values(design)
    faults = Faults("recover_design")
    faults.integer("participants", participants, "some 20 are enough", at_least=1)
    for parameter in model.parameters:
        if not parameter.low <= values[parameter.name] <= parameter.high:
            expected = f"{parameter.low:g} to {parameter.high:g}, which fits can find"
            remedy = "expect another observer in the design, or leave recovery out"
            faults.add(parameter.name, expected, values[parameter.name], remedy)
    faults.raise_if_any()
    trials: dict[int, float] = {}
    for cell in cells_of(design):
        trials[cell.set_size] = trials.get(cell.set_size, 0.0) + cell.n
    seats = Design.of({size: round(n) for size, n in trials.items()})
    tables = tables or PassageTables(seats.set_sizes, N_PATHS)
    told = stretch(progress, 0.0, 1.0, "recovering")
    found = recover(
        seats, [(model, values)], participants, tables=tables, seed=design.seed, progress=told
    )
    return _summary(model, values, found)


def _summary(model: SearchModel, values: dict[str, float], found: Recovery) -> DesignRecovery:
    rows = found.parameters()
    parameters = []
    for parameter in model.parameters:
        mine = rows[rows["parameter"] == parameter.name]
        known = mine.loc[mine["determined"].astype(bool), "estimate"].to_numpy(dtype=float)
        low, middle, high = np.quantile(known, [0.16, 0.5, 0.84]) if known.size else [np.nan] * 3
        true = values[parameter.name]
        parameters.append(
            RecoveredParameter(
                parameter.name,
                parameter.unit,
                true,
                se=float(high - low) / 2 if known.size > 1 else float("nan"),
                median_error=float(middle - true),
                determined=known.size / len(mine),
            )
        )
    return DesignRecovery(model.name, len(found.observers), tuple(parameters))
