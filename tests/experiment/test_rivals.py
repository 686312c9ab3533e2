"""Trials that tell stopping rules apart: against closed forms, with controls that must fail."""

import json
import math

import numpy as np
import pytest
from scipy.stats import norm

from popout import InputError
from popout.drawing.plain import plain
from popout.experiment import Block
from popout.experiment import rivals as module
from popout.experiment.check import check_design
from popout.experiment.layout import Ring
from popout.experiment.rivals import binned, compared, rules_for, tell_apart, trials_needed
from popout.simulation import simulate
from popout.task import Costs, SearchTask

from .designs import make_design


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(module, "TUNE_TRIALS", 1000)


TWO = {"set_sizes": [2], "layout": Ring(places=2), "contrast": [1.0, 0.4]}
UNEVEN = make_design(**TWO, distractors=[90], blocks=[Block("Main", 40)])


def gaussian_bins(shift, edges):
    """Probabilities of a normal variable in bins; KL of two is half the squared difference."""
    return np.diff(norm.cdf(edges - shift))


EDGES = np.concatenate([[-np.inf], np.linspace(-4, 4.5, 60), [np.inf]])


def samples(p, n, rng):
    """Shares in ten samples, with a little of every bin, as lapses give it."""
    return 0.99 * rng.multinomial(n, p, 2 * module.PAIRS) / n + 0.01 / len(p)


def plain_kl(p, q):
    p, q = (0.99 * x + 0.01 / len(x) for x in (p, q))
    return float((p * np.log(p / q)).sum())


@pytest.mark.parametrize("shift", [0.1, 0.5])
def test_nats_meet_the_closed_form(shift):
    rng = np.random.default_rng(1)
    p, q = gaussian_bins(0.0, EDGES), gaussian_bins(shift, EDGES)
    kl = compared(samples(p, 20_000, rng), samples(q, 20_000, rng), rng)
    assert plain_kl(p, q) == pytest.approx(shift**2 / 2, rel=0.15)  # binned, and with lapses
    assert abs(kl["nats"] - plain_kl(p, q)) < 4 * kl["nats_se"]
    assert kl["nats_se"] < 0.1 * shift


def test_identical_rules_are_not_told_apart_while_plain_estimates_would_say_so():
    rng = np.random.default_rng(2)
    p = gaussian_bins(0.0, EDGES)
    apart, biased = [], []
    for _ in range(20):
        mine, theirs = samples(p, 1000, rng), samples(p, 1000, rng)
        apart.append(compared(mine, theirs, rng)["nats"])
        biased.append(float((mine * np.log(mine / theirs)).sum(axis=1).mean()))
    error = np.std(apart, ddof=1) / math.sqrt(len(apart))
    assert abs(np.mean(apart)) < 3 * error
    assert np.mean(biased) > 20 * error  # negative control: estimated and averaged on one sample


def test_trials_needed_meet_the_closed_form_and_experiments_drawn_here():
    """The log ratio of two normals d apart is normal, mean d**2 / 2 and variance d**2."""
    d = 0.2
    p, q = gaussian_bins(0.0, EDGES), gaussian_bins(d, EDGES)
    n = trials_needed(p, np.log(p / q), np.random.default_rng(3))
    root = (1.645 * d + math.sqrt((1.645 * d) ** 2 + 4 * 3.0 * d**2 / 2)) / d**2
    assert n == pytest.approx(root**2, rel=0.06)
    own = np.random.default_rng(4)
    enough = [(d * d / 2 - d * own.standard_normal(int(n))).sum() > 3.0 for _ in range(2000)]
    assert abs(np.mean(enough) - 0.95) < 0.02
    few = [(d * d / 2 - d * own.standard_normal(int(n / 2))).sum() > 3.0 for _ in range(500)]
    assert np.mean(few) < 0.9  # negative control: half as many are too few


