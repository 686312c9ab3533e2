"""Schemas are of one mind with the checks, whatever the kind."""

import jsonschema
import pytest

from popout.task.kinds import PROBABILITY, Integer, Labels, Number, OneOrEach, Rows

VALUES = [None, "a", True, 0, 1, 2, -1, 0.5, 1e12, [], [1], [1, 2], [0.5, 0.5], [[1, 2], [3, 4]],
          [[1, 2], [3]], ["blank", 20], [20, 20]]  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    [
        Number(above=0.0, below=1e10),
        Number(above=0.0, low=1e-9, high=1e9),
        PROBABILITY,
        Integer(1, 10),
        OneOrEach(Number(above=0.0), "a pair", length=2),
        Rows(Number(), flat=True),
        Rows(Number(above=0.0)),
        Labels(),
    ],
    ids=lambda kind: type(kind).__name__,
)
def test_the_schema_takes_what_the_check_does(check, kind):
    schema = jsonschema.Draft202012Validator(kind.schema())
    ragged = [[1, 2], [3]]  # rows of one length are beyond a schema
    for value in VALUES:
        refused = bool(check(kind, value)[1])
        assert schema.is_valid(value) is not refused or value == ragged, value
