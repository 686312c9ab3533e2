"""A kind of task and an observation law of one's own, in one file, work everywhere."""

import jsonschema
import numpy as np
import pytest

import popout as po
from popout.task import (
    Displays,
    Field,
    Noise,
    Observation,
    Stored,
    optional,
    required,
    task_from_toml,
    task_to_toml,
)
from popout.task.kinds import Integer, Number, Part, Rows
from popout.task.task import DT, PRIOR
from popout.task.toml import task_schema


class Clicks(Observation):
    """At most one click per step and channel."""

    kind = "test-clicks"
    noise = Noise.UNIFORM
    parameter = "rate (clicks/s)"
    noise_words = "clicks"

    rate: Stored[tuple[tuple[float, ...], ...]] = required(
        Field(Rows(Number(above=0.0, below=1.0)), "Rate of each channel.", "give a rate", "1/s")
    )

    @property
    def rows(self):
        return self.rate

    def linear(self):
        rows = np.asarray(self.rows)
        return np.log(rows), np.sum(rows, axis=1)

    def increments(self, noise, orientation, dt):
        return (noise < (np.asarray(self.rows) * dt)[orientation][:, None]).astype(float)


class OddOneOut(po.Task):
    """One of a ring of items is odd."""

    kind = "test-odd-one-out"

    n_items: Stored[int] = required(Field(Integer(2, 50), "Items of the ring.", "count them"))
    observation: Stored[Observation] = required(
        Field(Part(Observation, "observation"), "What one item shows.", "describe it")
    )
    dt: Stored[float] = optional(DT)
    prior: Stored[float] = optional(PRIOR)

    @property
    def n_locations(self):
        return self.n_items

    @property
    def location_prior(self):
        return (1 / self.n_items,) * self.n_items

    @property
    def observations(self):
        return (self.observation,) * self.n_items

    def displays(self):
        return Displays(self.location_prior, (0.0, 1.0), ((1.0, 0.0),))


TASK = OddOneOut(3, po.GaussianWalk([-4.0, 4.0]))
TEXT = """
kind = "test-odd-one-out"
n_items = 1
[observation]
kind = "test-clicks"
rate = [[0.5], [-1]]
"""


del po.Task.kinds[OddOneOut.kind], Observation.kinds[Clicks.kind]  # for other tests


@pytest.fixture(autouse=True)
def entered(monkeypatch):
    """Enter the kinds again, as they were when their classes were defined."""
    monkeypatch.setitem(po.Task.kinds, OddOneOut.kind, OddOneOut)
    monkeypatch.setitem(Observation.kinds, Clicks.kind, Clicks)


def test_files_and_schemas():
    text = task_to_toml(TASK)
    assert task_from_toml(text) == TASK
    jsonschema.Draft202012Validator(task_schema()).validate(TASK.as_dict())
    assert "n_locations" not in task_schema()["$defs"][OddOneOut.kind]["properties"]


def test_faults_have_their_lines():
    with pytest.raises(po.InputError) as caught:
        task_from_toml(TEXT)
    assert caught.value.lines == (
        "line 3: OddOneOut.n_items: expected an integer of at least 2, got 1; count them",
        "line 6: Clicks.rate[1][0]: expected a positive number, got -1; give a rate",
    )
    assert [fault.as_dict()["path"] for fault in caught.value.faults] == [
        ["n_items"],
        ["observation", "rate", 1, 0],
    ]


def test_a_walk_has_a_search_that_is_solved_simulated_and_compared():
    same = po.SearchTask(3, 4.0)
    assert TASK.search == same
    costs = po.Costs(time=0.5)
    assert po.solve(TASK, costs, rtol=1e-2).risk == po.solve(same, costs, rtol=1e-2).risk
    strategy = po.ASPRT.for_task(TASK, -2.0, 2.0)
    one, other = (po.simulate(task, strategy, 2000, seed=1) for task in (TASK, same))
    assert np.array_equal(one.steps, other.steps)
    assert one.task is TASK
    assert np.array_equal(one.states([3]), other.states([3]))
    table = po.compare(TASK, costs, [po.SPRT], n_trials=1000, tune_trials=1000)
    assert table.locations.tolist() == [3]


def test_a_law_without_a_search_is_read_and_simulated_on_its_ratio():
    task = OddOneOut(2, Clicks([[0.1, 0.9], [0.9, 0.1]]), dt=0.05)
    assert task.search is None
    assert "not a Gaussian walk" in task.why_no_search
    trials = po.simulate(task, po.SPRT.for_task(task, -1.0, 1.0), 500, seed=1, time_limit=60.0)
    summary = trials.summary(po.Costs(time=0.1))
    assert summary.absent.error_rate < 0.5 > summary.present.error_rate
    with pytest.raises(po.InputError, match="a task with an equivalent one"):
        po.solve(task, po.Costs(time=0.1))


def test_words_and_picture():
    assert str(TASK).startswith("OddOneOut over 3 locations")
    assert TASK.describe()[1] == "Each location is observed through one channel of Gaussian noise."
    assert TASK.is_illustrated
    assert TASK.tilts == (25.0, 0.0)
