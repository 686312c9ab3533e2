"""Base rates, pay and time limits: found where the file shows them, given where it does not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import chi2_contingency

from popout.people.models.situation import FIELDS, situations_of
from popout.people.reading.reader import read_trials
from popout.people.reading.stakes import FALSE_ALARMS, base_rates, round_share, time_limits
from popout.policies.stopping import Action
from popout.task import InputError

from ..lookalikes import trials


def people(shares, n=300, **columns):
    """Return trials of observers with base rates of their own, all answers right."""
    rng = np.random.default_rng(2)
    present = np.concatenate([np.arange(n) < round(p * n) for p in shares.values()])
    table = pd.DataFrame({"observer": np.repeat([*shares], n), "set_size": 4, "present": present})
    table = table.assign(response=present, rt=0.3 + rng.gamma(4.0, 0.05, len(table)), **columns)
    return table.sample(frac=1, random_state=1, ignore_index=True)


def timed_out(table, rows, at, **columns):
    """Return the table with time-outs in some rows."""
    silent = table.index.isin(rows)
    table = table.assign(response=table["response"].astype(str).mask(silent, "timeout"), **columns)
    return table.assign(rt=table["rt"].mask(silent, at))


# -- base rates -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "n", "expected"),
    [(55, 100, 0.5), (39, 200, 0.2), (250, 1000, 0.25), (17768, 35948, 0.5), (50, 2500, 0.02)],
)
def test_round_shares(k, n, expected):
    assert round_share(k, n) == expected


@settings(max_examples=60)
@given(st.integers(1, 400), st.floats(0, 1))
def test_a_round_share_agrees_with_the_count(n, share):
    k = round(share * n)
    found = round_share(k, n)
    error = np.sqrt(found * (1 - found) / n)
    assert abs(found - k / n) <= max(3 * error, 0.05 * min(found, 1 - found)) + 1e-12
    assert found == 0.5 or abs(k / n - 0.5) > 1.5 / np.sqrt(n)
    assert round_share(n - k, n) == pytest.approx(1 - found)


def test_levels_are_taken_apart_by_the_test_of_contingency_tables():
    """One column: the decision is that of scipy's test without a correction."""
    rng, differ = np.random.default_rng(4), []
    for _ in range(200):
        level, p = rng.integers(0, 3, 300), rng.choice([0.35, 0.5], 3)
        present = rng.random(300) < p[level]
        table = [
            [(present & (level == i)).sum(), (~present & (level == i)).sum()] for i in range(3)
        ]
        expected = chi2_contingency(table, correction=False).pvalue < FALSE_ALARMS
        differ.append(expected)
        assert bool(base_rates(present, {"level": level}).by) == expected
    assert 0.2 < np.mean(differ) < 0.9


def apart_by_chance(together):
    """Return how many of 100 files with one base rate are taken apart."""
    rng, apart = np.random.default_rng(1), 0
    for _ in range(100):
        labels = {str(k): rng.integers(0, 4, 600) for k in range(20)}
        labels["observer"] = np.repeat(np.arange(15), 40)
        present = rng.random(600) < 0.5
        some = [labels] if together else [{name: each} for name, each in labels.items()]
        apart += any(base_rates(present, each).by for each in some)
    return apart


def test_chance_takes_few_files_apart():
    """One is expected; testing each of 21 columns by itself would take apart some fifteen."""
    assert apart_by_chance(together=True) <= 1 + 3
    assert apart_by_chance(together=False) > 1 + 3


def test_everybody_shares_a_base_rate_unless_they_differ():
    even = read_trials(people({"ag": 0.22, "km": 0.18}, 100))
    assert [own.prior for own in even.observers.values()] == [0.2, 0.2]
    assert even.reading.notes == ()
    apart = read_trials(people({"ag": 0.2, "km": 0.8}))
    assert [own.prior for own in apart.observers.values()] == [0.2, 0.8]
    assert not any("prior" in own.columns for own in apart.observers.values())
    assert "by observer" in apart.reading.notes[0]
    assert "ag: 20 %; km: 80 %" in str(apart)


