r"""Claims about thresholds on S(t) that vary in time.

**`time-varying`.** The best thresholds on S(t) that change with time, and what they still lose.

"Can time-varying threshold make SPRT optimal?" The regret of a strategy is the expected sum, over
the looks of a trial, of what its action costs more than the optimal one (see `analysis.regret`).
Here the paths of the evidence are drawn once, with the cost of each action at every look; the
regret of any pair of thresholds on :math:`S(t)` then follows by finding where each path crosses
them. The thresholds are linear between knots that double in time and constant before and after;
constant thresholds (SPRT-opt) are the special case with one knot. Both are tuned on one set of
paths and scored on another, and the difference is taken path by path.

Notes
-----
Drift 2/s and cost 0.2/s, as in the paper's distribution of S(t) at the decision. All trials must
answer after four seconds, nine times the mean response time, whichever answer is better there.
More knots could do better; the table holds several numbers of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.optimize import minimize

from popout.evidence import llr_step, log_likelihood_ratio_search
from popout.exact import Solution, solve
from popout.noise.seeds import Purpose, fresh_seed
from popout.paper.claims.bounds import NEGLIGIBLE, NOTHING
from popout.paper.claims.claim import Check, Claims
from popout.paper.claims.measure import above, below, each, percent
from popout.paper.claims.surfaces import VARYING
from popout.paper.preset import PaperPart, Preset
from popout.policies.stopping import Action
from popout.progress import Progress
from popout.reports.cells import NATS, labelled
from popout.task import Costs, SearchTask

Array = NDArray[np.float64]
TASK = SearchTask(n_locations=2, drift=2.0)
COSTS = Costs(time=0.2)
LOOKS = 400
KNOTS = (1, 4, 7)
"""Numbers of knots on either side; one is SPRT-opt."""
FIRST_KNOT = 0.05
"""Seconds; the others follow at twice the time each."""
PATHS = 4000
"""Held at a time, and used for tuning."""


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return the regret of the best thresholds for each number of knots."""
    solution = solve(TASK, COSTS, 1e-5)
    progress(0.0, "paths")
    paths = PricedPaths.draw(solution, PATHS, seed)
    best: list[Array] = []
    start = np.array([solution.thresholds[0][0], solution.thresholds[0][1]])
    for k, knots in enumerate(KNOTS):
        progress((k + 1) / (len(KNOTS) + 2), f"{knots} knots")
        begin = np.repeat(start, knots)
        best.append(_tune(paths, begin))
        start = best[0]
    lost = []
    chunks = max(1, preset.decision_trials // 2500)
    for chunk in range(chunks):
        progress((len(KNOTS) + 1 + chunk / chunks) / (len(KNOTS) + 2), "scoring")
        fresh = PricedPaths.draw(solution, PATHS, fresh_seed(seed, Purpose.STORED_PATHS, chunk))
        lost.append([fresh.losses(*_thresholds(u)) for u in best])
    losses = np.concatenate(lost, axis=1)
    n = losses.shape[1]
    gain = losses[0] - losses
    times = TASK.dt * np.arange(LOOKS + 1)
    curves = np.array([_thresholds(u) for u in best])
    return labelled(
        {
            "regret": (("knots",), losses.mean(axis=1)),
            "regret_se": (("knots",), losses.std(axis=1, ddof=1) / np.sqrt(n)),
            "gain": (("knots",), gain.mean(axis=1), {"long_name": "over one knot"}),
            "gain_se": (("knots",), gain.std(axis=1, ddof=1) / np.sqrt(n)),
            "thresholds": (("knots", "side", "time"), curves, NATS),
            "optimal_risk": ((), solution.risk),
            "optimal_risk_error": ((), solution.risk_error),
        },
        {"knots": KNOTS, "side": ["absent", "present"], "time": times},
        {"drift": TASK.drifts[0], "time_cost": COSTS.time_absent, "paths": n},
    )


@dataclass(frozen=True, eq=False)
class PricedPaths:
    """Paths of the evidence with what each action costs, every array of shape (n, looks + 1).

    Attributes
    ----------
    S : ndarray
        Log likelihood ratio of presence (Equation 2).
    waited : ndarray
        What waiting at all earlier looks has cost.
    absent, present : ndarray
        What this answer would cost.
    """

    S: Array
    waited: Array
    absent: Array
    present: Array

    @classmethod
    def draw(cls, solution: Solution, n: int, seed: int) -> PricedPaths:
        """Draw paths: half of them without a target, a quarter with one at either location."""
        law, rng = llr_step(TASK), np.random.default_rng(seed)
        at_target = np.zeros((n, 1, 2), dtype=bool)
        at_target[n // 2 : 3 * n // 4, 0, 0] = at_target[3 * n // 4 :, 0, 1] = True
        steps = np.where(at_target, law.mean_target, law.mean_distractor)
        Z = np.zeros((n, LOOKS + 1, 2))
        np.cumsum(steps + law.sd * rng.normal(size=(n, LOOKS, 2)), axis=1, out=Z[:, 1:])
        risks = solution.value_grid.Q(Z.reshape(-1, 2))
        extra = (risks - risks.min(axis=1, keepdims=True)).reshape(n, LOOKS + 1, 3)
        waited = np.zeros((n, LOOKS + 1))
        np.cumsum(extra[:, :-1, Action.WAIT], axis=1, out=waited[:, 1:])
        return cls(
            np.asarray(log_likelihood_ratio_search(Z, TASK.location_prior)),
            waited,
            np.ascontiguousarray(extra[:, :, Action.ABSENT]),
            np.ascontiguousarray(extra[:, :, Action.PRESENT]),
        )

    def losses(self, lower: Array, upper: Array) -> Array:
        """Return the regret along each path of a pair of thresholds, given at every look."""
        crossed = (upper <= self.S) | (lower >= self.S)
        crossed[:, -1] = True
        look = crossed.argmax(axis=1)
        stops = np.arange(len(look)), look
        says_present = self.S[stops] >= (lower + upper)[look] / 2
        answer = np.where(says_present, self.present[stops], self.absent[stops])
        return np.asarray(self.waited[stops] + answer)


def _thresholds(u: Array) -> tuple[Array, Array]:
    """Return lower and upper threshold at every look, from their values at the knots."""
    lower, upper = np.split(u, 2)
    knots = FIRST_KNOT * 2.0 ** np.arange(lower.size)
    times = TASK.dt * np.arange(LOOKS + 1)
    return np.interp(times, knots, lower), np.interp(times, knots, upper)


def _tune(paths: PricedPaths, start: Array) -> Array:
    """Return the values at the knots with the least mean regret."""

    def regret(u: Array) -> float:
        # In units that the search's radii suit.
        return 1e4 * float(paths.losses(*_thresholds(u)).mean())

    result = minimize(
        regret,
        start,
        method="COBYQA",
        options={"initial_tr_radius": 0.3, "final_tr_radius": 0.01, "maxfev": 60 * start.size},
    )
    return np.asarray(result.x, dtype=np.float64)


TIME_VARYING = PaperPart("time-varying", "Thresholds on S(t) that change with time", compute, 4.0)


CLAIMS = Claims(data=(TIME_VARYING,))


@CLAIMS.add(
    "No threshold on S(t), constant or varying in time, makes SPRT optimal.",
    where=VARYING,
    rule="The best thresholds found have an excess risk above zero.",
    quote="S(t) is not a sufficient statistic to implement the optimal test",
)
def no_time_varying_threshold(time_varying: xr.Dataset) -> Iterator[Check]:
    """Check that the best thresholds found lose something."""
    risk = time_varying["optimal_risk"]
    for knots, thresholds in each(time_varying, "knots"):
        words = "constant thresholds" if knots == 1 else f"thresholds with {knots} knots in time"
        yield above(f"{words} on S(t): excess risk", percent(thresholds, "regret", risk), NOTHING)


@CLAIMS.add(
    "Letting thresholds on S(t) vary in time gains next to nothing, and leaves something to lose.",
    where=f"{VARYING} (not quantified in the paper)",
    rule="The gain over constant thresholds is negligible, and the excess risk that remains is "
    "above zero.",
    new=True,
)
def time_varying_still_loses(time_varying: xr.Dataset) -> Iterator[Check]:
    """Check how much is gained by letting thresholds vary, and how much is left to lose."""
    best = time_varying.isel(knots=int(np.argmin(time_varying["regret"].to_numpy())))
    risk = float(time_varying["optimal_risk"])
    what = "what the best time-varying thresholds gain over constant ones"
    yield below(what, percent(best, "gain", risk), NEGLIGIBLE)
    what = "excess risk of the best time-varying thresholds"
    yield above(what, percent(best, "regret", risk), NOTHING)
