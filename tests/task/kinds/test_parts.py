"""Descriptions inside a description: of the right class, and not too many."""

from popout.task import Costs, GaussianWalk, Observation
from popout.task.kinds import Part, Table, Tables

COSTS, WALK = Costs(time=0.5), GaussianWalk([1.0, -1.0])


def test_parts_are_taken_as_they_are(check):
    assert check(Part(Observation, "observation"), WALK) == (WALK, [])
    assert check(Table(Costs), COSTS) == (COSTS, [])
    assert check(Tables(Costs, 2), [COSTS, COSTS]) == ((COSTS, COSTS), [])


def test_others_are_refused_by_name(check):
    _, (fault,) = check(Part(Observation, "observation"), COSTS)
    assert "a GaussianWalk or a PoissonSpikes" in fault.expected
    assert check(Table(Costs), WALK)[1][0].expected == "a Costs"
    for wrong in ([], [COSTS] * 3, [WALK], COSTS):
        assert check(Tables(Costs, 2), wrong)[1][0].expected == "1 to 2 of Costs"


def test_schemas():
    assert Part(Observation, "observation").schema() == {"$ref": "#/$defs/observation"}
    assert Tables(Costs, 2).schema()["maxItems"] == 2
