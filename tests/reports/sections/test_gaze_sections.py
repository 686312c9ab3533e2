"""The report on a task with gazes: fixed fixations, free ones, answers that name the place."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import popout as po
from popout.drawing.style import picture
from popout.reports import part
from popout.reports.analyse import analyse
from popout.reports.sections import fixations, gaze_and_stopping, gaze_displays

from ..conftest import ROOT, TINY

SOLVED = replace(TINY, exact_unequal=3, cost_factors=(4.0,))


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    path = ROOT / "examples" / "tasks" / "gaze.toml"
    with pytest.MonkeyPatch.context() as patch:
        # Every figure is drawn once, as a vector picture.
        drawn = {"svg": picture, "png": lambda figure, kind: b""}
        patch.setattr(part, "picture", lambda figure, kind: drawn[kind](figure, kind))
        folder = tmp_path_factory.mktemp("gaze")
        return analyse(po.load_task(path), po.load_costs(path), folder, name="mine", preset=SOLVED)


def test_it_has_its_sections_and_rules_against_the_optimum(solved):
    names = ["displays", "where-to-look", "strategies", "fixations", "cost", "response-times"]
    assert list(solved.sections) == names
    rows = {row["label"]: row for row in solved.numbers["strategies"]}
    assert list(rows) == ["optimal", "MAP", "ELM", "ideal searcher", "random", "stay at 2"]
    path = ROOT / "examples" / "tasks" / "gaze.toml"
    task, costs = po.load_task(path), po.load_costs(path)
    for label, policy in (("optimal", None), ("MAP", po.MAP), ("stay at 2", po.StayAt(1))):
        exact = po.solve(task, costs, 1e-3, attention=policy)
        row = rows[label]
        assert row["risk"] == pytest.approx(exact.risk, abs=row["risk_se"] + exact.risk_error)
    assert rows["random"]["excess"] > 4 * rows["random"]["excess_se"]
    html = Path(solved.report).read_text(encoding="utf-8")
    for words in ("Display and gaze", "Rules for gaze compared", "Fixations in a trial"):
        assert words in html
    assert " nan" not in html
    json.dumps(solved.as_dict(), allow_nan=False)


def test_the_plane_and_the_display_say_where_gaze_goes(solved):
    data = solved.sections["where-to-look"]
    assert list(data.attrs["plane"]) == [1, 2]
    waits = np.maximum(data["margin_absent"], data["margin_present"]).to_numpy() < 0
    taken = data["gaze_taken"].to_numpy()
    first, second = np.meshgrid(data["z1"], data["z2"], indexing="ij")
    assert (taken[waits & (first > second + 2)] == 1).all()
    assert (taken[waits & (second > first + 2)] == 2).all()
    assert "likes gaze 2 best" in gaze_and_stopping.describe(data)[1]
    assert "Never there: 3" in gaze_and_stopping.describe(data)[0]
    seen = solved.sections["displays"]
    assert np.allclose(seen["visibility"], np.exp(-seen["eccentricity"] / 0.8))
    assert "0.287 to 0.0821" in gaze_displays.describe(seen)[1]


def test_scanpaths_end_where_the_trial_does(solved):
    data = solved.sections["fixations"]
    number = np.isfinite(data["x"]).sum("fixation")
    assert np.allclose(data["rt"], 0.23 * number)
    probability = data["probability"].to_numpy()
    assert (np.isfinite(probability).sum(-1) == number).all()
    assert (probability[np.isfinite(probability)] >= 0).all()
    assert (probability[np.isfinite(probability)] <= 1).all()
    words = fixations.describe(data)
    more = data.assign(mean_fixations_absent=1 + data["mean_fixations_absent"])
    assert words != fixations.describe(more)
    (table,) = fixations.tables(data)
    assert [row[0] for row in table.rows] == data["strategy"].to_numpy().tolist()


@pytest.mark.usefixtures("undrawn")
def test_free_durations_and_named_places_are_reported(tmp_path):
    task = po.GazeTask(
        [(0, 0), (1, 0)], [(0, 0), (1, 0.5)], information=20.0, falloff=0.8, fixation="free",
        step=0.1, saccade=0.1, answer="place", start=1,
    )  # fmt: skip
    report = analyse(task, po.Costs(time=1.0), tmp_path, preset=replace(TINY, exact_unequal=1))
    assert not report.numbers["solved"]
    assert "solves up to 1" in report.numbers["why_not_solved"]
    rows = report.numbers["strategies"]
    assert rows[0]["risk"] == min(row["risk"] for row in rows)
    assert {"ELM for 0.2 s", "stay at 2 for 0.1 s"} <= {row["label"] for row in rows}
    assert "at place 2" in gaze_displays.describe(report.sections["displays"])[1]
    assert report.sections["fixations"]["mean_fixation_duration"].min() >= 0.1


def test_faults_of_the_arguments_are_told_together(tmp_path):
    with pytest.raises(po.InputError) as caught:
        analyse(
            po.load_task(ROOT / "examples" / "tasks" / "gaze.toml"), 0.2, tmp_path / "new", seed=-1
        )
    assert len(caught.value.lines) == 2
