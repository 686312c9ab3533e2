"""Base rates, pay, time limits and windows, against a plain simulation of the observer."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import exponnorm

from popout.people.models.ex_gaussian import ExGaussianCells
from popout.people.models.prediction import Prediction
from popout.people.models.search_models import SearchModel, Stopping
from popout.people.models.situation import Situation
from popout.policies.stopping import Action
from popout.simulation.responses import Responses
from popout.task import InputError

M, RATE, COST = 4, 12.0, 0.25
STAKES = Situation(prior=0.2, miss=3.0)
LEVELS = np.linspace(0.4, 6.0, 29)
VALUES = {"information": RATE, "capacity": 0.0, "variability": 0.0, "time_cost": COST}
VALUES |= {"residual_mean": 0.3, "residual_sd": 0.05, "residual_constant": 0.5}
VALUES |= {"absent_extra": 0.0, "lapse": 0.1}


def passages(present, n, seed, dv=0.002):
    """Return when S first passes each level, down and up, in s: parallel search, four items.

    Plain steps; a level counts as passed as much before it as discrete steps pass it too late
    (0.5826 standard deviations of a step).
    """
    random = np.random.default_rng(seed)
    Z, sign = np.zeros((n, M)), -np.ones(M)
    sign[0] = 1.0 if present else -1.0
    down, up = np.full((n, len(LEVELS)), np.inf), np.full((n, len(LEVELS)), np.inf)
    after = {id(down): np.zeros(n, int), id(up): np.zeros(n, int)}  # the next level of each path
    active, v = np.arange(n), 0.0
    while len(active):
        v += dv
        Z[active] += 2.0 * sign * dv + 2.0 * np.sqrt(dv) * random.standard_normal((len(active), M))
        weights = np.exp(Z[active])
        S, shares = np.log(weights.mean(axis=1)), weights / weights.sum(axis=1, keepdims=True)
        late = 0.5826 * 2.0 * np.sqrt(dv * (shares**2).sum(axis=1))
        for first, reach in ((down, late - S), (up, late + S)):
            following = after[id(first)]
            while (passed := reach >= np.append(LEVELS, np.inf)[following[active]]).any():
                rows = active[passed]
                first[rows, following[rows]] = v * M / RATE
                following[rows] += 1
        active = active[np.isinf(down[active, -1]) & np.isinf(up[active, -1])]
    return down, up


@pytest.fixture(scope="module")
def walks():
    return [passages(present, 3000, seed) for present, seed in ((False, 1), (True, 2))]


def risks(walks, situation):
    """Return the simulated risk of all pairs of thresholds, shape (n_levels, n_levels)."""
    total = 0.0
    for present, (down, up) in enumerate(walks):
        down, up = down[:, :, None], up[:, None, :]
        wrong = (down < up if present else up < down).mean(axis=0)
        cost = situation.miss if present else situation.false_alarm
        time = np.minimum(down, up).mean(axis=0)
        total = total + abs(1 - present - situation.prior) * (cost * wrong + COST * time)
    return total


def test_thresholds_have_the_least_simulated_risk(tables, walks):
    """One grid step is worth some 0.1 % around the minimum, noise in differences is less."""
    model = SearchModel(Stopping.IDEAL, 0.0)
    simulated = risks(walks, STAKES)

    def risk_at(stakes):
        decision = model.decision(VALUES, tables, stakes)
        k, j = (np.abs(LEVELS - tau[1]).argmin() for tau in (decision.tau_minus, decision.tau_plus))
        return simulated[k, j]

    assert risk_at(STAKES.stakes) < 1.01 * simulated.min()
    assert risk_at(Situation().stakes) > 1.05 * simulated.min()


@pytest.fixture(scope="module")
def simulated(tables, walks):
    """Return answers and times of the ideal observer with lapses, and a limit that cuts 20 %."""
    model, random = SearchModel(Stopping.IDEAL, 0.0), np.random.default_rng(3)
    decision = model.decision(VALUES, tables, STAKES.stakes)
    k, j = (np.abs(LEVELS - tau[1]).argmin() for tau in (decision.tau_minus, decision.tau_plus))
    times, said = [], []
    for down, up in walks:
        spread = np.sqrt(np.log1p((0.05 / 0.15) ** 2))
        residual = 0.15 + random.lognormal(np.log(0.15) - spread**2 / 2, spread, len(down))
        times.append(np.minimum(down[:, k], up[:, j]) + residual)
        said.append(up[:, j] < down[:, k])
    limit = float(np.quantile(np.concatenate(times), 0.8))
    for i in (0, 1):
        lapse = random.random(len(times[i])) < VALUES["lapse"]
        times[i] = np.where(lapse, random.uniform(0.0, limit, len(lapse)), times[i])
        said[i] = np.where(lapse, random.random(len(lapse)) < 0.5, said[i])
    tau = (LEVELS[k], LEVELS[j])
    return tau, limit, times, said


@pytest.mark.parametrize("fastest", [0.0, 0.35])
def test_answers_times_and_silence_are_those_of_the_simulation(tables, simulated, fastest):
    (lower, upper), limit, times, said = simulated
    model = SearchModel(Stopping.FREE, 0.0, fastest=fastest)
    values = {**VALUES, "lower": lower, "upper": upper, "lower_slope": 0.0, "upper_slope": 0.0}
    situation = replace(STAKES, deadline=limit)
    predicted = Prediction.of(model, values, (M,), tables, situation)
    np.testing.assert_allclose(predicted.masses.sum(axis=-1) + predicted.no_answer, 1.0, atol=2e-4)
    for present in (0, 1):
        kept = (times[present] >= fastest) | (times[present] > limit)
        t, answer = times[present][kept], said[present][kept]
        n, share = len(t), (t > limit).mean()
        se = np.sqrt(share * (1 - share) / n)
        assert abs(predicted.no_answer[0, present] - share) < 4 * se + 0.004
        for which in (0, 1):
            own = np.sort(t[(t <= limit) & (answer == which)])
            rising = np.cumsum(predicted.density[0, present, which]) * predicted.step
            # Simulated trials on one side, nearly half of 10,000 paths on the other.
            far = 1.63 * np.sqrt(1 / n + 1 / 4000)
            place = np.interp(own, predicted.times + predicted.step / 2, rising)
            assert np.abs(place - np.arange(1, len(own) + 1) / n).max() < far
    unlimited = Prediction.of(model, values, (M,), tables, STAKES)
    assert unlimited.no_answer.max() == 0.0
    assert np.abs(unlimited.masses - predicted.masses).max() > 0.05


@pytest.mark.parametrize("kind", ["search", "ex-gaussian"])
def test_what_could_be_observed_adds_up_to_one(tables, kind):
    """In every window, with much left out on both sides; the limit before or after its end."""
    for fastest, longest, deadline in ((0.0, 5.0, 0.6), (0.4, 0.9, np.inf), (0.4, 0.7, 0.9)):
        model, values = SearchModel(Stopping.FREE, 0.0, False, longest, fastest), VALUES
        values = {**values, "lower": 2.0, "upper": 2.0, "lower_slope": 0.0, "upper_slope": 0.0}
        if kind != "search":
            model = ExGaussianCells((M,), ((M, True),), longest, fastest)
            shape = {"mu": 0.5, "sigma": 0.1, "tau": 0.2, "lapse": 0.1, "error": 0.2}
            kinds = {p.name: p.name.removeprefix("error_").split("_")[0] for p in model.parameters}
            values = {name: shape.get(kind, 0.2) for name, kind in kinds.items()}
        situation = Situation(deadline=deadline)
        predicted = Prediction.of(model, values, (M,), tables, situation)
        total = predicted.masses.sum(axis=-1) + predicted.no_answer
        np.testing.assert_allclose(total, 1.0, atol=5e-4)
        assert (predicted.no_answer > 0.02).all() == np.isfinite(deadline)


def test_a_silence_without_a_limit_is_broken_off_when_it_ends(tables):
    columns = {"set_size": np.full(2, M), "deadline": np.array([np.inf, 0.8])}
    said, rt = np.full(2, Action.WAIT), np.full(2, 0.8)
    trials = Responses(said, rt, np.full(2, -1), columns=columns)
    own, other = SearchModel(Stopping.IDEAL, 0.0).log_densities(VALUES, trials, tables)
    assert own == other < 0.0


def test_an_answer_after_the_limit_is_refused(tables):
    columns = {"set_size": np.array([M]), "deadline": np.array([0.8])}
    trials = Responses(np.array([1]), np.array([0.9]), np.array([-1]), columns=columns)
    with pytest.raises(InputError, match="by the time limit"):
        SearchModel(Stopping.IDEAL, 0.0).likelihood(trials, tables)


def test_the_yardstick_recovers_what_the_limit_hides():
    """Half of the trials are cut: the estimates are those of all; leaving them out is not."""
    random = np.random.default_rng(4)
    t = random.normal(0.5, 0.05, 3000) + random.exponential(0.2, 3000)
    limit = float(np.quantile(t, 0.5))
    said = np.where(t <= limit, Action.ABSENT, Action.WAIT)
    columns = {"set_size": np.full(3000, M), "deadline": np.full(3000, limit)}
    trials = Responses(said, np.minimum(t, limit), np.full(3000, -1), columns=columns)
    model = ExGaussianCells((M,), (), 5.0)
    fitted = model.fit(trials)
    interval = fitted.errors[f"tau_{M}_absent"]
    assert interval.low < 0.2 < interval.high < 0.25
    answered = replace(trials.where(said != Action.WAIT), columns={"set_size": np.full(1500, M)})
    assert model.fit(answered).errors[f"tau_{M}_absent"].high < 0.2
    shape = np.array([fitted.estimates[f"{name}_{M}_absent"] for name in ("mu", "sigma", "tau")])
    law = exponnorm(shape[2] / shape[1], shape[0], shape[1])
    assert law.sf(limit) == pytest.approx(0.5, abs=0.03)
