"""What a design tells: closed forms, the law of large numbers, and what is said of fits."""

import math

import numpy as np
import pytest
from scipy.stats import lognorm

from popout.experiment import Block
from popout.experiment.check import check_design
from popout.experiment.design import ExpectedObserver
from popout.experiment.power import CHANGES, Power, observer_values, situation_of
from popout.people.fitting.recovery import RecoveredObserver, Recovery
from popout.people.fitting.synthetic import Design, synthetic_observer
from popout.people.models.situation import Situation
from popout.people.passages.ideal_thresholds import EVEN
from popout.people.passages.passage_tables import PassageTables
from popout.task import Costs, InputError, LimitedSearchTask

from .designs import make_design


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return PassageTables((2, 4), n_paths=4000, folder=tmp_path_factory.mktemp("tables"))


def test_the_observer_of_a_fit_drifts_as_the_design_expects():
    """Attention in equal shares to all items, each of which then has the design's drift."""
    design = make_design(distractors=[30], observer=ExpectedObserver(drift=8.0))
    values = observer_values(design)
    mu = 8.0 * (1 - math.cos(math.radians(60))) / 2
    for M in (2, 8):
        rate = values["information"] * (M / 8) ** values["capacity"]
        shared = LimitedSearchTask(n_locations=M, information=rate)
        assert math.sqrt(shared.information / M) == pytest.approx(mu)
    assert values["time_cost"] == pytest.approx(0.2)


def test_blocks_count_by_their_trials(tables):
    blocks = [
        Block("Slow", 30, costs=Costs(time=0.1)),
        Block("Fast", 10, costs=Costs(time=(0.8, 1.0)), prior=0.6),
        Block("Practice", 40, practice=True, costs=Costs(time=9.0)),
    ]
    design = make_design(blocks=blocks, prior=0.2)
    assert observer_values(design)["time_cost"] == pytest.approx(0.3)
    assert observer_values(design, blocks[1])["time_cost"] == pytest.approx(0.9)
    power = Power(design, tables=tables)
    np.testing.assert_allclose(power.trials(), [[14.0, 6.0]] * 2)
    np.testing.assert_allclose(power.trials(blocks[1]), [[2.0, 3.0]] * 2)
    assert [situation_of(design, each).prior for each in (None, blocks[1])] == [0.3, 0.6]


