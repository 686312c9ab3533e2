"""Trials of any strategy on any task: compiled kernels, noise streams and summaries.

`simulate` runs a strategy, `Trials` holds what happened and `Summary` what it cost. The noise of
trial i at step k and location l is a function of (seed, i, k, l): results do not depend on threads
or chunks, and strategies compared under one seed share displays and noise.
"""

from popout.noise.streams import standard_normals
from popout.simulation.simulate import default_time_limit, simulate
from popout.simulation.summary import ConditionSummary, Summary
from popout.simulation.tally import Tally
from popout.simulation.trials import Trials

__all__ = [
    "ConditionSummary",
    "Summary",
    "Tally",
    "Trials",
    "default_time_limit",
    "simulate",
    "standard_normals",
]
