"""Grids of results over tasks, costs, strategies and settings, on one machine or a cluster.

==================  ===============================================================================
`spec`              the grid: a base and axes over it
`reader`, `schema`  its TOML file: faults with their lines, and the JSON Schema
`case`              one point, checked
`point`             the numbers of one point, and its stream of noise
`units`             how many points make a unit of work
`cluster`           the Dask cluster
`run`               `popout.sweep`: from grid to store
`journal`           what has been computed, safe against interruption
`store`             the labelled dataset
`plan`              what a sweep will take, before it runs
==================  ===============================================================================
"""

from popout.analysis.sweep.run import run_sweep, sweep
from popout.analysis.sweep.spec import Sweep

__all__ = ["Sweep", "run_sweep", "sweep"]
