"""Parts: chosen by name; computed once, read back if whole, and told how far they are."""

from dataclasses import replace

import pytest

from popout.reports import store
from popout.reports.part import chosen_parts, preset_of, run_parts
from popout.task import Faults, InputError


def test_chosen_parts_keep_their_order(cheap):
    assert chosen_parts(cheap, ()) == cheap
    assert chosen_parts(cheap, ("of-numbers", "with-picture")) == cheap
    with pytest.raises(InputError, match=r"figure: .*got 'of-number'.*of-numbers\?"):
        chosen_parts(cheap, ("of-number",), "figure")


def test_an_unknown_preset_is_named_together_with_other_faults():
    faults = Faults("")
    faults.integer("trials", 2.5, "ask for whole trials")
    with pytest.raises(InputError) as caught:
        preset_of("slow", {"quick": 1, "paper": 2}, faults)
    text = "\n".join(caught.value.lines)
    assert "preset: expected one of quick, paper, got 'slow'" in text
    assert "trials" in text


@pytest.fixture
def run(cheap, tmp_path):
    def make(seed=1, factor=5.0, progress=None, parts=cheap):
        parameters = {"factor": factor}
        return list(
            run_parts(
                parts,
                lambda compute, reports: compute(factor, reports),
                tmp_path,
                parameters=parameters,
                seed=seed,
                progress=progress,
            )
        )

    return make


def test_each_part_is_computed_stored_and_drawn(run, tmp_path):
    picture, numbers = run()
    kinds = ("nc", "json", "png", "svg")
    assert {path.name for path in tmp_path.iterdir()} == {
        *(f"with-picture.{kind}" for kind in kinds),
        *(f"of-numbers.{kind}" for kind in kinds[:2]),
    }
    assert picture.data["x"].to_numpy().tolist() == [5.0, 2.0]
    assert [path.read_bytes() for path in picture.pictures] == [b"png", b"svg"]
    assert numbers.pictures == ()
    assert [result.origin for result in (picture, numbers)] == ["computed"] * 2
    plain = picture.as_dict()
    assert (plain["name"], plain["paper_label"], plain["from_store"]) == (
        "with-picture",
        "fig-x",
        False,
    )
    assert plain["data"] == str(tmp_path / "with-picture.nc")
    assert plain["pictures"] == [str(path) for path in picture.pictures]


def test_what_is_there_is_read_back_and_drawn_again(run, computed, tmp_path):
    run()
    (tmp_path / "with-picture.svg").unlink()
    again = run()
    assert [result.origin for result in again] == ["kept"] * 2
    assert computed == [5.0, 5.0]
    assert (tmp_path / "with-picture.svg").exists()


@pytest.mark.parametrize("other", [{"seed": 2}, {"factor": 6.0}])
def test_other_inputs_are_computed_again(run, other):
    before = run()
    after = run(**other)
    assert not any(result.from_store for result in after)
    assert all(a.key != b.key for a, b in zip(before, after, strict=True))


def test_another_version_is_computed_again(run, cheap, monkeypatch):
    run()
    newer = (cheap[0], replace(cheap[1], version=2))
    assert [result.from_store for result in run(parts=newer)] == [True, False]
    monkeypatch.setattr(store, "__version__", "99.0")
    assert [result.from_store for result in run(parts=newer)] == [False, False]


def test_data_of_other_libraries_are_kept_with_a_note(run, monkeypatch):
    run()
    now = store.library_versions()
    monkeypatch.setattr(store, "library_versions", lambda: {**now, "numpy": "99.0"})
    for result in run():
        assert result.from_store
        assert result.origin == f"kept, by numpy {now['numpy']}"
        assert result.as_dict()["other_versions"] == f"numpy {now['numpy']}"


def test_progress_is_the_share_of_the_whole_by_effort(run):
    reports = []
    run(progress=lambda share, words: reports.append((share, words)))
    assert reports == [
        (0.0, "with-picture"),
        (0.375, "with-picture, half"),
        (0.75, "with-picture, drawing"),
        (0.75, "of-numbers"),
        (0.875, "of-numbers, half"),
    ]


def test_results_come_one_by_one(cheap, computed, tmp_path):
    call = lambda compute, reports: compute(1.0, reports)  # noqa: E731
    results = run_parts(cheap, call, tmp_path, parameters={}, seed=1)
    next(results)
    assert computed == [1.0]
