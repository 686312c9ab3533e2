"""Grids of results over tasks, costs, strategies and settings, on one machine or a cluster.

==================  ===============================================================================
`grid`              the sweep: a base and axes over it
`case`              one point: its task, its costs and its settings
`reader`            from the tables of a sweep, or of its file, to base, axes and faults
`schema`            the JSON Schema of its file
`point`             the numbers of one point, and its stream of noise
`cluster`           the Dask cluster
`run`               `popout.sweep`: from grid to store
`journal`           what has been computed, safe against interruption
`store`             the labelled dataset
`plan`              what a sweep will take, before it runs
==================  ===============================================================================
"""

from popout.analysis.sweep.grid import Sweep
from popout.analysis.sweep.run import run_sweep, sweep

__all__ = ["Sweep", "run_sweep", "sweep"]
