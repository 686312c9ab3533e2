"""What a condition changes: counts, sums and contrasts by hand."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from popout.people.fitting.candidate_fits import mean_interval
from popout.people.fitting.conditions import (
    NOTHING,
    ConditionFits,
    candidates,
    check_group,
    check_vary,
    in_folds,
    read_vary,
)
from popout.people.fitting.fit_job import ModelFit
from popout.people.fitting.model_comparison import cross_validate
from popout.people.models.conditioned import Conditioned
from popout.people.models.search_models import models
from popout.people.reading.reader import read_trials
from popout.task import Faults, InputError

from ..lookalikes import trials
from ..simple_models import LogNormalTimes, together

BASE = LogNormalTimes()
LEVELS = {"pay": ("high", "low")}
MEDIANS = [(0.5, 0.7), (0.6, 0.85), (0.7, 1.0), (0.55, 0.78)]
WAYS = {NOTHING: {}, "median": {"median": ("pay",)}, "sd": {"sd": ("pay",)}}
WAYS |= {"both": WAYS["median"] | WAYS["sd"]}


def observer(medians, seed):
    random = np.random.default_rng(seed)
    pairs = zip(medians, LEVELS["pay"], strict=True)
    return together([BASE.simulate({"median": m, "sd": 0.3}, 100, random, pay=p) for m, p in pairs])


def fitted(people, ways=WAYS):
    """Return all candidates for all observers."""
    fits = {}
    for name, own in people.items():
        known, fits[name] = {}, {}
        blocks = in_folds(own, ("pay",), 2)
        for way, vary in ways.items():
            model = Conditioned(BASE, vary, LEVELS) if vary else BASE
            fit = model.fit_once(known, blocks)
            fits[name][way] = ModelFit(fit, None, cross_validate(fit, blocks, 2))
    return ConditionFits(fits, ("pay",))


@pytest.fixture(scope="module")
def changed():
    return fitted({str(k): observer(medians, k) for k, medians in enumerate(MEDIANS)})


def test_the_parameter_that_changes_is_named(changed):
    assert changed.measure == "held_out"
    assert changed.best in ("median", "both")
    assert "sd" not in changed.rivals
    assert "pay changes" in changed.verdict
    assert "sd" not in changed.contrasts()["parameter"].tolist()[0]
    assert str(changed)


def test_nothing_is_named_where_nothing_changes():
    """The negative control: the same times at both levels."""
    ways = {name: WAYS[name] for name in (NOTHING, "median")}
    same = fitted({str(k): observer((m, m), k) for k, (m, _) in enumerate(MEDIANS)}, ways)
    assert NOTHING in (same.best, *same.rivals)
    assert same.verdict.startswith("Nothing is shown to change with pay")


def test_sums_over_people_by_hand(changed):
    row = changed.to_pandas().set_index("candidate").loc["median"]
    fits = [(own["median"], own[NOTHING]) for own in changed.fits.values()]
    gains = [a.cross_validated - b.cross_validated for a, b in fits]
    mean, n = sum(gains) / len(gains), len(gains)
    error = math.sqrt(sum((g - mean) ** 2 for g in gains) / (n - 1) * n)
    assert (row["held_out"], row["held_out_se"]) == pytest.approx((sum(gains), error))
    assert row["aic"] == pytest.approx(sum(b.aic - a.aic for a, b in fits))
    assert row["better"] == sum(g > 0 for g in gains)
    assert changed.to_pandas().loc[0, ["aic", "held_out", "better"]].tolist() == [0, 0, 0]


def test_contrasts_are_ratios_within_people(changed):
    table = changed.contrasts()
    (row,) = table.query("candidate == 'median'").to_dict("records")
    logs = [
        np.log(np.divide(*(own["median"].fitted.estimates[f"median[{p}]"] for p in LEVELS["pay"])))
        for own in changed.fits.values()
    ]
    ends = ttest_1samp(logs, 0).confidence_interval(0.95)
    expected = np.exp([np.mean(logs), ends.low, ends.high])
    assert [row[name] for name in ("value", "low", "high")] == pytest.approx(expected)
    assert (row["scale"], row["n"], row["condition"], row["against"]) == ("ratio", 4, "high", "low")
    true = np.exp(np.mean(np.log([a / b for a, b in MEDIANS])))
    assert row["low"] < true < row["high"]
    assert (table["candidate"] == "both").sum() == 2


def test_one_observer_has_no_errors(changed):
    own = {"0": changed.fits["0"]}
    alone = ConditionFits(own, ("pay",))
    assert "one observer" in alone.verdict
    assert pd.isna(alone.contrasts()["low"]).all()
    assert mean_interval(np.empty(0))[0] != mean_interval(np.empty(0))[0]


def test_folds_leave_no_level_out():
    """Also where blocks are levels, as in many experiments."""
    own = observer((0.5, 0.6), 1)
    blocks = np.where(own.columns["pay"] == "high", 1, 2)
    own = replace(own, columns={**own.columns, "block": blocks})
    fold = in_folds(own, ("pay",), 5).columns["block"]
    for k in range(5):
        assert [(own.columns["pay"][fold == k] == p).sum() for p in LEVELS["pay"]] == [20, 20]


def test_folds_hold_a_part_of_every_other_condition():
    """A file is often in the order of its conditions: a stretch of it is not the experiment."""
    own = observer((0.5, 0.6), 1)
    faces = np.repeat(["friend", "stranger", "friend", "stranger"], 50)
    rare = np.where(np.arange(200) < 4, "odd", "even")
    own = replace(own, columns={**own.columns, "face": faces, "rare": rare})
    fold = in_folds(own, ("pay",), 5).columns["block"]
    for k in range(5):
        assert abs((faces[fold == k] == "friend").sum() - 20) <= 1
    assert sorted(fold[rare == "odd"]) == [0, 1, 2, 3]


def test_what_is_asked_for():
    (guided, free) = models(["ideal-guided", "free-serial"])
    asked = candidates(guided, read_vary("orientation*sex"))
    assert [*asked] == [
        NOTHING,
        "information",
        "guidance",
        "thresholds",
        "non-decision time",
        "all of them",
    ]
    assert asked["thresholds"] == {"time_cost": ("orientation", "sex")}
    assert len(asked["all of them"]) == 4
    assert candidates(free, read_vary("a"))["thresholds"] == {"lower": ("a",), "upper": ("a",)}
    given = read_vary({"information": "a", "thresholds": ("a", "b")})
    assert candidates(free, given)["information=a,thresholds=a*b"]["upper"] == ("a", "b")
    with pytest.raises(InputError, match="each parameter once"):
        read_vary("information=a,b")


def test_all_faults_of_what_shall_vary_at_once():
    table = trials(n=80, sizes=(4,)).rename(columns={"said": "response"})
    table["pay"] = np.where(table["block"] > 2, "high", "low")
    table.loc[(table["observer"] == "km"), "pay"] = "low"
    table["age"] = table["observer"].map({"ag": "old", "km": "young"})
    read = read_trials(table)
    (serial,) = models(["ideal-serial"])
    faults = Faults("fit_observers")
    vary = read_vary({"informatoin": "pay", "guidance": "sex", "lapse": "set_size"})
    check_vary(vary, [serial], read, faults)
    check_group("pay", [], read.choose(["ag"]), faults)
    with pytest.raises(InputError) as caught:
        faults.raise_if_any()
    said = str(caught.value)
    for words in ("informatoin", "guidance", "'sex'", "4 alone", "trials of km with high"):
        assert words in said
    for words in ("several observers", "a model of search", "high and low of ag"):
        assert words in said
    clean = Faults("fit_observers")
    check_vary(read_vary("pay"), [serial], read.choose(["ag"]), clean)
    assert not clean
    check_group("age", [serial], read, clean)
    (line,) = clean.lines
    assert "two or more observers of at least one age, got '2 of one observer each'" in line


def test_a_group_of_two_is_accepted_and_a_parameter_of_another_model_is_said():
    table = trials(n=40, sizes=(4,), observers=("a", "b", "c", "d"))
    table = table.rename(columns={"said": "response"})
    table["age"] = table["observer"].map({"a": "old", "b": "old", "c": "young", "d": "young"})
    table["pay"] = np.where(table["block"] > 2, "high", "low")
    table["number"] = np.arange(len(table))
    read, (serial,) = read_trials(table), models(["ideal-serial"])
    clean = Faults("fit_observers")
    check_group("age", [serial], read, clean)
    assert not clean
    for given, words in {
        "guidance=pay": "or name a model that has it, such as ideal-guided",
        "guidanse=pay": "choose from",
        "infomation=pay": "did you mean information?",
        "information=number": "a condition of 2 to 12 levels, got 'number, with",
    }.items():
        faults = Faults("fit_observers")
        check_vary(read_vary(given), [serial], read, faults)
        (line,) = faults.lines
        assert words in line
