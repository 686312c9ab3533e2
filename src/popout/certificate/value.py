"""What serves as an approximate value function: anything that says how much waiting gains."""

from __future__ import annotations

from typing import Any, Protocol

from popout.certificate.problem import Array


class Value(Protocol):
    r"""An approximate value function :math:`v = g - \max(A, 0)`.

    *g* is the cost of the better answer now and *A* the advantage of waiting over it. Any function
    gives a valid bound; the closer v is to the optimum, the tighter.

    Attributes
    ----------
    statistics : object
        Which statistics of a state the function reads.
    """

    @property
    def statistics(self) -> Any:
        """Return the statistics of a state that the function reads."""

    def advantage(self, S: Array) -> Array:
        """Return A, shape (n,), from statistics of shape (J, n); row 0 holds the log odds."""
