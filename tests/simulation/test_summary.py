"""Summaries against the trials one by one, and standard errors against the spread over seeds."""

import math

import numpy as np
import pytest

from popout.policies.looking import ELM
from popout.policies.observer import Observer
from popout.policies.stopping import SPRT, Action
from popout.simulation import simulate
from popout.task import Costs, GazeTask, SearchTask

TASK = SearchTask(drift=(5.0, 3.0), prior=0.3)
STRATEGY = SPRT.for_task(TASK, -2.5, 2.5)
COSTS = Costs(time=(0.3, 0.7), miss=2.0, false_alarm=0.5)


@pytest.fixture(scope="module")
def trials():
    return simulate(TASK, STRATEGY, n_trials=40_000, seed=11, time_limit=0.6)


def test_summary_is_that_of_the_trials_one_by_one(trials):
    summary = trials.summary(COSTS)
    risk, variance = 0.0, 0.0
    for side, weight in ((summary.absent, 0.7), (summary.present, 0.3)):
        here = trials.present == (side is summary.present)
        wrong = trials.response[here] == (Action.PRESENT if weight == 0.7 else Action.ABSENT)
        decided = trials.response[here] != Action.WAIT
        rt = trials.rt[here]
        assert side.n_trials == here.sum()
        assert side.undecided == (~decided).sum()
        assert side.error_rate == pytest.approx(wrong.mean())
        assert side.error_rate_se == pytest.approx(wrong.std(ddof=1) / math.sqrt(here.sum()))
        assert side.mean_rt == pytest.approx(rt[decided].mean())
        expected = rt[decided].std(ddof=1) / math.sqrt(decided.sum())
        assert side.mean_rt_se == pytest.approx(expected)
        loss = rt * (0.3 if weight == 0.7 else 0.7) + wrong * (0.5 if weight == 0.7 else 2.0)
        risk += weight * loss.mean()
        variance += weight**2 * loss.var(ddof=1) / len(loss)
        np.testing.assert_allclose(trials.losses(COSTS)[here], loss)
    assert summary.risk == pytest.approx(risk, rel=1e-12)
    assert summary.risk_se == pytest.approx(math.sqrt(variance), rel=1e-9)


def test_locations_are_summarised_one_by_one(trials):
    for location, side in enumerate(trials.summary(COSTS).locations):
        here = trials.target == location
        decided = here & (trials.response != Action.WAIT)
        assert side.condition == f"present at {location}"
        assert side.n_trials == here.sum()
        assert side.error_rate == pytest.approx((trials.response[here] == Action.ABSENT).mean())
        assert side.mean_rt == pytest.approx(trials.rt[decided].mean())
        se = trials.rt[decided].std(ddof=1) / math.sqrt(decided.sum())
        assert side.mean_rt_se == pytest.approx(se, rel=1e-9)


def test_quantiles_are_times_that_occur(trials):
    side = trials.summary(COSTS).present
    rt = np.sort(trials.rt[trials.present & (trials.response != Action.WAIT)])
    expected = np.quantile(rt, (0.1, 0.3, 0.5, 0.7, 0.9), method="averaged_inverted_cdf")
    np.testing.assert_allclose(side.quantiles, expected, rtol=1e-12)


@pytest.mark.parametrize("n_trials", [1, 2, 3, 2001])
def test_the_median_of_long_steps_is_the_middle_of_the_trials(n_trials):
    """Fixations of 0.23 s: nobody answers earlier, or between two of them."""
    task = GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.8)
    observer = Observer(ELM, SPRT.for_task(task, -2.9, 2.9))
    trials = simulate(task, observer, n_trials, seed=1, condition="present")
    present = trials.summary(COSTS).present
    assert present.quantiles[2] == pytest.approx(np.median(trials.rt), rel=1e-12)
    assert min(present.quantiles) >= trials.rt.min() - 1e-12
    assert math.isnan(present.quantiles_se[2]) == (n_trials == 1)


def test_standard_errors_are_the_spread_over_seeds():
    """Coverage: (estimate - truth) / se over 200 seeds has unit variance, for every number."""
    runs = [
        simulate(TASK, STRATEGY, n_trials=1000, seed=s, keep=False).summary(COSTS)
        for s in range(200)
    ]
    truth = simulate(TASK, STRATEGY, n_trials=1_000_000, seed=999, keep=False).summary(COSTS)

    def spread(value, se):
        scores = np.array([(value(r) - value(truth)) / se(r) for r in runs])
        return scores.std()

    # The sd of 200 scores has a standard error of 5 %.
    assert 0.85 < spread(lambda r: r.risk, lambda r: r.risk_se) < 1.15
    assert 0.85 < spread(lambda r: r.present.mean_rt, lambda r: r.present.mean_rt_se) < 1.15
    assert 0.8 < spread(lambda r: r.absent.error_rate, lambda r: r.absent.error_rate_se) < 1.2
    # Where a quantile hardly leaves its step the error may be larger, by a quarter of a step.
    sd = np.std([r.absent.quantiles for r in runs], axis=0)
    se = np.sqrt(np.mean(np.square([r.absent.quantiles_se for r in runs]), axis=0))
    assert (se > 0.8 * sd).all()
    assert (se < 1.25 * sd + TASK.dt / 4).all()
    assert (
        np.abs(np.mean([r.absent.quantiles for r in runs], axis=0) - truth.absent.quantiles)
        < TASK.dt / 2
    ).all()
    # Negative control: half the standard error would not pass.
    assert spread(lambda r: r.risk, lambda r: r.risk_se / 2) > 1.15
    assert not (se / 2 > 0.8 * sd).all()


def test_one_class_alone_has_no_risk_but_keeps_the_rest():
    summary = simulate(TASK, STRATEGY, 500, condition="present").summary(COSTS)
    assert math.isnan(summary.risk)
    assert summary.absent.n_trials == 0
    assert 0 < summary.present.mean_rt < 1
    assert "risk unknown" in str(summary)


def test_a_summary_is_a_row_and_a_dictionary(trials):
    summary = trials.summary(COSTS)
    row, found = summary.row(), summary.as_dict()
    assert (found["trials"], found["risk"]) == (len(trials), summary.risk)
    assert found["undecided"] == row["undecided"] == summary.undecided
    for side in (summary.absent, summary.present):
        for what in ("error_rate", "error_rate_se", "mean_rt", "mean_rt_se"):
            name, se = what.removesuffix("_se"), "_se" if what.endswith("_se") else ""
            assert row[f"{name}_{side.condition}{se}"] == getattr(side, what)
            assert found[what][side.condition] == getattr(side, what)
