"""What the observer faces: locations, orientations, mixtures, priors and costs."""

from popout.task.costs import Costs
from popout.task.discrimination import DiscriminationTask
from popout.task.faults import Faults, InputError
from popout.task.mixture import MixtureSearchTask
from popout.task.observation import GaussianWalk, Observation, PoissonSpikes
from popout.task.scene import SceneSearchTask
from popout.task.search import SearchTask
from popout.task.toml import (
    Task,
    load_costs,
    load_task,
    save_task,
    task_from_toml,
    task_to_toml,
)

__all__ = [
    "Costs",
    "DiscriminationTask",
    "Faults",
    "GaussianWalk",
    "InputError",
    "MixtureSearchTask",
    "Observation",
    "PoissonSpikes",
    "SceneSearchTask",
    "SearchTask",
    "Task",
    "load_costs",
    "load_task",
    "save_task",
    "task_from_toml",
    "task_to_toml",
]
