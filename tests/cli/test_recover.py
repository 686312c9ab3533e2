"""``popout recover``: parameters and confusion, in text and JSON."""

import pytest
from command_line import refusal, run, run_json

from popout.people.fitting import maximum_likelihood as fit

ARGS = ("recover", "--set-sizes", "4", "--trials-per-cell", "50", "--models", "ideal-parallel",
        "--people", "2", "--paths", "1000")  # fmt: skip


@pytest.fixture(autouse=True)
def short(monkeypatch, tmp_path):
    """Let the fits be as bad as they like."""
    monkeypatch.setenv("POPOUT_CACHE", str(tmp_path))
    short = {"_TRIED": 10, "_ANYWHERE": 10, "_SHAKES": (), "_ROUNDS": 2}
    short |= {"_STAGES": ((1000, 2),)}
    for name, value in (short | {"_PROFILE_ROUNDS": 1, "_BETTER": float("inf")}).items():
        monkeypatch.setattr(fit, name, value)


def test_parameters_and_confusion():
    result = run_json(*ARGS, "--values", "time_cost=0.05")
    assert result["observers"] == 2
    assert result["confusion"] == {"ideal-parallel": {"ideal-parallel": 2}}
    true = {row["parameter"]: row["median_true"] for row in result["parameters"]}
    assert true["time_cost"] == 0.05
    shown = run(*ARGS).stdout
    assert all(words in shown for words in ("information", "Best model by AIC", "model by BIC"))


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--values", "time_cost=x"), "a number for time_cost"),
        (("--values", "time=1"), "time_cost"),
        (("--models", "ideal"), "a model such as"),
        (("--set-sizes", "0"), "--set-sizes"),
    ],
)
def test_bad_options(args, words):
    assert words in refusal(*ARGS, *args)