def test_a_condition_has_its_own_base_rate_within_observers():
    low = people({"ag": 0.1, "km": 0.1}, prevalence="low")
    high = people({"ag": 0.5, "km": 0.5}, prevalence="high")
    table = pd.concat([low, high], ignore_index=True)
    side = np.where(table["present"], np.where(table.index % 2, "left", "right"), "none")
    read = read_trials(table.assign(side=side, colour=np.where(table.index % 2, "red", "green")))
    for own in read.observers.values():
        expected = np.where(own.columns["prevalence"] == "low", 0.1, 0.5)
        np.testing.assert_array_equal(own.columns["prior"], expected)
        assert own.prior == pytest.approx(0.3)
    split = read_trials(table, split="prevalence")
    assert [own.prior for own in split.groups.values()] == [0.5, 0.1, 0.5, 0.1]
    rows = split.situations.set_index(["observer", "condition"])
    assert rows.loc[("ag", "low"), ["prior", "trials", "targets"]].tolist() == [0.1, 300, 30]
    assert "low: 10 %" in read.reading.stakes["prior"]
    assert read_trials(table, prior=0.4)["ag"].prior == 0.4
    half = read_trials(table, prior={"prevalence": {"low": 0.15}})["ag"]
    assert set(half.columns["prior"]) == {0.15, 0.5}


def wald_risk(log_tau, p, cost):
    """Return the risk of one location with thresholds -a, b of the log likelihood ratio."""
    a, b = np.exp(log_tau)
    false_alarm = (1 - np.exp(-a)) / (np.exp(b) - np.exp(-a))
    miss = (1 - np.exp(-b)) / (np.exp(a) - np.exp(-b))
    present, absent = (1 - miss) * b - miss * a, (1 - false_alarm) * a - false_alarm * b
    time = 2 * (p * present + (1 - p) * absent)
    return p * miss + (1 - p) * false_alarm + cost * time


@pytest.mark.parametrize("cost", [0.002, 0.03])
def test_what_matters(cost):
    """Thresholds of an even base rate cost less than 1 % at 0.45 and more than 10 % at 0.2."""
    even = minimize(wald_risk, np.log([3.0, 3.0]), (0.5, cost)).x
    excess = [
        wald_risk(even, p, cost) / minimize(wald_risk, even, (p, cost)).fun - 1 for p in (0.45, 0.2)
    ]
    assert 0 < excess[0] < 0.01
    assert excess[1] > 0.1


def test_displays_of_one_kind():
    with pytest.raises(InputError, match="always or never for km"):
        read_trials(people({"ag": 0.5, "km": 0.0}))
    assert read_trials(people({"ag": 0.5, "km": 0.0}), prior=0.5)["km"].prior == 0.5
    assert len(read_trials(people({"ag": 0.5, "km": 0.0}), where={"observer": "ag"})) == 1
    for share, word in ((0.0, "absent"), (1.0, "present")):
        with pytest.raises(InputError, match=f"target always {word}") as caught:
            read_trials(people({"ag": share}))
        assert len(caught.value.lines) == 1


# -- time limits ----------------------------------------------------------------------------------

TABLE = people({"ag": 0.5, "km": 0.5}, speed=np.tile([*"fs"], 300))


def limits_of(read):
    return {t for own in read.observers.values() for t in own.columns.get("deadline", [np.inf])}


def test_time_outs_show_the_limit_whoever_had_them():
    late = timed_out(TABLE, range(5), [2.99, 3.0, 3.01, 3.02, 3.0] + [np.nan] * 595)
    read = read_trials(late)
    assert limits_of(read) == {3.0}
    assert read.reading.slowest == 3.0
    silent = [own.rt[own.response == Action.WAIT] for own in read.observers.values()]
    assert np.concatenate(silent).tolist() == [3.0] * 5
    assert read.situations["time_outs"].sum() == 5
    assert limits_of(read_trials(TABLE)) == {np.inf}


