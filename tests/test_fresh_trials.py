"""What was learned, tuned or chosen on some trials is scored on others, everywhere.

A score on the trials of the search is too low: the search has fitted their noise. Here every source
of noise writes down its seed and what the program was doing; no seed may serve two purposes.
"""

import sys
from collections import defaultdict
from dataclasses import replace
from itertools import combinations

import pytest

from popout.analysis import certify as certifying
from popout.analysis import compare as comparing
from popout.analysis import simulate_by_name as simulating
from popout.analysis import thresholds
from popout.analysis.making import Workshop
from popout.analysis.objective import RegretObjective, SimulatedRisk
from popout.analysis.sweep import point
from popout.analysis.sweep.case import Case
from popout.analysis.tune import tune
from popout.certificate import Effort
from popout.evidence import Evidence
from popout.noise import streams
from popout.people.fitting import recovery
from popout.policies.stopping import ASPRT, SPRTOpt
from popout.reports import contest
from popout.reports.study import EFFORTS, Study
from popout.task import Costs, LimitedSearchTask, MixtureSearchTask, SearchTask

COSTS = Costs(time=2.0)
TWO, FOUR = (SearchTask(n_locations=M, drift=10.0) for M in (2, 4))
UNKNOWN = MixtureSearchTask.tied(2, [10], [0, 20], {0: -8, 10: 8, 20: 0}, dt=0.02)
TINY = replace(
    EFFORTS["quick"],
    rtol=1e-2,
    exact_equal=2,
    path_trials=200,
    score_trials=1000,
    exact_trials=500,
    regret_trials=500,
    tune_trials=1000,
    certificate_trials=0,
)
QUICK = Effort(first_blocks=4, later_blocks=2, passes=1, log2_points=5, shape=(8, 4))


class Seeds:
    """Which seeds were used for what."""

    def __init__(self, monkeypatch):
        self.patch, self.now, self.used = monkeypatch, "score", defaultdict(set)
        keys, sample = streams.stream_keys, Evidence.sample

        def noted(seed):
            self.used[self.now].add(seed)
            return keys(seed)

        def sampled(evidence, n_trials, n_steps, seed, *args, **options):
            self.used[self.now].add(seed)
            return sample(evidence, n_trials, n_steps, seed, *args, **options)

        for module in list(sys.modules.values()):
            if getattr(module, "stream_keys", None) is keys:
                monkeypatch.setattr(module, "stream_keys", noted)
        monkeypatch.setattr(Evidence, "sample", sampled)

    def during(self, owner, name, *purposes):
        """Note seeds under a purpose while a function runs; its second call has the second one."""
        whole, left = getattr(owner, name), list(purposes)

        def run(*args, **options):
            before, self.now = self.now, left.pop(0) if len(left) > 1 else left[0]
            try:
                return whole(*args, **options)
            finally:
                self.now = before

        self.patch.setattr(owner, name, run)

    def check(self, *purposes):
        assert set(self.used) == set(purposes)
        for purpose, other in combinations(purposes, 2):
            assert not self.used[purpose] & self.used[other], (purpose, other)


@pytest.fixture
def seeds(monkeypatch):
    return Seeds(monkeypatch)


@pytest.mark.parametrize(
    ("task", "method"), [(TWO, "exact"), (TWO, "monte carlo"), (UNKNOWN, "monte carlo")]
)
def test_tune(seeds, task, method):
    seeds.now = "tune"
    for objective in (SimulatedRisk, RegretObjective):
        seeds.during(objective, "score", "score")
    tune(SPRTOpt, task, COSTS, method=method, n_trials=1000)
    seeds.check("tune", "score")


def test_compare(seeds):
    seeds.during(Workshop, "tune", "tune")
    comparing.compare(FOUR, COSTS, [ASPRT], n_trials=1024, tune_trials=1000)
    seeds.check("tune", "score")


def test_compare_attention(seeds):
    seeds.during(Workshop, "tune", "tune")
    task = LimitedSearchTask(n_locations=4, information=400.0)
    comparing.compare(task, COSTS, "sprt-opt", attention="serial", n_trials=200, tune_trials=1000)
    seeds.check("tune", "score")


def test_certify(seeds):
    seeds.during(certifying, "tune", "tune")
    seeds.during(certifying, "learn", "learn")
    seeds.during(certifying, "estimate", "pilot", "score")
    certifying.certify(FOUR, COSTS, method="regression", effort=QUICK, most_trials=1024)
    seeds.check("tune", "learn", "pilot", "score")


def test_simulate_by_name(seeds):
    seeds.during(Workshop, "tune", "tune")
    simulating.simulate(FOUR, "a-sprt", 100, costs=COSTS, tune_trials=1000)
    seeds.check("tune", "score")


def test_thresholds_that_were_first_tried_on_paths(seeds):
    thresholds.reached_thresholds.cache_clear()
    seeds.during(thresholds, "reached_thresholds", "tune")
    simulating.simulate(UNKNOWN, "sprt", 100, costs=COSTS, seed=0)
    seeds.check("tune", "score")


@pytest.mark.parametrize("result", ["simulated", "tuned"])
def test_a_point_of_a_sweep(seeds, result):
    seeds.during(Workshop, "tune", "tune")
    table = {"kind": "search", "n_locations": 4, "drift": 10.0, "costs": {"time": 2.0}}
    settings = {"result": result, "strategy": "a-sprt", "n_trials": 100, "tune_trials": 1000}
    point.compute(Case.of({**table, **settings}))
    seeds.check("tune", "score")


@pytest.mark.parametrize("task", [TWO, FOUR, UNKNOWN])
def test_the_strategies_of_a_report(seeds, task):
    study = Study(task, COSTS, TINY, 1)
    seeds.during(Workshop, "make", "tune")
    seeds.now = "tune"
    assert len(study.paths.target)
    seeds.now = "score"
    contest.run_contest(study, COSTS, lambda share, words: None)
    seeds.check("tune", "score")


def test_a_synthetic_observer_is_not_drawn_from_the_noise_of_its_fit(monkeypatch):
    drawn, fitted = [], []
    monkeypatch.setattr(recovery, "synthetic_observer", lambda *known: drawn.append(known[-1]))
    monkeypatch.setattr(recovery, "fit_models", lambda *known, progress: fitted.append(known[-1]))
    monkeypatch.setattr(recovery, "recovered", lambda *known: None)
    for number in range(3):
        recovery.recover_observer(None, None, {}, [], seed=5, number=number)
    assert len(set(drawn)) == 3
    assert not set(drawn) & set(fitted)
