"""Items that are reshuffled: kernels against the general way and the static display."""

import dataclasses

import numpy as np
import pytest

import popout as po
from popout.noise.streams import nth_uniform, stream_keys, trial_uniform
from popout.policies.stopping import Strategy
from popout.simulation.reshuffles import Reshuffles, forget_places, next_place
from popout.simulation.simulator import simulate

TASKS = {
    "alike": po.SearchTask(n_locations=3, drift=4.0),
    "lopsided": po.SearchTask(drift=(8.0, 3.0, 2.0), prior=0.3, location_prior=(0.5, 0.3, 0.2)),
    "limited": po.LimitedSearchTask(
        information=60.0, visibility=(1.0, 0.5, 0.7), location_prior=(0.2, 0.5, 0.3)
    ),
}
CASES = [("alike", None), ("lopsided", None)]
CASES += [("limited", looks) for looks in (po.Serial, po.Guided, po.Parallel)]


class Slowly(Strategy):
    """A strategy that has no compiled form."""

    def __init__(self, inner):
        self.inner = inner

    def decide(self, Z, t):
        return self.inner.decide(Z, t)


def trials_of(task, looks, strategy, n=3000):
    attention = None if looks is None else looks.for_task(task)
    return simulate(task, po.Observer(attention, strategy), n, seed=3)


def same(a, b):
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("response", "steps", "target")
    )


@pytest.mark.parametrize("recipe", [po.SPRT, po.Hardmax])
@pytest.mark.parametrize(("name", "looks"), CASES)
def test_compiled_trials_are_those_of_the_general_way_and_static_ones_stay(name, looks, recipe):
    task = TASKS[name]
    moving = dataclasses.replace(task, period=0.07)
    strategy = recipe.for_task(task, -3.0, 3.0)
    static, trials = (trials_of(each, looks, strategy) for each in (task, moving))
    assert same(trials, trials_of(moving, looks, Slowly(strategy)))
    assert same(static, trials_of(dataclasses.replace(task, period=1000.0), looks, strategy))
    early = static.steps < 7  # until then nothing was reshuffled
    assert np.array_equal(static.steps[early], trials.steps[early])
    assert not same(static, trials)  # the control
    for i in np.flatnonzero(trials.steps >= 7)[:5]:
        Z = trials.path(int(i))
        assert np.ptp(Z[7]) == 0.0
        assert np.ptp(Z[6]) > 0.0
        assert trials.states([i])[0] == pytest.approx(Z[-1], abs=1e-12)


def test_a_reshuffle_keeps_the_odds_of_presence():
    prior = np.log([0.5, 0.3, 0.2])
    Z = np.array([2.0, -1.0, 0.5])
    odds = 0.5 * np.exp(2.0) + 0.3 * np.exp(-1.0) + 0.2 * np.exp(0.5)
    S = forget_places(Z, prior)
    assert np.log(odds) == pytest.approx(S, abs=1e-14)
    assert (Z == S).all()
    assert forget_places(Z, prior) == pytest.approx(S, abs=1e-14)  # nothing more is lost


def test_places_are_drawn_from_the_prior_and_know_nothing_of_each_other():
    task = dataclasses.replace(TASKS["lopsided"], period=0.07)
    keys, cumulative, n = stream_keys(5), Reshuffles.of(task).cumulative, 20_000
    places = np.array([[next_place(keys, i, k, cumulative) for k in (1, 2, 3)] for i in range(n)])
    for column in places.T:
        share = np.bincount(column, minlength=3) / n
        assert np.abs(share - task.location_prior).max() < 4 * np.sqrt(0.25 / n)
    uniforms = np.array(
        [
            [trial_uniform(keys[3], i), nth_uniform(keys[3], i, 1), nth_uniform(keys[3], i, 2)]
            for i in range(n)
        ]
    )
    related = np.corrcoef(uniforms.T) - np.eye(3)
    assert np.abs(related).max() < 4 / np.sqrt(n)


def test_the_posterior_at_the_answer_is_calibrated():
    task = dataclasses.replace(TASKS["lopsided"], period=0.03)
    trials = simulate(task, po.SPRT.for_task(task, -1.5, 1.0), 40_000, seed=2)
    p = 1 / (1 + np.exp(-trials.presence() - task.log_prior_odds))
    z = (trials.present.sum() - p.sum()) / np.sqrt((p * (1 - p)).sum())
    assert abs(z) < 4
    off = 1 / (1 + np.exp(-trials.presence() - 0.3 - task.log_prior_odds))  # the control
    assert abs(trials.present.sum() - off.sum()) / np.sqrt((off * (1 - off)).sum()) > 6


def test_tuning_and_comparing_move_with_the_period():
    costs = po.Costs(time=0.2)
    how = {"n_trials": 4000, "tune_trials": 4000}
    moving, static = (
        po.compare(
            dataclasses.replace(TASKS["alike"], period=period), costs, ["sprt", "optimal"], **how
        )
        for period in (0.05, None)
    )
    assert moving.period.tolist() == [0.05, 0.05]
    assert "period" not in static
    best = moving.set_index("strategy").loc["optimal"]
    assert best.is_reference
    assert best.risk > 1.1 * static.risk.min()
    assert moving.excess.iloc[0] + 2 * moving.excess_se.iloc[0] > 0.0
    solution = po.solve(dataclasses.replace(TASKS["alike"], period=0.05), costs, rtol=1e-3)
    lost = po.regret(solution, po.SPRT.for_task(TASKS["alike"], -3.0, 3.0))
    assert lost.n_trials == 0
    assert lost.value > lost.se > 0.0
