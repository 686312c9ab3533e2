"""``popout predict``: its contract, and what it refuses."""

import pytest
from command_line import refusal, run, run_json
from malformed_trials import good
from stored_fits import known_fit, write_fits

QUICK = ("--draws", "20", "--threads", "1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("POPOUT_CACHE", str(tmp_path / "cache"))
    fits = {name: known_fit(sizes=(3, 6)) for name in ("ag", "km")}
    return write_fits(tmp_path / "fit", fits, paths=1000)


def test_the_documented_keys(folder, tmp_path):
    result = run_json("predict", folder, "--set", "prior=0.2,0.4", "--set", "set_size=3", *QUICK)
    assert result["inputs"]["set"] == {"prior": [0.2, 0.4], "set_size": [3]}
    assert [row["observer"] for row in result["observers"]] == ["ag", "km"]
    for row in result["observers"]:
        assert row["model"] == "ideal-parallel"
        cells = {(c["prior"], c["set_size"], c["target"]): c for c in row["cells"]}
        assert set(cells) == {(p, 3, kind) for p in (0.2, 0.4) for kind in ("absent", "present")}
        for cell in row["cells"]:
            for name in ("mean_rt", "error_rate"):
                low, high = cell[f"{name}_interval"]
                assert low < cell[name] < high
            assert cell["deadline"] is None
        assert row["log_score"] is None
    shown = run("predict", folder, "--set", "prior=0.2,miss=2", "--out", tmp_path / "out", *QUICK)
    assert "prior 0.2, miss 2" in " ".join(shown.stdout.split())
    assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "another experiment"),
        (("--set", "piror=0.2"), "did you mean prior?"),
        (("--set", "prior=0.2", "--set", "prior=0.3"), "each name once"),
        (("--set", "prior=0.2", "--pay", "1/2"), "expected --against DATA with --pay"),
        (("--set", "prior=0.2", "--models", "free-serial"), "did you mean ideal-serial?"),
        (("--set", "deadline=0.1"), "--set deadline: expected seconds above 0.15"),
        (("--set", "prior=2"), "--set prior: expected a probability above 0 and below 1, got 2;"),
        (("--set", "prior=0,.5,1"), "below 1, got 1; search needs"),
        (("--set", "dynamic=-0.5"), "--set dynamic: expected seconds above 0, got -0.5;"),
        (("--set", "miss=0"), "--set miss: expected a positive number, got 0;"),
        (("--set", "piror=2"), "deadline, dynamic, got 'piror'; did you mean prior?"),
        (("--against", "data.csv", "--set", "set_size=3"), "set sizes of the data"),
        (("--against", "data.csv", "--observers", "zz"), "some of ag, km"),
    ],
)
def test_what_is_refused(folder, tmp_path, monkeypatch, args, words):
    monkeypatch.chdir(tmp_path)
    good().to_csv("data.csv", index=False)
    assert words in refusal("predict", folder, *args)
    fits = {path: path.read_bytes() for path in folder.rglob("*.json")}
    (tmp_path / "link").symlink_to(folder)
    for out in (folder, tmp_path / "link", f"{folder}/../{folder.name}"):
        said = refusal("predict", folder, "--set", "prior=0.2", "--out", out)
        assert "--out: expected another folder than that of the fits" in said
    assert {path: path.read_bytes() for path in folder.rglob("*.json")} == fits
    assert "popout fit DATA" in refusal("predict", ".", "--set", "prior=0.2")


def test_an_observer_that_fails_is_said(folder, monkeypatch):
    from popout.people.prediction import predict_observers as module

    def fails(job, progress=None):
        raise ArithmeticError("no way")

    monkeypatch.setattr(module.PredictJob, "run", fails)
    done = run("predict", folder, "--set", "prior=0.2", *QUICK)
    assert done.exit_code == 1
    assert "ag: ArithmeticError: no way" in done.stderr
