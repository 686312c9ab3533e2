"""The runner: computes once, reads back what is whole, and tells how far it is."""

import pytest

from popout.report import store
from popout.report.runner import run_parts


@pytest.fixture
def run(cheap, tmp_path):
    def make(seed=1, factor=5.0, progress=None):
        parameters = {"factor": factor}
        return list(
            run_parts(
                cheap, (factor,), tmp_path, parameters=parameters, seed=seed, progress=progress
            )
        )

    return make


def test_each_part_is_computed_stored_and_drawn(run, cheap, tmp_path):
    picture, numbers = run()
    kinds = ("nc", "json", "png", "svg")
    assert {path.name for path in tmp_path.iterdir()} == {
        *(f"with-picture.{kind}" for kind in kinds),
        *(f"of-numbers.{kind}" for kind in kinds[:2]),
    }
    assert picture.data["x"].to_numpy().tolist() == [5.0, 2.0]
    assert [path.read_bytes() for path in picture.pictures] == [b"<png>", b"<svg>"]
    assert numbers.pictures == ()
    assert [one.origin for one in (picture, numbers)] == ["computed"] * 2
    assert picture.part is cheap[0]


def test_what_is_there_is_read_back_and_drawn_again(run, cheap, tmp_path):
    run()
    (tmp_path / "with-picture.svg").unlink()
    again = run()
    assert [one.origin for one in again] == ["kept"] * 2
    assert cheap[0].module.computed == [5.0]
    assert (tmp_path / "with-picture.svg").exists()


@pytest.mark.parametrize("other", [{"seed": 2}, {"factor": 6.0}])
def test_other_inputs_are_computed_again(run, other):
    before = run()
    after = run(**other)
    assert not any(one.from_store for one in after)
    assert all(a.key != b.key for a, b in zip(before, after, strict=True))


def test_other_code_is_computed_again(run, monkeypatch):
    run()
    edited = {"cheap_parts.of_numbers": "edited"}
    monkeypatch.setattr(store, "source_hash", lambda path: edited.get(path, f"code of {path}"))
    assert [one.from_store for one in run()] == [True, False]


def test_data_of_other_libraries_are_kept_with_a_note(run, monkeypatch):
    run()
    now = store.library_versions()
    monkeypatch.setattr(store, "library_versions", lambda: {**now, "numpy": "99.0"})
    for one in run():
        assert one.from_store
        assert one.origin == f"kept, by numpy {now['numpy']}"
        assert one.as_dict()["other_versions"] == f"numpy {now['numpy']}"


def test_progress_is_the_share_of_the_whole_by_effort(run):
    told = []
    run(progress=lambda share, words: told.append((share, words)))
    assert told == [
        (0.0, "with-picture"),
        (0.375, "with-picture, half"),
        (0.75, "with-picture, drawing"),
        (0.75, "of-numbers"),
        (0.875, "of-numbers, half"),
    ]


def test_results_come_one_by_one(cheap, tmp_path):
    results = run_parts(cheap, (1.0,), tmp_path, parameters={}, seed=1)
    next(results)
    assert cheap[0].module.computed == [1.0]
    assert cheap[1].module.computed == []


def test_a_result_as_plain_values(run, tmp_path):
    picture, _ = run()
    found = picture.as_dict()
    assert found["data"] == str(tmp_path / "with-picture.nc")
    assert found["pictures"] == [str(tmp_path / f"with-picture.{kind}") for kind in ("png", "svg")]
    assert (found["name"], found["paper_label"]) == ("with-picture", "fig-x")
    assert found["from_store"] is False
