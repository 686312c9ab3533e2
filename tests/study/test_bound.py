"""A bound on every strategy, where a report has no exact optimum."""

from dataclasses import replace
from types import SimpleNamespace

from popout.analysis.score import Estimate
from popout.policies.stopping import SPRT
from popout.progress import stretch
from popout.study.assignment import Assignment
from popout.study.bound import certificate_of
from popout.study.sections import strategies
from popout.study.study import Study
from popout.task import Costs, MixtureSearchTask, PoissonSpikes, SearchTask

COSTS = Costs(time=1.0)
QUIET = stretch(None, 0.0, 1.0)


def test_a_report_without_an_optimum_says_what_could_be_gained(tiny):
    effort = replace(tiny, certificate_trials=1024)
    study = Study(Assignment(SearchTask(n_locations=3, drift=12.0), COSTS, effort, 1))
    data = strategies.compute(study, QUIET)
    words = " ".join(strategies.describe(data))
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


def test_a_risk_below_the_bound_is_explained():
    """A report said "risks 0.03233" beside "no strategy whatever risks less than 0.032507"."""
    words = strategies.bound_in_words(*fabricated(0.032507, 0.03233))
    assert "less than 0.03251 ± 0.00010" in words
    assert "in which a-SPRT risks 0.03260 ± 0.00010" in words
    assert "The 0.03233 ± 0.00020 above is below that by 0.79 standard errors" in words
    assert words.endswith("cross by chance.")


def test_a_risk_far_below_the_bound_is_no_chance():
    assert "more than chance allows" in strategies.bound_in_words(*fabricated(0.0335, 0.0323))


def test_a_risk_above_the_bound_needs_no_explanation():
    assert "chance" not in strategies.bound_in_words(*fabricated(0.0325, 0.0326))


def test_without_trials_or_with_spikes_there_is_none(tiny):
    task = SearchTask(n_locations=3, drift=8.0)
    strategy = SPRT.for_task(task, -2.0, 2.0)
    assert certificate_of(Assignment(task, COSTS, tiny, 1), strategy, QUIET) is None
    spikes = PoissonSpikes([[20.0, 2.0], [10.0, 5.0], [2.0, 20.0]])
    other = MixtureSearchTask.tied(2, [40], [0, 20], spikes)
    effort = replace(tiny, certificate_trials=1024)
    assert certificate_of(Assignment(other, COSTS, effort, 1), strategy, QUIET) is None
