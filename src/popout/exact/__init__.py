"""Dynamic programming: the exact ideal observer, its boundaries, and observers on its grid.

=====================  ============================================================================
`solver`               `popout.solve`: when to stop and, where information is shared out, where to
                       look; `discrimination` has `popout.thresholds`
`deadline`             `popout.solve_deadline`, the finite horizon
`evaluation`           `popout.evaluate`: any observer on the same grid, without noise;
                       `strategy_equation` is the equation it solves
`continuous_limit`     `popout.continuous_time`: the limit of short steps
`worth_a_look`         what can be told about a location without solving; `notes` says what looks
                       wrong with a problem
`refinement`           from a tolerance to a risk and an honest error, for all of these
`discretisation`       from a task and its costs to grids
`fixed_point`          the stationary solution on one grid, accelerated
`bellman`              the Bellman equation after a change of measure
`looking`              what a look is and who chooses it: the step of every equation
`grid`, `axis`         nodes and the law of one step; `multisets` for exchangeable locations
`kinks`                sub-grid accuracy at the decision boundary; `array_kinks` is its form for
                       other back ends
`share_grid`           nodes where information is shared out, with `shares` (which there are) and
                       `share_kinks`
`waiting_region`       thresholds of one location with steps, `continuous_discrimination` without
`value_grid`           the value function on the nodes, beyond them and between them
`solution`             what the solver returns; `boundary` traces it, `scales` fits the conjecture
`backend`              NumPy, PyTorch or CuPy through the array API standard
=====================  ============================================================================
"""

from popout.exact.backend import Backend, get_backend
from popout.exact.boundary import Boundary, Plane
from popout.exact.continuous_limit import ContinuousTime, continuous_time
from popout.exact.deadline import DeadlineSolution, solve_deadline
from popout.exact.discrimination import Thresholds, thresholds
from popout.exact.evaluation import Evaluation, evaluate
from popout.exact.refinement import Level, MemoryLimitError, NotConvergedError
from popout.exact.scales import Fit, Scales
from popout.exact.solution import Diagnostics, Solution
from popout.exact.solver import solve
from popout.exact.value_grid import ValueGrid

__all__ = [
    "Backend",
    "Boundary",
    "ContinuousTime",
    "DeadlineSolution",
    "Diagnostics",
    "Evaluation",
    "Fit",
    "Level",
    "MemoryLimitError",
    "NotConvergedError",
    "Plane",
    "Scales",
    "Solution",
    "Thresholds",
    "ValueGrid",
    "continuous_time",
    "evaluate",
    "get_backend",
    "solve",
    "solve_deadline",
    "thresholds",
]
