"""Efforts: enough trials of either class, and bad ones refused."""

import pytest

from popout.study.effort import effort_of
from popout.task import InputError


def test_every_simulation_expects_both_classes_or_is_refused():
    few = effort_of("quick", 1000)
    assert few.enough_for(0.5) == few
    for prior in (0.001, 0.999):
        effort = few.enough_for(prior)
        assert min(effort.score_trials, effort.exact_trials, effort.tune_trials) == 50_000
    for prior in (1e-5, 1 - 1e-5):
        with pytest.raises(InputError, match=r"prior: expected from 0.0001 to 0.9999"):
            few.enough_for(prior)


@pytest.mark.parametrize(("preset", "trials"), [("slow", None), ("quick", 10), ("quick", 2.5)])
def test_bad_efforts_are_refused(preset, trials):
    with pytest.raises(InputError, match="expected"):
        effort_of(preset, trials)
