r"""Items that are reshuffled: solved and evaluated, against references that share no code.

`plain_risk` is value iteration in the risk itself, its expectation a mixture over the places of the
target, on a plain grid with splines. `follow` plays the process literally, moving the target about.
"""

import dataclasses

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.special import expit, logsumexp

import popout as po
from popout.exact.reshuffled import NEVER

COSTS = po.Costs(time=0.2)
UNEVEN = po.Costs(time=(0.3, 0.8), miss=5.0, false_alarm=1.5)


def steps_of(task, order):
    """Return nodes, shape (n, M), and weights of the noise of a step, Gauss and Hermite."""
    x, w = np.polynomial.hermite_e.hermegauss(order)
    w = w / w.sum()
    M = task.n_locations
    nodes = np.stack(np.meshgrid(*[x] * M, indexing="ij"), axis=-1).reshape(-1, M)
    weights = np.prod(np.stack(np.meshgrid(*[w] * M, indexing="ij"), axis=-1), axis=-1).ravel()
    return nodes, weights


def moved(task, place, nodes):
    """Return what a step adds to Z where the target is (None: nowhere)."""
    mu = np.array(task.drifts)
    sign = np.where(np.arange(task.n_locations) == place, 1.0, -1.0)
    return 2 * mu * (sign * mu * task.dt + np.sqrt(task.dt) * nodes)


def presence(task, Z):
    return logsumexp(Z, b=np.array(task.location_prior), axis=-1)


def answers(task, costs, S):
    p = expit(S + np.log(task.prior / (1 - task.prior)))
    time = task.dt * (costs.time_absent * (1 - p) + costs.time_present * p)
    return p, np.minimum(costs.miss * p, costs.false_alarm * (1 - p)), time


def plain_risk_of_presence(task, costs):
    """Return the optimal risk where every step ends with a reshuffle: a chain in S alone."""
    s = np.arange(-9.0, 9.0, 0.06)
    p, stop, time = answers(task, costs, s)
    nodes, weights = steps_of(task, 24 if task.n_locations == 2 else 9)
    prior = np.array(task.location_prior)
    cases = [(None, 1 - p)] + [(k, p * prior[k]) for k in range(task.n_locations)]
    jumps = [presence(task, moved(task, place, nodes)) for place, _ in cases]
    R = stop
    for _ in range(400):
        spline = CubicSpline(s, R)
        waits = time.copy()
        for jump, (_, chance) in zip(jumps, cases, strict=True):
            after = np.clip(s[:, None] + jump, s[0], s[-1])
            waits += chance * (spline(after) @ weights)
        new = np.minimum(stop, waits)
        if np.abs(new - R).max() < 1e-9:
            break
        R = new
    return float(CubicSpline(s, np.minimum(stop, waits))(0.0))


def step_matrix(z, mean, sd):
    """Return the plain Gaussian law of a step on nodes; what leaves the grid is dealt out again."""
    P = np.exp(-0.5 * ((z[None, :] - z[:, None] - mean) / sd) ** 2)
    return P / P.sum(axis=1, keepdims=True)


def plain_risk(task, costs, steps, spacing):
    """Return the optimal risk at two locations, reshuffled after some steps, on a grid of Z."""
    half = round(max(12.0, 20.0 * max(task.drifts) * task.dt**0.5) / spacing)
    z = spacing * np.arange(-half, half + 1)
    Z = np.stack(np.meshgrid(z, z, indexing="ij"), axis=-1)
    S = presence(task, Z)
    p, stop, time = answers(task, costs, S)
    prior, mu = np.array(task.location_prior), np.array(task.drifts)
    chances = [1 - p, *(p * prior[k] * np.exp(Z[..., k] - S) for k in range(2))]
    law = [
        {sign: step_matrix(z, sign * 2 * m**2 * task.dt, 2 * m * task.dt**0.5) for sign in (-1, 1)}
        for m in mu
    ]
    signs = [(-1, -1), (1, -1), (-1, 1)]
    R, before = stop, None
    for _ in range(200):
        R = CubicSpline(z, np.diagonal(R))(np.clip(S, z[0], z[-1]))  # what a reshuffle leaves
        for _ in range(steps):
            after = [law[0][a] @ R @ law[1][b].T for a, b in signs]
            waits = time + sum(chance * E for chance, E in zip(chances, after, strict=True))
            R = np.minimum(stop, waits)
        if before is not None and np.abs(R - before).max() < 1e-9:
            return float(R[half, half])
        before = R
    raise AssertionError("it goes on")


