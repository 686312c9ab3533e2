"""Names that a user may type, of where to look and of when to stop; this module loads nothing.

Recipes of your own enter `popout.policies.stopping.RECIPES` under their names; those of the package
are written down here too, so that the shell completes them at once. A test keeps both equal.
"""

from __future__ import annotations

OPTIMAL = "optimal"
"""The exact solution."""
ATTENTION = ("parallel", "guided", "serial")
"""Where to look, without the optimum; ``guided:0.5`` names the power."""
GAZE = ("map", "elm", "ideal", "random", "stay:1")
"""Where the eyes rest, without the optimum; ``stay:2`` is the second gaze, ``random:3`` does
not return to the last three places. Where durations are free ``elm:0.2`` names the seconds of a
fixation."""
STRATEGIES = (
    OPTIMAL,
    "a-sprt",
    "sprt-opt",
    "sprt",
    "hardmax",
    "hardmax-per-location",
    "hardmax-opt",
    "time-varying-sprt",
)
"""When to stop."""
