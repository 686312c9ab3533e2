"""`certify`: methods, faults, and agreement with the exact optimum."""

import pytest

import popout as po
from popout.analysis.certify import certify, problem_for
from popout.certificate import Effort
from popout.certificate.search_paths import SearchProblem
from popout.certificate.unknown_paths import MixtureProblem
from popout.exact import solve
from popout.policies.stopping import ASPRT
from popout.task import (
    Costs,
    DiscriminationTask,
    GazeTask,
    InputError,
    MixtureSearchTask,
    PoissonSpikes,
    SceneSearchTask,
    SearchTask,
)

TASK, COSTS = SearchTask(n_locations=2, drift=5.0), Costs(time=1.0)
QUICK = Effort(first_blocks=16, later_blocks=6, passes=2, log2_points=6, shape=(16, 8))


@pytest.fixture(scope="module")
def exact():
    return solve(TASK, COSTS, 1e-4)


@pytest.mark.parametrize("method", ["exact", "regression"])
def test_bounds_enclose_the_exact_risk(exact, method):
    strategy = ASPRT.for_task(TASK, -2.9, 2.9, a_minus=1.6, a_plus=0.7)
    how = {"method": method, "solution": exact, "effort": QUICK, "most_trials": 1024}
    bounds = certify(TASK, COSTS, strategy=strategy, **how)
    assert bounds.method == method
    assert bounds.lower <= exact.risk + exact.risk_error + 3 * bounds.lower_se
    assert bounds.upper >= exact.risk - exact.risk_error - 3 * bounds.upper_se
    assert 0 <= bounds.gap < 0.01
    assert "a-SPRT" in bounds.risks


def test_a_seed_gives_the_same_certificate_on_any_number_of_threads(exact):
    how = {"solution": exact, "most_trials": 1024, "seed": 4}
    alone, shared = (certify(TASK, COSTS, threads=n, **how) for n in (1, 2))
    assert (alone.lower, alone.upper, alone.gap) == (shared.lower, shared.upper, shared.gap)


ALIKE = MixtureSearchTask.tied(
    3, [0, 20, 40], [0, 20, 40], {0: -4, 20: 0, 40: 4}, dt=0.05
)  # S falls to log(1/3) and stays there where the target looks like the distractors


@pytest.mark.filterwarnings("error")
def test_distractors_that_look_like_the_target_take_seconds(monkeypatch):
    monkeypatch.setattr("popout.analysis.certify.TUNING_TRIALS_UNKNOWN", 1000)
    quick = Effort(first_blocks=8, later_blocks=4, passes=1, log2_points=6, shape=(10, 5))
    bounds = certify(ALIKE, Costs(time=0.5), effort=quick, most_trials=1024)
    assert bounds.undecided == {"SPRT-opt": 0, "learned": 0}
    assert 0.3 < bounds.lower <= bounds.upper < 0.5  # of a guess


@pytest.mark.parametrize("trials", [128, 1023])
def test_errors_are_not_taken_between_a_few_blocks(trials):
    with pytest.raises(InputError, match="1024"):
        certify(TASK, COSTS, most_trials=trials)


def test_faults_come_together():
    with pytest.raises(InputError) as caught:
        certify(TASK, COSTS, method="luck", precision=-1.0, most_trials=1)
    message = str(caught.value)
    assert all(word in message for word in ("method", "precision", "most_trials"))


DRIFT = {0: -3.0, 20: -1.0, 40: 3.0}


def test_a_task_with_an_equivalent_search_is_that_search():
    task = DiscriminationTask.from_sets([40], [0], {0: -3.0, 40: 3.0})
    problem = problem_for(task, COSTS)
    assert isinstance(problem, SearchProblem)
    assert problem.task == task.search == SearchTask(n_locations=1, drift=3.0)


def test_unknown_distractors_have_a_problem_of_their_own():
    task = MixtureSearchTask.tied(3, [40], [0, 20], DRIFT)
    assert task.search is None
    assert isinstance(problem_for(task, COSTS), MixtureProblem)


def test_scenes_are_unknown_distractors_too():
    scene = SceneSearchTask.from_sets(3, [40], [0], [1, 2], {0: -3.0, 40: 3.0, "blank": 0.0})
    assert problem_for(scene, COSTS).kinds.counts.tolist() == [1, 2]


def test_what_cannot_be_certified_is_refused_with_a_way_out():
    spikes = PoissonSpikes(rate=[[20.0, 2.0], [10.0, 5.0], [2.0, 20.0]])
    task = MixtureSearchTask.tied(3, [40], [0, 20], spikes)
    with pytest.raises(InputError, match=r"observation: expected a GaussianWalk"):
        problem_for(task, COSTS)


@pytest.mark.parametrize(
    ("task", "costs", "field"),
    [
        ("search", COSTS, "task"),
        (TASK, 0.2, "costs"),
    ],
)
def test_what_is_no_problem_of_certificates_is_refused(task, costs, field):
    with pytest.raises(InputError, match=rf"certify\.{field}: expected"):
        certify(task, costs)


GAZE = GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.8)


def test_gaze_is_certified_by_learning_too(monkeypatch):
    monkeypatch.setattr("popout.analysis.certify.TUNING_TRIALS", 1000)
    costs = Costs(time=0.2)
    optimum = solve(GAZE, costs, 2e-3)
    quick = Effort(first_blocks=60, later_blocks=40, passes=1, log2_points=6, shape=(12, 6))
    bounds = certify(GAZE, costs, method="regression", effort=quick, most_trials=1024)
    assert bounds.method == "regression"
    assert bounds.lower <= optimum.risk + optimum.risk_error + 3 * bounds.lower_se
    assert bounds.upper >= optimum.risk - optimum.risk_error - 3 * bounds.upper_se
    assert 0 <= bounds.gap < 0.05
    assert {"ELM, SPRT-opt", "MAP, SPRT-opt", bounds.label} <= set(bounds.risks)
    assert bounds.holds_for == "whatever an observer does"


PLACES = {"items": [(0, 0), (1, 0)], "information": 20.0, "falloff": 0.8, "saccade": 0.03}


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (po.GazeTask(**PLACES, fixation=0.2, answer="place"), "answers absent or present"),
        (po.GazeTask(**PLACES, fixation="free", step=0.01), "fixations of a fixed duration"),
        (po.SearchTask(n_locations=2, drift=4.0, period=0.1), "items that stay where they are"),
        (
            po.LimitedSearchTask(n_locations=2, information=32.0, period=0.1),
            "items that stay where they are",
        ),
    ],
)
def test_what_has_no_bound_is_refused(task, expected):
    with pytest.raises(po.InputError, match=f"expected {expected}"):
        po.certify(task, po.Costs(time=0.2), most_trials=1024)
