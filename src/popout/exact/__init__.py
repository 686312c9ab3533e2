"""Dynamic programming: the exact ideal observer, its boundaries, and strategies on its grid.

==================  ===============================================================================
`solver`            `popout.solve` and `popout.thresholds`
`problem`           from a task and its costs to grids
`refine`            from a tolerance to a risk and an honest error; `levels` estimates it
`stationary`        the fixed point on one grid; `anderson` accelerates it
`bellman`           the Bellman equation after a change of measure
`kinks`             sub-grid accuracy at the decision boundary
`grid`, `axis`      nodes and the law of one step; `multisets` for exchangeable locations
`evaluation`        any strategy on the same grid, without noise; `follow` is its equation
`deadline`          the finite horizon
`solution`          what the solver returns; `boundary` draws from it and fits the conjecture
`backend`           NumPy, PyTorch or CuPy through the array API standard
==================  ===============================================================================
"""

from popout.exact.backend import Backend, get_backend
from popout.exact.boundary import Boundary, Fit, Scales
from popout.exact.deadline import DeadlineSolution, solve_deadline
from popout.exact.evaluation import Evaluation, evaluate
from popout.exact.levels import Level, NotConvergedError
from popout.exact.problem import GridSpec
from popout.exact.refine import MemoryLimitError
from popout.exact.solution import Diagnostics, Solution
from popout.exact.solver import Thresholds, solve, thresholds

__all__ = [
    "Backend",
    "Boundary",
    "DeadlineSolution",
    "Diagnostics",
    "Evaluation",
    "Fit",
    "GridSpec",
    "Level",
    "MemoryLimitError",
    "NotConvergedError",
    "Scales",
    "Solution",
    "Thresholds",
    "evaluate",
    "get_backend",
    "solve",
    "solve_deadline",
    "thresholds",
]
