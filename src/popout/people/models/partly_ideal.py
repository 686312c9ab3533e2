r"""An observer in another experiment whose thresholds move there only in part.

Ideal thresholds follow from what is at stake: :math:`\tau` where the observer was fitted, and
:math:`\tau'` in the other experiment, at every set size and on both sides. An observer who moves by
a share s of the way has

.. math:: \log \tau_s = (1 - s) \log\tau + s \log\tau' .

All else (information, attention, non-decision time, the cost of time) is the same. With s = 0 the
thresholds are *kept*; with s = 1 they are *predicted*, and the model is that of an ideal observer.
Where the fit had several situations, the thresholds that are kept are the geometric mean of theirs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from popout.people.models.model import ModelParameter
from popout.people.models.search_density import Decision
from popout.people.models.search_models import SearchModel, Stopping
from popout.people.models.situation import USUAL, Situation
from popout.people.passages.first_passages import MOST
from popout.people.passages.ideal_thresholds import AT_ONCE, EVEN, Stakes
from popout.task import Faults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from popout.people.passages.passage_tables import PassageTables

SHARE = ModelParameter("share", "share of the ideal shift of thresholds", "", -2.0, 4.0)
Home = tuple[tuple[Situation, float], ...]
"""Situations of the fit, with weights."""


@dataclass(frozen=True)
class PartlyIdeal(SearchModel):
    """A model with ideal thresholds, elsewhere: they move by a share of the way.

    Parameters
    ----------
    stopping, guidance, slips, longest, fastest
        As for `SearchModel`; stopping is ideal.
    home : tuple of (Situation, float)
        Where the observer was fitted, with weights.

    Examples
    --------
    >>> from popout.people.models.search_models import models
    >>> (serial,) = models(["ideal-serial"])
    >>> moved = PartlyIdeal.of(serial, {Situation(prior=0.2): 100})
    >>> moved.name, moved.parameters[-1].name
    ('ideal-serial moved', 'share')
    """

    home: Home = ((USUAL, 1.0),)

    def __post_init__(self) -> None:
        """Check everything at once."""
        super().__post_init__()
        faults = Faults("PartlyIdeal")
        if self.stopping is not Stopping.IDEAL:
            remedy = "free thresholds do not follow from what is at stake"
            faults.add("stopping", "ideal thresholds", self.stopping.value, remedy)
        if not sum(weight for _, weight in self.home) > 0.0:
            faults.add("home", "situations with trials", len(self.home), "say where it was fitted")
        faults.raise_if_any()

    @classmethod
    def of(cls, model: SearchModel, home: Mapping[Situation, float]) -> PartlyIdeal:
        """Return the model that moves, from one with ideal thresholds and where it was fitted."""
        own = {each.name: getattr(model, each.name) for each in fields(SearchModel)}
        return cls(**own, home=tuple(home.items()))

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the model, and that it has moved."""
        return f"{super().name} moved"

    @cached_property
    def parameters(self) -> tuple[ModelParameter, ...]:  # type: ignore[override]
        """Those of the model, and the share."""
        return (*super().parameters, SHARE)

    def decision(
        self,
        values: Mapping[str, float],
        tables: PassageTables,
        stakes: Stakes = EVEN,
        period: float = math.inf,
    ) -> Decision:
        """Return thresholds and rates at every set size of the tables."""
        ideal = super().decision(values, tables, stakes, period)
        total = sum(weight for _, weight in self.home)
        share, moved = values["share"], []
        old = super().decision  # a comprehension has no super of its own
        homes = [old(values, tables, s.stakes, s.period) for s, _ in self.home]
        for side in ("tau_minus", "tau_plus"):
            logs = [np.log(getattr(each, side)) for each in homes]
            kept = sum(w / total * x for (_, w), x in zip(self.home, logs, strict=True))
            tau = np.exp((1.0 - share) * kept + share * np.log(getattr(ideal, side)))
            moved.append(np.clip(tau, AT_ONCE, MOST))
        return replace(ideal, tau_minus=moved[0], tau_plus=moved[1])
