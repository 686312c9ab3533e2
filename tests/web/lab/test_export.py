"""Exports hold every trial once, in columns that are explained."""

import csv
import io
import json
import re
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from popout.experiment import Block
from popout.people.reading import reader, roles
from popout.people.reading.description import describe_trials
from popout.people.reading.reader import read_trials
from popout.policies.stopping import Action
from popout.task import Costs
from popout.web.lab.export import COLUMNS, Format, export, frame_of
from popout.web.lab.laboratory import Laboratory
from popout.web.lab.records import Screen, TrialRecord
from popout.web.lab.storage import database_url, open_database

from .test_overview import do


def test_every_format_holds_the_same_trials(laboratory):
    do(laboratory, wrong=(5,))
    do(laboratory)
    frame = frame_of(laboratory)
    assert list(frame.columns) == list(COLUMNS)
    assert len(frame) == 32
    assert not frame.duplicated(["observer", "trial"]).any()
    csv = pd.read_csv(io.BytesIO(export(laboratory, Format.CSV)))
    parquet = pd.read_parquet(io.BytesIO(export(laboratory, Format.PARQUET)))
    for other in (csv, parquet):
        assert list(other.columns) == list(COLUMNS)
        for name in ("observer", "set_size", "present", "response", "correct", "rt", "block"):
            assert other[name].tolist() == frame[name].tolist()
    assert (~frame["correct"]).sum() == 1
    assert set(frame["time_cost"]) == {0.2}


def test_a_block_has_the_costs_of_its_own(design, tmp_path):
    """What is at stake in a block is what an analysis of pay needs."""
    own = Costs(time=(0.1, 0.5), miss=3.0, false_alarm=0.5)
    blocks = [Block("Usual", 4), Block("Own", 8, costs=own, tied=not design.tied, prior=0.25)]
    design = replace(design, blocks=blocks, distractors=[30, 60])
    laboratory = Laboratory(design, open_database(database_url(tmp_path / "data")))
    do(laboratory)
    frame = frame_of(laboratory).set_index("block")
    laboratory.close()
    at_stake = read_trials(frame.reset_index()).situations
    rows = at_stake[["prior", "miss", "false_alarm"]].to_numpy().tolist()
    assert rows == [[0.25, 3.0, 0.5], [0.5, 1.0, 1.0]]  # in the order of stakes
    assert frame.loc["Own", "present"].sum() == 2
    names = ["time_cost", "miss_cost", "false_alarm_cost", "tied"]
    usual, own = (frame.loc[name, names].drop_duplicates() for name in ("Usual", "Own"))
    assert usual.to_numpy().tolist() == [[0.2, 1.0, 1.0, design.tied]]
    assert own.to_numpy().tolist() == [[0.3, 3.0, 0.5, not design.tied]]


def test_everything_that_is_stored_is_exported(laboratory):
    """Screen, browser, link, times, reloads, and what is true of a display that was shrunk."""
    link = {"PROLIFIC_PID": "=HYPERLINK(1)", "STUDY_ID": "7"}
    session, token = laboratory.begin(link).result()
    other, _ = do(laboratory)
    screen = Screen(pixels_per_degree=40.0, width=390, height=844, pixel_ratio=3.0, touch=True,
                    frame_interval=0.01, browser="@Chrome 140, Android")  # fmt: skip
    laboratory.set_screen(session.name, token, screen).result()
    around = {"scale": 0.75, "blurs": 2, "hides": 1, "full_screen": False, "input": "touch"}
    records = [
        TrialRecord(index=k, response="present", rt=0.5, onset=1.0, page_began=began, **around)
        for k, began in enumerate([1e9] * 3 + [1e9 + 60.5] * 12 + [1e9])
    ]
    laboratory.store(session.name, token, records).result()
    laboratory.finish(session.name, token).result()
    csv = pd.read_csv(io.BytesIO(export(laboratory, Format.CSV)))
    mine = csv[csv["observer"] == session.name]
    for name, value in {
        "identity": "'=HYPERLINK(1)", "browser": "'@Chrome 140, Android", "visit": 1,
        "pixels_per_degree": 40.0, "screen_width": 390, "screen_height": 844, "pixel_ratio": 3,
        "touch": True, "scale": 0.75, "blurs": 2, "hides": 1, "full_screen": False,
    }.items():  # fmt: skip
        assert {*mine[name]} == {value}, name
    assert [json.loads(text) for text in {*mine["link"]}] == [link]
    assert mine["load"].tolist() == [1] * 3 + [2] * 12 + [1]
    took = pd.to_datetime(mine["finished"]) - pd.to_datetime(mine["started"])
    assert 0 <= took.dt.total_seconds().min() < 60
    theirs = csv[csv["observer"] == other.name]
    assert {*theirs["identity"]} == {"anna"}
    assert theirs[["browser", "finished", "scale", "touch"]].isna().all(axis=None)
    assert export(laboratory, Format.PARQUET)


