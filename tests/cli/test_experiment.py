"""``popout experiment check``: the documented keys, and the picture."""

from pathlib import Path

import pytest
from command_line import refusal, run_json

DESIGN = Path(__file__).parents[2] / "examples" / "experiments" / "visibility.toml"


def test_check_has_the_documented_keys(tmp_path, monkeypatch):
    monkeypatch.setenv("POPOUT_CACHE", str(tmp_path))
    options = ("--trials", "4000", "--rivals", "known", "--out", tmp_path)
    result = run_json("experiment", "check", DESIGN, *options)
    assert {"trials", "expected_se", "minutes", "conditions", "recovery", "rivals"} <= set(result)
    assert len(result["rivals"]["against"]) == 4
    assert result["trials"] == 400
    assert Path(result["displays"]).is_file()


@pytest.mark.parametrize(
    ("args", "meant"),
    [(("chekc", DESIGN), "check"), (("check", DESIGN, "--rivals", "fre"), "free")],
)
def test_a_slip_gets_a_suggestion(args, meant):
    assert f"did you mean {meant}?" in refusal("experiment", *args)
