"""How far a piece of work is: one signature for everything that takes time.

Whatever may run for long takes ``progress``, a function that is called now and then with the share
of the work that is done and a few words. Work made of parts hands each part its own stretch.
"""

from __future__ import annotations

import math
from collections.abc import Callable

Progress = Callable[[float, str], None]
"""Called with the share of the work that is done, from 0 to 1 or `UNKNOWN`, and a few words."""
UNKNOWN = math.nan
"""The share of work whose end cannot be foreseen."""


def stretch(progress: Progress | None, start: float, stop: float, words: str = "") -> Progress:
    """Return the progress of a part that takes the whole from one share to another.

    Parameters
    ----------
    progress : Progress, optional
        Of the whole; without it nobody is told.
    start, stop : float
        Shares of the whole at which the part begins and ends.
    words : str
        Put before those of the part.

    Examples
    --------
    >>> told = []
    >>> second_half = stretch(lambda share, words: told.append((share, words)), 0.5, 1.0, "scoring")
    >>> second_half(0.0, "")
    >>> second_half(0.5, "SPRT")
    >>> told
    [(0.5, 'scoring'), (0.75, 'scoring, SPRT')]
    """

    def part(share: float, more: str = "") -> None:
        if progress is not None:
            within = 0.0 if math.isnan(share) else share
            progress(start + (stop - start) * within, ", ".join(filter(None, (words, more))))

    return part