def test_noise_of_the_estimates_does_not_save_trials():
    """Rules a tenth of a deviation apart: the ratio as estimated would need too few trials."""
    d, rng = 0.1, np.random.default_rng(5)
    p, q = gaussian_bins(0.0, EDGES), gaussian_bins(d, EDGES)
    true = [0.99 * x + 0.01 / len(x) for x in (p, q)]
    wanted = trials_needed(true[0], np.log(true[0] / true[1]), rng)
    corrected, plainly = [], []
    for _ in range(20):
        mine, theirs = samples(p, 6000, rng), samples(q, 6000, rng)
        corrected.append(compared(mine, theirs, rng)["trials"])
        mine, theirs = (samples(x, 1000, rng).mean(axis=0) for x in (p, q))
        plainly.append(trials_needed(mine, np.log(mine / theirs), rng))
    # Trials go with one over the nats, whose estimates scatter by a fifth.
    assert 1 / np.mean(1 / np.array(corrected)) == pytest.approx(wanted, rel=0.15)
    assert 1 / np.mean(1 / np.array(plainly)) < 0.8 * wanted  # negative control, few trials


def test_bins_hold_the_answers_of_trials():
    task, costs = SearchTask(drift=(6.0, 2.4)), Costs(time=0.2)
    rule = dict(rules_for(task, costs, 1))["Hardmax"]
    trials = simulate(task, rule, 20_000, seed=5)
    p = binned(UNEVEN, trials).mean(axis=0)
    assert p.sum() == pytest.approx(1.0)
    kinds = p.reshape(3, -1)  # absent, then the hard and the easy place
    np.testing.assert_allclose(kinds.sum(axis=1), [0.5, 0.25, 0.25])
    n = (kinds.shape[1] - 1) // 2
    lapses = 0.01 * n / (2 * n + 1)
    for kind, (here, share) in enumerate([(-1, 0.5), (1, 0.25), (0, 0.25)]):
        said = (trials.response[trials.target == here] == 2).mean()
        assert kinds[kind, n : 2 * n].sum() / share == pytest.approx(0.99 * said + lapses, abs=1e-3)


def test_hardmax_with_one_pair_is_another_rule_only_where_places_differ():
    costs = Costs(time=0.2)
    alike, unlike = (
        dict(rules_for(SearchTask(drift=drifts), costs, 1)) for drifts in ((4.0, 4.0), (6.0, 2.4))
    )
    names = "Hardmax per location", "Hardmax"
    assert alike[names[0]] == alike[names[1]]
    assert unlike[names[0]] != unlike[names[1]]
    assert unlike[names[1]].c_plus == (1.0, 1.0)


def test_a_rival_with_parameters_of_its_own_comes_closer(monkeypatch):
    monkeypatch.setattr(module, "SEARCHES", 15)
    monkeypatch.setattr(module, "SEARCH_TRIALS", 1000)
    known, free = (check_design(UNEVEN, n_trials=4000, rivals=how) for how in ("known", "free"))
    said = json.loads(json.dumps(plain(free.as_dict())))["rivals"]
    assert (said["free"], len(said["against"])) == (True, 4)
    nats = {row["rule"]: row for row in known.rivals.against}
    for row in free.rivals.against:
        both = math.hypot(row["nats_se"], nats[row["rule"]]["nats_se"])
        assert row["nats"] < nats[row["rule"]]["nats"] + 3 * both
    last = free.rivals.against[-1]
    assert last["nats"] < 0.7 * nats["Hardmax"]["nats"]
    words = " ".join(known.card().text(100).split())
    assert f"a-SPRT or SPRT? {nats['SPRT']['trials']} trials" in words
    assert check_design(UNEVEN, n_trials=4000).as_dict()["rivals"] is None


def test_designs_with_several_distractors_are_refused():
    with pytest.raises(InputError, match="one target and one distractor orientation"):
        tell_apart(make_design(distractors=[30, 60]))
    with pytest.raises(InputError, match="known or free"):
        check_design(UNEVEN, rivals="all")