def test_limits_of_conditions():
    at = TABLE["speed"].map({"f": 1.5, "s": 4.0})
    read = read_trials(timed_out(TABLE, range(20), at))
    for own in read.observers.values():
        expected = np.where(own.columns["speed"] == "f", 1.5, 4.0)
        np.testing.assert_array_equal(own.columns["deadline"], expected)
    assert "f: 1.5 s; s: 4 s" in read.reading.stakes["deadline"]
    told = read_trials(TABLE, deadline={"speed": {"f": 2.0, "s": 5.0}})
    assert limits_of(told) == {2.0, 5.0}
    assert limits_of(read_trials(TABLE, deadline={"speed": {"f": 2.0}})) == {2.0, np.inf}


@pytest.mark.parametrize("at", [np.nan, 0.0, 0.2])
def test_time_outs_without_a_time_have_the_limit_that_is_given(at):
    """0.2 s is no limit: most answers are slower."""
    late = timed_out(TABLE, range(5), at)
    read = read_trials(late)
    assert limits_of(read) == {read.reading.slowest} == {1.0}
    assert "5 time-outs without a time" in " ".join(read.reading.notes)
    told = read_trials(late, deadline=4)
    assert limits_of(told) == {4.0}
    assert told.reading.notes == read_trials(TABLE).reading.notes


def test_time_outs_at_any_time_are_said():
    late = timed_out(TABLE, range(6), [2.0, 3.0, 4.0, 5.0, 6.0, 7.0] + [np.nan] * 594)
    read = read_trials(late)
    assert limits_of(read) == {7.0}
    assert "2 to 7 s" in read.reading.notes[0]


def test_answers_after_the_limit_are_counted():
    late = int((TABLE["rt"] > 0.6).sum())
    read = read_trials(TABLE, deadline=0.6)
    assert 5 < late < 300
    assert read.dropped["after the time limit"].sum() == late
    with pytest.raises(InputError, match="of 600 answers after it"):
        read_trials(TABLE, deadline=0.3)


@settings(max_examples=40)
@given(st.floats(0.3, 30), st.integers(2, 40), st.integers(0, 99))
def test_limits_are_found_whatever_the_frames(limit, n, seed):
    """Times differ by a hundredth; the limit is within that, and no answer is beyond it."""
    rng = np.random.default_rng(seed)
    rt = np.concatenate([limit * rng.uniform(1, 1.01, n), limit * rng.random(100)])
    silent = np.arange(n + 100) < n
    found, note = time_limits(rt, silent, ~silent, {})
    assert note == ""
    assert len({*found.values}) == 1
    assert found.values[0] == pytest.approx(limit, rel=0.021)


def test_more_time_outs_than_answers_need_a_limit():
    """Their times show it, or the user says it; a column of answers that is empty does not."""
    many = timed_out(TABLE, range(400), 2.0)
    assert read_trials(many).situations["time_outs"].sum() == 400
    with pytest.raises(InputError, match="400 no answer"):
        read_trials(many.assign(rt=many["rt"].where(many["rt"] < 2)))
    with pytest.raises(InputError, match="600 time-outs") as caught:
        read_trials(timed_out(TABLE, range(600), 2.0))
    assert len(caught.value.lines) == 1


def test_a_cell_or_an_observer_of_time_outs_is_kept():
    rows = TABLE.index[(TABLE["observer"] == "km") | (TABLE["present"] & (TABLE.index % 3 == 0))]
    read = read_trials(timed_out(TABLE, rows, 2.0))
    assert (read["km"].response == Action.WAIT).all()
    assert len(read["km"]) == 300
    assert "nan" not in str(read.describe())


# -- pay, and what trials carry --------------------------------------------------------------------

REWARD = trials(n=60).rename(columns={"said": "response"})
REWARD["reward"] = np.where(REWARD["block"] % 2, "Absent", "Present")
PAY = {"reward": {"Absent": (1, 2), "Present": (2, 1)}}


