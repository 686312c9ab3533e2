"""When to stop and what to say: the decision strategies of the paper, one file each.

A strategy looks at the local log likelihood ratios ``Z`` and the time ``t`` and waits, declares the
target absent or declares it present (`Strategy`, `Action`). The strategies of the paper are members
of one family, `ScaledSPRT`; the recipes `ASPRT`, `SPRT`, `SPRTOpt`, `Hardmax` and `TimeVaryingSPRT`
make them for a task. At ``t = 0`` a test may already be satisfied, and present wins ties.
"""

from popout.strategies.a_sprt import ASPRT
from popout.strategies.base import Action, BoundaryStrategy, Strategy
from popout.strategies.hardmax import Hardmax
from popout.strategies.recipe import Parameter, Recipe, Thresholds
from popout.strategies.scaled_sprt import ScaledSPRT, ScaledTest
from popout.strategies.sprt import SPRT
from popout.strategies.sprt_opt import SPRTOpt
from popout.strategies.time_varying import TimeVaryingSPRT

RECIPES: dict[str, type[Recipe]] = {
    recipe.name: recipe for recipe in (ASPRT, SPRTOpt, SPRT, Hardmax, TimeVaryingSPRT)
}
"""Every recipe by its name on the command line. A new strategy adds itself here."""

__all__ = [
    "ASPRT",
    "RECIPES",
    "SPRT",
    "Action",
    "BoundaryStrategy",
    "Hardmax",
    "Parameter",
    "Recipe",
    "SPRTOpt",
    "ScaledSPRT",
    "ScaledTest",
    "Strategy",
    "Thresholds",
    "TimeVaryingSPRT",
]
