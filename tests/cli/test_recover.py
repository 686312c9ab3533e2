import json

import pytest
from click.testing import CliRunner

from popout.cli import group
from popout.people.fitting import maximum_likelihood as fit

ARGS = ["recover", "--set-sizes", "4", "--trials-per-cell", "50", "--models", "ideal-parallel"]
FEW = ["--people", "2", "--paths", "1000"]


@pytest.fixture(autouse=True)
def short(monkeypatch, tmp_path):
    """Let the fits be as bad as they like."""
    monkeypatch.setenv("POPOUT_CACHE", str(tmp_path))
    for name in ("_TRIED", "_ANYWHERE", "_SHORT", "_LONG"):
        monkeypatch.setattr(fit, name, 30)


def test_parameters_and_confusion():
    result = CliRunner().invoke(group.main, [*ARGS, *FEW, "--values", "time_cost=0.05", "--json"])
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["observers"] == 2
    assert found["confusion"] == {"ideal-parallel": {"ideal-parallel": 2}}
    true = {row["parameter"]: row["median_true"] for row in found["parameters"]}
    assert true["time_cost"] == 0.05


def test_the_cards_show_both():
    result = CliRunner().invoke(group.main, [*ARGS, "--people", "1", "--paths", "1000"])
    assert result.exit_code == 0, result.stderr
    assert "information" in result.stdout
    assert "drawn from" in result.stdout
    assert "Best model by AIC" in result.stdout
    assert "Best model by BIC" in result.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--values", "time_cost=x"], "a number for time_cost"),
        (["--values", "time=1"], "time_cost"),
        (["--models", "ideal"], "a model such as"),
        (["--set-sizes", "0"], "--set-sizes"),
    ],
)
def test_bad_options(args, words):
    result = CliRunner().invoke(group.main, [*ARGS, *FEW, *args])
    assert result.exit_code == 2
    assert words in result.stderr
