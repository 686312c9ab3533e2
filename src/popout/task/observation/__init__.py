"""What one location observes: one file for each observation law."""

from popout.task.observation.gaussian_walk import GaussianWalk
from popout.task.observation.observation import Noise, Observation
from popout.task.observation.poisson_spikes import PoissonSpikes

__all__ = ["GaussianWalk", "Noise", "Observation", "PoissonSpikes"]
