r"""The scales :math:`a_\pm`: how well the exact boundary fixes them, and what a wrong pair costs.

For the costs of time of the panels of Figure 3 at drift 2/s, and for several at drift 4/s (the
caption of Figure 4 names none), the scales are fitted to exact boundaries of two tolerances; the
change is their error. The regret of a-SPRT is given with the fitted pair of each task, with one
pair for all costs (the geometric mean of the fitted ones, since the caption prints one pair for
all), and with the pair that the caption prints, read in nats and in decades (see
`popout.paper.conjecture`).

For unequal drifts the paper calls the choice of the reference location arbitrary (Extension). Here
the two locations change places; the surface is the same if :math:`a_\pm \tau^{(M)}_\pm` is.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from popout.analysis.regret import regret
from popout.exact import Solution, solve
from popout.paper.conjecture import DECADE, PRINTED, conjecture, fitted_scales
from popout.paper.preset import Preset
from popout.progress import Progress
from popout.task import Costs, SearchTask

TITLE = "The scales of the conjecture"
EFFORT = 8.0

CASES = ((2.0, 0.5), (2.0, 0.2), (2.0, 0.1), (2.0, 0.05), (4.0, 0.2), (4.0, 0.5), (4.0, 1.0))
TOLERANCES = (1e-4, 1e-5)
UNEQUAL, UNEQUAL_COST = (8.0, 3.0), 0.2
PAIRS = ("fitted", "one for all costs", "printed", "printed, in decades")


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return fitted scales with their error, and regrets relative to the optimal risk."""
    scale = np.empty((len(CASES), 2, 2))
    solutions = []
    for k, (drift, cost) in enumerate(CASES):
        progress(0.4 * k / len(CASES), f"drift {drift:g}, cost {cost:g}")
        both = [_solved((drift, drift), cost, rtol) for rtol in TOLERANCES]
        scale[k] = [fitted_scales(solution) for solution in both]
        solutions.append(both[-1])
    printed = np.array([PRINTED[drift] for drift, _ in CASES])
    drifts = np.array([drift for drift, _ in CASES])
    common = np.array([np.exp(np.log(scale[drifts == drift, -1]).mean(axis=0)) for drift in drifts])
    tried = np.stack([scale[:, -1], common, printed, printed / DECADE], axis=1)
    trials = max(100, preset.decision_trials // 3)
    lost = np.empty((len(CASES), len(PAIRS), 2))
    for k, solution in enumerate(solutions):
        progress(0.4 + 0.6 * k / len(CASES), "regret")
        for j, pair in enumerate(tried[k]):
            lost_by_pair = regret(solution, conjecture(solution, *pair), n_trials=trials, seed=seed)
            lost[k, j] = lost_by_pair.value / solution.risk, lost_by_pair.se / solution.risk
    swapped, swapped_rms = _swapped()
    return xr.Dataset(
        {
            "scale": (("case", "pair", "side"), tried),
            "scale_change": (("case", "side"), np.abs(scale[:, 1] - scale[:, 0])),
            "excess": (("case", "pair"), lost[..., 0]),
            "excess_se": (("case", "pair"), lost[..., 1]),
            "drift": (("case",), drifts, {"units": "1/s"}),
            "time_cost": (("case",), [cost for _, cost in CASES], {"units": "1/s"}),
            "scale_times_tau": (("order", "side"), swapped),
            "scale_times_tau_rms": (("order", "side"), swapped_rms, {"units": "nats"}),
        },
        coords={
            "pair": ("pair", list(PAIRS)),
            "side": ("side", ["absent", "present"]),
            "order": ("order", ["as printed", "locations exchanged"]),
        },
        attrs={"trials": trials, "unequal_drifts": list(UNEQUAL), "unequal_cost": UNEQUAL_COST},
    )


def _solved(drifts: tuple[float, float], cost: float, rtol: float) -> Solution:
    return solve(SearchTask(drift=drifts), Costs(time=cost), rtol)


def _swapped() -> tuple[list[list[float]], list[list[float]]]:
    """Return a * tau of the reference location and the misfit, for both orders of the locations."""
    products, rms = [], []
    for drifts in (UNEQUAL, UNEQUAL[::-1]):
        solution = _solved(drifts, UNEQUAL_COST, TOLERANCES[-1])
        products.append(
            [
                abs(a * tau)
                for a, tau in zip(fitted_scales(solution), solution.thresholds[-1], strict=True)
            ]
        )
        rms.append([solution.scales.minus.rms, solution.scales.plus.rms])
    return products, rms
