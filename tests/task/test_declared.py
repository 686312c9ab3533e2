"""Descriptions from declarations: values, signatures, tables, and kinds of one's own."""

import inspect
import math
import pickle
from dataclasses import FrozenInstanceError, asdict, fields, replace

import numpy as np
import pytest
from example_tasks import WALK

from popout.task import (
    Costs,
    Declared,
    DiscriminationTask,
    Field,
    InputError,
    MixtureSearchTask,
    SceneSearchTask,
    SearchTask,
    Stored,
    optional,
    required,
)
from popout.task.kinds import PROBABILITY, Number


class Coin(Declared):
    """A coin."""

    heads: Stored[float] = required(Field(PROBABILITY, "P(heads).", "give a probability"))
    price: Stored[float] = optional(Field(Number(above=0.0), "What it costs.", default=1.0))


def every_task():
    return [
        SearchTask(2, 4.0),
        SearchTask(drift=(8, 3)),
        DiscriminationTask([0, 10, 20], WALK, [1, 0, 0], [0, 0.5, 0.5]),
        MixtureSearchTask(3, [0, 10, 20], WALK, [1, 0, 0], [[0, 1, 0], [0, 0, 1]]),
        SceneSearchTask(3, [0, "blank", 20], WALK, [1, 0, 0], [0, 0, 1], [1, 2]),
    ]


@pytest.mark.parametrize("task", every_task(), ids=lambda t: type(t).__name__)
def test_tasks_are_frozen_hashable_values(task):
    same = replace(task)
    assert same == task
    assert hash(same) == hash(task)
    assert replace(task, prior=0.25) != task
    assert replace(task, prior=0.25).log_prior_odds == pytest.approx(math.log(1 / 3))
    with pytest.raises(FrozenInstanceError):
        task.prior = 0.1
    copy = pickle.loads(pickle.dumps(task))
    assert copy == task
    assert repr(copy) == repr(task)
    assert not any(isinstance(getattr(task, f.name), (list, np.ndarray)) for f in fields(task))


def test_a_description_is_called_like_a_function():
    assert str(inspect.signature(Coin)) == "(heads, price=1.0)"
    assert Coin(0.5) == Coin(heads=0.5, price=1)
    assert asdict(Coin(0.5)) == {"heads": 0.5, "price": 1.0}
    for arguments in [(), (0.5, 1, 2)]:
        with pytest.raises(TypeError):
            Coin(*arguments)
    with pytest.raises(TypeError, match="unexpected keyword argument 'tails'"):
        Coin(0.5, tails=1)


def test_all_faults_come_at_once():
    with pytest.raises(InputError) as caught:
        Coin(2, -1)
    assert [fault.path for fault in caught.value.faults] == [("heads",), ("price",)]


def test_table_and_schema_follow_from_the_fields():
    assert Coin(0.5).as_dict() == {"heads": 0.5, "price": 1.0}
    schema = Coin.schema()
    assert schema["required"] == ["heads"]
    assert schema["description"] == "A coin."
    assert schema["properties"]["price"] == {
        "type": "number",
        "exclusiveMinimum": 0.0,
        "description": "What it costs.",
        "default": 1.0,
    }
    assert Coin.schema(complete=False)["required"] == []
    assert Costs(time=(0.1, 0.3)).as_dict()["time"] == [0.1, 0.3]


def test_two_kinds_of_one_name_are_refused():
    with pytest.raises(TypeError, match="'search' is SearchTask's"):

        class Other(SearchTask):
            kind = "search"

    assert SearchTask.kinds["search"] is SearchTask
