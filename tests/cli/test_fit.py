"""``popout fit``: its contract, more than a hundred malformed files, and runs that are killed."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner
from command_line import complaint
from malformed_trials import good, malformed

from popout.cli import group
from popout.people.fitting import fit_report

FILES = dict(malformed())


def run(*args):
    return CliRunner().invoke(group.main, [*map(str, args)])


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    good().to_csv(path, index=False)
    return path


def test_there_are_enough_malformed_files():
    assert len(FILES) >= 100
    assert len(set(FILES.values())) == len(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_malformed_file_is_one_message_and_nothing_written(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "data.csv"
    path.write_bytes(FILES[name])
    assert complaint(["fit", "data.csv", "--out", "out", "--models", "ex-gaussian"]) == ""
    assert list(tmp_path.iterdir()) == [path]


def test_the_documented_keys(data, tmp_path, monkeypatch):
    monkeypatch.setattr(fit_report, "picture", lambda figure, kind: kind.encode())
    args = ("fit", data, "--out", tmp_path / "out", "--models", "ex-gaussian", "--threads", "1")
    result = run(*args, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["report"] == str(tmp_path / "out" / "report.html")
    assert [one["observer"] for one in found["observers"]] == ["ag", "km"]
    for one in found["observers"]:
        assert {"trials", "dropped", "models", "best", "index"} <= set(one)
        (model,) = one["models"]
        assert {"name", "log_likelihood", "aic", "bic", "parameters"} <= set(model)
        assert one["best"] == "ex-gaussian"
    assert found["computed"] == 2


def test_the_card_is_a_table_over_observers(data, tmp_path, monkeypatch):
    monkeypatch.setattr(fit_report, "write_fit_report", lambda folder, *rest: folder / "page")
    args = ("fit", data, "--out", tmp_path / "out", "--models", "ex-gaussian", "--threads", "1")
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    assert "below yardstick" in result.stdout
    again = json.loads(run(*args, "--json").stdout)
    assert again["computed"] == 0


def test_conditions_and_base_rates(tmp_path, monkeypatch):
    """Two people in two conditions are two observers; rare targets are said."""
    monkeypatch.setattr(fit_report, "write_fit_report", lambda folder, *rest: folder / "page")
    table = pd.concat([good()] * 4, ignore_index=True)
    table["display"] = ["a", "b"] * (len(table) // 2)
    table = table[(table["target"] == "absent") | (table.index % 8 < 2)]
    table.to_csv(tmp_path / "data.csv", index=False)
    args = ("fit", tmp_path / "data.csv", "--out", tmp_path / "out", "--models", "ex-gaussian")
    args += ("--threads", "1", "--split", "display")
    found = json.loads(run(*args, "--json").stdout)
    assert [(row["condition"], row["observers"]) for row in found["conditions"]] == [
        ("a", 2),
        ("b", 2),
    ]
    groups = [(one["observer"], one["condition"]) for one in found["observers"]]
    assert groups == [(name, c) for name in ("ag", "km") for c in "ab"]
    assert {row["n"] for row in found["differences"]} <= {0, 1, 2}
    assert found["base_rate"]["off"]
    words = " ".join(run(*args).stdout.split())
    assert words.startswith("2 observers of data.csv")
    assert words.count("ex-gaussian for 2 of 2") == 2
    assert "as if they were on half" in words


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--models", "ideal-paralel"), "did you mean"),
        (("--models", "ex-gaussian,ex-gaussian"), "each model once"),
        (("--observers", "zz"), "some of ag, km"),
        (("--where", "set_size=5"), "--where"),
        (("--columns", "rt=RTT"), "did you mean rt?"),
        (("--paths", "10"), "--paths"),
        (("--slowest", "0.1"), "--slowest"),
    ],
)
def test_bad_options(args, words, data, tmp_path):
    result = run("fit", data, "--out", tmp_path / "out", *args)
    assert result.exit_code == 2, result.exception
    assert words in result.stderr
    assert not (tmp_path / "out").exists()
