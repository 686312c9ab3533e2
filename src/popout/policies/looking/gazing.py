r"""What a gaze policy is: given the evidence, at which of several places the eyes rest next.

A policy likes each gaze f to some degree :math:`\lambda_f(Z)`, and takes the one that it likes
best, the first among equals. What the items then receive, :math:`v_{fl}`, takes the place of shares
of information (`popout.task.look.Gazes`), so that solver and simulator treat gaze as any attention.
A policy that says how much it likes each gaze also says where it turns from one to another, at
:math:`\lambda_i = \lambda_j`: there the value of following it has a kink or a jump, which the
solver has to know (`popout.exact.looking`).
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.policies.looking.attention import Attention, log_location_prior
from popout.task.faults import Faults, InputError, show
from popout.task.look import Gazes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
Rows = tuple[tuple[float, ...], ...]


class GazePolicy(Attention):
    """Where the eyes rest; a policy of your own is one method, `liking`.

    Attributes
    ----------
    visibility : tuple of tuple of float, shape (G, M)
        What each gaze lets each item receive.

    Examples
    --------
    Look where two items together are most likely to hold the target:

    >>> from dataclasses import dataclass
    >>> import popout as po
    >>> @dataclass(frozen=True)
    ... class Pairs(RuleOfGaze):
    ...     def liking(self, Z):
    ...         return np.exp(Z)[..., :-1] + np.exp(Z)[..., 1:]
    >>> items, between = [(0, 0), (1, 0), (2, 0)], [(0.5, 0), (1.5, 0)]
    >>> task = po.GazeTask(items, between, information=20.0, falloff=0.8)
    >>> Pairs.for_task(task).gaze([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    array([1, 0])
    """

    kind_of_look = Gazes
    visibility: Rows

    def __init_subclass__(cls, **settings: Any) -> None:
        """Have what a rule says checked wherever it is asked, also by the solver."""
        super().__init_subclass__(**settings)
        if "liking" in vars(cls):
            cls.liking = _checked(vars(cls)["liking"])  # type: ignore[assignment,method-assign]

    @property
    def n_locations(self) -> int | None:
        """Number of items M; None before it is made for a task."""
        return len(self.visibility[0]) if self.visibility else None

    @abstractmethod
    def liking(self, Z: Array) -> Array:
        """Return how much each gaze is liked, shape (..., G), at states Z of shape (..., M)."""

    def gaze(self, Z: ArrayLike) -> NDArray[np.int64]:
        """Return the number of the gaze that is taken, shape (...)."""
        return np.asarray(self.liking(self._states(Z)).argmax(axis=-1))

    def _states(self, Z: ArrayLike) -> Array:
        """Return states as an array; refuse what is none, and items that are not there."""
        M, values = self.n_locations, as_array(Z)
        fits = values is not None and values.ndim > 0 and M in (None, values.shape[-1])
        if values is None or not fits or not np.isfinite(values.max(axis=-1)).all():
            faults = Faults(type(self).__name__)
            shape = "shape (..., M)" if M is None else f"shape (..., {M})"
            remedy = "give the log likelihood ratio of each item; 0 is no evidence"
            faults.add("Z", f"numbers of {shape}", Z, remedy)
            faults.raise_if_any()
        assert values is not None
        return values

    def shares(self, Z: ArrayLike, t: ArrayLike) -> Array:
        """Return what each item receives from the gaze that is taken; time plays no part."""
        return np.asarray(self.visibility)[self.gaze(Z)]

    def plot_next(self, task: Any, Z: ArrayLike = 0.0, ax: Axes | None = None) -> Axes:
        """Draw how much each next gaze is liked, and how likely each item is.

        Of the optimum that is the value of each gaze, after the change of measure of the solver.

        Parameters
        ----------
        task : GazeTask
        Z : array_like of shape (M,)
            Local log likelihood ratios; before any evidence when left out.
        ax : Axes, optional
            Where to draw; a new figure when left out.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> import popout as po
        >>> task = po.GazeTask([(0, 0), (1, 0), (2, 0)], information=20.0, falloff=0.8)
        >>> po.ELM.for_task(task).plot_next(task, ax=Figure().subplots()).get_title()
        'next gaze: ELM'
        """
        from popout.policies.gaze_pictures import draw_next_gaze

        return draw_next_gaze(self, task, Z, ax)


@dataclass(frozen=True)
class RuleOfGaze(GazePolicy):
    """A gaze policy made for a task.

    Parameters
    ----------
    visibility : tuple of tuple of float, shape (G, M)
    log_prior : tuple of float, length M
        log P(l_T = l | C=1); -inf where the target never is.

    Examples
    --------
    A rule of your own says how much it likes each gaze:

    >>> import popout as po
    >>> class Leftmost(po.RuleOfGaze):
    ...     def liking(self, Z):
    ...         return np.broadcast_to(-np.arange(len(self.visibility)), Z.shape)
    >>> task = po.GazeTask(items=[(0, 0), (1, 0)], information=20.0, falloff=0.8)
    >>> Leftmost.for_task(task).liking(np.zeros((1, 2))).argmax()
    np.int64(0)
    """

    visibility: Rows
    log_prior: tuple[float, ...]

    @classmethod
    def for_task(cls, task: Any) -> Self:
        """Return the policy for a task with gazes."""
        return cls(gazes_of(task).visibility, log_location_prior(task))

    def posterior(self, Z: Array) -> Array:
        """Return P(l_T = l | Z, C=1), up to a factor that makes the largest one."""
        y = Z + np.asarray(self.log_prior)
        return np.asarray(np.exp(y - y.max(axis=-1, keepdims=True)))


def as_array(values: Any) -> Array | None:
    """Return numbers as an array, None for anything else."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _checked(liking: Callable[[Any, Array], Any]) -> Callable[[Any, Array], Array]:
    """Return the method of a rule with a check of what it returns."""

    @functools.wraps(liking)
    def checked(self: GazePolicy, Z: Array) -> Array:
        liked = liking(self, Z)
        values, shape = as_array(liked), (*np.shape(Z)[:-1], len(self.visibility))
        if values is not None and values.shape == shape:
            if not (values.size and np.isnan(values.min())):
                return values
            got = "NaN"
        else:
            got = show(liked) if values is None or not values.ndim else f"shape {values.shape}"
        words = f"numbers of shape {shape}, one for each gaze, got {got}"
        remedy = "return how much each gaze is liked, e.g. np.exp(Z)"
        raise InputError(f"{type(self).__name__}.liking: expected {words}; {remedy}")

    return checked


def gazes_of(task: Any) -> Gazes:
    """Return the gazes of a task, which `popout.policies.observer` has checked for them."""
    assert isinstance(task.look, Gazes)
    return task.look
