"""What is compared of fits in conditions, with fits that are made up."""

from types import SimpleNamespace

import pytest

from popout.people.fitted_conditions import (
    best_words,
    common_model,
    condition_differences,
    condition_rows,
    condition_words,
)
from popout.people.fitted_observers import ObserverFits


def record(model, aic, wasted=None, **parameters):
    """Return a fit; a parameter that is None is not determined, infinity as JSON has it."""
    found = {
        name: {"determined": value is not None, "value": None if value == "inf" else value}
        for name, value in parameters.items()
    }
    index = None if wasted is None else {"wasted_ms": wasted}
    return SimpleNamespace(model=model, aic=aic, index=index, fitted={"parameters": found})


def fits(guidance, wasted):
    """Return two models of search and the yardstick for every observer and condition."""
    found = {}
    for key, g in guidance.items():
        records = (
            record("ideal-guided", 10.0 if key[1] == "a" else 30.0, guidance=g),
            record("free-guided", 20.0, wasted[key], guidance=1.0),
            record("ex-gaussian", 0.0),
        )
        found[key] = ObserverFits(key[0], (), 0, {}, records, {}, key[1])
    return found


GUIDANCE = {("ag", "a"): 1.0, ("ag", "b"): "inf", ("km", "a"): 3.0, ("km", "b"): 1.0}
WASTED = dict(zip(GUIDANCE, (4.0, 1.0, 9.0, 2.0), strict=True))


def test_guidance_is_compared_on_an_axis_without_infinity():
    """1/2 - 1 and 3/4 - 1/2."""
    found = condition_differences(fits(GUIDANCE, WASTED)).set_index(["model", "measure"])
    row = found.loc["ideal-guided", "guidance/(1 + guidance)"]
    assert (row["difference"], row["se"], row["n"]) == pytest.approx((-0.125, 0.375, 2))
    row = found.loc["free-guided", "wasted_ms"]
    assert (row["difference"], row["se"], row["n"]) == pytest.approx((5.0, 2.0, 2))


def test_the_model_of_least_aic_in_all_and_the_best_in_each():
    some = fits(GUIDANCE, WASTED)
    assert common_model(some, free=True) == "free-guided"
    assert best_words(some) == {"a": "ideal-guided for 2 of 2", "b": "free-guided for 2 of 2"}
    incomplete = some | {("mz", "a"): ObserverFits("mz", (), 0, {}, (), {}, "a")}
    assert common_model(incomplete) is None
    assert "wasted ms 5.0 +- 2.0 (n = 2)" in condition_words(some)["a - b"]


def test_what_is_not_determined_is_not_compared():
    """One observer is left in condition b: no difference with an error, and n says so."""
    rows = condition_rows(fits({**GUIDANCE, ("ag", "b"): None}, WASTED))
    found = {(measure, what): (words, n) for _, measure, what, words, n in rows}
    assert found["wasted_ms", "a - b"] == ("5.0 +- 2.0", "2")
    apart = condition_differences(fits({**GUIDANCE, ("ag", "b"): None}, WASTED))
    assert apart.query("model == 'ideal-guided'")["n"].tolist() == [1]
