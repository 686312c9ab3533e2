"""Where to look and when to stop, optimal together."""

import numpy as np
import pytest
from paper_recursion import best_shares_risk

import popout as po
from popout.exact.discretisation import ShareDiscretisation
from popout.policies.looking import Guided, Parallel, Serial
from popout.task import LimitedSearchTask

COSTS = po.Costs(time=0.2)
TASK = LimitedSearchTask(n_locations=2, information=32.0)


@pytest.fixture(scope="module")
def optimum():
    return po.solve(TASK, COSTS, rtol=1e-4)


def test_two_locations_against_brute_force(optimum):
    shares = np.arange(9) / 8
    coarse, fine = (best_shares_risk(32.0, 0.2, shares, spacing=h) for h in (0.25, 0.2))
    assert optimum.risk == pytest.approx(fine, rel=2e-4)
    assert coarse == pytest.approx(fine, rel=2e-4)


def test_unequal_visibility_and_prior_against_brute_force():
    task = LimitedSearchTask(information=32.0, visibility=(1.0, 0.5), location_prior=(0.3, 0.7))
    found = po.solve(task, COSTS, rtol=1e-3)
    known = best_shares_risk(
        32.0, 0.2, np.arange(9) / 8, visibility=(1.0, 0.5), prior=(0.5, 0.15, 0.35), spacing=0.2
    )
    assert found.risk == pytest.approx(known, rel=1.5e-3)


def test_brute_force_with_the_wrong_rate_is_told_apart(optimum):
    wrong = best_shares_risk(33.0, 0.2, np.arange(9) / 8, spacing=0.25)
    assert abs(wrong - optimum.risk) > 20 * optimum.risk_error


@pytest.mark.parametrize(("information", "cost"), [(16.0, 0.2), (4.0, 0.5)])
def test_one_location_is_discrimination(information, cost):
    costs = po.Costs(time=cost)
    found = po.solve(LimitedSearchTask(1, information), costs, rtol=1e-4)
    known = po.solve(po.SearchTask(n_locations=1, drift=information**0.5), costs, rtol=1e-5)
    assert abs(found.risk - known.risk) <= found.risk_error + known.risk_error


@pytest.mark.parametrize(
    ("task", "shares", "rtol"),
    [
        (TASK, (0.5, 0.5), 1e-4),
        (TASK, (0.25, 0.75), 1e-4),
        (TASK, (0.3, 0.7), 1e-4),
        (LimitedSearchTask(n_locations=3, information=48.0), (1 / 3, 1 / 3, 1 / 3), 3e-3),
    ],
)
def test_fixed_shares_are_those_of_a_search(task, shares, rtol):
    found = po.solve(task, COSTS, rtol, attention=Parallel(shares))
    known = po.solve(task.with_shares(shares), COSTS, rtol=min(rtol, 1e-3))
    assert abs(found.risk - known.risk) <= found.risk_error + known.risk_error


def test_more_information_never_raises_the_risk():
    risks = [po.solve(LimitedSearchTask(2, rate), COSTS).risk for rate in (8.0, 16.0, 32.0)]
    assert risks == sorted(risks, reverse=True)


def test_no_policy_beats_the_optimum(optimum):
    risks = {}
    for policy in (Parallel.for_task(TASK), Guided.for_task(TASK, 1.0), Serial.for_task(TASK)):
        found = po.solve(TASK, COSTS, 1e-3, attention=policy)
        risks[policy.label] = found.risk
        assert found.risk + found.risk_error >= optimum.risk - optimum.risk_error
    # The probe's table: serial within a percent, equal shares a third worse.
    assert risks["serial"] < 1.01 * optimum.risk < 1.35 * optimum.risk < risks["parallel"] * 1.02


def test_a_location_without_the_target_is_left_out():
    padded = LimitedSearchTask(3, 32.0, location_prior=(0.5, 0.0, 0.5))
    found, known = po.solve(padded, COSTS), po.solve(TASK, COSTS)
    assert found.risk == pytest.approx(known.risk, rel=1e-12)
    assert found.attention.shares([[1.0, 9.0, -1.0]], 0.0)[0].tolist() == [1.0, 0.0, 0.0]
    assert found.strategy.n_locations == 3