def test_an_export_of_a_balanced_design_says_who_had_which_order_and_keys(design, tmp_path):
    blocks = [*design.blocks, Block("Other", 8, checks=2)]
    design = replace(design, blocks=blocks, block_order="balanced", swap_keys=True)
    laboratory = Laboratory(design, open_database(database_url(tmp_path / "data")))
    for _ in range(4):
        do(laboratory)
    frame = frame_of(laboratory)
    laboratory.close()
    where = frame.groupby(["number", "block"])[["place", "present_key"]].first()
    assert where["place"].unstack()[["Practice", "Main", "Other"]].to_numpy().tolist() == [
        [1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 3, 2]
    ]  # fmt: skip
    assert where["present_key"].xs("Main", level="block").tolist() == ["j", "j", "f", "f"]
    checks = frame[frame["check"]]
    assert checks["practice"].all()
    assert checks.groupby("number").size().tolist() == [2] * 4
    assert {*checks["set_size"]} == {1}
    read = read_trials(frame)
    assert read.n_trials == 4 * 20
    assert min(read.set_sizes) > 1


def psych_ds_faults(files):
    """Return what the rules of Psych-DS call errors; `files` maps paths in the dataset to bytes.

    Written after its page "Rules and Conventions" and the rules of its schema 1.5.1.
    """
    if "dataset_description.json" not in files:
        return ["no dataset_description.json in the root"]
    described = json.loads(files["dataset_description.json"].decode("utf-8"))
    faults = [
        f"{key} is missing"
        for key in ("name", "description", "variableMeasured")
        if not described.get(key)
    ]
    if described.get("@context", "").rstrip("/") not in SCHEMA_ORG:
        faults.append("terms are not those of schema.org")
    if described.get("@type") not in ("Dataset", "https://schema.org/Dataset"):
        faults.append("it is no Dataset")
    tables = {name: text for name, text in files.items() if name.endswith(".csv")}
    if not any(re.fullmatch(r"data/(.*/)?" + DATA_FILE, name) for name in tables):
        faults.append("no data file under data/")
    headers = set()
    for name, content in tables.items():
        if not re.fullmatch(DATA_FILE, name.rsplit("/", 1)[-1]):
            faults.append(f"{name}: its name has no pairs of keyword and value")
        header, *rows = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
        headers |= set(header)
        if not header or any(len(row) != len(header) for row in rows):
            faults.append(f"{name}: rows differ in length")
    measured = described.get("variableMeasured", [])
    named = {each if isinstance(each, str) else each["name"] for each in measured}
    if any(not isinstance(each, str) and each["@type"] != "PropertyValue" for each in measured):
        faults.append("a variable is no PropertyValue")
    if headers != named:
        faults.append(f"columns and variables differ: {sorted(headers ^ named)}")
    for name, content in files.items():
        if name.endswith(".json"):
            json.loads(content)
    return faults


SCHEMA_ORG = ("http://schema.org", "https://schema.org")
DATA_FILE = r"[a-z]+-[a-zA-Z0-9]+(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv"


