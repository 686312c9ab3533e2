import json

import pandas as pd
import pytest

from popout.drawing.plain import plain
from popout.people.fitted_observers import (
    cell_table,
    guidance_words,
    model_table,
    parameter_table,
    summary_rows,
)


def test_the_best_model_leaves_the_yardstick_aside(serial_fits):
    one = serial_fits["ag"]
    search = [record for record in one.records if record.model != "ex-gaussian"]
    assert one.best.aic == min(record.aic for record in search)
    assert one.over_yardstick == pytest.approx(one.best.aic - one["ex-gaussian"].aic)
    assert one.judged.model == "free-serial"
    assert guidance_words(one) == "-"


def test_the_json_has_what_the_command_promises(serial_fits):
    found = json.loads(json.dumps(plain(serial_fits.as_dict())))
    (one,) = found["observers"]
    assert [model["name"] for model in one["models"]] == [
        "ideal-serial",
        "free-serial",
        "ex-gaussian",
    ]
    assert one["index"]["model"] == "free-serial"
    assert one["best"] in ("ideal-serial", "free-serial")
    assert "report" in found


def test_tables(serial_fits):
    models = model_table(serial_fits.observers)
    assert len(models) == 3
    assert models["best"].sum() == 1
    parameters = parameter_table(serial_fits.observers)
    assert set(parameters["model"]) == set(models["model"])
    cells = cell_table(serial_fits.observers, serial_fits.data)
    assert len(cells) == 4
    assert (abs(cells["predicted_mean_rt"] - cells["mean_rt"]) < 0.1).all()
    pd.testing.assert_frame_equal(models, serial_fits.to_pandas())


def test_the_card_has_a_row_for_each_observer(serial_fits):
    headings, rows = summary_rows(serial_fits.observers)
    assert len(rows) == 1
    assert len(rows[0]) == len(headings)
    assert "free-serial" in str(serial_fits)
    assert repr(serial_fits).startswith("FittedObservers(1 observer")
