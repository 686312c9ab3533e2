"""How displays come about, and one of them that is as probable as any.

That one is put together without chance: the target has its most probable orientation and location,
the distractors share out the orientations of the most probable mixture as their probabilities say.
To draw displays at random use `popout.Evidence.sample`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Displays(NamedTuple):
    """How the displays of a task come about; all that inference and simulation need.

    A display has a target with the prior probability of the task, at a location of its own. One
    mixture is drawn on each trial, and every other location draws its orientation from it. With
    `counts`, exactly that number of locations carry an item, and the one mixture is that of
    an item.

    Parameters
    ----------
    location, target : tuple of float, shapes (M,) and (K,)
        P(l_T = l | C = 1) and P(theta | C_l = 1).
    mixtures : tuple of tuple of float, shape (J, K)
        P(theta | C_l = 0), one row per mixture phi.
    mixture_prior : tuple of float, shape (J,)
        P(phi).
    counts : tuple of int
        Possible numbers of items M_d, of a scene in which the others are blank.
    count_prior : tuple of float
        P(M_d).
    blank : int
        Index of the blank in such a scene.
    """

    location: tuple[float, ...]
    target: tuple[float, ...]
    mixtures: tuple[tuple[float, ...], ...]
    mixture_prior: tuple[float, ...] = (1.0,)
    counts: tuple[int, ...] = ()
    count_prior: tuple[float, ...] = ()
    blank: int = -1


def likely_display(displays: Displays) -> tuple[list[int], int]:
    """Put one display together.

    Returns
    -------
    orientations : list of int, length M
        Index of the orientation at each location.
    target : int
        Location of the target.

    Examples
    --------
    >>> likely_display(Displays((0.5, 0.25, 0.25), (0, 0, 1), ((0.5, 0.5, 0),)))
    ([2, 0, 1], 0)
    """
    free = len(displays.location) - 1
    kind, target = most_probable(displays.target), most_probable(displays.location)
    if displays.counts:
        _, n_items = max(zip(displays.count_prior, displays.counts, strict=True))
        share = (n_items - 1) / free if free else 0.0
        items = iter(share_out(displays.mixtures[0], n_items - 1))
        blank = displays.blank
        others = [blank if k else next(items) for k in share_out([share, 1.0 - share], free)]
    else:
        # Of equally probable mixtures, one from which the target stands out.
        mixtures = zip(displays.mixture_prior, displays.mixtures, strict=True)
        _, phi = max(mixtures, key=lambda pair: (pair[0], -pair[1][kind]))
        others = share_out(phi, free)
    return [*others[:target], kind, *others[target:]], target


def most_probable(p: Sequence[float]) -> int:
    """Return the index of the largest, the first of equals."""
    return max(range(len(p)), key=lambda k: (p[k], -k))


def share_out(p: Sequence[float], n: int) -> list[int]:
    """Give n places to outcomes as their probabilities say, so that neighbours differ.

    Each place goes to the outcome that is furthest behind its due.

    Examples
    --------
    >>> share_out([0.5, 0.25, 0.25], 8)
    [0, 1, 2, 0, 0, 1, 2, 0]
    """
    given = [0] * len(p)
    order = []
    for place in range(1, n + 1):
        k = most_probable(
            [p[k] * place - given[k] if p[k] > 0 else -math.inf for k in range(len(p))]
        )
        given[k] += 1
        order.append(k)
    return order