def follow(task, decide, n, rng, shuffles=True, first=None):
    """Return presence, first place, answer (2: present) and steps of n trials, played literally."""
    mu, prior = np.array(task.drifts), np.array(task.location_prior)
    M, K = task.n_locations, round(task.period / task.dt)
    present = rng.random(n) < task.prior if first is None else np.ones(n, bool)
    place = rng.choice(M, n, p=prior) if first is None else np.full(n, first)
    begun, Z = place.copy(), np.zeros((n, M))
    answer, steps = np.zeros(n, int), np.zeros(n, int)
    for k in range(1, 2000):
        going = np.flatnonzero(answer == 0)
        if not going.size:
            break
        here = present[going, None] & (np.arange(M) == place[going, None])
        drift = np.where(here, mu, -mu)
        noise = rng.normal(size=(going.size, M))
        Z[going] += 2 * mu * (drift * task.dt + np.sqrt(task.dt) * noise)
        if k % K == 0 and shuffles:
            Z[going] = presence(task, Z[going])[:, None]
            place[going] = rng.choice(M, going.size, p=prior)
        answer[going] = decide(Z[going], k * task.dt)
        steps[going] = k
    return present, begun, answer, steps


def losses(task, costs, played):
    present, _, answer, steps = played
    time = steps * task.dt * np.where(present, costs.time_present, costs.time_absent)
    wrong = np.where(present, costs.miss * (answer == 1), costs.false_alarm * (answer == 2))
    return time + wrong


TWO = po.SearchTask(n_locations=2, drift=5.0, dt=0.02)
LOPSIDED = po.SearchTask(drift=(6.0, 4.0), dt=0.02, prior=0.35, location_prior=(0.3, 0.7))
THREE = po.SearchTask(drift=(6.0, 4.0, 4.0), dt=0.02, prior=0.6, location_prior=(0.2, 0.4, 0.4))


NAMES = ["alike", "lopsided", "three"]


def shuffled(task, steps):
    return dataclasses.replace(task, period=steps * task.dt)


@pytest.mark.parametrize(
    ("task", "costs"), [(TWO, COSTS), (LOPSIDED, UNEVEN), (THREE, COSTS)], ids=NAMES
)
def test_a_reshuffle_after_every_step_leaves_a_chain_in_presence_alone(task, costs):
    solution = po.solve(shuffled(task, 1), costs)
    assert solution.risk == pytest.approx(plain_risk_of_presence(task, costs), rel=3e-4)
    # The control: with every other step the reference is another number.
    assert abs(po.solve(shuffled(task, 2), costs).risk / solution.risk - 1) > 3e-3


@pytest.mark.parametrize(("task", "costs"), [(TWO, COSTS), (LOPSIDED, UNEVEN)], ids=NAMES[:2])
@pytest.mark.parametrize("steps", [2, 3])
def test_plain_value_iteration_finds_the_same_risk(task, costs, steps):
    risk = po.solve(shuffled(task, steps), costs).risk
    # A plain grid errs in the second order of its spacing, at the kinks.
    coarse, fine = (plain_risk(task, costs, steps, spacing) for spacing in (0.2, 0.1))
    error = abs(coarse - fine)
    assert error < 1e-3 * risk
    assert risk == pytest.approx(fine, abs=error + 1e-4 * risk)
    other = po.solve(shuffled(task, steps + 1), costs).risk
    assert abs(other - fine) > 3 * (error + 1e-4 * risk)


MILD = po.Costs(time=(0.3, 0.8), miss=1.4, false_alarm=0.8)


