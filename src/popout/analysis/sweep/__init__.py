"""Grids of results over tasks, costs, strategies and settings, on one machine or a cluster.

==================  ===============================================================================
`grid`              the sweep: a base and axes over it, and the faults of both
`case`              one point: its task, its costs and its settings; the schema of sweep files
`point`             the numbers of one point, and its stream of noise
`running`           `popout.sweep`: from grid to store on a cluster; what a sweep will take
`results`           what has been computed, safe against interruption; the labelled dataset
==================  ===============================================================================
"""

from popout.analysis.sweep.grid import Sweep
from popout.analysis.sweep.running import run_sweep, sweep

__all__ = ["Sweep", "run_sweep", "sweep"]
