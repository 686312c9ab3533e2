"""Stopping rules fitted to observers, and the verdict on them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import popout as po
from popout.people.fitting.candidate_fits import RuleFits
from popout.people.fitting.fit_job import ModelFit, digest_of

from ..conftest import shorten

MODELS = ("rule:sprt", "rule:hardmax")


def fit(name, aic, held_out):
    """A fit that knows nothing but how good it is."""
    model = SimpleNamespace(label=name.removeprefix("rule:"))
    return SimpleNamespace(aic=aic, cross_validated=held_out, fitted=SimpleNamespace(model=model))


def fits(*aic, crossed=None):
    """Fits of two rules to observers, by their AIC."""
    made = {}
    for i, row in enumerate(aic):
        left_out = crossed[i] if crossed else (None, None)
        both = zip(MODELS, row, left_out, strict=True)
        made[str(i)] = {name: fit(name, value, held) for name, value, held in both}
    return RuleFits(made)


@pytest.mark.parametrize(("made", "verdict"), [
    (fits((10.0, 14.0)),
     "sprt is best by AIC, better than hardmax by 4.0; one observer gives no error over people."),
    (fits((10, 14), (9, 14), (10, 16)),
     "sprt is best by AIC (better than hardmax, the next, by 15 +- 2)."),
    (fits((10, 14), (9, 3), (10, 16)),
     "sprt is best by AIC (better than hardmax, the next, by 4 +- 11), but cannot be told apart "
     "from hardmax."),
    (fits((10, 14), (9, 14), crossed=[(-3.0, -1.0), (-4.0, -2.1)]),
     "hardmax is best by held-out trials (better than sprt, the next, by 4 +- 0)."),
])  # fmt: skip
def test_the_verdict_says_how_surely(made, verdict):
    assert made.verdict == verdict


@pytest.fixture(scope="module")
def trials():
    random, n = np.random.default_rng(1), 160
    present, place = np.arange(n) % 2 == 0, np.arange(n) // 2 % 2
    said = np.where(
        random.random(n) < np.where(present & (place == 1), 0.3, 0.05), ~present, present
    )
    columns = {"present": present, "response": said, "place": np.where(present, place, -1)}
    rt = 0.35 + random.gamma(3.0, np.where(present & (place == 0), 0.1, 0.2))
    frame = pd.DataFrame({"observer": "p", "set_size": 2, "rt": rt.round(3), **columns})
    return po.read_trials(frame, visibility={"place": {0: 1, 1: 0.3}})


def test_rules_are_fitted_stored_and_judged(trials, tmp_path, monkeypatch):
    monkeypatch.setenv("POPOUT_CACHE", str(tmp_path / "cache"))
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        made = po.fit_observers(trials, tmp_path, models=MODELS, paths=1000, folds=2, workers=1)
    own = made["p"]
    assert not own.failed
    assert own.best.name in MODELS
    assert "is best by held-out trials" in made.rules.verdict
    assert made.as_dict()["rules"] == made.rules.verdict
    assert made.rules.verdict in (tmp_path / "report.html").read_text().replace("±", "+-")
    again = ModelFit.from_dict(own["rule:sprt"].to_dict())
    assert again.fitted.model == own["rule:sprt"].fitted.model
    assert made.common_model() is None  # conditions and populations are for models of search


def test_other_places_are_other_trials(trials):
    own = trials["p"]
    moved = np.where(own.columns["visibility"] == 0.3, 1.0, own.columns["visibility"])
    other = po.Responses(own.response, own.rt, own.target, own.prior,
                         columns={**own.columns, "visibility": moved})  # fmt: skip
    assert digest_of(own) != digest_of(other)
