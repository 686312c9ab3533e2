r"""Equations as they are printed, put to the test.

Three of them can be tried without reading anything into them:

- the log likelihood of a Gaussian walk, :math:`\mu x + \mu^2 t / 2` up to a constant (Equation
  12), against the logarithm of the density :math:`N(x; \mu t, t)`;
- the walk itself, :math:`\dot x \sim N(\mu\,\delta t, \delta t)` and
  :math:`x \leftarrow x + \dot x\,\delta t` (Methods, "Gaussian input"), against the variance t of
  the law that follows from it there;
- the lower test of the Extension, :math:`S_-(Z) \ge \tau^{(M)}_-` (Equation 11): the
  statistic before any evidence, and so what the rule says at once, with the risk that this has.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from scipy.stats import norm

from popout.exact import solve
from popout.paper.conjecture import conjecture, fitted_scales
from popout.paper.preset import PaperPart, Preset
from popout.progress import Progress
from popout.task import Costs, SearchTask

MU, SECONDS, STEP = (2.0, 1.0), 1.0, 0.01
UNEQUAL, COST = (8.0, 3.0), 0.2


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return what the printed equations give and what they should give; nothing is random."""
    x = np.linspace(-3.0, 3.0, 61)
    mu = np.asarray(MU)[:, None]
    printed = mu * x + mu**2 * SECONDS / 2
    density = np.asarray(norm.logpdf(x, mu * SECONDS, np.sqrt(SECONDS)))
    # The constant is independent of theta: it cancels from the difference of two orientations.
    difference = np.abs((printed[0] - printed[1]) - (density[0] - density[1])).max()
    steps = round(SECONDS / STEP)
    variance = steps * STEP * STEP**2

    solution = solve(SearchTask(drift=UNEQUAL), Costs(time=COST), 1e-4)
    rule = conjecture(solution, *fitted_scales(solution))
    before = float(rule.statistics(np.zeros((1, 2)))[0][0])
    # Read as printed the rule says "absent" at once: every target is missed, no time is lost.
    at_once = before >= rule.tau_minus
    risk = solution.task.prior if at_once else np.nan
    return xr.Dataset(
        {
            "log_likelihood_difference": ((), float(difference), {"units": "nats"}),
            "variance": ((), variance, {"long_name": "of x(1 s) as printed"}),
            "variance_stated": ((), SECONDS),
            "statistic_at_start": ((), before, {"units": "nats"}),
            "tau_minus": ((), float(rule.tau_minus), {"units": "nats"}),
            "risk_as_printed": ((), risk),
            "risk_optimal": ((), solution.risk),
        }
    )


PRINTED_EQUATIONS = PaperPart("printed-equations", "Equations as printed", compute, effort=0.5)
