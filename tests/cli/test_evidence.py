"""``popout evidence``: a thin layer over `popout.reliability`."""

import json

import pytest
from click.testing import CliRunner

import popout as po
from popout.cli import main

TASK = po.SearchTask(n_locations=3, drift=4.0, prior=0.4)
QUICK = ("--trials", "200", "--seconds", "0.1", "--seed", "7")


@pytest.fixture
def task_file(tmp_path):
    path = tmp_path / "task.toml"
    po.save_task(TASK, path)
    return str(path)


def test_json_is_what_the_library_finds(task_file):
    result = CliRunner().invoke(main, ["evidence", task_file, *QUICK, "--json"])
    assert result.exit_code == 0
    assert result.stderr == ""
    found = json.loads(result.stdout)
    expected = po.reliability(TASK, 200, 0.1, 7)
    assert found["over_time"] == expected.over_time.to_dict("records")
    assert found["calibration"] == expected.calibration.to_dict("records")
    assert (found["trials"], found["seconds"], found["seed"]) == (200, 0.1, 7)


def test_table_shows_accuracy_and_calibration(task_file):
    result = CliRunner().invoke(main, ["evidence", task_file, *QUICK])
    assert result.exit_code == 0
    accuracy = po.reliability(TASK, 200, 0.1, 7).over_time["accuracy"].iloc[-1]
    assert f"{accuracy:.4g}" in result.stdout
    assert "Calibration" in result.stdout


def test_a_scene_shows_the_bias_of_the_paper(tmp_path):
    drift = {20: -4, 0: 4, "blank": -12}
    scene = po.SceneSearchTask.from_sets(7, [0], [20], [1, 3], drift)
    path = tmp_path / "scene.toml"
    po.save_task(scene, path)
    bias = po.scene_complexity_bias(scene, 200, 0.1, 7)
    as_json = CliRunner().invoke(main, ["evidence", str(path), *QUICK, "--json"])
    assert json.loads(as_json.stdout)["scene_bias"]["present"] == {
        "value": bias.present.value,
        "se": bias.present.se,
    }
    table = CliRunner().invoke(main, ["evidence", str(path), *QUICK]).stdout
    assert f"{bias.by_count[1].value:.4g}" in table


def test_a_missing_file_is_bad_input(tmp_path):
    result = CliRunner().invoke(main, ["evidence", str(tmp_path / "none.toml")])
    assert result.exit_code == 2
    assert "none.toml" in result.stderr


def test_a_faulty_task_is_bad_input(tmp_path):
    path = tmp_path / "task.toml"
    path.write_text('kind = "search"\nn_locations = 0\ndrift = -4.0\n')
    result = CliRunner().invoke(main, ["evidence", str(path)])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "SearchTask.n_locations: expected" in result.stderr
    assert "SearchTask.drift: expected" in result.stderr


def test_faulty_numbers_are_bad_input(task_file):
    result = CliRunner().invoke(main, ["evidence", task_file, "--trials", "0", "--seconds", "-1"])
    assert result.exit_code == 2
    assert "--trials: expected" in result.stderr
    assert "seconds: expected" in result.stderr
