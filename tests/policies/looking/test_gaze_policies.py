"""Where the eyes rest: each rule against its definition, and what refuses which."""

import math
import re

import numpy as np
import pytest

import popout as po
from popout.policies.looking import GazePolicy, RuleOfGaze
from popout.policies.looking.names import named_attention
from popout.task import InputError

ITEMS = [(0, 0), (1, 0), (2, 0.5)]
GAZES = [(0, 0), (1, 0), (2, 0.5), (0.5, 0.2)]
TASK = po.GazeTask(
    ITEMS, GAZES, information=12.0, falloff=0.9, prior=0.3, location_prior=(0.5, 0.2, 0.3)
)
COSTS = po.Costs(time=0.2, miss=2.0)
Z = np.random.default_rng(1).normal(0.0, 3.0, (200, 3))
ROWS = np.array(TASK.look.visibility)
POSTERIOR = np.array(TASK.location_prior) * np.exp(Z)


def test_map_looks_at_the_most_likely_item():
    assert (po.MAP.for_task(TASK).gaze(Z) == POSTERIOR.argmax(-1)).all()


def test_map_takes_the_gaze_that_sees_the_item_best():
    apart = po.GazeTask(ITEMS, [(1.8, 0.5), (0.4, 0)], information=12.0, falloff=0.9)
    gaze = po.MAP.for_task(apart).gaze([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    assert gaze.tolist() == [1, 1, 0]


def test_elm_looks_where_the_posterior_is_best_seen():
    assert (po.ELM.for_task(TASK).gaze(Z) == (POSTERIOR @ ROWS.T).argmax(-1)).all()


def test_the_ideal_searcher_minimises_the_cost_of_the_better_answer():
    """Against an average over random fixations, within its standard error."""
    policy = po.IdealSearcher.for_task(TASK, COSTS)
    rng, states = np.random.default_rng(2), Z[:5]
    d = 12.0 * 0.2 * ROWS[:, None, :]
    steps = -2 * d + 2 * np.sqrt(d) * rng.standard_normal((1, 200_000, 3))
    for state, liking in zip(states, policy.liking(states), strict=True):
        odds = 0.3 / 0.7 * (np.array(TASK.location_prior) * np.exp(state + steps)).sum(-1)
        costs = np.minimum(0.5, odds)  # a false alarm in units of a miss
        se = costs.std(-1) / np.sqrt(costs.shape[1])
        assert (abs(-liking - costs.mean(-1)) < 5 * se + 0.004).all()
        assert (abs(-liking - np.minimum(1.0, odds).mean(-1)) > 5 * se + 0.004).any()


def test_costs_decide_what_the_ideal_searcher_looks_at():
    plain = po.IdealSearcher.for_task(TASK)
    assert plain.bar == 1.0
    assert plain.for_costs(COSTS).bar == 0.5
    assert plain.for_costs(COSTS).for_costs(po.Costs(time=0.2)).bar == 0.5
    assert (plain.gaze(Z) != plain.for_costs(COSTS).gaze(Z)).any()


def test_stay_never_moves():
    policy = po.StayAt(3).made_for(TASK)
    assert set(policy.gaze(Z).tolist()) == {3}
    assert policy.label == "stay at 4"
    with pytest.raises(InputError, match=r"StayAt.place: expected an integer from 0 to 3"):
        po.StayAt(4).made_for(TASK)


@pytest.mark.parametrize("policy", [po.MAP, po.ELM, po.IdealSearcher])
def test_the_items_receive_what_the_gaze_lets_them(policy):
    made = policy.for_task(TASK)
    assert (made.shares(Z, 0.0) == ROWS[made.gaze(Z)]).all()


def test_names():
    kinds = {"map": po.MAP, "elm": po.ELM, "ideal": po.IdealSearcher, "stay:2": po.StayAt}
    kinds |= {"random": po.Random, "random:3": po.Random}
    for name, kind in kinds.items():
        assert isinstance(named_attention(name, TASK), kind)
    assert named_attention("stay:2", TASK).place == 1
    assert named_attention("random:3", TASK).inhibition == 3
    assert named_attention("optimal", TASK) is None
    for wrong in ("serial", "stay", "elm:2", "stay:x", "optimal:1"):
        with pytest.raises(
            InputError, match="expected one of optimal, map, elm, ideal, random, stay:2"
        ):
            named_attention(wrong, TASK)


@pytest.mark.parametrize(
    ("task", "policy"),
    [
        (TASK, po.Serial),
        (TASK, po.Serial.for_task(TASK)),
        (po.LimitedSearchTask(n_locations=3, information=20.0), po.ELM),
        (po.LimitedSearchTask(n_locations=3, information=20.0), po.StayAt(0)),
    ],
)
def test_a_policy_is_for_looks_of_one_kind(task, policy):
    with pytest.raises(InputError, match=r"solve.attention: expected a policy for a"):
        po.solve(task, COSTS, attention=policy)


def test_gaze_has_to_be_chosen():
    with pytest.raises(InputError, match=r"Observer\(ELM, strategy\)"):
        po.simulate(TASK, po.SPRT.for_task(TASK, -3.0, 3.0), 10)


class Second(RuleOfGaze):
    """A rule of one's own: away from the item that is most likely."""

    def liking(self, Z):
        return -(np.exp(Z) @ np.asarray(self.visibility).T)


def test_a_rule_of_ones_own_is_solved_and_simulated():
    assert issubclass(Second, GazePolicy)
    solution = po.solve(TASK, COSTS, attention=Second, rtol=0.01)
    trials = po.simulate(TASK, po.Observer(Second, solution.strategy), 4000, seed=3)
    summary = trials.summary(COSTS)
    assert abs(summary.risk - solution.risk) < 4 * summary.risk_se + solution.risk_error
    assert solution.risk > po.solve(TASK, COSTS, rtol=0.01).risk * 1.05


@pytest.mark.parametrize(
    ("says", "got"),
    [
        (lambda Z: np.zeros(11), "got shape (11,)"),
        (lambda Z: Z[..., :1], "got shape (9, 1)"),
        (lambda Z: np.full(Z.shape, np.nan), "got NaN"),
        (lambda Z: None, "got None"),
        (lambda Z: "here", "got 'here'"),
    ],
)
def test_what_a_rule_of_ones_own_says_is_checked(says, got):
    class Mine(po.RuleOfGaze):
        def liking(self, Z):
            return says(Z)

    task = po.GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.8)
    sprt = po.Observer(Mine, po.SPRT.for_task(task, -3.0, 3.0))
    with pytest.raises(po.InputError, match=re.escape(got)):
        Mine.for_task(task).gaze(np.zeros((9, 2)))
    for use in (
        lambda: po.solve(task, po.Costs(time=0.2), attention=Mine),
        lambda: po.simulate(task, sprt, 9),
    ):
        with pytest.raises(po.InputError, match=r"Mine\.liking: expected numbers of shape"):
            use()


@pytest.mark.parametrize(
    "Z", [[[np.nan, 0.0]], [[np.inf, 0.0]], [[0.0] * 3], "x", 0.0, [[-np.inf] * 2]]
)
def test_gaze_wants_a_number_for_each_item(Z):
    task = po.GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.8)
    with pytest.raises(po.InputError, match=r"ELM\.Z: expected numbers of shape \(\.\.\., 2\)"):
        po.ELM.for_task(task).gaze(Z)
    assert po.ELM.for_task(task).gaze([-np.inf, 0.0]) == 1  # ruled out


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: po.Dwell(po.ELM, -0.1), "Dwell.seconds: expected a positive number, got -0.1"),
        (lambda: po.Dwell(po.ELM, math.nan), "Dwell.seconds"),
        (lambda: po.Dwell(None, 0.1), "Dwell.rule: expected a policy of gaze"),
        (lambda: po.Dwell(po.Serial, 0.1), "Dwell.rule"),
        (lambda: po.Random(-1), "Random.inhibition: expected an integer of at least 0, got -1"),
        (lambda: po.Random(1.5), "Random.inhibition"),
        (lambda: po.StayAt(-1), "StayAt.place: expected an integer of at least 0, got -1"),
    ],
)
def test_a_policy_refuses_its_numbers_when_it_is_made(make, words):
    with pytest.raises(po.InputError, match=re.escape(words)):
        make()
