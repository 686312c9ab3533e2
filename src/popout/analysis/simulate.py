r"""`popout.simulate`: trials of a strategy, of a recipe or of a name.

A finished strategy goes straight to the simulator (`popout.simulation.simulate`). A recipe such as
`ASPRT`, or a name such as ``"optimal"``, is first made for the task, as `compare` and the command
line do it: thresholds are solved and what is free is tuned, on other trials than those that are
simulated. What is best depends on the costs, so these have to be given.
"""

from __future__ import annotations

from typing import Literal, Unpack, overload

from popout.analysis.making import Wanted, check_wanted, perform
from popout.analysis.shims import simulate as simulate_observer
from popout.policies.looking.names import made_for
from popout.policies.observer import Observer
from popout.policies.stopping import Strategy
from popout.simulation import Tally, Trials
from popout.simulation.simulate import Options, check_trials
from popout.task import Costs, Faults, Task, check_costs, check_task


@overload
def simulate(
    task: Task,
    observer: Observer | Wanted,
    n_trials: int = ...,
    seed: int = ...,
    *,
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
    costs: Costs | None = None,
    tune_trials: int = 200_000,
    keep: bool = True,
    **options: Unpack[Options],
) -> Trials | Tally:
    """Simulate trials of one strategy.

    Parameters
    ----------
    task : Task
    strategy : Strategy, type of Recipe or str
        Any strategy; those of the scaled family run compiled. A recipe or a name is made for the
        task and the costs first.
    n_trials : int
    seed : int
        The noise and the display of trial i depend on the seed and i alone: strategies simulated
        with one seed face the same trials. Free parameters are tuned on other trials.
    costs : Costs, optional
        What to make the strategy for; needed by recipes and names alone.
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
    """
    faults = Faults("simulate")
    check_task(faults, "task", task)
    if costs is not None:
        check_costs(faults, "costs", costs)
    given = observer if isinstance(observer, Observer) else None
    wanted = observer if given is None else given.strategy
    attention = None if given is None else given.attention
    check_wanted(faults, "strategy", [wanted], [task], attention=attention is not None)
    faults.raise_if_any()
    if isinstance(wanted, Strategy):
        made = Observer(made_for(attention, task), wanted)
        trials: Trials | Tally = simulate_observer(task, made, n_trials, seed, keep=keep, **options)
        return trials
    if costs is None:
        remedy = "give costs, e.g. costs=Costs(time=0.2), or a strategy"
        faults.add("costs", "the costs that it is to be made for", costs, remedy)
    n_trials = check_trials(faults, "n_trials", n_trials, keep=keep)
    tune_trials = check_trials(faults, "tune_trials", tune_trials, at_least=1000)
    seed = faults.integer("seed", seed, "choose any number")
    faults.raise_if_any()
    assert costs is not None
    how = {"tune_trials": tune_trials, "keep": keep, **options}
    return perform(task, costs, wanted, attention, n_trials, seed, **how).trials
