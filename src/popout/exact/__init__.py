"""Dynamic programming: the exact ideal observer, its boundaries, and strategies on its grid.

=====================  ============================================================================
`solver`               `popout.solve`; `discrimination` has `popout.thresholds`; `forecast` says how
                       long it will take, `notes` what looks wrong with a problem
`deadline`             `popout.solve_deadline`, the finite horizon
`evaluation`           `popout.evaluate`: any strategy on the same grid, without noise;
                       `strategy_equation` is the equation it solves
`refinement`           from a tolerance to a risk and an honest error, for all of these
`waiting_region`       thresholds of one location, to many digits
`discretisation`       from a task and its costs to grids
`stationary`           the fixed point on one grid; `anderson` accelerates it
`bellman`              the Bellman equation after a change of measure
`kinks`                sub-grid accuracy at the decision boundary; `compiled_kinks` is its form for
                       NumPy, `cell_kinks` has the formulas
`grid`, `axis`         nodes and the law of one step; `multisets` for exchangeable locations
`value_grid`           the value function on the nodes, beyond them and between them (`risk_spline`)
`solution`             what the solver returns; `boundary` traces it, `scales` fits the conjecture
`joint_solver`         `popout.solve_joint`: where to look and when to stop, optimal together, with
                       `joint_refine`, `joint_problem`, `joint_bellman`, `joint_grid`,
                       `joint_shares`, `joint_looking` and `joint_kinks` for its parts;
                       `joint_evaluation` follows any pair, `joint_limit` goes to continuous time
`backend`              NumPy, PyTorch or CuPy through the array API standard; `blas` keeps small
                       products on one thread
=====================  ============================================================================
"""

from popout.exact.backend import Backend, get_backend
from popout.exact.boundary import Boundary, Plane
from popout.exact.deadline import DeadlineSolution, solve_deadline
from popout.exact.discretisation import GridSpec
from popout.exact.discrimination import Thresholds, thresholds
from popout.exact.evaluation import Evaluation, evaluate
from popout.exact.forecast import Forecast, TooLongError
from popout.exact.refinement import Level, MemoryLimitError, NotConvergedError
from popout.exact.scales import Fit, Scales
from popout.exact.solution import Diagnostics, Solution
from popout.exact.solver import solve
from popout.exact.value_grid import ValueGrid

__all__ = [
    "Backend",
    "Boundary",
    "DeadlineSolution",
    "Diagnostics",
    "Evaluation",
    "Fit",
    "Forecast",
    "GridSpec",
    "Level",
    "MemoryLimitError",
    "NotConvergedError",
    "Plane",
    "Scales",
    "Solution",
    "Thresholds",
    "TooLongError",
    "ValueGrid",
    "evaluate",
    "get_backend",
    "solve",
    "solve_deadline",
    "thresholds",
]
