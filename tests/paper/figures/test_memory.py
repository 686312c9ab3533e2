"""What memory buys: risks of glimpses by a plain recursion, and what periods keep."""

import numpy as np
import pytest

import popout as po
from popout.paper.claims import horizon_of_memory as claims
from popout.paper.claims.claim import Outcome
from popout.paper.figures import memory


def risk_of_glimpses(increments, weights, cost, spacing=0.02, end=8.0):
    """Return the risk where S is a random walk, its increments under "absent" given with weights.

    Value iteration on a grid of S, in units in which "absent" always costs 1 and "present" e^S.
    """
    reach = int(np.ceil(np.abs(increments).max() / spacing)) + 1
    kernel, at = np.zeros(2 * reach + 1), increments / spacing + reach
    low = np.floor(at).astype(int)
    np.add.at(kernel, low, weights * (low + 1 - at))
    np.add.at(kernel, low + 1, weights * (at - low))
    w = np.exp(np.arange(-end, end + spacing / 2, spacing))
    stop = np.minimum(1.0, w)
    value, change = stop, 1.0
    while change > 1e-9:
        padded = np.concatenate([np.full(reach, value[0]), value, np.full(reach, value[-1])])
        waiting = cost * (1.0 + w) + np.convolve(padded, kernel[::-1], mode="valid")
        new = np.minimum(stop, waiting)
        value, change = new, np.abs(new - value).max()
    return float(value[len(w) // 2]) / 2


def increments_of_a_glimpse(shares, information, nodes=40):
    """Return increments of S under "absent", and weights: a product rule."""
    x, weight = np.polynomial.hermite_e.hermegauss(nodes)
    looked = [share for share in shares if share]
    noise = np.meshgrid(*[x] * len(looked), indexing="ij")
    likely = np.prod(np.meshgrid(*[weight / weight.sum()] * len(looked), indexing="ij"), axis=0)
    total = len(shares) - len(looked)
    for share, each in zip(looked, noise, strict=True):
        total = total + np.exp(2 * np.sqrt(share * information) * each - 2 * share * information)
    kept = likely > 1e-13
    return np.log(total / len(shares))[kept], likely[kept]


EQUAL, ALL = (0.5, 0.5), (1.0, 0.0)


@pytest.mark.parametrize(
    ("name", "shares"), [("parallel", EQUAL), ("guided, g = 1", EQUAL), ("serial", ALL)]
)
def test_risks_of_glimpses_are_those_of_a_walk_of_one_number(data, name, shares):
    glimpse, cost = data.isel(glimpse=0), float(data["time_cost"][0])
    size = float(glimpse["glimpse_information"])
    slow = risk_of_glimpses(*increments_of_a_glimpse(shares, size), cost * size)
    fast = float(glimpse["glimpse_risk"].sel(attention=name))
    assert fast == pytest.approx(slow, rel=2e-3)
    other = ALL if shares == EQUAL else EQUAL
    wrong = risk_of_glimpses(*increments_of_a_glimpse(other, size), cost * size)
    assert fast != pytest.approx(wrong, rel=2e-2)


def test_equal_shares_are_best_in_a_glimpse_of_two_locations_and_not_of_four():
    cost, size = 0.02 * 0.125, 0.125
    for M, is_better in ((2, True), (4, False)):
        shares = (1.0 / M,) * M, (1.0, *(0.0,) * (M - 1))
        equal, serial = (
            risk_of_glimpses(*increments_of_a_glimpse(each, size, nodes=16), cost)
            for each in shares
        )
        assert (equal < serial) is is_better
        assert abs(equal / serial - 1) > 0.008


def test_the_limit_is_that_of_a_walk_without_steps(data):
    cost, limit = float(data["time_cost"][-1]), float(data["limit"][-1])  # of four locations
    sd, dt = 2 / 4, 0.02  # of S: 2/M du^(1/2)
    x, weight = np.polynomial.hermite_e.hermegauss(30)
    steps = sd * np.sqrt(dt) * x - 0.5 * sd**2 * dt
    slow = risk_of_glimpses(steps, weight / weight.sum(), cost * dt, spacing=0.01, end=4.0)
    assert limit == pytest.approx(slow, rel=0.01)


def test_longer_periods_keep_more_up_to_everything(data):
    share, error = memory.share_kept(data)
    share, error = (each.sel(attention=["parallel", "serial"]) for each in (share, error))
    gains, errors = share.diff("period"), error.isel(period=slice(1, None)) + error.shift(period=1)
    assert (gains > -3 * errors.dropna("period", how="all")).all()
    assert (share < 1 + 3 * error).all()
    two = share.isel(case=0, period=-1)
    assert (two > 0.95).all()


def test_half_is_kept_by_the_information_of_a_location_not_of_the_display(data, monkeypatch):
    checks = list(claims.horizon_of_memory_is_an_item.checks(data))
    assert len(checks) == 6
    assert {check.outcome for check in checks} == {Outcome.PASSES}
    monkeypatch.setattr(memory, "looked_at", lambda data, name: 1.0 + 0.0 * data["set_size"])
    wrong = claims.horizon_of_memory_is_an_item.checks(data)
    assert [check.outcome for check in wrong].count(Outcome.FAILS) == 3


def test_between_periods_the_share_is_read_off_a_line_and_beyond_them_it_is_unknown(data):
    share = memory.share_kept(data)[0].sel(attention="serial")
    middle, _ = memory.kept_at(data, "serial", 1.0)
    ends = share.sel(period=[0.5, 2.0]).mean("period")
    assert middle.to_numpy() == pytest.approx(ends.to_numpy())
    assert memory.kept_at(data, "serial", 20.0)[0].isnull().all()


def test_constant_thresholds_lose_next_to_nothing_at_two_locations():
    costs = po.Costs(time=memory.COST)
    task = po.LimitedSearchTask(n_locations=2, information=1.0, dt=memory.STEP, period=2.0)
    tuned = po.tune("sprt-opt", task, costs, attention=po.Serial, n_trials=2000, seed=1)
    own = po.evaluate(task, po.Observer(po.Serial.for_task(task), tuned.strategy), costs).risk
    best = po.solve(task, costs, 1e-3, attention=po.Serial).risk
    assert 1.0 < own / best < 1.003
