"""The schema of sweep files: every setting, at the top and as an axis."""

from popout.analysis.sweep.case import DEFAULTS, KEYS, SETTINGS
from popout.analysis.sweep.schema import sweep_schema


def test_every_setting_is_there_with_its_words_and_default():
    properties = sweep_schema()["$defs"]["search"]["properties"]
    assert set(KEYS) <= set(properties)
    for name, setting in SETTINGS.items():
        assert properties[name]["description"] == setting.words
        assert properties[name].get("default") == DEFAULTS[name]
        assert properties["grid"]["properties"][name]["items"] == setting.kind.schema()


def test_an_axis_of_a_table_may_be_written_in_two_ways():
    axes = sweep_schema()["$defs"]["mixture-search"]["properties"]["grid"]["properties"]
    assert axes["costs.time"] == axes["costs"]["properties"]["time"]
    assert axes["observation.drift"] == axes["observation"]["properties"]["drift"]
