"""Gaze and stopping, optimal together: against plain value iteration and against searches."""

import numpy as np
import pytest
from slow_gaze import slow_risk

import popout as po

LINE = [(0, 0), (1, 0), (2, 0)]
COSTS = po.Costs(time=0.2)
POLICIES = {"map": po.MAP, "elm": po.ELM, "ideal": po.IdealSearcher, 1: po.StayAt(1)}
BLIND = [(0, 1), (0.5, 0)]
"""A periphery that sees nothing."""


def reference(task, costs, policy=None, **more):
    """Return the risk of value iteration, with its error."""
    return slow_risk(
        task.look.visibility, task.information, task.fixation, task.saccade,
        (costs.time_absent, costs.time_present), policy=policy, prior=task.prior,
        where=task.location_prior, miss=costs.miss, false_alarm=costs.false_alarm, **more,
    )  # fmt: skip


HARD = {
    "three in a row": (po.GazeTask(LINE, information=20.0, falloff=0.8), COSTS),
    "narrow and cheap": (po.GazeTask(LINE, information=40.0, falloff=0.4), po.Costs(time=0.05)),
    "blind periphery": (po.GazeTask(LINE[:2], information=20.0, falloff=BLIND), COSTS),
    "gaze between items": (
        po.GazeTask(LINE[:2], [(0, 0), (0.5, 0.2), (1, 0)], information=12.0, falloff=1.2),
        COSTS,
    ),
    "likely, unequal": (
        po.GazeTask(LINE, information=20.0, falloff=0.8, prior=0.9, location_prior=(0.6, 0.3, 0.1)),
        po.Costs(time=(0.1, 0.3), miss=2.0, false_alarm=0.7),
    ),
    "long saccades": (
        po.GazeTask(LINE[:2], information=20.0, falloff=0.8, fixation=0.1, saccade=0.2),
        COSTS,
    ),
    "groups that overlap": (
        po.GazeTask.of_groups(
            LINE, [(0, 1), (1, 2)], information=30.0, step=0.2,
            prior=0.35, location_prior=(0.5, 0.2, 0.3),
        ),
        po.Costs(time=(0.15, 0.3), miss=1.5, false_alarm=0.8),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HARD)
def test_the_optimum_is_that_of_value_iteration(name):
    task, costs = HARD[name]
    solution = po.solve(task, costs)
    risk, error = reference(task, costs, low=-13.0, high=8.0)
    assert abs(solution.risk - risk) < solution.risk_error + error
    assert solution.risk_error < 1e-3 * solution.risk
    assert error < 2e-3 * risk


@pytest.mark.parametrize("policy", POLICIES)
def test_the_best_stopping_for_a_rule_is_that_of_value_iteration(policy):
    task, costs = HARD["likely, unequal"]
    solution = po.solve(task, costs, attention=POLICIES[policy])
    risk, error = reference(task, costs, policy, low=-13.0, high=8.0)
    assert abs(solution.risk - risk) < solution.risk_error + error
    assert solution.risk > po.solve(task, costs).risk - solution.risk_error


def test_four_items_and_a_gaze_between_them():
    square = [(0, 0), (1, 0), (1, 1), (0, 1)]
    task = po.GazeTask(square, [*square, (0.5, 0.5)], information=20.0, falloff=0.8)
    solution = po.solve(task, COSTS, rtol=5e-3)
    risk, error = reference(task, COSTS, spacings=(0.8, 0.56), low=-9.0, high=5.6)
    assert abs(solution.risk - risk) < solution.risk_error + 3 * error
    assert error < 3e-3 * risk


def test_a_periphery_that_sees_everything_is_the_papers_search():
    """One step lasts a fixation and a saccade, and brings what the fixation does."""
    everything = po.GazeTask(
        LINE, information=20.0, falloff=lambda e: 1.0, prior=0.3, fixation=0.15, saccade=0.05
    )
    same = po.SearchTask(n_locations=3, drift=(20.0 * 0.15 / 0.2) ** 0.5, dt=0.2, prior=0.3)
    gaze, search = po.solve(everything, COSTS), po.solve(same, COSTS)
    assert abs(gaze.risk - search.risk) < gaze.risk_error + search.risk_error


@pytest.mark.parametrize("place", range(3))
def test_gaze_that_never_moves_is_a_search_with_unequal_drifts(place):
    task = po.GazeTask(LINE, information=20.0, falloff=0.8, location_prior=(0.2, 0.5, 0.3))
    stays = po.solve(task, COSTS, attention=po.StayAt(place))
    search = po.solve(task.staying_at(place), COSTS)
    assert abs(stays.risk - search.risk) < stays.risk_error + search.risk_error


def test_a_blind_periphery_is_serial_attention_with_steps_of_a_fixation():
    """Looks at one item at a time, of a fixation each: MAP is Serial there."""
    task = po.GazeTask(LINE, information=20.0, falloff=BLIND, saccade=0.0)
    limited = po.LimitedSearchTask(n_locations=3, information=20.0, dt=0.2)
    gaze, serial = (
        po.solve(task, COSTS, attention=po.MAP),
        po.solve(limited, COSTS, attention=po.Serial),
    )
    assert abs(gaze.risk - serial.risk) < gaze.risk_error + serial.risk_error


def test_an_item_that_is_never_the_target_does_not_matter():
    two = po.GazeTask(LINE[:2], LINE[:2], information=20.0, falloff=0.8)
    prior = (0.5, 0.5, 0.0)
    three = po.GazeTask(LINE, LINE[:2], information=20.0, falloff=0.8, location_prior=prior)
    assert po.solve(three, COSTS).risk == pytest.approx(po.solve(two, COSTS).risk, rel=1e-9)


def test_the_order_of_items_and_gazes_does_not_matter():
    task, costs = HARD["likely, unequal"]
    order = [2, 0, 1]
    turned = po.GazeTask(
        [LINE[k] for k in order], [LINE[k] for k in (1, 2, 0)], information=20.0, falloff=0.8,
        prior=0.9, location_prior=[task.location_prior[k] for k in order],
    )  # fmt: skip
    risks = [po.solve(each, costs, rtol=3e-3) for each in (task, turned)]
    assert abs(risks[0].risk - risks[1].risk) < 1e-6


def test_tables_of_value_gaze_and_boundary():
    task, costs = HARD["three in a row"]
    solution = po.solve(task, costs)
    assert solution.value.dims == ("Z1", "Z2", "Z3")
    assert float(solution.value.sel(Z1=0, Z2=0, Z3=0, method="nearest")) == pytest.approx(
        solution.risk, rel=1e-3
    )
    assert len(solution.boundary((0, 2)).present) > 10
    gaze = solution.attention.gaze([[0.0, 0.0, 0.0], [3.0, 0.0, -3.0], [-3.0, 0.0, 3.0]])
    assert gaze.tolist() == [1, 0, 2]
    mirrored = np.random.default_rng(1).uniform(-3, 1, (100, 3))
    both = solution.attention.gaze(mirrored) + solution.attention.gaze(mirrored[:, ::-1])
    assert (both == 2).mean() > 0.97  # but for cells in which two gazes are as good
    assert "3" in str(solution.card())
    assert solution.as_dict()["attention"] == {"name": "optimal", "gazes": 3}


def test_evaluating_the_solved_observer_gives_the_risk_back():
    task, costs = HARD["gaze between items"]
    solution = po.solve(task, costs, attention=po.ELM)
    sprt = po.Observer(po.ELM, po.SPRT.for_task(task, costs))
    evaluation = po.evaluate(task, sprt, costs)
    trials = po.simulate(task, sprt, 20_000, seed=2).summary(costs)
    assert abs(evaluation.risk - trials.risk) < 4 * trials.risk_se + evaluation.risk_error
    assert evaluation.risk > solution.risk - solution.risk_error - evaluation.risk_error


def test_information_beyond_any_grid_is_refused():
    task = po.GazeTask(LINE[:2], information=1e-8, falloff=0.8)
    with pytest.raises(po.InputError, match=r"items\[0\]: expected fixations that move Z"):
        po.solve(task, COSTS)
