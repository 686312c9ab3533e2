"""Every example task end to end; stored data are trusted only if whole; one seed, one result."""

import json
import pathlib
import re
from dataclasses import replace

import numpy as np
import pytest

from popout.drawing.style import picture
from popout.reports import part
from popout.reports.analyse import SECTIONS, analyse, read_task_and_costs
from popout.task import Costs, InputError, MixtureSearchTask, SearchTask, load_costs, load_task

from .conftest import EXAMPLES

NAMES = [part.name for part in SECTIONS]
TASK, COSTS = SearchTask(n_locations=1, drift=4.0), Costs(time=0.5)  # nothing to tune: quick


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_gives_a_whole_report(path, tiny, tmp_path, monkeypatch):
    monkeypatch.setattr("popout.reports.odds_paths.DEADLINES", 3)
    told = []
    found = analyse(
        load_task(path),
        load_costs(path),
        tmp_path,
        name=path.stem,
        preset=tiny,
        progress=lambda share, words: told.append((share, words.split(",")[0])),
    )
    wanted = {f"{name}.{kind}" for name in NAMES for kind in ("nc", "json", "png", "svg")}
    assert set(files(tmp_path)) == wanted | {"report.html", "report.json"}
    html = (tmp_path / "report.html").read_text()
    assert all(f'id="figure-{name}"' in html for name in NAMES)
    assert html.count("data:image/") == len(NAMES)
    assert not re.search(r"""(src|href)=["']?https?:""", html)
    assert ">nan<" not in html
    rows = found.numbers["strategies"]
    assert len(rows) >= 3
    assert all(0 <= row["risk"] <= found.numbers["guess_risk"] + 0.2 for row in rows)
    assert all(row["undecided"] == 0 for row in rows)
    assert found.numbers["solved"] is not bool(found.numbers["why_not_solved"])
    shares = [share for share, _ in told]
    assert list(dict.fromkeys(section for _, section in told)) == NAMES
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] == 1


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    "task",
    [
        SearchTask(n_locations=1, drift=4.0, prior=0.005),
        SearchTask(n_locations=3, drift=4.0, prior=0.995, location_prior=(0, 1, 0)),
        MixtureSearchTask.independent(2, [0], [0, 90], {0: 4, 90: 4}),  # nothing to tell apart
    ],
)
def test_tasks_in_which_looking_does_not_pay_are_reported(task, tiny, tmp_path):
    found = analyse(task, Costs(time=0.5), tmp_path, preset=tiny)
    rows = found.numbers["strategies"]
    assert rows[0]["risk"] == pytest.approx(found.numbers["guess_risk"], rel=1e-3)
    html = (tmp_path / "report.html").read_text()
    assert "Looking does not pay" in html
    assert not re.search(r"\bunknown s\b| nan\b", html)


def test_two_locations_with_pictures(tiny, tmp_path, monkeypatch):
    # Every figure is drawn once, as a raster picture.
    drawn = {"png": picture, "svg": lambda figure, kind: b"<svg></svg>"}
    monkeypatch.setattr(part, "picture", lambda figure, kind: drawn[kind](figure, kind))
    effort = replace(tiny, cost_factors=(1.0, 2.0))
    found = analyse(SearchTask(n_locations=2, drift=4.0), COSTS, tmp_path, preset=effort)
    for name in NAMES:
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    html = (tmp_path / "report.html").read_text()
    places = [html.index(f'id="figure-{name}"') for name in NAMES]
    assert places == sorted(places)
    assert found.numbers["solved"]
    data = found.sections["strategies"]
    assert (data["excess"] >= -1e-12).all()  # no strategy beats the optimum
    assert float(data["excess"].sel(strategy="fixed time")) > 0.1 * found.numbers["optimal_risk"]
    cost = found.sections["cost"]["risk"].sel(strategy="optimal")
    assert float(cost[0]) == pytest.approx(found.numbers["optimal_risk"], rel=1e-9)
    assert float(cost[0]) < float(cost[1]) < 2 * float(cost[0])  # concave in the cost of time
    boundary = found.sections["boundary"]["boundary"]
    assert np.isfinite(boundary.sel(strategy="optimal")).all()


@pytest.mark.usefixtures("undrawn")
def test_one_seed_one_result_and_killed_runs_continue(tiny, tmp_path, monkeypatch):
    one, two, cut = (tmp_path / name for name in ("one", "two", "cut"))
    first = analyse(TASK, COSTS, one, preset=tiny, seed=4)
    analyse(TASK, COSTS, two, preset=tiny, seed=5)
    kept = {name for name in files(one) if name.endswith(".nc")}
    assert files(one)["strategies.nc"] != files(two)["strategies.nc"]
    real, interrupts = pathlib.Path.replace, 0
    for number in (3, 9, 15, 21):  # each run gets a few files further than the one before
        calls = []

        def interrupted(self, target, calls=calls, number=number):
            calls.append(target)
            if len(calls) == number:
                raise KeyboardInterrupt
            return real(self, target)

        with monkeypatch.context() as patch:
            patch.setattr(pathlib.Path, "replace", interrupted)
            try:
                analyse(TASK, COSTS, cut, preset=tiny, seed=4)
            except KeyboardInterrupt:
                interrupts += 1
    again = analyse(TASK, COSTS, cut, preset=tiny, seed=4)
    assert interrupts >= 3
    assert again.computed == ()
    assert {name: files(cut)[name] for name in kept} == {name: files(one)[name] for name in kept}
    numbers = [json.loads((folder / "report.json").read_text())["numbers"] for folder in (one, cut)]
    assert json.dumps(numbers[0]) == json.dumps(numbers[1])
    assert first.numbers == again.numbers


