"""Risks between the nodes of a table, against the closed form of a made-up one."""

import numpy as np

from popout import Action, Costs
from popout.exact.risk_spline import RiskSpline
from popout.policies.stopping.exact_table import ExactTable

LOWER, SPACING, N = -6.0, 0.25, 49
COSTS = Costs(time=0.2, miss=2.0)


def smooth(Z1, Z2):
    return 0.3 * np.sin(0.5 * Z1) * np.cos(0.4 * Z2)


def made_up():
    z = LOWER + SPACING * np.arange(N)
    log_weight = (np.log(0.5), -np.inf, np.log(0.5))  # the second location never holds the target
    table = smooth(z[:, None], z[None, :]).astype(np.float32)
    return ExactTable(table, (LOWER,) * 2, (SPACING,) * 2, (0, 2), log_weight, COSTS)


def answers(Z):
    odds = 0.5 * np.exp(Z[..., 0]) + 0.5 * np.exp(Z[..., 2])
    return 2.0 * odds / (1.0 + odds), 1.0 / (1.0 + odds)


def test_between_the_nodes_risks_follow_a_cubic_spline():
    Z = np.random.default_rng(1).uniform(-5.0, 5.0, (4, 50, 3))
    Q = RiskSpline(made_up())(Z)
    absent, present = answers(Z)
    np.testing.assert_allclose(Q[..., Action.ABSENT], absent)
    np.testing.assert_allclose(Q[..., Action.PRESENT], present)
    waiting = np.exp(smooth(Z[..., 0], Z[..., 2])) / (1 / absent + 1 / present)
    np.testing.assert_allclose(Q[..., Action.WAIT], waiting, atol=2e-5)


def test_outside_waiting_loses_what_it_loses_at_the_edge():
    spline = RiskSpline(made_up())
    edge, far = np.array([6.0, 0.0, 0.0]), np.array([9.0, 0.0, 0.0])
    lost = [spline(Z)[Action.WAIT] - spline(Z)[1:].min() for Z in (edge, far)]
    np.testing.assert_allclose(lost[1], lost[0], rtol=1e-12)
