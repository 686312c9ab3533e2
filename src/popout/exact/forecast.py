r"""How much work a solution is and how much memory it needs, before it starts.

**Which grids.** Those before the first level are known; how often the range is lengthened is not,
and once is assumed. The spacing error of level k falls as :math:`c\,q^{-5k}`, q the ratio of the
spacings (`refinement`); with :math:`c` = `FIRST_ERROR` that gives the number of levels for a
tolerance.

**How many steps on each.** With a half width :math:`\tau` of waiting at one location, and steps of
variance :math:`\sigma^2`, a trial lasts about :math:`N = \min(2\tau/\sigma^2, \tau^2/\sigma^2)`
looks. Anderson's iteration needs some `FIRST_STEPS` :math:`\sqrt{N}` steps from a poor start and
`LATER_STEPS` :math:`\sqrt{N}` from the solution on the grid before.

**How much work a step is.** The bytes that it moves (those of the matrix products, of the kink
correction on every slot and of the iteration's own vectors), a flop counted as a tenth of a byte.

**How long that takes.** At `RATE`, the pace of two ordinary cores: drift 4, cost .2 and five
locations to a tolerance of 1e-4 take 200 s for 203 foreseen. Nothing is timed: what is refused is
the same at any hour and on any machine. On a GPU it is `GPU_RATE`, a third of what an H200 has
shown (six locations to 2e-3 in 2.7 s). Expect a factor of two or three either way.

While the work goes on, `Schedule` compares what is done with what is left, so that the time left
gets better as it gets shorter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from popout.drawing.representation import count, duration
from popout.exact.discretisation import Discretisation
from popout.exact.grid import Grid
from popout.progress import Progress, stretch
from popout.task import Fault, InputError

FIRST_ERROR = 0.01
ERROR_ORDER = 5
SPACING_SHARE = 0.6  # of the tolerance, for the spacing; the rest is for the range
FIRST_STEPS, LATER_STEPS = 8.0, 4.0
FLOP = 0.1  # in bytes moved
SLOT_ARRAYS, NODE_ARRAYS = 12, 20  # passed over once in a step: kink correction, iteration
RATE, GPU_RATE = 3e9, 5e10  # bytes per second
OVERHEAD = 2e6  # a step on the smallest grid, in bytes


class TooLongError(InputError):
    """The work would take longer than is allowed; nothing was done.

    Attributes
    ----------
    seconds : float
        By the forecast.

    Examples
    --------
    >>> import popout as po
    >>> task = po.SearchTask(n_locations=6, drift=4.0)
    >>> try:
    ...     po.solve(task, po.Costs(time=0.2), max_seconds=0.01)
    ... except po.TooLongError as error:
    ...     print(error.seconds > 0.01)
    True
    """

    def __init__(self, faults: Iterable[Fault] | str, seconds: float = math.nan) -> None:
        super().__init__(faults)
        self.seconds = seconds


@dataclass(frozen=True)
class Stage:
    """Work on one grid.

    Attributes
    ----------
    name : str
    grid : Grid
    steps : float
        Of evidence, as foreseen.
    """

    name: str
    grid: Grid
    steps: float

    @property
    def work(self) -> float:
        """Work altogether."""
        return self.steps * work(self.grid)


@dataclass(frozen=True)
class Forecast:
    """What is to be done, and how long it takes.

    Attributes
    ----------
    stages : tuple of Stage
    bytes_needed : int
        On the largest grid.

    Examples
    --------
    >>> import popout as po
    >>> from popout.exact.solver import forecast
    >>> task = po.SearchTask(n_locations=3, drift=4.0)
    >>> found = forecast(task, po.Costs(time=0.2), rtol=1e-3)
    >>> found.seconds < 60
    True
    >>> [stage.name for stage in found.stages]
    ['range', 'range', 'level 0', 'level 1', 'level 2', 'level 3']
    """

    stages: tuple[Stage, ...]
    bytes_needed: int

    @property
    def rate(self) -> float:
        """Bytes per second where the arrays live."""
        return GPU_RATE if self.largest.backend.on_gpu else RATE

    @property
    def seconds(self) -> float:
        """Time altogether."""
        return sum(stage.work for stage in self.stages) / self.rate

    @property
    def largest(self) -> Grid:
        """The grid whose steps take longest."""
        return max((stage.grid for stage in self.stages), key=work)

    def __str__(self) -> str:
        """Name the time, the memory and the largest grid."""
        grid = self.largest
        nodes = " x ".join(str(n) for n in grid.nodes_per_axis)
        memory = self.bytes_needed / 2**30
        return (
            f"{duration(self.seconds)} at {self.rate / 1e9:g} GB/s and "
            f"{memory:.{0 if memory >= 10 else 1}f} GiB "
            f"({count(grid.n_locations, 'location')}, up to {nodes} nodes per axis)"
        )

    def check(self, solver: str, max_seconds: float, remedy: str, hint: str = "") -> None:
        """Refuse work that would take too long, before it is begun.

        Parameters
        ----------
        solver : str
            What was called.
        max_seconds : float
        remedy : str
            What to do instead.
        hint : str
            What looks wrong with the input, if anything does.

        Raises
        ------
        TooLongError
        """
        if self.seconds > max_seconds:
            fault = Fault(
                solver,
                ("max_seconds",),
                f"work of at most {duration(max_seconds)}",
                f"a forecast of {self}",
                remedy,
                note=hint and f" ({hint})",
            )
            raise TooLongError([fault], self.seconds)


class Schedule:
    """Tells how much of the work is done, from what was foreseen and what turned out.

    Parameters
    ----------
    forecast : Forecast
    progress : Progress, optional

    Examples
    --------
    >>> from popout.exact.solver import forecast
    >>> import popout as po
    >>> told = []
    >>> found = forecast(po.SearchTask(n_locations=1, drift=4.0), po.Costs(time=0.2), rtol=1e-2)
    >>> schedule = Schedule(found, lambda share, words: told.append((round(share, 1), words)))
    >>> for stage in found.stages:
    ...     tell = schedule.begin(stage.name, stage.grid)
    ...     tell(1.0, "")
    ...     schedule.end(stage.grid, round(stage.steps))
    >>> told[-1]
    (1.0, 'level 2')
    """

    def __init__(self, forecast: Forecast, progress: Progress | None) -> None:
        self.left = list(forecast.stages)
        self.steps_of = {stage.name: stage.steps for stage in forecast.stages}
        self.last = forecast.stages[-1].name
        self.progress = progress
        self.done = 0.0

    def begin(self, name: str, grid: Grid) -> Progress | None:
        """Return the progress of the stage that begins; what was foreseen before it is over."""
        if self.progress is None:
            return None
        names = [stage.name for stage in self.left]
        if name in names:
            del self.left[: names.index(name) + 1]
        now = self.steps_of.get(name, self.steps_of[self.last]) * work(grid)
        total = self.done + now + sum(stage.work for stage in self.left)
        return stretch(self.progress, self.done / total, (self.done + now) / total, name)

    def end(self, grid: Grid, steps: float) -> None:
        """Note what a stage has really taken."""
        self.done += steps * work(grid)


def work(grid: Grid) -> float:
    """Return the work of one step of evidence on a grid, in bytes moved."""
    flops, moved = grid.work_per_step()
    arrays = SLOT_ARRAYS * grid.n_locations + NODE_ARRAYS
    return OVERHEAD + moved + FLOP * flops + 8.0 * grid.size * arrays


def looks_per_trial(problem: Discretisation) -> float:
    """Return about how many looks a trial lasts, from the thresholds of single locations."""
    longest = 1.0
    for place, (lower, upper) in problem.thresholds.items():
        tau, variance = 0.5 * (upper - lower), problem.sd[place] ** 2
        longest = max(longest, min(2.0 * tau, tau * tau) / variance)
    return longest


def steps_needed(problem: Discretisation) -> tuple[float, float]:
    """Return about how many steps an iteration takes on a first grid, and on a later one."""
    root = math.sqrt(looks_per_trial(problem))
    return FIRST_STEPS * root, LATER_STEPS * root


def n_levels(rtol: float, ratio: float, trusted: int) -> int:
    """Return about how many levels a refinement takes to a tolerance.

    Examples
    --------
    >>> [n_levels(rtol, 1.3, trusted=2) for rtol in (1e-2, 1e-3, 1e-4)]
    [3, 4, 5]
    """
    enough = math.log(FIRST_ERROR / (SPACING_SHARE * rtol)) / (ERROR_ORDER * math.log(ratio))
    return 1 + max(trusted, math.ceil(enough))
