"""What the observer faces: locations, orientations, mixtures, priors and costs."""

from popout.task.costs import Costs
from popout.task.faults import Faults, InputError
from popout.task.search import SearchTask

__all__ = [
    "Costs",
    "Faults",
    "InputError",
    "SearchTask",
]
