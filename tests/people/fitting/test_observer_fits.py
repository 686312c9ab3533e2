import json
import math
from types import SimpleNamespace

import pytest

from popout.drawing.plain import plain
from popout.people.fitting.fitted_model import Interval
from popout.people.fitting.observer_fits import FittedObservers, ObserverFits
from popout.people.reading.observed import Group


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


# -- what is compared of fits in conditions, with fits that are made up -------------------------


def model_fit(name, aic, wasted=None, **parameters):
    """Return a fit; a parameter that is None is not determined."""
    errors = {k: Interval(0.0, 1.0, value is not None) for k, value in parameters.items()}
    distances = {"excess_percent": 1.0, "implied_time_cost": 1.0}
    index = None if wasted is None else SimpleNamespace(wasted_ms=wasted, **distances)
    model = SimpleNamespace(parameters=[SimpleNamespace(name=k) for k in parameters])
    fitted = SimpleNamespace(model=model, estimates=parameters, errors=errors)
    return SimpleNamespace(name=name, aic=aic, index=index, fitted=fitted)


def made_up(guidance, wasted):
    """Return two models of search and the yardstick for every observer and condition."""
    observers = {}
    for key, g in guidance.items():
        models = (
            model_fit("ideal-guided", 10.0 if key[1] == "a" else 30.0, guidance=g),
            model_fit("free-guided", 20.0, wasted[key], guidance=1.0),
            model_fit("ex-gaussian", 0.0),
        )
        observers[key] = ObserverFits(Group(*key), (), 0, {}, models, {})
    return FittedObservers(observers, None, "", 0, 0.0)


GUIDANCE = {("ag", "a"): 1.0, ("ag", "b"): math.inf, ("km", "a"): 3.0, ("km", "b"): 1.0}
WASTED = dict(zip(GUIDANCE, (4.0, 1.0, 9.0, 2.0), strict=True))


def test_guidance_is_compared_on_an_axis_without_infinity():
    """1/2 - 1 and 3/4 - 1/2."""
    found = made_up(GUIDANCE, WASTED).differences().set_index(["model", "measure"])
    row = found.loc["ideal-guided", "guidance/(1 + guidance)"]
    assert (row["difference"], row["se"], row["n"]) == pytest.approx((-0.125, 0.375, 2))
    row = found.loc["free-guided", "wasted_ms"]
    assert (row["difference"], row["se"], row["n"]) == pytest.approx((5.0, 2.0, 2))


def test_the_model_of_least_aic_in_all_and_the_best_in_each():
    some = made_up(GUIDANCE, WASTED)
    assert some.common_model(free=True) == "free-guided"
    assert some.best_words() == {"a": "ideal-guided for 2 of 2", "b": "free-guided for 2 of 2"}
    assert "wasted ms 5.0 +- 2.0 (n = 2)" in some.condition_words()["a - b"]
    nobody = {("mz", "a"): ObserverFits(Group("mz", "a"), (), 0, {}, (), {})}
    assert FittedObservers({**some.observers, **nobody}, None, "", 0, 0.0).common_model() is None


def test_what_is_not_determined_is_not_compared():
    """One observer is left in condition b: no difference with an error, and n says so."""
    some = made_up({**GUIDANCE, ("ag", "b"): None}, WASTED)
    found = {(measure, what): (words, n) for _, measure, what, words, n in some.condition_rows()}
    assert found["wasted_ms", "a - b"] == ("5.0 +- 2.0", "2")
    assert some.differences().query("model == 'ideal-guided'")["n"].tolist() == [1]
