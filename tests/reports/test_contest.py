"""Strategies of a problem, tuned and scored: against the optimum, a-SPRT, or on stored paths."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from popout.analysis.score import Estimate
from popout.policies.stopping import SPRT
from popout.progress import stretch
from popout.reports.contest import certificate_of, run_contest
from popout.reports.sections import strategies_compared
from popout.reports.study import Study
from popout.task import Costs, MixtureSearchTask, PoissonSpikes, SearchTask

COSTS = Costs(time=1.0)
QUIET = stretch(None, 0.0, 1.0)
TIED = MixtureSearchTask.tied(3, [10], [0, 20], {0: -4, 10: 4, 20: 0})


def contest(task, effort, costs=COSTS, **options):
    shares = []
    study = Study(task, costs, effort, 5)
    result = run_contest(study, costs, lambda share, words: shares.append(share), **options)
    assert shares == sorted(shares)
    return result


def test_what_looks_wrong_is_said_with_and_without_a_solution(tiny):
    cases = {
        2: "The step of 10 ms is 39 % of the mean response time",
        4: "The step of 10 ms is 35 % of the mean response time",
    }
    for n_locations, words in cases.items():
        task = SearchTask(n_locations=n_locations, drift=12.0)
        result = contest(task, tiny, scales=(1.7, 0.7))
        assert (result.solution is None) == (n_locations == 4)
        (note,) = result.notes(Study(task, COSTS, tiny, 5))
        assert note.startswith(words)
    slow = SearchTask(n_locations=2, drift=4.0)
    assert contest(slow, tiny).notes(Study(slow, Costs(time=0.2), tiny, 5)) == ()


def test_with_a_solution_the_optimum_leads_and_scales_are_fitted(tiny):
    result = contest(SearchTask(n_locations=2, drift=4.0), tiny)
    names = ["optimal", "a-SPRT", "SPRT-opt", "SPRT", "Hardmax", "fixed time"]
    assert [entry.name for entry in result.entries] == names
    assert result.reference == "the exact optimum"
    assert result.best.risk.value == result.solution.risk
    a_sprt, fixed = result.entries[1], result.entries[-1]
    assert a_sprt.parameters["a_minus"] == result.solution.scales.a_minus
    assert set(fixed.parameters) == {"seconds"}
    assert fixed.excess.value > 3 * fixed.excess.se


def test_where_a_location_deserves_no_look_strategies_without_factors_are_left_out(tiny):
    """The thresholds of the two locations differ in sign, and their ratios mean nothing."""
    task, costs = SearchTask(drift=(8.0, 3.0)), Costs(time=10.0, miss=2.0)
    result = contest(task, tiny, costs)
    names = [entry.name for entry in result.entries]
    assert names == ["optimal", "SPRT-opt", "SPRT", "Hardmax", "fixed time"]
    assert "are left out" in result.notes(Study(task, costs, tiny, 5))[-1]


def test_without_one_the_excess_is_over_a_sprt_with_the_scales_given(tiny):
    result = contest(SearchTask(n_locations=4, drift=12.0), tiny, scales=(1.7, 0.7))
    assert result.solution is None
    assert result.reference == result.best.name == "a-SPRT"
    assert result.best.excess.value == result.best.excess.se == 0.0
    assert (result.best.parameters["a_minus"], result.best.parameters["a_plus"]) == (1.7, 0.7)


def test_unknown_distractors_are_scored_on_stored_paths(tiny):
    result = contest(TIED, tiny)
    names = ["time-varying SPRT", "SPRT with deadline", "SPRT-opt", "fixed time"]
    assert [entry.name for entry in result.entries] == names
    assert result.reference == names[0]
    assert set(result.best.parameters) == {"tau_minus", "tau_plus", "seconds"}
    for entry in result.entries[1:]:
        away = entry.risk.value - result.best.risk.value
        assert entry.excess.value == pytest.approx(away, abs=1e-12)


def test_a_report_without_an_optimum_says_what_could_be_gained(tiny):
    effort = replace(tiny, certificate_trials=1024)
    study = Study(SearchTask(n_locations=3, drift=12.0), COSTS, effort, 1)
    data = strategies_compared.compute(study, QUIET)
    words = " ".join(strategies_compared.describe(data))
    assert "No strategy whatever risks less than" in words
    assert "a-SPRT could be improved by" in words


def fabricated(lower, risk):
    """A certificate and the entry of a report, with standard errors of 0.0001 and 0.0002."""
    bound = SimpleNamespace(
        lower=lower,
        lower_se=1e-4,
        upper=0.0326,
        n_trials=1024,
        label="a-SPRT",
        gaps={"a-SPRT": (0.003, 0.001)},
        risks={"a-SPRT": (0.0326, 1e-4)},
    )
    return bound, SimpleNamespace(name="a-SPRT", risk=Estimate(risk, 2e-4))


@pytest.mark.parametrize(
    ("lower", "risk", "words"),
    [
        (0.032507, 0.03233, "0.00020 above is below that by 0.79 standard errors of the"),
        (0.0335, 0.0323, "more than chance allows"),
        (0.0325, 0.0326, "in which a-SPRT risks 0.03260 ± 0.00010)."),
    ],
)
def test_a_risk_below_the_bound_is_explained(lower, risk, words):
    """A report said "risks 0.03233" beside "no strategy whatever risks less than 0.032507"."""
    sentence = strategies_compared.bound_in_words(*fabricated(lower, risk))
    assert words in sentence
    assert ("chance" in sentence) == (risk < lower)


def test_without_trials_or_with_spikes_there_is_none(tiny):
    task = SearchTask(n_locations=3, drift=8.0)
    strategy = SPRT.for_task(task, -2.0, 2.0)
    assert certificate_of(Study(task, COSTS, tiny, 1), strategy, QUIET) is None
    spikes = PoissonSpikes([[20.0, 2.0], [10.0, 5.0], [2.0, 20.0]])
    other = MixtureSearchTask.tied(2, [40], [0, 20], spikes)
    effort = replace(tiny, certificate_trials=1024)
    assert certificate_of(Study(other, COSTS, effort, 1), strategy, QUIET) is None
