"""What a certificate says."""

from dataclasses import replace

from popout.certificate import Certificate
from popout.policies.stopping import SPRT
from popout.task import Costs, SearchTask

TASK = SearchTask(n_locations=8, drift=2.0)
FOUND = Certificate(
    task=TASK,
    costs=Costs(time=0.5),
    lower=0.3283,
    lower_se=0.0001,
    upper=0.3286,
    upper_se=0.0001,
    gap=0.0009,
    gap_se=0.0001,
    strategy=SPRT.for_task(TASK, -2.0, 2.0),
    risks={"SPRT": (0.3286, 0.0001)},
    gaps={"SPRT": (0.0009, 0.0001)},
    method="regression",
    n_trials=1000,
    n_learning=5000,
    variance_ratio=30.0,
    seconds=3.0,
)


def test_it_has_the_keys_of_the_command_line():
    keys = {"lower", "lower_se", "upper", "upper_se", "gap", "gap_se", "strategy", "method"}
    assert keys | {"seconds"} <= set(FOUND.as_dict())
    assert FOUND.as_dict()["strategy"] == "sprt"


def test_words_say_what_is_known():
    assert "0.09 %" in FOUND.in_words()
    assert "Nothing can be told" in replace(FOUND, gap=0.0001).in_words()
    assert "no strategy is below" in str(FOUND)


def test_trials_without_an_end_are_told():
    late = replace(FOUND, undecided={"SPRT": 3})
    assert "undecided" not in str(FOUND)
    assert "SPRT had not ended 3 trials of 1000 after 20000 looks" in str(late)
    assert late.as_dict()["risks"]["sprt"]["undecided"] == 3
