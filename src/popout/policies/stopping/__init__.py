"""When to stop and what to say: the decision strategies of the paper, one file each.

A strategy looks at the local log likelihood ratios ``Z`` and the time ``t`` and waits, declares the
target absent or declares it present (`Strategy`, `Action`). The strategies of the paper are members
of one family, `ScaledSPRT`; the recipes `ASPRT`, `SPRT`, `SPRTOpt`, `Hardmax`,
`HardmaxPerLocation`, `HardmaxOpt` and `TimeVaryingSPRT` make them for a task. At ``t = 0`` a test
may already be satisfied, and present wins ties.
"""

# In the order in which users see the names of the recipes, which enter themselves in `RECIPES`.
# isort: off
from popout.policies.stopping.strategy import Action, BoundaryStrategy, ScaledTest, Strategy
from popout.policies.stopping.recipe import RECIPES, Parameter, PerLocation, Recipe, Tunable
from popout.policies.stopping.scaled_sprt import ScaledSPRT
from popout.policies.stopping.a_sprt import ASPRT
from popout.policies.stopping.sprt_opt import SPRTOpt
from popout.policies.stopping.sprt import SPRT
from popout.policies.stopping.hardmax import Hardmax, HardmaxPerLocation, HardmaxOpt
from popout.policies.stopping.time_varying import TimeVaryingSPRT
# isort: on

__all__ = [
    "ASPRT",
    "RECIPES",
    "SPRT",
    "Action",
    "BoundaryStrategy",
    "Hardmax",
    "HardmaxOpt",
    "HardmaxPerLocation",
    "Parameter",
    "PerLocation",
    "Recipe",
    "SPRTOpt",
    "ScaledSPRT",
    "ScaledTest",
    "Strategy",
    "TimeVaryingSPRT",
    "Tunable",
]
