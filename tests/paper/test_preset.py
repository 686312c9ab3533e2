"""Presets: the paper preset takes no fewer trials than the paper."""

from popout.paper.preset import PRESETS


def test_paper_preset_takes_at_least_the_papers_trials():
    assert PRESETS["paper"].decision_trials >= 1_000
    assert PRESETS["paper"].score_trials >= 10_000
