"""An observer: where it looks, when it stops and what it says, and whether it suits a task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from popout.drawing.representation import Card, HasCard
from popout.policies.looking import Attention
from popout.policies.looking.free_gaze import checked_length
from popout.policies.looking.names import is_policy, made_for, suits
from popout.policies.stopping import Strategy
from popout.task import Costs, Faults, Task
from popout.task.look import Gazes


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


def checked_attention(
    faults: Faults,
    task: object,
    wanted: Any,
    *,
    costs: object = None,
    optional: bool = False,
    steady: bool = False,
) -> Attention | None:
    """Return the attention of an observer, made for the task; None where there is no choice.

    Parameters
    ----------
    faults : Faults
        Told of attention that is missing, of no use or for another task.
    task : Task
    wanted : Attention, class of Attention or None
    costs : Costs, optional
        What errors cost, for policies that care.
    optional : bool
        Whether it may be left out although the task leaves the look to the observer.
    steady : bool
        Whether it must not change with time.

    Examples
    --------
    >>> from popout.task import LimitedSearchTask
    >>> faults = Faults("doc")
    >>> checked_attention(faults, LimitedSearchTask(n_locations=2, information=32.0), None)
    >>> print(*faults.lines)
    doc.observer: expected an Observer with attention, got 'a strategy alone'; \
say where it looks, e.g. Observer(Serial, strategy), or fix the shares with task.with_shares()
    """
    policy: Attention | None = made_for(wanted, task)
    if not isinstance(task, Task):
        return policy
    divided, M = task.look.is_chosen, task.n_locations
    if policy is None:
        if divided and task.search is None and not optional:
            where = "say where it looks, e.g. Observer(Serial, strategy)"
            remedy = f"{where}, or fix the shares with task.with_shares()"
            if isinstance(task.look, Gazes):
                remedy = "say where it looks, e.g. Observer(ELM, strategy)"
            faults.add("observer", "an Observer with attention", "a strategy alone", remedy)
    elif not divided:
        expected = f"no attention: every location of a {type(task).__name__} observes by itself"
        remedy = "give the strategy alone; attention is a choice where information is limited"
        faults.add("attention", expected, wanted, remedy)
    elif is_policy(policy) and not suits(policy, task):
        kind, remedy = (
            type(task).__name__,
            "MAP, ELM and their kin choose gazes, Serial and its kin",
        )
        faults.add("attention", f"a policy for a {kind}", wanted, f"{remedy} shares of information")
    elif not isinstance(policy, Attention):
        faults.add("attention", "an attention policy", wanted, "e.g. Serial, or subclass Attention")
    elif not suits(policy, task):
        kind, remedy = (
            type(task).__name__,
            "MAP, ELM and their kin choose gazes, Serial and its kin",
        )
        faults.add("attention", f"a policy for a {kind}", wanted, f"{remedy} shares of information")
    elif isinstance(task.look, Gazes) and policy.chooses_durations != task.look.is_free:
        checked_length(faults, task, policy)
    elif policy.n_locations not in (None, M):
        remedy = "make it for this task, e.g. with for_task"
        faults.add("attention", f"one for {M} locations", policy.n_locations, remedy)
    elif steady and policy.settles > 0:
        expected = "a policy that does not change with time"
        remedy = "simulate it: it has no best stopping that could be solved"
        faults.add("attention", expected, policy.label, remedy)
    elif isinstance(costs, Costs):
        policy = policy.for_costs(costs)
    return policy


def check_size(faults: Faults, task: Task, strategy: Strategy) -> None:
    """Check that a strategy is for as many locations as the task has.

    Examples
    --------
    >>> from popout.policies.stopping import SPRT
    >>> from popout.task import SearchTask
    >>> two, three = SearchTask(n_locations=2, drift=4.0), SearchTask(n_locations=3, drift=4.0)
    >>> faults = Faults("doc")
    >>> check_size(faults, two, SPRT.for_task(three, -2.0, 2.0))
    >>> print(*faults.lines)
    doc.strategy: expected a strategy for the task's 2 locations, got 'one for 3'; \
make the strategy for this task, e.g. with for_task
    """
    size = task.n_states
    if strategy.n_locations in (None, size):
        return
    expected = f"a strategy for the task's {size} locations"
    if task.search is None and size == 1:
        expected = "a strategy on S, the one state of a task with unknown distractors"
    remedy = "make the strategy for this task, e.g. with for_task"
    faults.add("strategy", expected, f"one for {strategy.n_locations}", remedy)
