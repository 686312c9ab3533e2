"""Base rates: which are off, against the binomial law and Wald's risks; said wherever fits are."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import binom

from popout.people.fitting import fit_report
from popout.people.fitting.fit_observers import fit_observers
from popout.people.fitting.model_comparison import fit_models
from popout.people.models.ex_gaussian import ExGaussianCells
from popout.people.reading.base_rate import FALSE_ALARMS, MATTERS, base_rate_of
from popout.people.reading.reader import read_trials

NOTE = "Models of search are fitted as if they were on half"


def displays(k, n):
    return np.arange(n) < k


def people(shares, n=300):
    """Return trials of observers with base rates of their own, all answers right."""
    rng = np.random.default_rng(2)
    present = [each for p in shares.values() for each in displays(round(p * n), n)]
    table = pd.DataFrame({"observer": np.repeat([*shares], n), "set_size": 4, "present": present})
    return table.assign(response=table["present"], rt=0.3 + rng.gamma(4.0, 0.05, len(table)))


@pytest.mark.parametrize("n", [30, 100, 1000])
def test_off_is_far_from_even_and_no_chance(n):
    """Every count that is called off is beyond the exact binomial limits and farther than 5 %."""
    k = np.arange(n + 1)
    off = np.array([base_rate_of({"": displays(each, n)}).is_off for each in k])
    p = 2 * np.minimum(binom.cdf(k, n, 0.5), binom.sf(k - 1, n, 0.5))
    expected = (abs(k / n - 0.5) > MATTERS) & (p < FALSE_ALARMS)
    assert (off == off[::-1]).all()
    # The normal law and the exact one part at the very limit alone.
    assert (off != expected).sum() <= 4
    assert off[0]
    assert not off[n // 2]


def test_many_observers_raise_no_false_alarm():
    rng = np.random.default_rng(1)
    called = [
        base_rate_of({str(name): rng.random(40) < 0.5 for name in range(30)}).is_off
        for _ in range(300)
    ]
    # Three are expected; without the correction for the number of tests it would be some 80.
    assert sum(called) <= 3 + 3 * np.sqrt(3)


def test_one_observer():
    note = base_rate_of({"ag": displays(60, 300)}).note
    assert note.startswith("Targets are on 20 % of 300 displays. Models")


def test_a_few_trials_each_are_off_together():
    found = base_rate_of({str(name): displays(12, 30) for name in range(40)})
    assert found.is_off
    assert not found.off


def wald_risk(log_tau, p, cost):
    """Return the risk of one location with thresholds -a, b of the log likelihood ratio."""
    a, b = np.exp(log_tau)
    false_alarm = (1 - np.exp(-a)) / (np.exp(b) - np.exp(-a))
    miss = (1 - np.exp(-b)) / (np.exp(a) - np.exp(-b))
    present, absent = (1 - miss) * b - miss * a, (1 - false_alarm) * a - false_alarm * b
    time = 2 * (p * present + (1 - p) * absent)
    return p * miss + (1 - p) * false_alarm + cost * time


@pytest.mark.parametrize("cost", [0.002, 0.01, 0.03])
def test_what_matters(cost):
    """Thresholds of an even base rate cost less than 1 % at 0.45 and more than 10 % at 0.2."""
    even = minimize(wald_risk, np.log([3.0, 3.0]), (0.5, cost)).x
    excess = [
        wald_risk(even, p, cost) / minimize(wald_risk, even, (p, cost)).fun - 1 for p in (0.45, 0.2)
    ]
    assert 0 < excess[0] < 0.01
    assert excess[1] > 0.1


OFF = ({"ag": 0.2, "km": 0.8}, "not for each observer (ag 20 % and km 80 %)")


@pytest.mark.parametrize(("shares", "words"), [OFF, ({"ag": 0.5}, None)])
def test_it_is_said_of_trials_and_of_fits(shares, words, tmp_path, monkeypatch):
    trials = read_trials(people(shares))
    monkeypatch.setattr(fit_report, "picture", lambda figure, kind: kind.encode())
    fits = fit_observers(trials, tmp_path, models=["ex-gaussian"], workers=1)
    compared = fit_models([ExGaussianCells((4,))], trials["ag"])
    page = " ".join(Path(fits.report).read_text().split())
    numbers = json.loads((tmp_path / "report.json").read_text())["numbers"]
    for said in (trials.base_rate.note, " ".join(fits.data.notes), page, compared.note):
        assert (NOTE in said) == (words is not None)
    for found in (trials.as_dict(), fits.as_dict(), numbers["data"]):
        assert found["base_rate"]["off"] == (words is not None)
        assert found["base_rate"]["share"] == pytest.approx(np.mean([*shares.values()]))
    for card in (str(trials), str(fits)):
        assert words is None or words in card
    for name, share in shares.items():
        assert trials[name].prior == pytest.approx(round(share, 1))


def test_conditions_with_base_rates_of_their_own():
    table = people({"ag": 0.2, "km": 0.8}).assign(prevalence=lambda t: t["observer"], observer="me")
    assert not read_trials(table).base_rate.is_off
    split = read_trials(table, split="prevalence")
    assert split.base_rate.off == pytest.approx({"me, ag": 0.2, "me, km": 0.8})
    assert [some.prior for some in split.groups.values()] == [0.2, 0.8]
