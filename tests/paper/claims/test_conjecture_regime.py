"""Where the conjecture holds: against a plain reference in continuous time that shares no code.

The reference solves the obstacle problem for U on a square grid of log odds by finite differences
and policy iteration, mu = 1. Where a location is all but ruled out U is linear in its odds.
"""

import math

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.optimize import brentq
from scipy.sparse.linalg import spsolve

from popout import Costs, SearchTask, solve
from popout.analysis.expected_optimum import ERROR, scales_by_law
from popout.paper.claims import conjecture_regime


def threshold(k):
    return brentq(lambda b: k * (math.sinh(b) + b) - 1, 1e-9, 60)


def plain_value(k, n=180, below=6.0, above=0.7):
    """Return log odds x, U and the cost of stopping on the grid (x, x)."""
    b = threshold(k)
    x = np.linspace(-b - below, b + above, n)
    h = x[1] - x[0]
    single = np.zeros((n, n))
    for i in range(1, n):  # at the lowest odds U is linear in them, and p^2 U'' vanishes
        for j, weight in ((i - 1, 1 / h**2 + 0.5 / h), (i, -2 / h**2), (i + 1, 1 / h**2 - 0.5 / h)):
            single[i, min(j, n - 1)] += weight
    single = sparse.csr_matrix(single)
    eye = sparse.identity(n)
    generator = (sparse.kron(single, eye) + sparse.kron(eye, single)).tocsr()
    odds = (np.exp(x)[:, None] + np.exp(x)[None, :]).ravel()
    stop, cost = np.minimum(1.0, odds), k / 2 * (1 + odds)
    inside = (np.maximum.outer(x, x) < x[-2]).ravel()
    wait = inside & (np.abs(np.log(odds)) < b)
    for _ in range(80):
        system = sparse.diags(wait * 1.0) @ generator + sparse.diags(~wait * 1.0)
        U = spsolve(system.tocsc(), np.where(wait, -cost, stop))
        better = inside & np.where(wait, stop > U, generator @ U + cost < 0)
        if (better == wait).all():
            return x, U.reshape(n, n), stop.reshape(n, n)
        wait = better
    raise AssertionError("policy iteration does not come to rest")


@pytest.fixture(scope="module")
def plain():
    return {k: plain_value(k) for k in (0.2,)}


def crossing(x, gap, upper):
    """Return where waiting ends along a line: the gap vanishes like a square."""
    root = np.sqrt(np.maximum(gap, 0.0))
    inside = np.flatnonzero(root > 0)
    i, j = (inside[-2], inside[-3]) if upper else (inside[1], inside[2])
    return x[i] + (x[i] - x[j]) * root[i] / (root[j] - root[i])


def test_the_optimal_risk_meets_the_plain_reference(plain):
    k, start = 0.2, math.log(0.5)
    x, U, _ = plain[k]
    reference = np.interp(start, x, [np.interp(start, x, row) for row in U]) / 2
    steps = [conjecture_regime.step_of(k, n) for n in (100, 50)]

    def limit(cost):
        """Return the risk without steps, which cost it something in proportion."""
        short, longer = (
            solve(SearchTask(n_locations=2, drift=1.0, dt=dt), Costs(time=cost), 1e-4).risk
            for dt in steps
        )
        return 2 * short - longer

    assert limit(k) == pytest.approx(reference, rel=2e-3)
    assert limit(1.02 * k) != pytest.approx(reference, rel=2e-3)


def test_scales_on_the_diagonal_of_the_plain_reference_follow_the_law(plain):
    """Two locations alike: a scaled SPRT has its boundary at tau - log(2) / a there."""
    for k, (x, U, stop) in plain.items():
        gap, b = np.diag(stop - U), threshold(k)
        scales = {
            "a_minus": math.log(2) / (-b - crossing(x, gap, upper=False)),
            "a_plus": math.log(2) / (b - crossing(x, gap, upper=True)),
        }
        law = scales_by_law(SearchTask(n_locations=2, drift=1.0, dt=1e-9), Costs(time=k))
        for name, a in scales.items():
            assert abs(math.log(a / law[name])) < ERROR + 0.05  # of the grid
        assert scales["a_plus"] < 0.9 < 1.5 < scales["a_minus"]  # SPRT would be 1 and 1


def test_along_an_axis_the_value_and_the_boundary_move_as_derived(plain):
    """U - U0 = p2 g(p1), with g as in the module; its slopes at the ends move the boundary."""
    k = 0.2
    x, U, _ = plain[k]
    b = threshold(k)
    A = -(1 + k * b) / (2 * math.sinh(b))
    B = -k * b / 2 - A * math.exp(b)

    def g(p):
        return k / 2 * math.log(p) + A * p + B

    assert g(math.exp(-b)) == pytest.approx(1.0)
    # Next in order is a power of p2 whose factor vanishes at both thresholds.
    power = 0.5 + math.sqrt(0.5 + (math.pi / (2 * b)) ** 2)
    low = x < -b - 2.0
    p2 = np.exp(x[low])
    terms = np.stack([np.ones_like(p2), p2, p2**power], axis=1)
    for z in (-1.0, 0.0, 1.0):
        i = int(np.argmin(np.abs(x - z)))
        slope = np.linalg.lstsq(terms, U[i, low], rcond=None)[0][1]
        assert slope == pytest.approx(g(math.exp(x[i])), abs=0.05)
    for end, slope in zip((-b, b), conjecture_regime.axis_slopes(k), strict=True):
        p = math.exp(end)
        bend = -k * (1 + p) / (2 * p**2)
        assert slope == pytest.approx(-(k / (2 * p) + A) / bend)
    assert min(abs(slope - -1.0) for slope in conjecture_regime.axis_slopes(k)) > 0.5


@pytest.mark.parametrize(("miss", "false_alarm"), [(3.0, 1.0), (1.0, 2.0)])
def test_unequal_costs_of_errors_are_another_prior_and_other_costs_of_time(miss, false_alarm):
    """risk = c_fa risk' (1 + o') / (1 + o), and surfaces that are moved by log(c_miss / c_fa)."""
    prior, time = 0.4, (0.2, 0.3)
    odds = prior / (1 - prior)
    moved = odds * miss / false_alarm
    given = solve(
        SearchTask(n_locations=2, drift=2.0, prior=prior),
        Costs(time=time, miss=miss, false_alarm=false_alarm),
        1e-5,
    )
    plain_costs = Costs(time=(time[0] / false_alarm, time[1] / miss))
    task = SearchTask(n_locations=2, drift=2.0, prior=moved / (1 + moved))
    same = solve(task, plain_costs, 1e-5)
    assert given.risk == pytest.approx(false_alarm * same.risk * (1 + moved) / (1 + odds), rel=3e-5)
    for name in ("a_minus", "a_plus"):
        scaled = [getattr(s.scales, name) for s in (given, same)]
        far = scaled[0] / scaled[1]
        assert far == pytest.approx(1.0, abs=0.01)


def test_the_table_knows_a_poor_pair_of_scales(data):
    """Tuned scales lose no more than fitted ones; nothing is lost that is negative."""
    assert (data["excess"] >= 0).all()
    assert (data["excess"] <= data["excess_fitted"] + 4 * data["excess_se"]).all()
    assert (data["excess"] < 1e-3).all()
    assert (data["scale"].sel(side="absent") > 1).all()


def test_where_the_best_is_to_answer_at_once_nothing_is_measured():
    """It was 0 with an error of 0, and passed as a check."""
    assert all(map(math.isnan, conjecture_regime.skewed_case(0.25, 0.2, seed=1).values()))
