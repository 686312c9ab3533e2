import json

import numpy as np
import pandas as pd
import pytest

from popout.drawing.plain import plain
from popout.people.reading.description import ALL, QUANTILES, describe_trials
from popout.people.reading.reader import read_trials

from ..lookalikes import shi_like, trials, wolfe_like


@pytest.fixture
def table():
    return trials(n=2000)


@pytest.fixture
def found(table, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(wolfe_like(table), newline="")
    return read_trials(path).describe()


def test_cells_against_pandas(found, table):
    """The rows of one observer, computed in another way."""
    table = table.assign(rt=(1000 * table["rt"]).round() / 1000)
    own = table[(table["observer"] == "km") & (table["set_size"] == 12) & ~table["present"]]
    right = own.loc[~own["said"], "rt"]
    (row,) = found.of("km").query("set_size == 12 and target == 'absent'").to_dict("records")
    expected = {"trials": len(own), "mean_rt": right.mean(), "mean_rt_se": right.sem()}
    expected |= {"error_rate": own["said"].mean()}
    expected |= {"error_rate_se": own["said"].std(ddof=0) / np.sqrt(len(own))}
    expected |= {f"q{100 * q:.0f}": right.quantile(q) for q in QUANTILES}
    assert {name: row[name] for name in expected} == pytest.approx(expected)


def test_slopes_are_those_that_made_the_trials(found):
    """25 and 10 ms/item, within three standard errors; the negative control is not."""
    slopes = found.slopes[found.slopes["observer"] != ALL]
    for name, truth in (("absent", 25.0), ("present", 10.0)):
        z = (slopes[name] - truth) / slopes[f"{name}_se"]
        assert (abs(z) < 3).all()
        assert (abs(z + 10 / slopes[f"{name}_se"]) > 3).all()
    assert (abs(slopes["ratio"] - 2.5) < 3 * slopes["ratio_se"]).all()


def test_slope_and_error_against_a_weighted_line(found):
    cells = found.of("ag").query("target == 'absent'")
    slope = np.polyfit(cells["set_size"], 1000 * cells["mean_rt"], 1)[0]
    row = found.slopes.iloc[0]
    assert row["absent"] == pytest.approx(slope)
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(4000, len(cells))) * 1000 * cells["mean_rt_se"].to_numpy()
    drawn = np.polyfit(cells["set_size"], (1000 * cells["mean_rt"].to_numpy() + noise).T, 1)[0]
    assert row["absent_se"] == pytest.approx(drawn.std(), rel=0.05)


def test_the_mean_over_observers(found):
    every = found.cells[found.cells["observer"] != ALL]
    mean = every.groupby(["set_size", "target"])["mean_rt"].mean()
    np.testing.assert_allclose(found.of(ALL)["mean_rt"], mean)
    assert found.slopes.iloc[-1]["observer"] == ALL
    assert found.slopes.iloc[-1]["absent"] == pytest.approx(found.slopes["absent"][:-1].mean())


def test_trials_without_an_answer_are_counted_and_no_errors(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(shi_like(trials()))
    found = read_trials(path).describe()
    own = found.cells[found.cells["observer"] != ALL]
    assert own["no_answer"].sum() > 10
    assert own["error_rate"].max() < 0.25


def test_a_slope_of_nothing_has_no_ratio():
    table = trials(sizes=(8,)).rename(columns={"said": "response"})
    found = describe_trials(read_trials(table))
    assert found.slopes["absent"].isna().all()
    assert found.slopes["ratio"].isna().all()
    assert "-" in str(found)


def test_card_and_json(found):
    assert "ms/item" in str(found)
    json.dumps(plain(found.as_dict()))
    assert repr(found) == "TrialsDescription(2 observers, 4000 trials)"


def test_standard_errors_are_the_spread_over_observers():
    """Sixty observers alike, three of ten targets there, set sizes not equally frequent."""
    rng = np.random.default_rng(2)
    n, people = 400, 60
    size = rng.choice((2, 3, 12), (people, n), p=(0.6, 0.3, 0.1))
    present = rng.random((people, n)) < 0.3
    wrong = rng.random((people, n)) < np.where(present, 0.25, 0.1)
    rt = 0.6 + 0.02 * size * (1 + ~present) + rng.normal(0.0, 0.05 + 0.005 * size)
    names = np.repeat([f"p{i}" for i in range(people)], n)
    flat = {"set_size": size, "present": present, "response": present ^ wrong, "rt": rt}
    table = pd.DataFrame({"observer": names, **{key: each.ravel() for key, each in flat.items()}})
    found = describe_trials(read_trials(table))
    own = found.cells[found.cells["observer"] != ALL]
    ratios = []
    for _, cell in own.groupby(["set_size", "target"]):
        ratios += [spread_over_error(cell, name) for name in ("error_rate", "mean_rt")]
    slopes = found.slopes[found.slopes["observer"] != ALL]
    ratios += [spread_over_error(slopes, name) for name in ("absent", "present")]
    np.testing.assert_allclose(ratios, 1.0, atol=0.3)  # the spread of sixty is known to 9 %
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.08)
    mean = found.slopes.iloc[-1]
    assert mean["absent_se"] == pytest.approx(slopes["absent"].std(ddof=1) / np.sqrt(people))
    pooled = table[table["observer"] == "p3"].assign(wrong=wrong[3])
    row = found.slopes.set_index("observer").loc["p3"]
    assert row["misses"] == pytest.approx(pooled.loc[pooled["present"], "wrong"].mean())
    assert row["false_alarms"] == pytest.approx(pooled.loc[~pooled["present"], "wrong"].mean())


def spread_over_error(rows, name):
    """Return the spread over observers in units of the standard error that each claims."""
    return rows[name].std(ddof=1) / np.sqrt((rows[f"{name}_se"] ** 2).mean())


def test_one_item_is_one_and_a_ratio_that_is_not_given_is_explained():
    flat = trials(n=200, sizes=(1, 4), observers=("ag",))
    flat["rt"] = 0.4 + np.random.default_rng(1).exponential(0.1, len(flat))
    shown = read_trials(flat.rename(columns={"said": "response"})).describe()
    assert "1 item, absent" in str(shown)
    assert "1 items" not in str(shown)
    assert "No ratio (-) where the slope" in " ".join(str(shown).split())
    steep = read_trials(trials(n=2000).rename(columns={"said": "response"})).describe()
    assert steep.ratio_note == ""
