"""What the observer faces: locations, orientations, mixtures, priors and costs."""

from popout.task.search import SearchTask  # isort: skip - the first kind in every list
from popout.task.costs import Costs, check_costs
from popout.task.declared import Declared, Field, Stored, optional, required
from popout.task.discrimination import DiscriminationTask
from popout.task.display_law import Displays
from popout.task.faults import Fault, Faults, InputError
from popout.task.gaze import GazeTask
from popout.task.limited import LimitedSearchTask
from popout.task.mixture import MixtureSearchTask
from popout.task.observation import GaussianWalk, Noise, Observation, PoissonSpikes
from popout.task.scene import SceneSearchTask
from popout.task.task import Task, check_task
from popout.task.toml import load_costs, load_task, save_task, task_from_toml, task_to_toml

__all__ = [
    "Costs",
    "Declared",
    "DiscriminationTask",
    "Displays",
    "Fault",
    "Faults",
    "Field",
    "GaussianWalk",
    "GazeTask",
    "InputError",
    "LimitedSearchTask",
    "MixtureSearchTask",
    "Noise",
    "Observation",
    "PoissonSpikes",
    "SceneSearchTask",
    "SearchTask",
    "Stored",
    "Task",
    "check_costs",
    "check_task",
    "load_costs",
    "load_task",
    "optional",
    "required",
    "save_task",
    "task_from_toml",
    "task_to_toml",
]
