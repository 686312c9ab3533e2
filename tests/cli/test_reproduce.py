"""``popout reproduce``: what it prints, and its exit codes."""

import json

import pytest
from click.testing import CliRunner

from popout.cli import group

NAME = "search-designs"


@pytest.fixture
def run():
    return lambda *args: CliRunner().invoke(group.main, ["reproduce", *map(str, args)])


def test_json_names_the_files(run, tmp_path):
    result = run(NAME, "--out", tmp_path, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    (figure,) = found["figures"]
    assert figure["name"] == NAME
    assert figure["paper_label"] == "Figure 1"
    named = {figure["data"], *figure["pictures"]}
    assert named == {str(tmp_path / f"{NAME}.{kind}") for kind in ("nc", "png", "svg")}
    assert all((tmp_path / name).exists() for name in named)
    assert found["claims"] == []
    assert "evidence-lossless" in found["not_examined"]
    assert found["report"] == str(tmp_path / "report.html")
    assert (tmp_path / "report.html").exists()


def test_a_table_brings_its_claims(run, tmp_path):
    result = run("lossless", "--out", tmp_path, "--json")
    found = json.loads(result.stdout)
    assert [one["name"] for one in found["tables"]] == ["lossless"]
    (claim,) = found["claims"]
    assert claim["name"] == "evidence-lossless"
    assert claim["verdict"] in ("holds", "holds in part", "does not hold", "undecided")
    assert found["claims"] == json.loads((tmp_path / "claims.json").read_text())["claims"]
    shown = run("lossless", "--out", tmp_path).stdout
    assert "evidence-lossless" in shown
    assert claim["verdict"] in shown
    assert max(len(line) for line in shown.splitlines() if str(tmp_path) not in line) <= 80


def test_table_says_where_data_came_from(run, tmp_path, monkeypatch):
    monkeypatch.setattr("popout.reports.part.picture", lambda figure, kind: kind.encode())
    assert "computed" in run(NAME, "--out", tmp_path).stdout
    assert "kept" in run(NAME, "--out", tmp_path).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fig-9",), "expected one of search-designs"),
        (("--preset", "slow"), "'slow' is not one of"),
        (("--seed", "-1"), "expected an integer from 0 to"),
    ],
)
def test_bad_input_exits_with_2_and_writes_nothing(run, tmp_path, arguments, message):
    result = run(*arguments, "--out", tmp_path / "new")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_made_exits_with_2(run, tmp_path):
    (tmp_path / "file").write_text("in the way")
    result = run(NAME, "--out", tmp_path / "file" / "results")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: out: expected a folder that takes files")
    assert result.stderr.count("\n") == 1
