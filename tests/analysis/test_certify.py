"""`certify`: methods, faults, and agreement with the exact optimum."""

import pytest

from popout.analysis.certify import certify
from popout.certificate import Effort, controlled_risk
from popout.exact import solve
from popout.policies.stopping import ASPRT
from popout.task import Costs, InputError, MixtureSearchTask, SearchTask

TASK, COSTS = SearchTask(n_locations=2, drift=5.0), Costs(time=1.0)
QUICK = Effort(first_blocks=16, later_blocks=6, passes=2, log2_points=6, shape=(16, 8))


def test_both_methods_enclose_the_exact_risk():
    exact = solve(TASK, COSTS, 1e-4)
    strategy = ASPRT.for_task(TASK, -2.9, 2.9, a_minus=1.6, a_plus=0.7)
    for method in ("exact", "regression"):
        found = certify(
            TASK, COSTS, strategy=strategy, method=method, effort=QUICK, most_trials=1024
        )
        assert found.method == method
        assert found.lower <= exact.risk + exact.risk_error + 3 * found.lower_se
        assert found.upper >= exact.risk - exact.risk_error - 3 * found.upper_se
        assert 0 <= found.gap < 0.01
        assert "a-SPRT" in found.risks


def test_a_seed_gives_the_same_certificate_on_any_number_of_threads():
    one, two = (certify(TASK, COSTS, most_trials=1024, seed=4, threads=n) for n in (1, 2))
    assert (one.lower, one.upper, one.gap) == (two.lower, two.upper, two.gap)


ALIKE = MixtureSearchTask.tied(
    3, [0, 20, 40], [0, 20, 40], {0: -4, 20: 0, 40: 4}, dt=0.05
)  # S falls to log(1/3) and stays there where the target looks like the distractors


@pytest.mark.filterwarnings("error")
def test_distractors_that_look_like_the_target_take_seconds(monkeypatch):
    monkeypatch.setattr("popout.analysis.certify.TUNING_TRIALS_UNKNOWN", 1000)
    quick = Effort(first_blocks=8, later_blocks=4, passes=1, log2_points=6, shape=(10, 5))
    found = certify(ALIKE, Costs(time=0.5), effort=quick, most_trials=1024)
    assert found.undecided == {"SPRT-opt": 0, "learned": 0}
    assert 0.3 < found.lower <= found.upper < 0.5  # of a guess


@pytest.mark.parametrize("trials", [128, 1023])
def test_errors_are_not_taken_between_a_few_blocks(trials):
    strategy = ASPRT.for_task(TASK, -2.9, 2.9)
    for refuse in (
        lambda: certify(TASK, COSTS, most_trials=trials),
        lambda: controlled_risk(TASK, COSTS, [strategy], most_trials=trials),
    ):
        with pytest.raises(InputError, match="1024"):
            refuse()


def test_faults_come_together():
    with pytest.raises(InputError) as caught:
        certify(TASK, COSTS, method="luck", precision=-1.0, most_trials=1)
    message = str(caught.value)
    assert all(word in message for word in ("method", "precision", "most_trials"))
