r"""Whether a session can have happened: what its trials say they took, against the server's clock.

A trial shows a fixation cross, waits for the answer or for the time limit, gives feedback and
pauses. Trial i of a session, in the order in which they reached the server, says that it took

.. math:: c_i = D_{fix} + \min(\mathrm{rt}_i, \mathrm{limit}) + D_{feedback} + D_{pause},

where a trial without an answer took the time limit. Reading, breaks and reloads come on top of
that. A page sends a trial before its feedback; so at the moment :math:`r_k` at which trial k was
stored

.. math:: \sum_{i \le k} c_i - D_{feedback} - D_{pause} \;\le\; r_k - r_0

must hold for whoever was there, with :math:`r_0` the moment at which they agreed to take part: also
if all trials waited for a connection and came in one burst, and after a reload. Both moments are
the server's; of the participant's clock only durations enter. A program that sends made-up answers
cannot make them fit without taking as long.

A session is *too fast* where the left side exceeds the right by a tenth and `TOLERANCE` seconds.
Clocks of computers differ by a hundredth of a percent at most, and the seconds in which people read
what they agreed to are on their side as well. Where the server's clock was set back behind the
beginning of the session nothing can be said, and nothing is held against anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from popout.experiment import ExperimentDesign

SHARE, TOLERANCE = 0.1, 10.0
"""By which share of the time that went by, and how many seconds, trials may exceed it."""


@dataclass(frozen=True)
class Pace:
    """What trials say they took, and the time there was for them.

    Attributes
    ----------
    claimed, elapsed : float
        Seconds, at the moment at which they fit worst.
    is_too_fast : bool

    Examples
    --------
    >>> from popout.experiment import load_design
    >>> design = load_design("examples/experiments/set_size.toml")
    >>> at_once = Pace.of(design, [0] * 100, [0.4] * 100, [1003.0] * 100, 1000.0)
    >>> round(at_once.claimed), at_once.elapsed, at_once.is_too_fast
    (169, 3.0, True)
    """

    claimed: float
    elapsed: float

    @classmethod
    def of(
        cls,
        design: ExperimentDesign,
        blocks: ArrayLike,
        rts: ArrayLike,
        received: ArrayLike,
        started: float,
    ) -> Pace:
        """Return the pace of the trials of a session.

        Parameters
        ----------
        design : ExperimentDesign
        blocks : array_like of int
            Block of each trial, from 0.
        rts : array_like
            Response time of each in seconds; NaN where there was none.
        received : array_like
            When each was stored, in seconds since 1970.
        started : float
            When the session began.
        """
        timing = design.timing
        feedback = [timing.feedback if block.feedback else 0.0 for block in design.blocks]
        after = np.array(feedback)[np.asarray(blocks, np.int64)] + timing.pause
        rt = np.nan_to_num(np.asarray(rts, np.float64), nan=timing.time_limit)
        order = np.argsort(received, kind="stable")
        elapsed = np.asarray(received, np.float64)[order] - started
        claimed = np.cumsum((timing.fixation + np.minimum(rt, timing.time_limit) + after)[order])
        claimed -= after.max(initial=0.0)
        if not len(order) or elapsed[0] < 0.0:
            return cls(0.0, 0.0)
        worst = int(np.argmax(claimed - (1.0 + SHARE) * elapsed))
        return cls(float(claimed[worst]), float(elapsed[worst]))

    @property
    def is_too_fast(self) -> bool:
        """Whether nobody can have done these trials in this time."""
        return self.claimed > (1.0 + SHARE) * self.elapsed + TOLERANCE

    def as_dict(self) -> Mapping[str, Any]:
        """Return the numbers, by the columns of an export."""
        return {
            "too_fast": self.is_too_fast,
            "claimed_seconds": self.claimed,
            "elapsed_seconds": self.elapsed,
        }