def test_the_error_covers(optimum):
    for rtol in (1e-2, 1e-3):
        rough = po.solve(TASK, COSTS, rtol=rtol)
        assert rough.risk_error <= rtol * rough.risk
        assert abs(rough.risk - optimum.risk) <= rough.risk_error + optimum.risk_error
    assert set(optimum.diagnostics.errors) == {"spacing", "range", "shares", "iteration"}
    assert sum(optimum.diagnostics.errors.values()) == optimum.risk_error


def test_the_policy_is_symmetric_and_attends_to_the_more_likely(optimum):
    Z = np.array([[1.0, -1.0], [-1.0, 1.0], [3.0, 0.5], [0.0, 0.0]])
    shares = optimum.attention.shares(Z, 0.0)
    np.testing.assert_allclose(shares[:3], [[1, 0], [0, 1], [1, 0]], atol=1e-6)
    assert shares[3, 0] == pytest.approx(0.5, abs=0.51)  # a tie: anything is allowed


def test_the_value_function_is_that_of_the_search_where_it_can_be_known():
    """At fixed shares: the risk at any node, and the boundary in the plane."""
    found = po.solve(TASK, COSTS, 1e-4, attention=Parallel.for_task(TASK))
    known = po.solve(TASK.with_shares(), COSTS, 1e-4)
    Z = np.array([[0.0, 0.0], [2.0, -1.0], [-4.0, 3.0]])
    np.testing.assert_allclose(found.value_grid.V(Z), known.value_grid.V(Z), rtol=1e-3)
    edges = [each.boundary().present for each in (found, known)]
    tops = [edge[edge["Z2"] < -3.0]["Z1"].to_numpy() for edge in edges]
    assert tops[0].mean() == pytest.approx(tops[1].mean(), abs=5e-3)


def test_small_steps_are_reached_through_longer_ones():
    told = []
    task = LimitedSearchTask(1, 4.0, dt=0.001)
    found = po.solve(task, po.Costs(time=0.5), progress=lambda share, words: told.append(words))
    assert told[0].startswith("longer steps")
    assert any(words.startswith("level 2") for words in told)
    nodes = [level.nodes for level in found.diagnostics.levels]
    assert nodes == sorted(nodes)


def test_a_tolerance_out_of_reach_is_refused(monkeypatch):
    monkeypatch.setattr(ShareDiscretisation, "max_nodes", 2000)
    with pytest.raises(po.NotConvergedError, match="up to 2000 nodes") as refusal:
        po.solve(TASK, COSTS, 1e-3)
    assert refusal.value.levels
    with pytest.raises(po.MemoryLimitError, match="fits in"):
        po.solve(TASK, COSTS, memory_limit=10**5)


def test_serial_attention_rules_out_one_location_after_the_other():
    """Of the conjecture's family, the one for "absent" is close to a test of each location."""
    found = po.solve(TASK, COSTS, 1e-3, attention=Serial.for_task(TASK)).scales
    assert found.a_minus > 5.0
    assert found.minus.rms < 0.02


def test_it_says_what_it_is(optimum):
    assert repr(optimum).startswith("Solution(risk=0.0329")
    assert "optimal" in str(optimum.card())
    assert optimum.plot().get_title() == "optimal"
    assert optimum.observer == po.Observer(optimum.attention, optimum.strategy)
    assert optimum.as_dict()["attention"]["name"] == "optimal"
    alone = po.thresholds(32.0**0.5, COSTS)
    assert optimum.as_dict()["thresholds"][1]["lower"] == pytest.approx(alone.lower, abs=1e-3)
    with pytest.raises(po.InputError, match="evaluate or simulate the observer"):
        optimum.mean_rt  # noqa: B018


@pytest.mark.parametrize(
    ("task", "more", "fault"),
    [
        (po.SearchTask(2, 4.0), {"attention": Parallel((0.5, 0.5))}, "attention: expected no"),
        (LimitedSearchTask(7, 32.0), {}, "at most 6 locations"),
        (TASK, {"attention": Parallel((0.5, 0.25, 0.25))}, "one for 2 locations, got 3"),
        (TASK, {"backend": "torch"}, "'numpy' where information is shared out"),
    ],
)
def test_bad_input_is_named(task, more, fault):
    with pytest.raises(po.InputError, match=fault):
        po.solve(task, COSTS, **more)
