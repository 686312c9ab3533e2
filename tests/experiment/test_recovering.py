"""Recovery of a design: the observer that is meant, and what is said of its fits."""

import math

import numpy as np
import pytest

from popout.experiment import Block
from popout.experiment.check import check_design
from popout.experiment.design import ExpectedObserver
from popout.experiment.recovering import observer_values, recover_design
from popout.people.fitting.recovery import RecoveredObserver, Recovery
from popout.people.passages.passage_tables import PassageTables
from popout.task import Costs, InputError, LimitedSearchTask

from .designs import make_design


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


def test_blocks_count_by_their_trials():
    blocks = [Block("Slow", 30, costs=Costs(time=0.1)), Block("Fast", 10, costs=Costs(time=0.9))]
    assert observer_values(make_design(blocks=blocks))["time_cost"] == pytest.approx(0.3)


def test_an_observer_beyond_what_fits_can_find_is_refused():
    design = make_design(observer=ExpectedObserver(drift=400.0), distractors=[90])
    with pytest.raises(InputError, match=r"information: expected 0\.5 to 5000") as refused:
        recover_design(design, 0)
    assert "participants" in str(refused.value)  # all faults at once


def fitted(values, estimates, determined):
    """Return what recovery says of participants, without the work of finding it."""
    found = []
    for factor, known in zip(estimates, determined, strict=True):
        rows = [
            {"parameter": name, "estimate": factor * true, "determined": known}
            for name, true in values.items()
        ]
        found.append(RecoveredObserver("ideal-parallel", values, tuple(rows), {}))
    return Recovery(tuple(found))


def test_errors_are_the_scatter_of_what_is_determined(monkeypatch):
    asked = []
    estimates = [*np.linspace(0.9, 1.3, 101), 1e6]

    def recover(seats, observers, n, **more):
        ((model, values),) = observers
        asked.append((seats, n, model.name))
        return fitted(values, estimates, [True] * 101 + [False])

    monkeypatch.setattr("popout.experiment.recovering.recover", recover)
    design = make_design(blocks=[Block("Practice", 4, practice=True), Block("Main", 240)])
    found = check_design(design, n_trials=4000, participants=102)
    ((seats, n, model),) = asked
    assert (seats.n_trials, seats.set_sizes, n, model) == (240, (2, 4), 102, "ideal-parallel")
    cost = {row["name"]: row for row in found.as_dict()["recovery"]["parameters"]}["time_cost"]
    assert cost["se"] == pytest.approx(0.2 * 0.4 * 0.68 / 2)
    assert cost["median_error"] == pytest.approx(0.2 * 0.1)
    assert cost["determined"] == pytest.approx(101 / 102)
    words = found.card().text(100)
    assert "0.2 +- 0.027, median error +0.02, determined in 99 %" in words
    assert check_design(design, n_trials=4000).as_dict()["recovery"] is None


def test_a_participant_is_really_fitted(tmp_path, monkeypatch):
    # Few starts, with short searches: a fit that goes to the end from the best of them.
    monkeypatch.setattr("popout.people.fitting.maximum_likelihood._KEPT", 1)
    monkeypatch.setattr("popout.people.fitting.maximum_likelihood._SHORT", 300)
    tables = PassageTables((2,), n_paths=1000, folder=tmp_path)
    design = make_design(blocks=[Block("Main", 200)], set_sizes=[2], distractors=[90])
    found = recover_design(design, 1, tables)
    assert found.participants == 1
    rows = {parameter.name: parameter for parameter in found.parameters}
    assert rows["residual_mean"].true == design.observer.non_decision_time
    assert abs(rows["residual_mean"].median_error) < 0.2
    assert math.isnan(rows["residual_mean"].se)  # one participant has no scatter
