"""Dynamic displays, against plain simulations of every item."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from popout.people.passages.decision_times import ReshuffledTimes
from popout.people.passages.first_passages import (
    LEVELS,
    answer_probability,
    make_passages,
    passage_keys,
)
from popout.people.passages.ideal_thresholds import IdealThresholds, MeanTimes
from popout.people.passages.passage_tables import PassageTables
from popout.people.passages.reshuffled_kernels import guided_segments, serial_segments
from popout.people.passages.reshuffled_passages import (
    intervals,
    make_reshuffled,
    period_weights,
    periods,
)


def plain_walk(M, g, lower, upper, period, n, n_steps, random):
    """Search in short steps, target absent: every item, all of them S at each reshuffle.

    There are `n_steps` to a period. A threshold counts as passed as much before it as discrete
    steps pass it too late (0.5826 standard deviations of a step). With g infinite, the most likely
    item alone is looked at, any of those that tie.
    """
    Z, u, du, step = np.zeros((n, M)), np.zeros(n), period / n_steps, 0
    answer, here = np.zeros(n, int), np.arange(n)
    while len(here):
        z = Z[here]
        if math.isinf(g):
            top = (z + 1e-9 * random.random(z.shape)).argmax(axis=1)
            part = du * (np.arange(M) == top[:, None])
        else:
            share = np.exp(g * (z - z.max(axis=1, keepdims=True)))
            part = du * share / share.sum(axis=1, keepdims=True)
        z = z - 2.0 * part + 2.0 * np.sqrt(part) * random.standard_normal(part.shape)
        u[here] += du
        S, p = np.log(np.exp(z).mean(axis=1)), np.exp(z)
        p /= p.sum(axis=1, keepdims=True)
        late = 0.5826 * 2.0 * np.sqrt((p**2 * part).sum(axis=1))
        step += 1
        if step % n_steps == 0:
            z = np.repeat(S[:, None], M, axis=1)
        Z[here] = z
        answer[here] = np.where(upper - late <= S, 2, np.where(late - lower >= S, 1, 0))
        here = here[answer[here] == 0]
    return answer, u


@pytest.mark.parametrize(
    ("M", "g", "period", "n_steps"),
    [(3, 1.0, 0.3, 60), (2, 4.0, 1.0, 200), (4, 0.0, 0.05, 2), (3, math.inf, 0.5, 500)],
)
def test_times_and_answers_agree_with_plain_steps(M, g, period, n_steps):
    k, j, n = 11, 9, 1500
    random = np.random.default_rng(4)
    answer, u = plain_walk(M, g, LEVELS[k], LEVELS[j], period, n, n_steps, random)
    table = make_reshuffled(M, g, period, n_paths=40_000, seed=8)
    static = make_passages(M, g, n_paths=10_000, seed=8)
    alarms = answer_probability(LEVELS[k], LEVELS[j])[0, 1]
    assert abs((answer == 2).mean() - alarms) < 3.5 * math.sqrt(alarms * (1 - alarms) / n)
    for said in (0, 1):
        times = u[answer == said + 1] / M
        se = times.std() / math.sqrt(len(times))
        assert abs(times.mean() - table.mean_time[said, k, j]) < 3.5 * se
    times = u[answer == 1] / M
    assert abs(times.mean() - static.mean_time[0, k, j]) > 3.5 * times.std() / math.sqrt(len(times))


@pytest.mark.parametrize(("g", "period"), [(0.0, 1.0), (2.0, 0.1), (math.inf, 0.1)])
def test_every_path_answers_once_for_every_pair_as_wald_says(g, period):
    n = 10_000
    counts = make_reshuffled(6, g, period, n_paths=n, seed=2).counts.sum(axis=(0, -1))
    np.testing.assert_array_equal(counts.sum(axis=0), n)
    share = 0.5 * answer_probability(LEVELS[:, None], LEVELS[None, :]).sum(axis=0)[1]
    z = (counts[1] / n - share) / np.sqrt(share * (1.0 - share) / n)
    assert np.abs(z[8:, 8:]).max() < 4.5


def test_a_period_without_end_and_a_single_item_are_static_to_the_last_digit():
    for M, period in ((3, math.inf), (1, 0.01)):
        moving = make_reshuffled(M, 1.0, period, n_paths=1000, seed=3)
        static = make_passages(M, 1.0, n_paths=1000, seed=3)
        np.testing.assert_array_equal(moving.counts, static.counts)
    assert periods(1) == ()
    assert period_weights(1e9, 16) == {math.inf: 1.0}


def test_short_periods_leave_S_alone_whatever_attention_does():
    k, M = 15, 3
    tau = LEVELS[k]
    for g in (0.0, 4.0, math.inf):
        limit = make_reshuffled(M, g, 0.0).mean_time[0, k, k]
        assert limit == pytest.approx(M * tau * math.tanh(tau / 2) / 2, rel=1e-3)  # Wald
    table = make_reshuffled(M, 0.0, 0.05, n_paths=10_000)
    assert table.mean_time[0, k, k] == pytest.approx(limit / (1.0 + 4 / 9 * 0.05), rel=0.03)
    assert table.mean_time[0, k, k] != pytest.approx(make_passages(M, math.inf).mean_time[0, k, k])


@pytest.mark.parametrize("g", [0.0, 1.0, 4.0, math.inf])
def test_the_first_correction_is_that_of_the_expansion(g):
    """Of the variance of S within a period, relative to the limit; two periods, extrapolated."""
    M, n = 3, 20_000
    more = []
    for period in (0.0025, 0.01):
        until = intervals(period, M)
        S, varied, q = np.empty((n, 3, len(until)), np.float32), np.empty(n), np.empty(n)
        if math.isinf(g):
            serial_segments(passage_keys(1), 0, n, M, 0.01, until, S, varied, q)
        else:
            law = (g == 0.0, round(math.log2(g or 1.0)), 0.01)
            guided_segments(passage_keys(1), 0, n, M, law, until, S, varied)
        absent = varied[::2] / (4.0 * period / M**2)
        more.append(absent.mean() - 1.0)
        se = absent.std() / math.sqrt(n / 2)
    if math.isinf(g):
        first, expected = (4.0 * more[0] - more[1]) / 0.1, 4 / 3 * math.sqrt(8 / math.pi) * 2 / 3
        tolerance = 3.5 * 3.0 * se / 0.1
    else:
        first, expected = (16.0 * more[0] - more[1]) / 0.03, (1 + 2 * g) * 2 / M * 2 / 3
        tolerance = 3.5 * 13.0 * se / 0.03
    assert first == pytest.approx(expected, abs=tolerance)
    assert first != pytest.approx(0.5 * expected, abs=tolerance)


def law_between(period, M, g, tau, log_time, n_paths):
    """Return the law that tables of the nearest periods give."""

    def table_of(*key):
        return make_reshuffled(*key, n_paths=n_paths)

    times = ReshuffledTimes(table_of, (M,), (g,), (period,))
    return times.distributions(tau[:1], tau[1:], np.ones(1), 0.0, log_time[None])[0]


@pytest.mark.parametrize("g", [0.5, math.inf])
def test_laws_between_periods_are_nearly_those_of_the_period(g):
    M, k, period = 6, 17, 2.0**0.25
    tau, log_time = np.full(2, LEVELS[k]), np.log(np.linspace(0.05, 20.0, 400))
    table = make_reshuffled(M, g, period, n_paths=40_000)
    own = ReshuffledTimes(lambda *key: table, (M,), (g,), (period,))
    expected = own.distributions(tau[:1], tau[1:], np.ones(1), 0.0, log_time[None])[0]
    between = law_between(period, M, g, tau, log_time, n_paths=40_000)
    # Half of 40,000 paths behind each answer, on both sides.
    assert np.abs(between - expected).max() < 1.63 * math.sqrt(2 / 20_000) + 0.005
    assert np.abs(law_between(2.0, M, g, tau, log_time, n_paths=40_000) - expected).max() > 0.04


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    return PassageTables([3], n_paths=10_000, folder=tmp_path_factory.mktemp("tables"))


def rates(sigma, n):
    """Return many log rates and their weights."""
    z = np.linspace(-4.0, 4.0, n)
    weights = np.exp(-0.5 * z**2)
    return sigma * z, weights / weights.sum()


def test_trials_of_other_rates_have_other_periods(three):
    """A mixture of laws of steady rates, each with its period; the median period is far off."""
    tau, sigma = np.full(2, LEVELS[17]), 0.8
    log_time = np.log(np.linspace(0.05, 60.0, 400))

    def law(period, sigma, s=0.0):
        times = three.reshuffled_times((math.inf,), np.array([period]))
        return times.distributions(tau[:1], tau[1:], np.ones(1), sigma, log_time[None] + s)[0]

    found, (log_rates, weights) = law(1.0, sigma), rates(sigma, 161)
    mixed = np.array([law(math.exp(s), 0.0, s) for s in log_rates])
    assert np.abs(found - np.einsum("s,sat->at", weights, mixed)).max() < 1e-3
    median = np.array([law(1.0, 0.0, s) for s in log_rates])
    assert np.abs(found - np.einsum("s,sat->at", weights, median)).max() > 0.01


def test_thresholds_of_trials_of_many_rates_have_the_least_mean_risk(three):
    """Against a search that knows no derivative; thresholds of the median rate lose more."""
    cost, period, sigma, stakes = 0.03, 2.0, 1.2, (0.5, 1.0, 1.0)
    how = (math.inf,), np.ones(1), np.array([period])
    mean_cost = np.log([cost]) + 0.5 * sigma**2
    tau = np.ravel(three.reshuffled_thresholds(mean_cost, *how, sigma, stakes))

    def risk(log_tau):
        wrong, mean = 0.0, 0.0
        for s, weight in zip(*rates(sigma, 25), strict=True):
            logs = 0.0
            for each, share in period_weights(period * math.exp(s), 3).items():
                times = MeanTimes(three.passages(3, math.inf, period=each))
                wrong, time = times(*np.exp(log_tau), stakes)
                logs += share * math.log(time)
            mean += weight * math.exp(logs - s)
        return wrong + cost * mean

    least = minimize(risk, np.log(tau), method="Nelder-Mead", options={"maxfev": 60}).fun
    assert risk(np.log(tau)) < 1.00001 * least
    median = np.ravel(three.reshuffled_thresholds(np.log([cost]), *how, 0.0, stakes))
    assert risk(np.log(median)) > 1.1 * least


def test_thresholds_have_the_least_risk_at_their_own_period(tmp_path):
    """Interpolated between periods, judged by a table of the very period."""
    M, g, cost, period = 6, math.inf, 0.05, 1.4
    tables = PassageTables([M], n_paths=20_000, folder=tmp_path)
    how = (np.log([cost]), (g,), np.ones(1), np.array([period]), 0.0, (0.5, 1.0, 1.0))
    tau = tables.reshuffled_thresholds(*how)
    judge = make_reshuffled(M, g, period, n_paths=20_000, seed=5)
    best = IdealThresholds([[judge]])(np.log([cost]), np.ones(1))
    static = tables.ideal_thresholds((g,))(np.log([cost]), np.ones(1))

    def risk(tau):
        wrong, time = MeanTimes(judge)(*tau)
        return (wrong + cost * time).item()

    assert risk(tau) < 1.002 * risk(best)
    assert risk(static) > 1.01 * risk(best)
