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
        None where the task leaves nothing to choose. Verbs also take a class of policies, and
        `simulate` and `compare` a name.
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
        parts = (self.attention, self.strategy)
        return ", ".join(_name(part) for part in parts if part is not None)

    def as_dict(self) -> dict[str, Any]:
        """Return the names of both and the numbers of the policy that looks."""
        stops: dict[str, Any] = {"strategy": _name(self.strategy)}
        if self.attention is None:
            return stops
        numbers = self.attention.parameters if isinstance(self.attention, Attention) else {}
        return {"attention": _name(self.attention), "attention_parameters": numbers, **stops}

    def card(self) -> Card:
        """Return the names of both."""
        return Card("Observer", [(name, value) for name, value in self.as_dict().items()])


def _name(part: object) -> str:
    """Return the label of a policy or of a class of them; a name is one already."""
    return str(getattr(part, "label", part))
