import json
from dataclasses import replace

import pytest

from popout.drawing.plain import plain


def test_the_best_model_leaves_the_yardstick_aside(fits):
    own = fits["ag"]
    assert own.best.aic == min(fit.aic for fit in own.models if fit.name != "ex-gaussian")
    assert own.below_yardstick == pytest.approx(own["ex-gaussian"].aic - own.best.aic)
    assert own.judged.name == "free-parallel"
    assert own.guidance_words == "-"


def test_the_json_has_what_the_command_promises(fits):
    said = json.loads(json.dumps(plain(fits.as_dict())))
    (own,) = said["observers"]
    names = ["ideal-parallel", "free-parallel", "ex-gaussian"]
    assert [model["name"] for model in own["models"]] == names
    assert own["index"]["model"] == "free-parallel"
    assert own["best"] in names[:2]
    assert "report" in said


def test_tables(fits):
    models = fits.to_pandas()
    assert len(models) == 3
    assert models["best"].sum() == 1
    assert set(fits.parameters()["model"]) == set(models["model"])
    cells = fits.cells()
    assert len(cells) == 4
    assert (abs(cells["predicted_mean_rt"] - cells["mean_rt"]) < 0.1).all()


def test_the_card_has_a_row_for_each_observer(fits):
    headings, rows = fits.summary_rows()
    assert len(rows) == 1
    assert len(rows[0]) == len(headings)
    assert "free-parallel" in str(fits)
    assert repr(fits).startswith("FittedObservers(1 observer")


def test_the_common_model_is_of_least_aic_in_all(fits):
    """The yardstick is none, and neither is a model that somebody lacks."""
    own = fits["ag"]
    assert fits.common_model() == own.best.name
    assert fits.common_model(["time_cost"]) == "ideal-parallel"
    less = replace(own, models=tuple(fit for fit in own.models if fit is not own.best))
    other = ({"ideal-parallel", "free-parallel"} - {own.best.name}).pop()
    assert replace(fits, observers={"ag": own, "km": less}).common_model() == other
    assert (
        replace(fits, observers={"ag": own, "km": replace(own, models=())}).common_model() is None
    )
