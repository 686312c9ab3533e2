r"""The conjecture against the exact optimum beyond two locations, and the boundary far out.

For each set size and drift the optimum is solved at two tolerances. From the finer solution: the
scales :math:`a_\pm` fitted to its boundary, the distance of the boundary from the fitted surface
(Equations 8, 9), the regret of a-SPRT with these scales, and where the boundary
lies when every location but one is ruled out, less :math:`\tau_\pm + \log M` (Methods, "Translating
optimal thresholds", I). The change from the coarser solution is taken as the error; it is NaN where
the two grids are hardly different. With five locations the excess is the simulated risk of a-SPRT
less the exact optimum, and the error that of the latter.

The number of nodes that the solver stores at one common tolerance says how dynamic programming
grows with M.
"""

from __future__ import annotations

import math

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from popout.analysis.score import expected_losses
from popout.analysis.scoring import OptimalReference
from popout.exact import NotConvergedError, Solution, solve, thresholds
from popout.exact.crossings import crossings
from popout.noise.seeds import Purpose, fresh_seed
from popout.paper.conjecture import conjecture, fitted_scales
from popout.paper.preset import PaperPart, Preset
from popout.policies.stopping import ScaledSPRT
from popout.progress import Progress
from popout.reports.cells import NATS, PER_SECOND, Variables, labelled, over
from popout.simulation import simulate
from popout.task import Costs, SearchTask

TIME_COSTS = {2.0: 0.2, 4.0: 0.2, 12.0: 0.5}
"""The cost of time at each drift: those of the paper's figures."""
COMMON_RTOL = 3e-3
RTOLS = {2: 1e-5, 3: 1e-4, 4: 3e-4, 5: 3e-4}
"""Finer tolerances, by set size."""
SLOW_RTOLS = {(4, 2.0): 3e-5}
"""The same where the grid of the common tolerance meets that one too, by set size and drift."""
FINER = 1.15
"""By so much the nodes have to be closer, or the change between solutions says nothing."""
SLOWEST = {5: 12.0}
"""Slowest drift at which a set size is solved; slower ones take minutes and gigabytes."""
MOST_REGRET = 4
"""Most locations for which the regret is computed; its table of five takes many gigabytes."""
REGRET_TRIALS = 1500
CHUNKS, CHUNK = 8, 500_000
"""Of trials, where the risk of a-SPRT is simulated."""
SIDES = ("absent", "present")


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return scales, misfits, regret and asymptotes; NaN where a size was not solved."""

    def cell(drift: float, M: int) -> Variables:
        if drift < SLOWEST.get(M, 0.0):
            return {}
        return _row(SearchTask(n_locations=M, drift=drift), Costs(time=TIME_COSTS[drift]), seed)

    axes = {"drift": preset.claim_drifts, "set_size": preset.claim_sizes}
    costs = [TIME_COSTS[drift] for drift in preset.claim_drifts]
    return labelled(
        {**over(axes, cell, progress), "time_cost": (("drift",), costs, PER_SECOND)},
        axes | {"side": SIDES},
        {"common_rtol": COMMON_RTOL, "regret_trials": REGRET_TRIALS},
    )


def _row(task: SearchTask, costs: Costs, seed: int) -> Variables:
    """Return what one task says; nothing where the solver does not reach the tolerance."""
    M = task.n_locations
    try:
        coarse = solve(task, costs, COMMON_RTOL)
        fine = solve(task, costs, SLOW_RTOLS.get((M, task.drifts[0]), RTOLS[M]))
    except NotConvergedError:
        return {}
    scale, before = (np.array(fitted_scales(s)) for s in (fine, coarse))
    strategy = conjecture(fine, *scale)
    excess, se, change = (_regret if M <= MOST_REGRET else _simulated)(fine, coarse, strategy, seed)
    nodes = [s.diagnostics.nodes_per_axis[0] for s in (coarse, fine)]
    known = 1.0 if nodes[1] >= FINER * nodes[0] else math.nan
    far, far_before = asymptote(fine), asymptote(coarse)
    fits = (fine.scales.minus, fine.scales.plus)
    sides = ("side",)
    return {
        "risk": fine.risk,
        "risk_error": fine.risk_error,
        "excess": excess,
        "excess_se": se,
        "excess_change": known * change,
        "nodes": float(coarse.diagnostics.nodes),
        "scale": (sides, scale),
        "scale_change": (sides, known * np.abs(scale - before)),
        "rms": (sides, [fit.rms for fit in fits], NATS),
        "largest": (sides, [fit.largest for fit in fits], NATS),
        "asymptote": (sides, far, NATS),
        "asymptote_change": (sides, known * np.abs(far - far_before), NATS),
    }


def _regret(
    fine: Solution, coarse: Solution, strategy: ScaledSPRT, seed: int
) -> tuple[float, float, float]:
    """Return excess, standard error and change between solutions, relative to the optimal risk."""
    lost, before = (
        OptimalReference(s, REGRET_TRIALS, seed).excess(strategy) for s in (fine, coarse)
    )
    return lost.value / fine.risk, lost.se / fine.risk, abs(lost.value - before.value) / fine.risk


def _simulated(
    fine: Solution, coarse: Solution, strategy: ScaledSPRT, seed: int
) -> tuple[float, float, float]:
    """Return the same from simulated trials, errors counted by their posterior probability."""
    task, costs = fine.task, fine.costs
    total, squares = 0.0, 0.0
    for chunk in range(CHUNKS):
        trials = simulate(task, strategy, CHUNK, fresh_seed(seed, Purpose.LARGER_SETS, chunk))
        lost = expected_losses(trials, costs)
        total, squares = total + float(lost.sum()), squares + float((lost**2).sum())
    n = CHUNKS * CHUNK
    mean = total / n
    se = math.sqrt((squares / n - mean**2) / n)
    return mean / fine.risk - 1, se / fine.risk, fine.risk_error / fine.risk


def asymptote(solution: Solution) -> NDArray[np.float64]:
    """Return Z - (tau + log M) on either boundary where all other locations are ruled out."""
    task = solution.task
    pair = thresholds(task.drifts[0], solution.costs, dt=task.dt)
    plane = solution.value_grid.plane((0, 1))
    ends = crossings(plane.Z[0], plane.log_ratio[:, 0])[[0, -1]]
    return np.asarray(ends - np.array([pair.lower, pair.upper]) - math.log(task.n_locations))


LARGER_SETS = PaperPart("larger-sets", "The conjecture beyond two locations", compute, 12.0)
