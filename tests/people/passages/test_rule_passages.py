"""First passages of stopping rules against a plain simulation and what is known exactly."""

import numpy as np
import pytest

from popout.people.passages.first_passages import (
    BIN,
    FIRST_EDGE,
    LEVELS,
    N_BINS,
    answer_probability,
    make_passages,
)
from popout.people.passages.rule_passages import make_rule_passages
from popout.people.passages.stopping_rules import RULES

from .. import plain_rules

UNEQUAL, PATHS = (1.0, 1.0, 0.4), 10_000
LOWER, UPPER = 9, 14
MIDDLES = FIRST_EDGE + BIN * (np.arange(N_BINS) + 0.5)


@pytest.fixture(scope="module")
def tables():
    return {name: make_rule_passages(rule, UNEQUAL, PATHS) for name, rule in RULES.items()}


def spread(table, k=LOWER, j=UPPER):
    """P("present") and the mean log time over both answers, with standard errors from the parts."""
    rows = []
    for part in range(table.n_parts):
        counts = table.counts[part][:, k, j].astype(float)
        share = counts.sum(axis=-1) / counts.sum()
        rows.append((share[1], counts.sum(axis=0) @ MIDDLES / counts.sum()))
    rows = np.array(rows)
    return rows.mean(axis=0), rows.std(axis=0, ddof=1) / 2.0


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(("kind", "target"), [(0, -1), (1, 0), (2, 2)])
def test_answers_and_times_are_those_of_a_plain_simulation(tables, name, kind, target):
    lower, upper = RULES[name].sides(UNEQUAL, LEVELS)
    tests = [[each[i] for each in side] for side, i in ((lower, LOWER), (upper, UPPER))]
    random, n = np.random.default_rng([3, kind]), 1500
    said, times = plain_rules.answers(UNEQUAL, tests, target, n, random)
    logs = np.log(times * UNEQUAL[-1])
    plain = np.array([said.mean(), logs.mean()])
    error = np.array([np.sqrt(max(said.var(), 1 / n) / n), logs.std() / np.sqrt(n)])
    mean, own = spread(tables[name][kind])
    assert (abs(mean - plain) < 4.0 * np.hypot(error, own)).all()
    other, own = spread(tables[name][kind], LOWER + 3, UPPER + 3)
    assert (abs(other - plain) > 4.0 * np.hypot(error, own)).any()


def test_answers_of_sprt_are_walds_on_average_over_places(tables):
    absent, bright, faint = (spread(table) for table in tables["sprt"])
    false_alarm, hit = answer_probability(LEVELS[LOWER], LEVELS[UPPER])[:, 1]
    assert abs(absent[0][0] - false_alarm) < 4.0 * absent[1][0]
    over = (2.0 * bright[0][0] + faint[0][0]) / 3.0
    assert abs(over - hit) < 4.0 * np.hypot(2.0 * bright[1][0], faint[1][0]) / 3.0
    assert abs(bright[0][0] - hit) > 4.0 * bright[1][0]
    other, error = spread(tables["hardmax"][0])
    assert abs(other[0] - false_alarm) > 4.0 * error[0]


def test_sprt_at_equal_places_is_the_parallel_observer():
    own = make_rule_passages(RULES["sprt"], (1.0,) * 4, PATHS)
    parallel = make_passages(4, 0.0, PATHS)
    error = max(np.std([t.laws(h)[0, LOWER, UPPER] @ MIDDLES for h in range(4)], ddof=1) / 2
                for t in (own[0], parallel))  # fmt: skip
    mean, other = (t.laws()[:, LOWER, UPPER] @ MIDDLES for t in (own[0], parallel))
    assert (abs(mean - other) < 4.0 * np.sqrt(2.0) * error).all()
    assert abs(mean[0] - parallel.laws()[0, LOWER + 2, UPPER] @ MIDDLES) > 6.0 * error


def test_at_a_single_place_all_rules_are_one():
    wald = answer_probability(LEVELS[LOWER], LEVELS[UPPER])
    for name in ("a-sprt", "hardmax"):
        made = make_rule_passages(RULES[name], (1.0,), 100)
        for kind in (0, 1):
            (share, _), (error, _) = spread(made[kind])
            assert abs(share - wald[kind, 1]) < 4.0 * error


def test_numbers_do_not_depend_on_threads():
    twice = [make_rule_passages(RULES["hardmax"], (1.0,), 100, threads=n) for n in (1, 3)]
    assert np.allclose(twice[0][1].counts, twice[1][1].counts, rtol=1e-5)
