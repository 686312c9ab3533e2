"""A bound on every strategy, where a report has no exact optimum."""

from dataclasses import replace

from popout.progress import stretch
from popout.strategies import SPRT
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


def test_without_trials_or_with_spikes_there_is_none(tiny):
    task = SearchTask(n_locations=3, drift=8.0)
    strategy = SPRT.for_task(task, -2.0, 2.0)
    assert certificate_of(Assignment(task, COSTS, tiny, 1), strategy, QUIET) is None
    spikes = PoissonSpikes([[20.0, 2.0], [10.0, 5.0], [2.0, 20.0]])
    other = MixtureSearchTask.tied(2, [40], [0, 20], spikes)
    effort = replace(tiny, certificate_trials=1024)
    assert certificate_of(Assignment(other, COSTS, effort, 1), strategy, QUIET) is None
