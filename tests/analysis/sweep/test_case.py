"""The settings of a point: what each takes, and what they mean to each other."""

import pytest

import popout as po
from popout.analysis.sweep.case import DEFAULTS, KEYS, Case, Result, Settings, sweep_schema
from popout.task import InputError

TABLE = {"kind": "search", "n_locations": 2, "drift": 4.0, "costs": {"time": 0.5}}
WRONG = {
    "result": ["exat", 1],
    "strategy": ["luck", 3, ["sprt"]],
    "attention": ["serail", 3, "guided:x", "serial:2"],
    "n_trials": [1, 2.0, True, "many"],
    "tune_trials": [999],
    "rtol": [0, 1, "fine"],
    "rates": [1, "yes"],
    "time_limit": [0, -1.0, "3 s"],
    "seed": [-1, 2**63],
}


def names(**values):
    try:
        Case.of({**TABLE, "result": "exact", **values})
    except InputError as error:
        return [fault.path[0] for fault in error.faults]
    return []


def test_every_default_is_taken():
    assert names() == []
    assert set(WRONG) == set(Settings.declared)
    assert names(**{name: value for name, value in DEFAULTS.items() if name != "result"}) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name in WRONG for value in WRONG[name] if value is not None],
)
def test_a_wrong_value_is_a_fault_of_its_setting(name, value):
    assert name in names(**{name: value})


def test_a_case_has_the_objects_that_its_table_describes():
    case = Case.of({**TABLE, "result": "simulated", "strategy": "sprt", "n_trials": 50})
    assert case.task == po.SearchTask(n_locations=2, drift=4.0)
    assert case.costs == po.Costs(time=0.5)
    assert (case.settings.result, case.settings.n_trials) == (Result.SIMULATED, 50)


def test_all_faults_of_the_settings_come_at_once():
    with pytest.raises(InputError) as caught:
        Case.of({**TABLE, "result": "tuned", "strategy": "optimal", "seed": -1})
    assert [line.split(":")[0] for line in caught.value.lines] == ["seed", "strategy"]


LIMITED = {"kind": "limited-search", "n_locations": 2, "information": 8.0, "costs": {"time": 0.5}}


def test_attention_is_named_where_information_is_limited_and_nowhere_else():
    case = Case.of({**LIMITED, "result": "exact", "attention": "guided:0.5"})
    assert case.settings.attention == "guided:0.5"
    for table, given in ((TABLE, {"attention": "serial"}), (LIMITED, {})):
        with pytest.raises(InputError, match="attention: expected"):
            Case.of({**table, "result": "exact", **given})


GAZE = {
    "kind": "gaze-search", "items": [[0, 0], [1, 0]], "information": 20.0, "falloff": 0.8,
    "costs": {"time": 0.2},
}  # fmt: skip


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "add attention, e.g. elm"),
        ({"attention": "random"}, "risk is exact.*ask for simulated"),
        ({"attention": "elm:0.1", "fixation": "free"}, "risk is exact.*ask for simulated"),
        ({"attention": "elm", "fixation": "free"}, "attention: expected one of"),
    ],
)
def test_gaze_at_a_point_is_a_policy_that_can_be_computed(given, words):
    with pytest.raises(InputError, match=words):
        Case.of({**GAZE, "result": "exact", **given})
    for attention in ("elm", "optimal"):
        assert Case.of({**GAZE, "result": "exact", "attention": attention}).settings.rates


def test_every_setting_is_in_the_schema_with_its_words_and_default():
    properties = sweep_schema()["$defs"]["search"]["properties"]
    assert set(KEYS) <= set(properties)
    for name, setting in Settings.declared.items():
        assert properties[name]["description"] == setting.words
        assert properties[name].get("default") == DEFAULTS[name]
        assert properties["grid"]["properties"][name]["items"] == setting.kind.schema()


def test_an_axis_of_a_table_may_be_written_in_two_ways():
    axes = sweep_schema()["$defs"]["mixture-search"]["properties"]["grid"]["properties"]
    assert axes["costs.time"] == axes["costs"]["properties"]["time"]
    assert axes["observation.drift"] == axes["observation"]["properties"]["drift"]
