"""A kind of task in one file: a ring of items, one of which may be odd."""

from popout import Task
from popout.task import Displays, Field, Observation, Stored, optional, required
from popout.task.kinds import Integer, Part
from popout.task.task import DT, PRIOR


class OddOneOut(Task):
    """Which of a ring of items is odd, if any? Every item is equally likely to be."""

    kind = "odd-one-out"

    n_items: Stored[int] = required(Field(Integer(2, 50), "Items of the ring.", "count them"))
    observation: Stored[Observation] = required(
        Field(Part(Observation), "What one item shows.", "describe it")
    )
    dt: Stored[float] = optional(DT)
    prior: Stored[float] = optional(PRIOR)

    @property
    def n_locations(self):
        """Number of items."""
        return self.n_items

    @property
    def location_prior(self):
        """P(the odd one is here), shape (M,)."""
        return (1 / self.n_items,) * self.n_items

    @property
    def observations(self):
        """What each item shows."""
        return (self.observation,) * self.n_items

    def displays(self):
        """Say how displays come about: the odd one has orientation 1, all others orientation 0."""
        return Displays(self.location_prior, (0.0, 1.0), ((1.0, 0.0),))
