"""An observer: where it looks, when it stops and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from popout.drawing.representation import Card, HasCard
from popout.policies.looking import Attention
from popout.policies.stopping import Strategy


@dataclass(frozen=True)
class Observer(HasCard):
    """Where an observer looks, and when it stops and what it says.

    Whatever takes an observer takes a strategy alone as well, which means the task's own look.

    Attributes
    ----------
    attention : Attention or None
        None where the task leaves nothing to choose.
    strategy : Strategy

    Examples
    --------
    >>> import popout as po
    >>> task = po.LimitedSearchTask(n_locations=2, information=32.0)
    >>> sprt = po.SPRT.for_task(task, po.Costs(time=0.2))
    >>> po.Observer(po.Serial.for_task(task), sprt).label
    'serial, SPRT'
    """

    attention: Attention | None
    strategy: Strategy

    @classmethod
    def of(cls, given: Observer | Strategy) -> Observer:
        """Return an observer, of a strategy alone too."""
        return given if isinstance(given, Observer) else cls(None, given)

    @property
    def label(self) -> str:
        """Its name in tables."""
        looks = [] if self.attention is None else [self.attention.label]
        return ", ".join([*looks, self.strategy.label])

    def as_dict(self) -> dict[str, Any]:
        """Return the names of both and the numbers of the policy that looks."""
        stops: dict[str, Any] = {"strategy": self.strategy.label}
        if self.attention is None:
            return stops
        named = {"attention": self.attention.label}
        return {**named, "attention_parameters": self.attention.parameters, **stops}

    def card(self) -> Card:
        """Return the names of both."""
        return Card("Observer", [(name, value) for name, value in self.as_dict().items()])
