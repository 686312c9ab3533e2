r"""`popout.simulate`: trials of an observer, whose strategy may be a recipe or a name.

A finished observer goes straight to the simulator (`popout.simulation.simulator`). A recipe such as
`ASPRT`, or a name such as ``"optimal"``, is first made for the task, as `compare` and the command
line do it: thresholds are solved and what is free is tuned, on other trials than those that are
simulated. What is best depends on the costs, so these have to be given.
"""

from __future__ import annotations

from typing import Any, Literal, Unpack, overload

from popout.analysis.making import (
    FinishedObserver,
    Wanted,
    WantedAttention,
    Workshop,
    check_wanted,
    wanted_attention,
)
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.observer import Observer
from popout.policies.stopping import Strategy
from popout.policies.vocabulary import OPTIMAL
from popout.progress import Progress, stretch
from popout.simulation import Tally, Trials
from popout.simulation import simulate as simulate_observer
from popout.simulation.simulator import Options, check_trials
from popout.task import Costs, Faults, Task, check_costs, check_task


@overload
def simulate(
    task: Task,
    observer: Observer | Wanted,
    n_trials: int = ...,
    seed: int = ...,
    *,
    attention: WantedAttention | None = ...,
    costs: Costs | None = ...,
    tune_trials: int = ...,
    keep: Literal[True] = ...,
    **options: Unpack[Options],
) -> Trials: ...


@overload
def simulate(
    task: Task,
    observer: Observer | Wanted,
    n_trials: int = ...,
    seed: int = ...,
    *,
    attention: WantedAttention | None = ...,
    costs: Costs | None = ...,
    tune_trials: int = ...,
    keep: Literal[False],
    **options: Unpack[Options],
) -> Tally: ...


def simulate(
    task: Task,
    observer: Observer | Wanted,
    n_trials: int = 100_000,
    seed: int = 1,
    *,
    attention: WantedAttention | None = None,
    costs: Costs | None = None,
    tune_trials: int = 200_000,
    keep: bool = True,
    **options: Unpack[Options],
) -> Trials | Tally:
    """Simulate trials of one observer.

    Parameters
    ----------
    task : Task
    observer : Observer, Strategy, type of Recipe or str
        A strategy alone means the task's own look; where information is limited an `Observer` says
        where to look. A recipe or the name of a strategy is made for the task and the costs first.
    n_trials : int
    seed : int
        The noise and the display of trial i depend on the seed and i alone: strategies simulated
        with one seed face the same trials. Free parameters are tuned on other trials.
    attention : name, Attention or a class of it, optional
        Where to look, in place of an `Observer` that says so.
    costs : Costs, optional
        What to make the observer for; needed by recipes and names alone.
    tune_trials : int
        For each candidate while tuning.
    keep : bool
        False keeps no single trial, only the `Tally`: memory does not grow with `n_trials`.
    condition : Condition or int
        ``"prior"`` draws class and location from the priors of the task; ``"present"``,
        ``"absent"`` or a target location (from 0) fixes them.
    time_limit : float, optional
        Seconds; trials that reach it are undecided. See `default_time_limit`.
    threads : int, optional
        Default: all cores. Results do not depend on it. A strategy of your own, written in Python,
        always runs in the calling thread.
    progress : callable, optional
        Called with the share of the trials that is done, and in words how many.

    Returns
    -------
    Trials or Tally

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=4, drift=4.0), po.Costs(time=0.2)
    >>> po.simulate(task, po.SPRT, 10_000, seed=1, costs=costs)
    Trials(10000 trials of SPRT, seed 1, 0 undecided)
    >>> sprt = po.SPRT.for_task(task, costs)
    >>> round(po.simulate(task, sprt, 10_000, seed=1).summary(costs).risk, 3)
    0.049

    >>> limited = po.LimitedSearchTask(n_locations=8, information=64.0)
    >>> po.simulate(limited, po.Observer(po.Serial, sprt), 10_000, seed=1)
    Traceback (most recent call last):
    popout.task.faults.InputError: simulate.strategy: expected a strategy for the task's 8 \
locations, got 'one for 4'; make the strategy for this task, e.g. with for_task
    >>> serial = po.Observer(po.Serial, po.SPRT.for_task(limited, costs))
    >>> po.simulate(limited, serial, 10_000, seed=1)
    Trials(10000 trials of SPRT, serial attention, seed 1, 0 undecided)
    """
    faults = Faults("simulate")
    check_task(faults, "task", task)
    if costs is not None:
        check_costs(faults, "costs", costs)
    faults.raise_if_any()
    wanted: Wanted = observer.strategy if isinstance(observer, Observer) else observer
    looks = observer.attention if isinstance(observer, Observer) else attention
    policy = wanted_attention(faults, task, looks)
    faults.raise_if_any()
    check_wanted(faults, "strategy", [wanted], [task])
    faults.raise_if_any()
    how: Any = {"keep": keep, **options}
    trials: Trials | Tally
    if isinstance(wanted, Strategy) and looks != OPTIMAL:
        trials = simulate_observer(task, Observer(policy, wanted), n_trials, seed, **how)
        return trials
    if costs is None:
        remedy = "give costs, e.g. costs=Costs(time=0.2), or a strategy"
        faults.add("costs", "the costs that it is to be made for", costs, remedy)
    n_trials = check_trials(faults, "n_trials", n_trials, keep=keep)
    tune_trials = check_trials(faults, "tune_trials", tune_trials, at_least=1000)
    seed = faults.integer("seed", seed, "choose any number")
    faults.raise_if_any()
    assert costs is not None
    how["tune_trials"] = tune_trials
    trials = perform(task, costs, wanted, looks, n_trials, seed, **how)[2]
    return trials


def perform(
    task: Task,
    costs: Costs,
    strategy: Wanted,
    attention: WantedAttention | None = None,
    n_trials: int = 100_000,
    seed: int = 1,
    *,
    tune_trials: int = 200_000,
    progress: Progress | None = None,
    **options: Any,
) -> tuple[Workshop, FinishedObserver, Any]:
    """Make an observer, and simulate it on other trials than those it was tuned on.

    Parameters are those of `simulate`; what is returned has what it was made with, and itself.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> task, costs = SearchTask(n_locations=2, drift=4.0), Costs(time=0.2)
    >>> workshop, observer, trials = perform(task, costs, "sprt", seed=3)
    >>> observer.label, len(trials), workshop.notes(trials.summary(costs))
    ('SPRT', 100000, ())
    """
    own: Any = {"n_trials": tune_trials, "seed": fresh_seed(seed, Purpose.TUNING)}
    workshop = Workshop(task, costs, threads=options.get("threads"), attention=attention, **own)
    observer = workshop.make(strategy, progress=stretch(progress, 0.0, 0.5, "making"))
    options["progress"] = stretch(progress, 0.5, 1.0, "simulating")
    return workshop, observer, simulate_observer(task, observer, n_trials, seed, **options)
