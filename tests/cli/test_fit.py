"""``popout fit``: its contract, more than a hundred malformed files, and runs that are killed."""

import pytest
from command_line import complaint, refusal, run, run_json
from malformed_trials import good, malformed

from popout.people.fitting import fit_report

FILES = dict(malformed())
QUICK = ("--models", "ex-gaussian", "--threads", "1")


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


def test_the_documented_keys_and_a_table_over_observers(data, tmp_path, monkeypatch):
    monkeypatch.setattr(fit_report, "picture", lambda figure, kind: kind.encode())
    args = ("fit", data, "--out", tmp_path / "out", *QUICK)
    result = run_json(*args)
    assert result["report"] == str(tmp_path / "out" / "report.html")
    assert [row["observer"] for row in result["observers"]] == ["ag", "km"]
    for row in result["observers"]:
        assert {"trials", "dropped", "models", "best", "index"} <= set(row)
        (model,) = row["models"]
        assert {"name", "log_likelihood", "aic", "bic", "parameters"} <= set(model)
        assert row["best"] == "ex-gaussian"
    assert result["computed"] == 2
    assert "Not fitted: guidance (ideal-guided) and" in " ".join(run(*args).stdout.split())
    assert run_json(*args)["computed"] == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--models", "ideal-paralel"), "did you mean"),
        (("--models", "ex-gaussian,ex-gaussian"), "each model once"),
        (("--observers", "zz"), "some of ag, km"),
        (("--where", "set_size=5"), "--where"),
        (("--columns", "rt=RTT"), "did you mean rt?"),
        (("--paths", "10"), "--paths"),
        (("--vary", "lapse=set_size", "--models", "ex-gaussian"), "a model of search"),
        (("--vary", "nothing", "--models", "ideal-serial"), "a column of the file"),
        (("--group", "nothing", "--models", "ideal-serial"), "a column of the file"),
        (("--slowest", "0.1"), "--slowest"),
    ],
)
def test_bad_options(args, words, data, tmp_path):
    assert words in refusal("fit", data, "--out", tmp_path / "out", *args)
    assert not (tmp_path / "out").exists()
