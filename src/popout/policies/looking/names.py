"""Attention policies by name, as people type them: ``serial``, ``guided``, ``guided:0.5``."""

from __future__ import annotations

from typing import Any

from popout.policies.looking.attention import Attention
from popout.policies.looking.guided import Guided
from popout.policies.looking.parallel import Parallel
from popout.policies.looking.serial import Serial
from popout.task import Task
from popout.task.faults import Fault, Faults, InputError, did_you_mean
from popout.task.look import Shares

OPTIMAL = "optimal"
ATTENTION = ("parallel", "guided", "serial")


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
    is_class = isinstance(wanted, type) and issubclass(wanted, Attention)
    if not (is_class and isinstance(task, Task) and isinstance(task.look, Shares)):
        return wanted
    try:
        return getattr(wanted, "for_task", lambda task: wanted())(task)
    except TypeError:  # it takes more than the task
        remedy = "make one and pass that, or give the class a for_task(task)"
        expected = "a policy, or a class that needs no more than the task"
        raise InputError([Fault("attention", (), expected, wanted.__name__, remedy)]) from None


def named_attention(name: str, task: Task, faults: Faults | None = None) -> Attention | None:
    """Return the policy of a name, made for a task; None for the optimum, which has to be solved.

    Parameters
    ----------
    name : str
        ``parallel``, ``guided``, ``serial`` or ``optimal``; ``guided:0.5`` names the power.
    task : Task
        Whose locations share information.
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
    kind, colon, power = name.partition(":")
    known = (OPTIMAL, *ATTENTION)
    try:
        g = float(power) if colon else 1.0
    except ValueError:
        g = None
    if kind not in known or g is None or (colon and kind != "guided"):
        record = Faults("") if faults is None else faults
        expected = "one of optimal, parallel, guided, guided:0.5, serial"
        record.add("attention", expected, name, did_you_mean(kind, known, "choose one"))
        if faults is None:
            record.raise_if_any()
        return None
    if kind == OPTIMAL:
        return None
    if kind == "guided":
        return Guided.for_task(task, g)
    return Parallel.for_task(task) if kind == "parallel" else Serial.for_task(task)
