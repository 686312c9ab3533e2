"""Where to look: policies for a limited rate of information and for gaze, one file each.

A policy looks at the local log likelihood ratios ``Z`` and the time ``t`` and shares out the
information of the next step (`Attention`). It combines with any strategy of
`popout.policies.stopping`, which says when to stop and what to answer.
"""

from popout.policies.looking.attention import Attention
from popout.policies.looking.elm import ELM
from popout.policies.looking.exact_table import AttentionTable
from popout.policies.looking.free_gaze import Dwell, FreeGaze, FreeGazeStopping, FreeGazeTable
from popout.policies.looking.gaze_table import GazeTable
from popout.policies.looking.gazing import GazePolicy, RuleOfGaze
from popout.policies.looking.guided import Guided
from popout.policies.looking.ideal_searcher import IdealSearcher
from popout.policies.looking.map_gaze import MAP
from popout.policies.looking.parallel import Parallel
from popout.policies.looking.random_gaze import Random
from popout.policies.looking.serial import Serial
from popout.policies.looking.stay_at import StayAt

__all__ = [
    "ELM",
    "MAP",
    "Attention",
    "AttentionTable",
    "Dwell",
    "FreeGaze",
    "FreeGazeStopping",
    "FreeGazeTable",
    "GazePolicy",
    "GazeTable",
    "Guided",
    "IdealSearcher",
    "Parallel",
    "Random",
    "RuleOfGaze",
    "Serial",
    "StayAt",
]
