"""Figures, one module each, with its computation, its picture and its caption.

Those of the paper, and those of chapters beyond it. The observer of the paper sees every location
at its full rate. "With limited information" a rate of information is shared out, anew at every
step; "With eye movements" gaze decides how well each item is seen. See `popout.reports.part.Part`
for what a figure is.
"""

from popout.paper.figures.fixation_durations import FIXATION_DURATIONS
from popout.paper.figures.greedy_gaze import GREEDY_GAZE
from popout.paper.figures.homogeneous_risk import HOMOGENEOUS_RISK
from popout.paper.figures.homogeneous_search import HOMOGENEOUS_SEARCH
from popout.paper.figures.many_places import MANY_PLACES
from popout.paper.figures.memory import MEMORY
from popout.paper.figures.optimal_thresholds import OPTIMAL_THRESHOLDS
from popout.paper.figures.search_designs import SEARCH_DESIGNS
from popout.paper.figures.slopes_and_errors import SLOPES_AND_ERRORS
from popout.paper.figures.strategies_2d import STRATEGIES_2D
from popout.paper.figures.unequal_drift_risk import UNEQUAL_DRIFT_RISK
from popout.paper.figures.where_to_look import WHERE_TO_LOOK
from popout.paper.figures.worth_a_look import WORTH_A_LOOK

FIGURES = (
    SEARCH_DESIGNS,
    HOMOGENEOUS_SEARCH,
    OPTIMAL_THRESHOLDS,
    STRATEGIES_2D,
    HOMOGENEOUS_RISK,
    UNEQUAL_DRIFT_RISK,
)
"""Those of the paper, in the order in which they are made and shown."""
CHAPTER = (
    *(WHERE_TO_LOOK, SLOPES_AND_ERRORS, WORTH_A_LOOK, MEMORY),
    *(GREEDY_GAZE, FIXATION_DURATIONS, MANY_PLACES),
)
"""Those beyond the paper."""
