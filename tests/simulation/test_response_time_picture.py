"""Trials as cards and pictures: the curves are the counts of the trials."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import popout as po

COSTS = po.Costs(time=0.2)
TASK = po.SearchTask(n_locations=2, drift=4.0)


@pytest.fixture(scope="module")
def trials():
    return po.simulate(TASK, po.SPRT.for_task(TASK, -2.0, 2.0), n_trials=5000, seed=1, threads=1)


def test_each_curve_is_the_density_of_its_trials(trials):
    ax = trials.plot(Figure().subplots())
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    chosen = {
        "correct rejections": ~trials.present & trials.correct,
        "false alarms": ~trials.present & ~trials.correct,
        "hits": trials.present & trials.correct,
        "misses": trials.present & ~trials.correct,
    }
    assert len(ax.patches) == len(labels) == len(chosen)
    for curve, label in zip(ax.patches, labels, strict=True):
        words, share = label.split(", ")
        rt = trials.rt[chosen[words]]
        same_class = trials.present == words.endswith(("hits", "misses"))
        assert float(share.split()[0]) == pytest.approx(100 * len(rt) / same_class.sum(), rel=5e-3)
        drawn = curve.get_data()
        # Response times are whole looks: half a look keeps them off the edges.
        counts, _ = np.histogram(rt, drawn.edges - TASK.dt / 2)
        expected = counts / (len(rt) * np.diff(drawn.edges))
        assert drawn.values == pytest.approx(expected, rel=1e-9)
        assert (drawn.values * np.diff(drawn.edges)).sum() <= 1 + 1e-9


def test_rare_answers_are_counted_but_not_drawn():
    strategy = po.SPRT.for_task(TASK, -8.0, 8.0)
    rare = po.simulate(TASK, strategy, n_trials=300, seed=1, condition="present", threads=1)
    ax = rare.plot(Figure().subplots())
    assert len(ax.patches) == 1
    assert (rare.correct.all(), "none of 300" in str(rare)) == (True, True)
    assert "not drawn" in ax.get_legend().get_texts()[-1].get_text()


def test_one_trial_is_one():
    alone = po.simulate(TASK, po.SPRT.for_task(TASK, -2.0, 2.0), 1, seed=1)
    assert alone.plot(Figure().subplots()).get_title() == "1 trial"


def test_trials_without_an_answer_can_be_drawn():
    strategy = po.SPRT.for_task(TASK, -50.0, 50.0)
    none = po.simulate(TASK, strategy, n_trials=30, seed=1, time_limit=0.05, threads=1)
    ax = none.plot(Figure().subplots())
    assert "30 undecided" in ax.get_title()
    assert len(ax.patches) == 0


def test_cards_of_trials_tally_and_summary_agree(trials):
    summary = trials.summary(COSTS)
    for shown in (trials, trials.tally(), summary):
        html = shown._repr_html_()
        assert f">{summary.absent.n_trials}<" in html
        assert html.count("±") >= 6
    assert f"{summary.present.n_trials}" in str(trials)
    assert len(repr(trials.tally())) < 60


def test_a_class_that_was_not_simulated_has_no_row():
    strategy = po.SPRT.for_task(TASK, -2.0, 2.0)
    one = po.simulate(TASK, strategy, n_trials=100, seed=1, condition="absent", threads=1)
    assert "absent" in str(one)
    assert "present" not in str(one)
    assert "nan" not in str(one)


def test_times_of_any_kind_can_be_drawn():
    rng = np.random.default_rng(1)
    rt = rng.gamma(4.0, 0.15, 400)
    people = po.Responses(np.full(400, 2), rt, np.zeros(400))
    ax = people.plot(Figure().subplots())
    (curve,) = ax.patches
    drawn = curve.get_data()
    counts, _ = np.histogram(rt, drawn.edges)
    assert drawn.values == pytest.approx(counts / (400 * np.diff(drawn.edges)), rel=1e-9)
    assert 0.99 <= (drawn.values * np.diff(drawn.edges)).sum() <= 1 + 1e-9
    at_once = po.Responses(np.full(40, 2), np.zeros(40), np.zeros(40))
    assert len(at_once.plot(Figure().subplots()).patches) == 1
