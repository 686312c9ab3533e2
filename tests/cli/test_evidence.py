"""``popout evidence``: a thin layer over `popout.reliability`."""

import pytest
from command_line import refusal, run, run_json

import popout as po

TASK = po.SearchTask(n_locations=3, drift=4.0, prior=0.4)
QUICK = ("--trials", "200", "--seconds", "0.1", "--seed", "7")


@pytest.fixture
def task_file(tmp_path):
    path = tmp_path / "task.toml"
    po.save_task(TASK, path)
    return path


def test_text_and_json_are_what_the_library_finds(task_file):
    result = run_json("evidence", task_file, *QUICK)
    expected = po.reliability(TASK, 200, 0.1, 7)
    assert result["over_time"] == expected.over_time.to_dict("records")
    assert result["calibration"] == expected.calibration.to_dict("records")
    assert (result["trials"], result["seconds"], result["seed"]) == (200, 0.1, 7)
    text = run("evidence", task_file, *QUICK).stdout
    assert str(expected) in text


def test_a_scene_shows_the_bias_of_the_paper(tmp_path):
    drift = {20: -4, 0: 4, "blank": -12}
    scene = po.SceneSearchTask.from_sets(7, [0], [20], [1, 3], drift)
    path = tmp_path / "scene.toml"
    po.save_task(scene, path)
    bias = po.scene_complexity_bias(scene, 200, 0.1, 7)
    expected = {"value": bias.present.value, "se": bias.present.se}
    assert run_json("evidence", path, *QUICK)["scene_bias"]["present"] == expected
    assert str(bias) in run("evidence", path, *QUICK).stdout


def test_every_fault_of_a_file_or_a_line_is_named(task_file, tmp_path):
    assert "none.toml" in refusal("evidence", tmp_path / "none.toml")
    said = refusal("evidence", task_file, "--trials", "0", "--seconds", "-1")
    assert "--trials: expected" in said
    assert "--seconds: expected" in said
