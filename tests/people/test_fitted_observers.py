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


def test_the_best_model_leaves_the_yardstick_aside(fits):
    one = fits["ag"]
    search = [record for record in one.records if record.model != "ex-gaussian"]
    assert one.best.aic == min(record.aic for record in search)
    assert one.below_yardstick == pytest.approx(one["ex-gaussian"].aic - one.best.aic)
    assert one.judged.model == "free-parallel"
    assert guidance_words(one) == "-"


def test_the_json_has_what_the_command_promises(fits):
    found = json.loads(json.dumps(plain(fits.as_dict())))
    (one,) = found["observers"]
    assert [model["name"] for model in one["models"]] == [
        "ideal-parallel",
        "free-parallel",
        "ex-gaussian",
    ]
    assert one["index"]["model"] == "free-parallel"
    assert one["best"] in ("ideal-parallel", "free-parallel")
    assert "report" in found


def test_tables(fits):
    models = model_table(fits.observers)
    assert len(models) == 3
    assert models["best"].sum() == 1
    parameters = parameter_table(fits.observers)
    assert set(parameters["model"]) == set(models["model"])
    cells = cell_table(fits.observers, fits.data)
    assert len(cells) == 4
    assert (abs(cells["predicted_mean_rt"] - cells["mean_rt"]) < 0.1).all()
    pd.testing.assert_frame_equal(models, fits.to_pandas())


def test_the_card_has_a_row_for_each_observer(fits):
    headings, rows = summary_rows(fits.observers)
    assert len(rows) == 1
    assert len(rows[0]) == len(headings)
    assert "free-parallel" in str(fits)
    assert repr(fits).startswith("FittedObservers(1 observer")
