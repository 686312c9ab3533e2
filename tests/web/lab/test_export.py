"""Exports hold every trial once, in columns that are explained."""

import io
import json
import zipfile

import pandas as pd
import pytest

from popout.web.lab.export import COLUMNS, Format, export, frame_of

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


def test_psych_ds_names_every_column(laboratory):
    do(laboratory)
    with zipfile.ZipFile(io.BytesIO(export(laboratory, Format.PSYCH_DS))) as files:
        names = files.namelist()
        description = json.loads(files.read("search/dataset_description.json"))
        (table,) = [name for name in names if name.endswith("_data.csv")]
        columns = pd.read_csv(files.open(table)).columns
    assert table.startswith("search/data/")
    assert {v["name"] for v in description["variableMeasured"]} == set(columns)
    assert description["@context"].startswith("https://schema.org")
    assert description["@type"] == "Dataset"


@pytest.mark.parametrize("form", Format)
def test_an_experiment_without_trials_can_be_exported(laboratory, form):
    assert export(laboratory, form)
