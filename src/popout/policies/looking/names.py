"""Attention policies by name, as people type them: ``serial``, ``guided``, ``guided:0.5``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from popout.policies.looking.attention import Attention
from popout.policies.looking.elm import ELM
from popout.policies.looking.free_gaze import Dwell
from popout.policies.looking.guided import Guided
from popout.policies.looking.ideal_searcher import IdealSearcher
from popout.policies.looking.map_gaze import MAP
from popout.policies.looking.parallel import Parallel
from popout.policies.looking.random_gaze import Random
from popout.policies.looking.serial import Serial
from popout.policies.looking.stay_at import StayAt
from popout.policies.vocabulary import ATTENTION, GAZE, OPTIMAL
from popout.task import Task
from popout.task.faults import Fault, Faults, InputError, did_you_mean
from popout.task.look import Gazes

RULES, FIXATION = GAZE[:3], 0.2
"""Rules that get a length where durations are free, and about how many seconds that is."""


def made_for(wanted: Any, task: object) -> Any:
    """Return a policy for a task: a class of policies makes one, anything else is left as it is.

    Parameters
    ----------
    wanted : Attention, class of Attention, or anything else
    task : Task

    Examples
    --------
    >>> from popout.task import LimitedSearchTask
    >>> task = LimitedSearchTask(n_locations=4, information=64.0)
    >>> made_for(Guided, task).g
    1.0
    """
    if not is_policy(wanted) or not suits(wanted, task):
        return wanted
    if isinstance(wanted, Attention):
        return wanted.made_for(task)
    try:
        return getattr(wanted, "for_task", lambda task: wanted())(task)
    except TypeError:  # it takes more than the task
        remedy = "make one and pass that, or give the class a for_task(task)"
        expected = "a policy, or a class that needs no more than the task"
        raise InputError([Fault("attention", (), expected, wanted.__name__, remedy)]) from None


def is_policy(wanted: object) -> bool:
    """Return whether something is an attention policy, or a class of them."""
    is_class = isinstance(wanted, type) and issubclass(wanted, Attention)
    return is_class or isinstance(wanted, Attention)


def suits(policy: Attention | type[Attention], task: object) -> bool:
    """Return whether a policy chooses among looks of the task's kind."""
    return isinstance(task, Task) and isinstance(task.look, policy.kind_of_look)


def named_attention(name: str, task: Task, faults: Faults | None = None) -> Attention | None:
    """Return the policy of a name, made for a task; None for the optimum, which has to be solved.

    Parameters
    ----------
    name : str
        ``parallel``, ``guided``, ``serial`` or ``optimal``; ``guided:0.5`` names the power. Of a
        task with gazes ``map``, ``elm``, ``ideal``, ``random`` or ``optimal``; ``stay:2`` names
        the gaze, and ``random:3`` says how many places are not looked at again at once. Where
        durations are free, ``elm:0.2`` names the seconds of a fixation.
    task : Task
        Whose look is chosen.
    faults : Faults, optional
        Told of a name that there is not; raised at once when left out.

    Examples
    --------
    >>> from popout.task import LimitedSearchTask
    >>> task = LimitedSearchTask(n_locations=4, information=64.0)
    >>> named_attention("guided:0.5", task).g
    0.5
    >>> named_attention("serail", task)
    Traceback (most recent call last):
    popout.task.faults.InputError: attention: expected one of optimal, parallel, guided, \
guided:0.5, serial, got 'serail'; did you mean serial?
    """
    kind, colon, number = name.partition(":")
    makers = SHARES
    if isinstance(task.look, Gazes):
        makers = DWELLS if task.look.is_free else GAZES
    try:
        if kind == OPTIMAL and not colon:
            return None
        made: Attention = makers[kind](task, number) if colon else makers[kind](task)
        return made
    except (KeyError, TypeError, ValueError):
        record = Faults("") if faults is None else faults
        known = (OPTIMAL, *makers)
        expected = f"one of {', '.join((OPTIMAL, *attention_names(task)))}"
        record.add("attention", expected, name, did_you_mean(kind, known, "choose one"))
        if faults is None:
            record.raise_if_any()
        return None


def attention_names(task: Task) -> tuple[str, ...]:
    """Return the names of where to look, without the optimum.

    Examples
    --------
    >>> from popout.task import LimitedSearchTask
    >>> attention_names(LimitedSearchTask(n_locations=4, information=64.0))
    ('parallel', 'guided', 'guided:0.5', 'serial')

    Gaze that stays does so where the middle of the items is nearest:

    >>> from popout.task import GazeTask
    >>> line = [(0, 0), (1, 0), (2, 0)]
    >>> attention_names(GazeTask(line, information=20.0, falloff=0.8))
    ('map', 'elm', 'ideal', 'random', 'stay:2')
    >>> attention_names(GazeTask(line, information=20.0, falloff=0.8, fixation="free", step=0.03))
    ('map:0.21', 'elm:0.21', 'ideal:0.21', 'stay:2')
    """
    if isinstance(task.look, Gazes):
        stay = f"stay:{task.home + 1}"  # type: ignore[attr-defined]
        if not task.look.is_free:
            return (*GAZE[:-1], stay)
        seconds = max(1, round(FIXATION / task.dt)) * task.dt
        return (*(f"{name}:{seconds:g}" for name in RULES), stay)
    return (*ATTENTION[:2], "guided:0.5", *ATTENTION[2:])


SHARES: dict[str, Callable[..., Attention]] = {
    "parallel": lambda task: Parallel.for_task(task),
    "guided": lambda task, power="1": Guided.for_task(task, float(power)),
    "serial": lambda task: Serial.for_task(task),
}
GAZES: dict[str, Callable[..., Attention]] = {
    "map": lambda task: MAP.for_task(task),
    "elm": lambda task: ELM.for_task(task),
    "ideal": lambda task: IdealSearcher.for_task(task),
    "random": lambda task, number="0": Random(int(number)).made_for(task),
    "stay": lambda task, number: StayAt(int(number) - 1).made_for(task),
}
DWELLS: dict[str, Callable[..., Attention]] = {
    "map": lambda task, number: Dwell(MAP, float(number)).made_for(task),
    "elm": lambda task, number: Dwell(ELM, float(number)).made_for(task),
    "ideal": lambda task, number: Dwell(IdealSearcher, float(number)).made_for(task),
    "stay": lambda task, number: Dwell(StayAt(int(number) - 1), task.dt).made_for(task),
}
