"""``popout reproduce``: what it prints, and its exit codes."""

import json

import pytest
from command_line import refusal, run, run_json

NAME = "search-designs"


def test_json_names_the_files(tmp_path):
    result = run_json("reproduce", NAME, "--out", tmp_path)
    (figure,) = result["figures"]
    assert (figure["name"], figure["paper_label"]) == (NAME, "Figure 1")
    named = {figure["data"], *figure["pictures"]}
    assert named == {str(tmp_path / f"{NAME}.{kind}") for kind in ("nc", "png", "svg")}
    assert all((tmp_path / name).exists() for name in named)
    assert result["claims"] == []
    assert "evidence-lossless" in result["not_examined"]
    assert result["report"] == str(tmp_path / "report.html")
    assert (tmp_path / "report.html").exists()


def test_a_table_brings_its_claims(tmp_path):
    result = run_json("reproduce", "lossless", "--out", tmp_path)
    assert [table["name"] for table in result["tables"]] == ["lossless"]
    (claim,) = result["claims"]
    assert claim["name"] == "evidence-lossless"
    assert claim["verdict"] in ("holds", "holds in part", "does not hold", "undecided")
    assert result["claims"] == json.loads((tmp_path / "claims.json").read_text())["claims"]
    shown = run("reproduce", "lossless", "--out", tmp_path).stdout
    assert claim["verdict"] in shown
    assert max(len(line) for line in shown.splitlines() if str(tmp_path) not in line) <= 80


def test_table_says_where_data_came_from(tmp_path, monkeypatch):
    monkeypatch.setattr("popout.reports.part.picture", lambda figure, kind: kind.encode())
    assert "computed" in run("reproduce", NAME, "--out", tmp_path).stdout
    assert "kept" in run("reproduce", NAME, "--out", tmp_path).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fig-9",), "expected one of search-designs"),
        ((NAME, "--out", "/dev/null/results"), "out: expected a folder that takes files"),
    ],
)
def test_bad_input_writes_nothing(tmp_path, arguments, message):
    assert message in refusal("reproduce", "--out", tmp_path / "new", *arguments)
    assert not (tmp_path / "new").exists()
