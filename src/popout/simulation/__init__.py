"""Trials of any observer on any task: compiled kernels and summaries.

`Responses` are what anyone can observe: answers, times and displays. `simulate` runs an observer,
`Trials` are its responses with all that the simulation knows, `Summary` is what they cost. The
noise of trial i at step k and location l is a function of (seed, i, k, l): results do not depend on
threads or chunks, and observers compared under one seed share displays and noise.
"""

from popout.simulation.fixations import Fixations
from popout.simulation.responses import Responses
from popout.simulation.simulated_trials import Trials
from popout.simulation.simulator import simulate
from popout.simulation.summary import ConditionSummary, Summary
from popout.simulation.tally import Tally
from popout.simulation.time_limit import default_time_limit

__all__ = [
    "ConditionSummary",
    "Fixations",
    "Responses",
    "Summary",
    "Tally",
    "Trials",
    "default_time_limit",
    "simulate",
]
