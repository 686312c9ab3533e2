import json
from pathlib import Path

import pandas as pd

from popout.people.fitting.fit_report import write_table


def test_the_page_is_whole_and_stands_alone(fits):
    page = Path(fits.report).read_text(encoding="utf-8")
    titles = (
        "How the file was read, What was kept and dropped, Observers side by side, Observer ag: "
        "data over model, Observer ag: distributions, Parameters: , Distance from optimal, "
        "Comparison of models, What is not determined, Where the numbers come from"
    )
    assert [words for words in titles.split(", ") if words not in page] == []
    assert page.count("data:image/svg+xml;base64,") == 4
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "<script" not in page


def test_numbers_and_tables_lie_beside_it(fits):
    folder = Path(fits.report).parent
    numbers = json.loads((folder / "report.json").read_text())["numbers"]
    assert numbers["observers"] == fits.as_dict()["observers"]
    assert numbers["data"]["trials"] == 240
    for name in ("models", "parameters", "cells"):
        assert len(pd.read_parquet(folder / f"{name}.parquet"))
    for name in ("observer-ag-fit", "observers", "description"):
        assert (folder / f"{name}.svg").read_bytes().startswith(b"<?xml")


def test_a_table_without_pyarrow_is_csv(tmp_path, monkeypatch):
    def missing(self, *args, **settings):
        raise ImportError("no pyarrow")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", missing)
    table = pd.DataFrame({"observer": ["ag"], "aic": [1.5]})
    assert write_table(tmp_path, "models", table) == "models.csv"
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "models.csv"), table)
