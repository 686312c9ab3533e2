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
from popout.paper.preset import NATS, PER_SECOND, PaperPart, Preset
from popout.policies.stopping import ScaledSPRT
from popout.progress import Progress
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
SINGLE = ("risk", "risk_error", "excess", "excess_se", "excess_change", "nodes")
SIDED = ("scale", "scale_change", "rms", "largest", "asymptote", "asymptote_change")


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return scales, misfits, regret and asymptotes; NaN where a size was not solved."""
    sizes, drifts = preset.claim_sizes, preset.claim_drifts
    shape = (len(drifts), len(sizes))
    single = {name: np.full(shape, np.nan) for name in SINGLE}
    sided = {name: np.full((*shape, 2), np.nan) for name in SIDED}
    for i, drift in enumerate(drifts):
        for j, M in enumerate(sizes):
            progress((i + j / len(sizes)) / len(drifts), f"drift {drift:g}, {M} locations")
            if drift < SLOWEST.get(M, 0.0):
                continue
            row = _row(SearchTask(n_locations=M, drift=drift), Costs(time=TIME_COSTS[drift]), seed)
            for name, value in row.items():
                (sided if name in sided else single)[name][i, j] = value
    axes = ("drift", "set_size")
    return xr.Dataset(
        {
            **{name: (axes, values) for name, values in single.items()},
            **{
                name: ((*axes, "side"), values, {} if "scale" in name else NATS)
                for name, values in sided.items()
            },
            "time_cost": (("drift",), [TIME_COSTS[d] for d in drifts], PER_SECOND),
        },
        coords={
            "drift": ("drift", list(drifts), PER_SECOND),
            "set_size": list(sizes),
            "side": list(SIDES),
        },
        attrs={"common_rtol": COMMON_RTOL, "regret_trials": REGRET_TRIALS},
    )


def _row(task: SearchTask, costs: Costs, seed: int) -> dict[str, object]:
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
    return {
        "risk": fine.risk,
        "risk_error": fine.risk_error,
        "nodes": float(coarse.diagnostics.nodes),
        "excess": excess,
        "excess_se": se,
        "excess_change": known * change,
        "scale": scale,
        "scale_change": known * np.abs(scale - before),
        "rms": [fit.rms for fit in fits],
        "largest": [fit.largest for fit in fits],
        "asymptote": far,
        "asymptote_change": known * np.abs(far - far_before),
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
