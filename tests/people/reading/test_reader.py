import io

import numpy as np
import pandas as pd
import pytest

from popout.people.reading.reader import read_trials
from popout.policies.stopping import Action
from popout.task import InputError

from ..lookalikes import (
    CONJUNCTION,
    FACES,
    FEATURE,
    MAZOR,
    SHI,
    mazor_like,
    needs_human_data,
    shi_like,
    trials,
    wolfe_like,
)


def write(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_text(text, newline="")
    return path


def same(read, table):
    """Check classes, answers, set sizes and times of every observer."""
    assert list(read.observers) == sorted(set(table["observer"]))
    for name, one in read.observers.items():
        rows = table[table["observer"] == name]
        assert (one.present == rows["present"]).all()
        assert ((one.response == Action.PRESENT) == rows["said"]).all()
        assert (one.columns["set_size"] == rows["set_size"]).all()
        np.testing.assert_allclose(one.rt, rows["rt"], atol=6e-4)
        assert set(one.columns["observer"]) == {name}


def test_a_file_like_wolfes(tmp_path):
    table = trials()
    read = read_trials(write(tmp_path, wolfe_like(table)))
    same(read, table)
    assert read.reading.rt_unit == "ms"
    assert read.reading.columns["observer"] == "sinit"
    assert read.reading.conditions == {}, "the outcome and the constant column are no conditions"
    assert set(read["ag"].columns["block"]) == {1, 2, 3, 4}


def test_a_file_like_shis(tmp_path):
    table = trials()
    read = read_trials(write(tmp_path, shi_like(table)))
    late = table["rt"] > 0.9
    assert late.sum() > 10
    for name, one in read.observers.items():
        rows = table["observer"] == name
        assert ((one.response == Action.WAIT) == late[rows]).all()
        assert {*one.columns["deadline"]} == {0.9}
    assert read.reading.conditions == {"dyn": ("Dynamic", "Static")}
    assert "Pooled: dyn (Dynamic, Static)" in read.reading.notes[0]
    assert "-1 is no answer" in read.reading.meanings["response"]


def test_a_file_like_mazors(tmp_path):
    table = trials()
    read = read_trials(write(tmp_path, mazor_like(table)))
    same(read, table[table["block"] > 1])
    assert read.dropped["practice"].sum() == (table["block"] == 1).sum()
    assert read.reading.meanings["response"].endswith("as right and wrong answers show")
    assert read.reading.conditions == {"search_type": ("colour", "shape")}


def test_conditions_are_chosen_or_split(tmp_path):
    path = write(tmp_path, shi_like(trials()))
    some = read_trials(path, where={"dyn": "Static"})
    assert some.n_trials == 400
    assert some.dropped["not dyn=Static"].sum() == 400
    assert some.reading.notes == ()
    apart = read_trials(path, split="dyn")
    assert list(apart.observers) == ["ag", "km"]
    names = [("ag", "Dynamic"), ("ag", "Static"), ("km", "Dynamic"), ("km", "Static")]
    assert [*apart.groups] == names
    assert set(apart.groups["ag", "Static"].columns["dyn"]) == {"Static"}


def test_european_decimals_in_seconds(tmp_path):
    table = trials()
    frame = table.assign(target=table["present"].map({True: "ja", False: "nein"}))
    frame = frame.drop(columns="present")
    frame["answer"] = frame.pop("said").map({True: "ja", False: "nein"})
    text = frame.to_csv(sep=";", decimal=",", index=False, float_format="%.3f")
    read = read_trials(write(tmp_path, "\ufeff" + text))
    same(read, table)
    assert "decimal commas" in read.reading.rt_unit_reason


def test_what_was_read_can_be_read_again(tmp_path):
    first = read_trials(write(tmp_path, shi_like(trials())))
    text = first.to_pandas().to_csv(index=False)
    for data in (first.to_pandas(), write(tmp_path, text, "again.csv")):
        again = read_trials(data)
        for name, own in first.observers.items():
            assert (again[name].response == own.response).all()
            assert (again[name].target == own.target).all()
            np.testing.assert_allclose(again[name].rt, own.rt)


def test_every_dropped_trial_has_one_reason():
    table = trials(observers=("ag",))
    frame = table[["observer", "set_size", "rt"]].astype(object)
    frame["target"] = table["present"].astype(int).astype(object)
    frame["key"] = np.where(table["said"], "j", "f")
    frame.loc[:4, "rt"] = ["NA", 0, -0.5, 0.1, 40.0]
    odd = {"set_size": "many", "target": "", "key": "space", "observer": np.nan}
    for row, (name, value) in enumerate(odd.items(), 5):
        frame.loc[row, name] = value
    frame.loc[9, ["rt", "key"]] = ["NA", "q"]
    read = read_trials(frame)
    assert read.dropped.sum().to_dict() == {
        "no observer": 1,
        "no set size": 1,
        "no target": 1,
        "another key": 2,
        "no response time": 1,
        "response time of 0 or less": 2,
        "faster than 0.15 s": 1,
        "slower than 2 s": 1,
    }
    assert read.n_trials == 390
    assert read.reading.rows == 400


def test_units_are_found_said_and_overridden(tmp_path):
    table = trials()
    text = wolfe_like(table)
    assert read_trials(write(tmp_path, text)).reading.rt_unit_reason.startswith("the median is ")
    same(read_trials(write(tmp_path, text), rt_unit="ms"), table)
    slow = read_trials(write(tmp_path, text), rt_unit="s", slowest=1e5)
    np.testing.assert_allclose(slow["ag"].rt, 1000 * table["rt"][:400], atol=0.6)


def test_observers_in_different_units_are_refused():
    table = trials()
    table.loc[table["observer"] == "km", "rt"] *= 1000
    frame = table.assign(response=table.pop("said"))
    with pytest.raises(InputError, match=r"one unit|rt_unit"):
        read_trials(frame)


def test_the_keys_can_be_named():
    table = trials()
    keys = np.where(table["said"], "f", "j")
    frame = table.drop(columns="said").assign(key=keys)
    same(read_trials(frame), table)
    turned = read_trials(frame, codes={"response": ("j", "f")})
    assert ((turned["ag"].response == Action.ABSENT) == table["said"][:400]).all()


def test_answers_that_contradict_their_correctness():
    table = trials()
    frame = table.assign(response=table.pop("said").astype(int))
    right = (frame["response"] == frame["present"]).astype(int)
    with pytest.raises(InputError, match="agree with the column correct"):
        read_trials(frame.assign(correct=1 - right))
    right[:5] = 1 - right[:5]
    read = read_trials(frame.assign(correct=right))
    assert read.dropped["answer and correctness disagree"].sum() == 5


def test_set_sizes_that_cannot_be_are_refused_with_their_limit():
    table = trials(sizes=(1_000_000,))
    with pytest.raises(InputError, match="whole numbers of items below 10000, at most 40 sizes"):
        read_trials(table)


def test_one_observer_without_a_name_and_one_set_size():
    frame = trials(observers=("ag",), sizes=(8,)).rename(columns={"said": "response"})
    read = read_trials(frame[["rt", "present", "response"]], columns={"set_size": "8"})
    assert list(read.observers) == ["1"]
    assert read.set_sizes == (8,)
    assert "one" in read.reading.notes[0]


def test_observers_are_chosen_by_name(tmp_path):
    path = write(tmp_path, wolfe_like(trials()))
    assert list(read_trials(path, observers=["km"]).observers) == ["km"]
    with pytest.raises(InputError, match="did you mean km"):
        read_trials(path, observers=["KM"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rt_unit": "min"}, "rt_unit"),
        ({"codes": {"rt": ("a", "b")}}, "codes"),
        ({"codes": {"response": ("a", "a")}}, "codes"),
        ({"fastest": -1.0}, "fastest"),
        ({"fastest": 0.5, "slowest": 0.4}, "slowest"),
        ({"where": {"dny": "Static"}}, "did you mean dyn"),
        ({"where": {"dyn": "static"}}, "did you mean Static"),
        ({"split": "rt"}, "split"),
        ({"observers": []}, "observers"),
        ({"slowest": 0.2}, "expected answers"),
    ],
)
def test_bad_arguments(arguments, words):
    frame = pd.read_csv(io.StringIO(shi_like(trials())))
    with pytest.raises(InputError, match=words):
        read_trials(frame, **arguments)


# -- the data of real observers -----------------------------------------------------------------

PROVENANCE = {
    "feature": (
        FEATURE,
        (436, 430, 425, 425, 400, 405, 407, 416),
        (0.982, 0.983, 0.986, 0.993, 0.978, 0.977, 0.978, 0.969),
    ),
    "conjunction": (
        CONJUNCTION,
        (568, 638, 793, 952, 519, 538, 598, 655),
        (0.981, 0.985, 0.988, 0.989, 0.978, 0.975, 0.970, 0.951),
    ),
}
"""Mean correct response times in ms and accuracies of set sizes 3, 6, 12, 18, absent first."""


@needs_human_data
@pytest.mark.parametrize("name", PROVENANCE)
def test_means_and_accuracies_as_published_with_the_data(name):
    path, means, accuracies = PROVENANCE[name]
    table = read_trials(path, fastest=0.2, slowest=10.0).to_pandas()
    groups = table.groupby(["present", "set_size"])
    right = table[table["correct"]].groupby(["present", "set_size"])
    assert (1000 * right["rt"].mean()).round().astype(int).tolist() == list(means)
    np.testing.assert_allclose(groups["correct"].mean(), accuracies, atol=0.0011)


@needs_human_data
@pytest.mark.parametrize(
    ("path", "people", "trials", "sizes", "time_outs", "limit"),
    [
        (SHI, 11, 4616, (8, 12, 16), 45, 5.0),
        (SHI.with_name("exp2.csv"), 12, 10079, (8, 12, 16), 31, 5.0),
        (FACES, 19, 18240, (2, 4, 6), 74, 3.0),
        (MAZOR, 15, 1039, (4, 8), 0, np.inf),
        (FEATURE, 9, 35924, (3, 6, 12, 18), 0, np.inf),
    ],
    ids=str,
)
def test_files_of_real_experiments_need_no_options(path, people, trials, sizes, time_outs, limit):
    read = read_trials(path)
    assert (len(read), read.n_trials, read.set_sizes) == (people, trials, sizes)
    stakes = read.situations
    assert len(stakes) == people, "everything is the same in all trials of an observer"
    assert stakes["time_outs"].sum() == time_outs
    assert {*stakes["prior"]} == {0.5}
    assert {*stakes["deadline"]} == {limit}


@pytest.mark.parametrize("bad", [3, "block", ["block"], object()])
def test_an_argument_of_another_kind_is_refused(bad):
    mappings = dict.fromkeys(("columns", "codes", "where"), bad)
    with pytest.raises(InputError) as caught:
        read_trials(None, **mappings, split=3, observers="ag")
    named = [fault.path[0] for fault in caught.value.faults]
    assert named == ["data", *mappings, "split", "observers"]
    assert all("write e.g." in str(fault) for fault in caught.value.faults[1:4])


def test_codes_that_are_no_pair_are_refused():
    for bad in (3, ("j",), None):
        with pytest.raises(InputError, match="two values, for present and for absent"):
            read_trials(pd.DataFrame(), codes={"response": bad})