def test_a_design_with_stakes_tells_what_scores_of_its_trials_say(tables):
    """The variance of scores, over trials drawn and scored as those of people in its situation."""
    costs = Costs(time=0.2, miss=8.0)
    design = make_design(blocks=[Block("Main", 400)], costs=costs, prior=0.3, distractors=[90])
    situation = situation_of(design)
    assert situation.stakes == (0.3, 8.0, 1.0)
    power, n = Power(design, tables=tables), 30_000
    asked = Design((2, 4), n // 4, situation)
    trials = synthetic_observer(power.model, power.values, asked, tables)
    likelihood, scores = power.model.likelihood(trials, tables), []
    for name in CHANGES:
        ends = [power.values[name] * factor for factor in (1.02, 1 / 1.02)]
        up, down = (likelihood.log_densities({**power.values, name: end}) for end in ends)
        scores.append((up - down) / (ends[0] - ends[1]))
    squares = np.array(scores) ** 2
    counts = np.array(power.trials().sum(axis=1))
    scale = (power.values["information"], power.values["time_cost"], 1.0)

    def told(stakes):
        a_trial = power.information(power.values, stakes)
        whole = np.einsum("sc,scij->ij", power.trials(), a_trial) / counts.sum()
        return np.diag(whole) / np.square(scale)

    se = squares.std(axis=1) / np.sqrt(n)
    far = np.abs(told(situation.stakes) - squares.mean(axis=1))
    assert (far < 4 * se + 0.05 * squares.mean(axis=1)).all()  # noise of 4,000 paths: see above
    assert (np.abs(told(EVEN) - squares.mean(axis=1)) > 8 * se).any()
    even = make_design(blocks=[Block("Main", 400)], distractors=[90])
    assert power.expected_se() != pytest.approx(Power(even, tables=tables).expected_se(), rel=0.05)


def test_without_decision_time_the_error_of_t0_is_that_of_its_law(tables):
    """Decisions that take no time leave a shifted lognormal: its score, squared, by quadrature."""
    sd, mean, constant = 0.08, 0.35, 0.5

    def density(mean):
        rest = mean * (1 - constant)
        s = np.sqrt(np.log1p((sd / rest) ** 2))
        return lognorm(s, loc=mean * constant, scale=rest / np.exp(s**2 / 2)).pdf(t)

    t = np.linspace(0.0, 2.0, 40_001)
    slope = (density(mean + 1e-4) - density(mean - 1e-4)) / 2e-4
    score = np.divide(slope**2, density(mean), out=np.zeros_like(t), where=density(mean) > 1e-9)
    expected = score.sum() * (t[1] - t[0])
    observer = ExpectedObserver(drift=1000.0, non_decision_time=mean, non_decision_sd=sd)
    power = Power(make_design(observer=observer, distractors=[90]), tables=tables)
    found = power.information({**power.values, "lapse": 1e-4, "variability": 0.0})[0, :, 2, 2]
    # Bins of 10 ms and lapses lose a little.
    assert found == pytest.approx([expected] * 2, rel=0.05)


def test_four_times_the_trials_halve_the_errors(tables):
    few, many = (
        Power(make_design(blocks=[Block("Main", n)]), tables=tables).expected_se()
        for n in (100, 400)
    )
    assert many == pytest.approx({name: error / 2 for name, error in few.items()})


def test_errors_depend_little_on_the_number_of_paths(tmp_path):
    design = make_design(distractors=[90])
    few, many = (
        Power(design, tables=PassageTables((2, 4), n, folder=tmp_path)) for n in (10_000, 80_000)
    )
    assert few.expected_se() == pytest.approx(many.expected_se(), rel=0.05)


def test_a_design_that_tells_nothing_says_so(tables, monkeypatch):
    power = Power(make_design(), tables=tables)
    monkeypatch.setattr(power, "information", lambda *about: np.zeros((2, 2, 3, 3)))
    assert set(power.expected_se().values()) == {math.inf}


def test_an_observer_beyond_what_fits_can_find_is_refused(tables):
    design = make_design(observer=ExpectedObserver(drift=400.0), distractors=[90])
    with pytest.raises(InputError, match=r"information: expected 0\.5 to 5000") as refused:
        Power(design, tables=tables).recovery(0)
    assert "participants" in str(refused.value)  # all faults at once


def fitted(values, estimates, determined):
    """Return what recovery says of participants, without the work of finding it."""
    people = []
    for factor, known in zip(estimates, determined, strict=True):
        own = {name: {"estimate": factor * true} for name, true in values.items()}
        rows = [{"parameter": k, "determined": known, **each} for k, each in own.items()]
        people.append(RecoveredObserver("ideal-parallel", values, tuple(rows), {}))
    return Recovery(tuple(people))


def test_errors_are_the_scatter_of_what_is_determined(monkeypatch, tmp_path):
    monkeypatch.setenv("POPOUT_CACHE", str(tmp_path))
    asked = []
    estimates = [*np.linspace(0.9, 1.3, 101), 1e6]

    def recover(seats, observers, n, *more):
        ((model, values),) = observers
        asked.append((seats, n, model.name))
        return fitted(values, estimates, [True] * 101 + [False])

    monkeypatch.setattr("popout.experiment.power.recover", recover)
    blocks = [Block("Practice", 4, practice=True), Block("Main", 240)]
    design = make_design(blocks=blocks, prior=0.3, costs=Costs(time=0.2, false_alarm=2.0))
    found = check_design(design, n_trials=4000, participants=102)
    ((seats, n, model),) = asked
    assert (seats.n_trials, seats.set_sizes, n, model) == (240, (2, 4), 102, "ideal-parallel")
    assert seats.situation == Situation(prior=0.3, false_alarm=2.0)
    cost = {row["name"]: row for row in found.as_dict()["recovery"]["parameters"]}["time_cost"]
    assert cost["se"] == pytest.approx(0.2 * 0.4 * 0.68 / 2)
    assert cost["median_error"] == pytest.approx(0.2 * 0.1)
    assert cost["determined"] == pytest.approx(101 / 102)
    words = found.card().text(100)
    assert "0.2 +- 0.027, median error +0.02, determined in 99 %" in words
    assert check_design(design, n_trials=4000).as_dict()["recovery"] is None


def test_a_participant_is_really_fitted(tables, monkeypatch):
    # Few starts: a fit that goes to the end from the best of them.
    monkeypatch.setattr("popout.people.fitting.maximum_likelihood._KEPT", 1)
    monkeypatch.setattr("popout.people.fitting.maximum_likelihood._SHAKES", ())
    design = make_design(blocks=[Block("Main", 200)], distractors=[90])
    found = Power(design, tables=tables).recovery(1)
    assert found["participants"] == 1
    rows = {row["name"]: row for row in found["parameters"]}
    assert rows["residual_mean"]["true"] == design.observer.non_decision_time
    assert abs(rows["residual_mean"]["median_error"]) < 0.2
    assert math.isnan(rows["residual_mean"]["se"])  # one participant has no scatter
