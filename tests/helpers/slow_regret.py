"""Regret the slow and plain way: any advantage, a function in Python, one look at a time."""

import numpy as np

from popout.analysis.losses import Losses
from popout.analysis.score import stratified
from popout.evidence import Condition
from popout.policies.stopping import Action
from popout.simulation.looks import BATCH, Walk
from popout.simulation.simulator import trials_of
from popout.simulation.tally import Columns

MOST_STEPS = 10_000


def advantage_of(solution):
    """Return what every action loses against the best one, as a function of the states."""

    def advantage(Z):
        risks = solution.value_grid.Q(Z)
        return risks - risks.min(axis=1, keepdims=True)

    return advantage


def losses_by_looks(advantage, task, seed, trials):
    """Return what trials lost, as `losses_by_table` does."""
    lost = Losses(np.zeros(len(trials.target)), np.zeros(3))
    for start in range(0, len(trials.target), BATCH):
        part = trials.part(start, start + BATCH)
        walk = Walk(task, seed, start + np.arange(len(part.target)), part.target)
        while len(walk.index):
            last = part.steps[walk.index] == walk.k
            actions = np.where(last, part.response[walk.index], Action.WAIT)
            losses = advantage(walk.Z)[np.arange(len(actions)), actions]
            lost.per_trial[start + walk.index] += losses
            lost.by_action[:] += np.bincount(actions, weights=losses, minlength=3)
            walk.keep(~last)
            if len(walk.index):
                walk.advance()
    return lost


def slow_regret(task, advantage, strategy, n_trials, seed=1):
    """Return the regret of a strategy by any advantage, as an `Estimate`."""
    trials = Columns.empty(n_trials)
    trials_of(task, strategy, seed, Condition.PRIOR, MOST_STEPS, 1)(0, trials)
    lost = losses_by_looks(advantage, task, seed, trials)
    return stratified(lost.per_trial, trials.target >= 0, task.prior)