@pytest.mark.parametrize(
    ("task", "recipe"),
    [(TWO, po.SPRT), (TWO, po.Hardmax), (LOPSIDED, po.ASPRT), (THREE, po.SPRT)],
    ids=["alike", "alike, Hardmax", "lopsided", "three"],
)
def test_evaluation_is_what_playing_the_process_gives(task, recipe):
    task, n = shuffled(task, 2), 60_000
    scales = {"a_minus": 1.3, "a_plus": 0.8} if recipe is po.ASPRT else {}
    strategy = recipe.for_task(task, -2.5, 2.8, **scales)
    exact = po.evaluate(task, strategy, MILD, rtol=1e-3)
    rng = np.random.default_rng(7)
    played = follow(task, strategy.decide, n, rng)
    lost = losses(task, MILD, played)
    se = lost.std() / np.sqrt(n)
    assert abs(lost.mean() - exact.risk) < 3 * se + exact.risk_error
    static = losses(task, MILD, follow(task, strategy.decide, n, rng, shuffles=False))
    assert abs(static.mean() - exact.risk) > 4 * se  # the control: places are kept
    for place in range(task.n_locations):
        _, _, answer, steps = follow(task, strategy.decide, n // 4, rng, first=place)
        miss, rt = answer == 1, steps * task.dt
        slack = 3.5 * np.sqrt(exact.miss_at[place] / (n // 4))
        assert abs(miss.mean() - exact.miss_at[place]) < slack + exact.rate_error
        slack = 3.5 * rt.std() / np.sqrt(n // 4)
        assert abs(rt.mean() - exact.rt_at[place]) < slack + exact.rt_error


@pytest.mark.parametrize(("task", "costs"), [(TWO, COSTS), (LOPSIDED, UNEVEN)], ids=NAMES[:2])
def test_the_optimal_tables_achieve_the_risk_that_was_solved(task, costs):
    task = shuffled(task, 3)
    solution = po.solve(task, costs)
    exact = po.evaluate(task, solution.strategy, costs)
    assert abs(exact.risk - solution.risk) <= exact.risk_error + solution.risk_error
    lost = losses(
        task, costs, follow(task, solution.strategy.decide, 40_000, np.random.default_rng(3))
    )
    assert abs(lost.mean() - solution.risk) < 3 * lost.std() / 200
    # The control: with the best static strategy the observer loses, beyond any error.
    static = po.evaluate(task, po.solve(task.static, costs).strategy, costs)
    assert static.risk - static.risk_error > solution.risk + solution.risk_error


LIKELY = po.SearchTask(n_locations=2, drift=4.0, prior=0.9, dt=0.02)
COARSE = po.SearchTask(n_locations=2, drift=4.0, dt=0.2)  # a step or two and an answer
HARD = {
    "a target is likely": (LIKELY, COSTS, 2),
    "misses cost five": (LIKELY, po.Costs(time=0.2, miss=5.0), 2),
    "the start is next to a boundary": (LIKELY, po.Costs(time=1.1), 3),
    "steps that answer": (COARSE, po.Costs(time=0.2), 1),
    "places of unequal worth": (
        po.SearchTask(drift=(6.0, 2.0), dt=0.02, prior=0.8, location_prior=(0.2, 0.8)),
        po.Costs(time=(0.1, 0.6), miss=5.0),
        4,
    ),
}


@pytest.mark.parametrize(("task", "costs", "steps"), HARD.values(), ids=HARD)
def test_hard_regimes_against_plain_value_iteration(task, costs, steps):
    solution = po.solve(shuffled(task, steps), costs)
    coarse, fine = (plain_risk(task, costs, steps, spacing) for spacing in (0.2, 0.1))
    error = abs(coarse - fine) + solution.risk_error
    assert error < 2e-3 * fine
    assert solution.risk == pytest.approx(fine, abs=error + 1e-4 * fine)


@pytest.mark.parametrize("case", [(TWO, COSTS), (LOPSIDED, UNEVEN)], ids=NAMES[:2])
def test_the_claimed_error_holds_against_a_finer_solution(case):
    task, costs = shuffled(case[0], 3), case[1]
    best = po.solve(task, costs, rtol=1e-6)
    for rtol in (1e-2, 1e-3, 1e-4):
        solution = po.solve(task, costs, rtol=rtol)
        assert abs(solution.risk - best.risk) <= solution.risk_error + best.risk_error


def test_a_very_long_period_is_the_static_task():
    static = po.solve(TWO, COSTS)
    never = po.solve(shuffled(TWO, 10**6), COSTS)
    assert never.risk == static.risk
    assert never.phases is None
    assert 10**6 * TWO.dt > NEVER * COSTS.patience > 200 * TWO.dt
    long = po.solve(shuffled(TWO, 200), COSTS)  # the same equation, but solved round by round
    assert long.phases is not None
    assert long.risk == pytest.approx(static.risk, rel=1e-6)
    sprt = po.SPRT.for_task(TWO, -3.0, 3.0)
    follows = po.evaluate(shuffled(TWO, 200), sprt, COSTS), po.evaluate(TWO, sprt, COSTS)
    assert follows[0].risk == pytest.approx(follows[1].risk, rel=1e-9)
    assert po.solve(shuffled(TWO, 10), COSTS).risk > 1.001 * static.risk


def test_one_place_cannot_be_lost():
    for task in (
        po.SearchTask(n_locations=1, drift=4.0, period=0.05),
        po.SearchTask(drift=(4.0, 5.0), location_prior=(1.0, 0.0), period=0.05),
        po.LimitedSearchTask(n_locations=1, information=16.0, period=0.05),
    ):
        assert po.solve(task, COSTS).risk == po.solve(task.static, COSTS).risk


def test_whatever_changes_the_evidence_changes_the_risk_in_its_own_direction():
    risks = [po.solve(shuffled(TWO, K), COSTS).risk for K in (1, 2, 4, 8, 16)]
    assert risks == sorted(risks, reverse=True)  # equal places: remembering can only help
    unequal = po.SearchTask(drift=(8.0, 1.0), dt=0.02)
    moving = po.solve(shuffled(unequal, 2), COSTS).risk
    assert moving < 0.8 * po.solve(unequal, COSTS).risk  # it comes to where it is seen


LIMITED = po.LimitedSearchTask(n_locations=2, information=32.0)
"""Two locations with drift 4 each, in equal shares."""


def test_limited_information_in_equal_shares_is_search_at_fixed_rates():
    for steps in (1, 5):
        fixed = po.solve(shuffled(LIMITED.with_shares(), steps), COSTS)
        shared = po.solve(shuffled(LIMITED, steps), COSTS, attention=po.Parallel)
        assert abs(fixed.risk - shared.risk) <= fixed.risk_error + shared.risk_error


def looking(task, attention, decide, n, rng):
    """Return the losses of an observer that shares information out, played literally."""
    M, K, rate = task.n_locations, round(task.period / task.dt), task.information * task.dt
    present = rng.random(n) < task.prior
    place, Z = rng.choice(M, n, p=task.location_prior), np.zeros((n, M))
    loss, going = np.zeros(n), np.arange(n)
    for k in range(1, 2000):
        shares = attention.shares(Z[going], (k - 1) * task.dt)
        here = np.where(present[going, None] & (np.arange(M) == place[going, None]), 1.0, -1.0)
        noise = rng.normal(size=shares.shape)
        Z[going] += 2 * rate * shares * here + 2 * np.sqrt(rate * shares) * noise
        if k % K == 0:
            Z[going] = presence(task, Z[going])[:, None]
            place[going] = rng.choice(M, going.size, p=task.location_prior)
        answer = decide(Z[going], k * task.dt)
        wrong = np.where(present[going], answer == 1, answer == 2) * (answer > 0)
        loss[going] += 0.2 * task.dt + wrong
        going = going[answer == 0]
        if not going.size:
            return loss
    raise AssertionError("it goes on")


@pytest.mark.parametrize("wanted", [po.Serial, po.Guided, None])
def test_limited_information_is_what_playing_the_process_gives(wanted):
    task = shuffled(LIMITED, 5)
    solution = po.solve(task, COSTS, attention=wanted)
    attention = solution.attention
    lost = looking(task, attention, solution.strategy.decide, 40_000, np.random.default_rng(5))
    assert abs(lost.mean() - solution.risk) < 3 * lost.std() / 200 + solution.risk_error
    if wanted is None:
        serial = po.solve(task, COSTS, attention=po.Serial)
        assert solution.risk <= serial.risk + solution.risk_error + serial.risk_error
    else:
        observer = po.Observer(attention, solution.strategy)
        exact = po.evaluate(task, observer, COSTS)
        assert abs(exact.risk - solution.risk) <= exact.risk_error + solution.risk_error
    static = po.solve(LIMITED, COSTS, attention=wanted)
    assert solution.risk > 1.02 * static.risk  # the control


def test_a_strategy_for_another_period_is_refused():
    strategy = po.solve(shuffled(TWO, 3), COSTS).strategy
    for other in (TWO, shuffled(TWO, 4)):
        with pytest.raises(po.InputError, match=r"evaluate.strategy: expected one for the period"):
            po.evaluate(other, strategy, COSTS)


@pytest.mark.parametrize(
    "verb",
    [
        lambda task: po.continuous_time(task, COSTS),
        lambda task: po.solve_deadline(task, COSTS, 1.0),
        lambda task: po.certify(task, COSTS),
        lambda task: po.analyse(task, COSTS, "nowhere"),
        po.Evidence,
    ],
)
def test_who_does_not_know_reshuffles_says_so(verb):
    with pytest.raises(po.InputError, match=r"reshuffle every 0\.06 s"):
        verb(shuffled(TWO, 3))


def test_what_is_shown_of_a_solution():
    solution = po.solve(shuffled(TWO, 3), COSTS)
    lower, upper = solution.phases.thresholds
    around = solution.strategy.decide([[s, s] for s in (lower - 0.1, 0.0, upper + 0.1)], 0.0)
    assert around.tolist() == [po.Action.ABSENT, po.Action.WAIT, po.Action.PRESENT]
    told = solution.as_dict()
    assert told["period"] == 0.06
    assert told["after_reshuffle"] == {"lower": lower, "upper": upper}
    assert np.isnan(told["a_plus"])
    assert "reshuffled" in repr(solution.card())
    assert solution.plot().get_title()
    assert solution.notes == ()
