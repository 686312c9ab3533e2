r"""Thresholds with steps against an integral equation in another scale, without code of `src`.

In the log posterior odds x, under "absent", a step is N(-s**2/2, s**2). With thresholds a < b the
value Q of waiting, times one plus the odds, solves the integral equation

    Q(x) = dt (C0 + C1 e^x) + miss E[e^y; y < a] + fa P(y > b) + int_a^b Q(y) k(y - x) dy,

whose first two expectations are normal distribution functions. It is solved on Gauss-Legendre nodes
of [a, b] (Nystroem), and gives Q at any x. The thresholds are then moved to where Q meets the costs
of the answers (Howard's policy iteration, which converges quadratically), from no waiting at all.
"""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtr

import popout as po
from popout.exact.waiting_region import WaitingRegion

REFERENCE = 1e-11  # what the reference itself leaves open
ROUNDS = 60


def best_thresholds(sd, dt, costs):
    """Return both thresholds; twice the kink of the answers where waiting never pays."""
    kink = math.log(costs.false_alarm / costs.miss)
    low = high = kink
    for _ in range(ROUNDS):
        Q = waiting(low, high, sd, dt, costs)
        if Q(kink) >= costs.false_alarm:
            return kink, kink
        floor = min(kink, math.log(costs.time_absent * dt / costs.miss)) - 1.0
        ceiling = max(kink, math.log(costs.false_alarm / (costs.time_present * dt))) + 1.0
        before = low, high
        low = brentq(lambda x, Q=Q: Q(x) * math.exp(-x) - costs.miss, floor, kink, xtol=1e-14)
        high = brentq(lambda x, Q=Q: Q(x) - costs.false_alarm, kink, ceiling, xtol=1e-14)
        if max(abs(low - before[0]), abs(high - before[1])) < 1e-12:
            return low, high
    raise AssertionError("the thresholds have not settled")


def waiting(low, high, sd, dt, costs):
    """Return Q for two thresholds."""
    n = int(20 + 5 * (high - low) / sd)
    node, weight = np.polynomial.legendre.leggauss(n)
    y = 0.5 * (low + high) + 0.5 * (high - low) * node
    weight = 0.5 * (high - low) * weight

    def known(x):
        mean = x - 0.5 * sd**2
        answered = costs.miss * np.exp(x) * ndtr((low - mean - sd**2) / sd)
        price = dt * (costs.time_absent + costs.time_present * np.exp(x))
        return price + answered + costs.false_alarm * ndtr((mean - high) / sd)

    def kernel(x):
        z = (y - x[:, None] + 0.5 * sd**2) / sd
        return weight * np.exp(-0.5 * z**2) / (sd * math.sqrt(2 * math.pi))

    inside = np.linalg.solve(np.eye(n) - kernel(y), known(y))
    return lambda x: float((known(np.array([x])) + kernel(np.array([x])) @ inside)[0])


def random_problem(rng):
    """Steps of 0.15 to 8 nats; prices from a ten-thousandth to all of what one look can gain."""
    sd, dt = 10 ** rng.uniform(-0.8, 0.9), 10 ** rng.uniform(-3.0, -1.5)
    miss, alarm = 10 ** rng.uniform(-1.3, 1.3, 2) if rng.random() < 0.6 else (1.0, 1.0)
    share = 10 ** rng.uniform(-4.0, 0.0) if rng.random() < 0.6 else 1 - 10 ** rng.uniform(-5, -1)
    price, absent = share * math.erf(sd / math.sqrt(8)) / dt, rng.uniform(0.05, 0.95)
    time = absent * price * alarm, (1 - absent) * price * miss
    return sd, po.Costs(time=time, miss=miss, false_alarm=alarm), dt


def test_thresholds_lie_within_their_errors():
    rng = np.random.default_rng(5)
    widths = []
    for _ in range(40):
        sd, costs, dt = random_problem(rng)
        region = WaitingRegion.of(sd, costs, dt)
        lower, upper = best_thresholds(sd, dt, costs)
        assert abs(region.lower - lower) <= region.lower_error + REFERENCE
        assert abs(region.upper - upper) <= region.upper_error + REFERENCE
        assert max(region.lower_error, region.upper_error) < 1e-8
        widths.append((upper - lower) / sd)
    assert min(widths) < 1e-4  # regions of waiting far narrower than a step
    assert max(widths) > 20.0


def test_the_case_that_a_grid_missed():
    costs = po.Costs(time=5.198, miss=20.0, false_alarm=0.1)
    pair = po.thresholds(16.856, costs)
    assert pair.upper == pytest.approx(-1.26714, abs=1e-5)
    assert pair.upper_error < 1e-9
    task = po.SearchTask(n_locations=1, drift=16.856)
    assert po.solve(task, costs, 1e-2).thresholds == ((pair.lower, pair.upper),)


@pytest.mark.parametrize("sd", [0.3, 2.0])
def test_whether_waiting_ever_pays_is_known_exactly(sd):
    gain = math.erf(sd / math.sqrt(8))  # of one look at the kink, in units of the error
    for share, pays in ((1 - 1e-9, True), (1 + 1e-9, False)):
        costs = po.Costs(time=(0.3 * share * gain, 1.4 * share * gain), miss=2.0)
        region = WaitingRegion.of(sd, costs, 1.0)
        assert (region.lower < math.log(0.5) < region.upper) == pays
        assert region.upper - region.lower < 1e-7


def test_short_steps_overshoot_by_the_constant_of_chernoff():
    costs = po.Costs(time=(0.2, 0.4), miss=2.0)
    limit = po.thresholds(1.0, costs, dt=0)
    region = WaitingRegion.of(0.02, costs, 1e-4)
    assert (limit.upper - region.upper) / 0.02 == pytest.approx(0.582597, abs=1e-4)
    assert (region.lower - limit.lower) / 0.02 == pytest.approx(0.582597, abs=1e-4)
    assert region.upper_error < 1e-6