@pytest.mark.usefixtures("undrawn")
def test_damaged_data_are_computed_again(tiny, tmp_path):
    analyse(TASK, COSTS, tmp_path, preset=tiny)
    whole = files(tmp_path)
    (tmp_path / "displays.nc").write_bytes(whole["displays.nc"][:-1])
    (tmp_path / "evidence.json").write_bytes(b"{}")
    found = analyse(TASK, COSTS, tmp_path, preset=tiny)
    assert found.computed == ("displays", "evidence")
    assert files(tmp_path)["displays.nc"] == whole["displays.nc"]


@pytest.mark.usefixtures("undrawn")
def test_an_analysis_shows_its_strategies_and_is_plain_data(tiny, tmp_path):
    found = analyse(TASK, COSTS, tmp_path, name="mine", preset=tiny)
    shown = str(found)
    assert shown.startswith("mine: strategies on common trials")
    assert found.report in shown
    plain = found.as_dict()
    assert plain["report"] == found.report
    assert all(row["label"] in shown for row in plain["strategies"])
    assert "optimal risks" in repr(found)


@pytest.mark.usefixtures("undrawn")
def test_a_hostile_name_is_escaped(tiny, tmp_path):
    name = "<script>alert(1)</script>"
    analyse(TASK, COSTS, tmp_path, name=name, preset=tiny)
    html = (tmp_path / "report.html").read_text()
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_bad_arguments_write_nothing(tmp_path):
    with pytest.raises(InputError) as caught:
        analyse("task", 0.2, tmp_path / "new", seed=-1)
    assert len(caught.value.lines) == 3
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("undrawn")
def test_milliseconds_for_seconds_are_named_wherever_the_result_is_shown(tiny, tmp_path):
    task = SearchTask(n_locations=1, drift=4.0, dt=10.0)
    found = analyse(task, Costs(time=0.2), tmp_path, preset=tiny)
    words = "One look of 10 s costs 2, and answering at once risks only 0.5; dt is in seconds"
    (note,) = found.as_dict()["notes"]
    assert words in note
    assert words in str(found)
    assert (tmp_path / "report.html").read_text().count(words) >= 2  # summary and section


@pytest.fixture
def task_file(tmp_path):
    def write(text):
        path = tmp_path / "task.toml"
        path.write_text(f'kind = "search"\nn_locations = 2\ndrift = 4.0\n{text}')
        return path

    return write


def test_given_costs_replace_those_of_the_file(task_file):
    path = task_file("[costs]\ntime = 0.2\nmiss = 3.0\nfalse_alarm = 0.5\n")
    assert read_task_and_costs(path)[1] == Costs(time=0.2, miss=3.0, false_alarm=0.5)
    found = read_task_and_costs(path, time=(0.1, 0.4), false_alarm=2.0)[1]
    assert found == Costs(time=(0.1, 0.4), miss=3.0, false_alarm=2.0)


def test_a_file_may_leave_out_what_is_given_and_nothing_else(task_file):
    assert read_task_and_costs(task_file("[costs]\nmiss = 3.0\n"), time=(0.3,))[1] == Costs(
        0.3, miss=3.0
    )
    with pytest.raises(InputError, match=r"task.toml:5: Costs.mis: .* did you mean miss"):
        read_task_and_costs(task_file("[costs]\nmis = 3.0\n"), time=(0.3,))
    with pytest.raises(InputError, match="expected a table, got 3"):
        read_task_and_costs(task_file("costs = 3\n"), time=(0.3,))


def test_a_file_without_costs_needs_them(task_file):
    with pytest.raises(InputError, match=r"costs.time: expected a cost of time .* --time-cost"):
        read_task_and_costs(task_file(""), miss=2.0)
    assert read_task_and_costs(task_file(""), time=(0.3,))[1] == Costs(time=0.3)


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (SearchTask(drift=(8.0, 3.0)), "drifts ±8 and ±3 per second"),
        (SearchTask(n_locations=2, drift=4.0, location_prior=(0.25, 0.75)), "0.25 and 0.75"),
        (MixtureSearchTask.tied(2, [0], [30, 60], {0: 4, 30: 1, 60: -1}), "one of 2 mixtures"),
    ],
)
def test_the_words_name_what_matters(task, words):
    assert words in " ".join(task.describe())