def test_psych_ds_keeps_its_rules(laboratory):
    do(laboratory)
    with zipfile.ZipFile(io.BytesIO(export(laboratory, Format.PSYCH_DS))) as archive:
        assert {name.split("/")[0] for name in archive.namelist()} == {"search"}
        files = {name.removeprefix("search/"): archive.read(name) for name in archive.namelist()}
    assert psych_ds_faults(files) == []
    assert "README.md" in files
    described = json.loads(files["dataset_description.json"])
    (table,) = [name for name in files if name.endswith(".csv")]

    def spoilt(**changes):
        return {**files, "dataset_description.json": json.dumps({**described, **changes}).encode()}

    for broken in (  # the rules see what is wrong
        {name: content for name, content in files.items() if name != table},
        {**{k: v for k, v in files.items() if k != table}, "data/trials.csv": files[table]},
        {**files, table: files[table].replace(b"observer,", b"who,", 1)},
        {**files, table: files[table] + b"one,two\n"},
        spoilt(name=""),
        spoilt(**{"@type": "Thing"}),
        spoilt(**{"@context": "https://example.org"}),
        spoilt(variableMeasured=described["variableMeasured"][1:]),
    ):
        assert psych_ds_faults(broken)


def test_what_is_exported_is_what_a_fit_reads(laboratory, tmp_path):
    """The last step of the loop: `popout fit` and its description take the file as it is."""
    people = [do(laboratory, wrong=(5,), rt=rt)[0] for rt in (0.5, 0.6)]
    late, token = laboratory.begin({}).result()
    laboratory.store(late.name, token, [TrialRecord(index=4)]).result()
    for form in (Format.CSV, Format.PARQUET):
        path = tmp_path / form.file
        path.write_bytes(export(laboratory, form))
        trials = read_trials(path, observers=[person.name for person in people])
        assert trials.reading.rt_unit == "s"
        assert trials.reading.rt_unit_reason == "an export of the laboratory"
        for person, rt in zip(people, (0.5, 0.6), strict=True):
            own = trials[person.name]
            assert len(own) == 12  # practice does not count
            assert (~own.correct).sum() == 1
            np.testing.assert_allclose(own.rt, rt + 0.1 * own.columns["set_size"])
        slopes = describe_trials(trials).slopes
        np.testing.assert_allclose(slopes["absent"], 100.0)
    everybody = read_trials(pd.read_csv(tmp_path / "trials.csv"))
    assert (everybody[late.name].response == Action.WAIT).tolist() == [True]
    assert everybody[late.name].rt.tolist() == [laboratory.design.timing.time_limit]
    assert {*everybody.situations["prior"]} == {laboratory.design.prior}
    assert np.isfinite(describe_trials(everybody).slopes["absent"]).sum() == 3


def test_how_a_trial_went_is_no_condition_that_is_pooled(laboratory):
    for _ in range(2):
        do(laboratory)
    frame = frame_of(laboratory)
    for name in ("frame_interval", "blurs", "load", "scale", "place", "received"):
        frame[name] = np.arange(len(frame)) // 3 % 2 + 1
    assert not any("Pooled" in note for note in read_trials(frame).reading.notes)
    frame["tied"] = np.arange(len(frame)) // 3 % 2 == 1
    assert any("Pooled: tied (False, True);" in note for note in read_trials(frame).reading.notes)
    strange = frame.rename(columns={"items": "shown"})
    assert any("frame_interval" in note for note in read_trials(strange).reading.notes)


def test_nothing_is_guessed_in_an_export(laboratory, tmp_path, monkeypatch):
    """Its header is known, and gives what guessing finds in a file with other names."""
    assert set(COLUMNS) >= reader.LABORATORY
    do(laboratory, wrong=(5,))
    path = tmp_path / "trials.csv"
    path.write_bytes(export(laboratory, Format.CSV))
    guessed = read_trials(pd.read_csv(path).rename(columns={"items": "shown"}))
    monkeypatch.setattr(roles, "NAMES", dict.fromkeys(roles.Role, ""))
    monkeypatch.setattr(reader, "unit_of", None)
    known = read_trials(path)
    assert guessed.reading.rt_unit_reason != known.reading.rt_unit_reason
    assert guessed.reading.columns == known.reading.columns
    for name, own in known.observers.items():
        for field in ("response", "rt", "target"):
            np.testing.assert_array_equal(getattr(own, field), getattr(guessed[name], field))


@pytest.mark.parametrize("form", Format)
def test_an_experiment_without_trials_can_be_exported(laboratory, form):
    assert export(laboratory, form)