def test_pay_by_the_levels_of_a_column():
    own = read_trials(REWARD, pay=PAY)["ag"]
    np.testing.assert_array_equal(own.columns["miss"] == 2, own.columns["reward"] == "Present")
    np.testing.assert_array_equal(own.columns["false_alarm"], 3 - own.columns["miss"])
    assert {*FIELDS} & {*read_trials(REWARD)["ag"].columns} == set()
    some, _ = situations_of(own)
    assert [(each.miss, each.false_alarm) for each in some] == [(1, 2), (2, 1)]
    assert {*read_trials(REWARD, pay=(3, 1))["ag"].columns} & {*FIELDS} == {"miss"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pay": (-1, 2)}, "pay: expected two positive numbers"),
        ({"pay": 2}, "pay: expected two"),
        ({"pay": {"reward": {"absent": (1, 2)}}}, "did you mean Absent"),
        ({"pay": {"rewards": {"Absent": (1, 2)}}}, "did you mean reward"),
        ({"prior": 1.0}, "prior: expected a probability"),
        ({"prior": "often"}, "prior: expected"),
        ({"prior": {"reward": 0.2}}, "prior: expected"),
        ({"deadline": 0.0}, "deadline: expected seconds"),
        ({"deadline": {"reward": {"x": 3}}}, "it holds Absent, Present"),
        ({"dynamic": 0.0}, "dynamic: expected seconds between reshuffles"),
        ({"dynamic": {"reward": {"Absnt": 0.1}}}, "did you mean Absent"),
    ],
)
def test_bad_stakes(arguments, words):
    with pytest.raises(InputError) as caught:
        read_trials(REWARD, **arguments)
    assert words in str(caught.value)
    assert len(caught.value.lines) == 1


level = st.sampled_from(["Absent", "Present"])


@settings(max_examples=25)
@given(
    prior=st.dictionaries(level, st.floats(0.01, 0.99)),
    pay=st.dictionaries(level, st.tuples(st.floats(0.1, 9), st.floats(0.1, 9))),
    deadline=st.dictionaries(level, st.floats(5, 60)),
    dynamic=st.dictionaries(level, st.floats(0.01, 0.99)),
)
def test_every_trial_has_what_was_given_and_can_be_read_again(prior, pay, deadline, dynamic):
    given_ = {"prior": prior, "pay": pay, "deadline": deadline, "dynamic": dynamic}
    read = read_trials(REWARD, **{k: {"reward": v} for k, v in given_.items() if v})
    usual = {"prior": 0.5, "pay": (1.0, 1.0), "deadline": np.inf, "dynamic": np.inf}
    for again in (read, read_trials(read.to_pandas())):
        for name, own in read.observers.items():
            some, number = situations_of(again[name])
            for k, at in zip(number, own.columns["reward"], strict=True):
                expected = [values.get(at, usual[stake]) for stake, values in given_.items()]
                got = [some[k].prior, (some[k].miss, some[k].false_alarm), some[k].deadline]
                assert [*got, some[k].period] == expected


def test_columns_of_the_file_say_it():
    table = REWARD.assign(prior=0.3, miss_cost=2, false_alarm_cost=1, time_limit=7)
    (one,) = {
        each for own in read_trials(table).observers.values() for each in situations_of(own)[0]
    }
    assert (one.prior, one.miss, one.false_alarm, one.deadline) == (0.3, 2, 1, 7)
    marks = REWARD.assign(miss=(REWARD["present"] & ~REWARD["response"]).astype(int))
    assert "miss" not in read_trials(marks).reading.columns


def test_displays_are_dynamic_where_it_is_said():
    read = read_trials(REWARD, dynamic={"reward": {"Absent": 0.11}})
    own = read["ag"]
    np.testing.assert_array_equal(
        np.isfinite(own.columns["period"]), own.columns["reward"] == "Absent"
    )
    assert "Absent: reshuffled every 0.11 s; Present: static" in read.reading.stakes["dynamic"]
    assert "period" not in read_trials(REWARD)["ag"].columns
    assert read_trials(REWARD).reading.stakes["dynamic"] == "static"


def test_periods_of_the_file_are_times_and_no_parts_of_an_experiment():
    own = read_trials(REWARD.assign(period=np.where(REWARD["reward"] == "Absent", 0.11, np.inf)))
    assert {*own["ag"].columns["period"]} == {0.11, np.inf}
    parts = REWARD.assign(period=np.where(REWARD["reward"] == "Absent", 1, 2))
    assert "period" not in read_trials(parts).reading.columns
