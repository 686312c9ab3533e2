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
    reports = []
    analysis = analyse(
        load_task(path),
        load_costs(path),
        tmp_path,
        name=path.stem,
        preset=tiny,
        progress=lambda share, words: reports.append((share, words.split(",")[0])),
    )
    wanted = {f"{name}.{kind}" for name in NAMES for kind in ("nc", "json", "png", "svg")}
    assert set(files(tmp_path)) == wanted | {"report.html", "report.json"}
    html = (tmp_path / "report.html").read_text()
    assert all(f'id="figure-{name}"' in html for name in NAMES)
    assert html.count("data:image/") == len(NAMES)
    assert not re.search(r"""(src|href)=["']?https?:""", html)
    assert ">nan<" not in html
    rows = analysis.numbers["strategies"]
    assert len(rows) >= 3
    assert all(0 <= row["risk"] <= analysis.numbers["guess_risk"] + 0.2 for row in rows)
    assert all(row["undecided"] == 0 for row in rows)
    assert analysis.numbers["solved"] is not bool(analysis.numbers["why_not_solved"])
    shares = [share for share, _ in reports]
    assert list(dict.fromkeys(section for _, section in reports)) == NAMES
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
    analysis = analyse(task, Costs(time=0.5), tmp_path, preset=tiny)
    rows = analysis.numbers["strategies"]
    assert rows[0]["risk"] == pytest.approx(analysis.numbers["guess_risk"], rel=1e-3)
    html = (tmp_path / "report.html").read_text()
    assert "Looking does not pay" in html
    assert not re.search(r"\bunknown s\b| nan\b", html)


def test_two_locations_with_pictures(tiny, tmp_path, monkeypatch):
    # Every figure is drawn once, as a raster picture.
    drawn = {"png": picture, "svg": lambda figure, kind: b"<svg></svg>"}
    monkeypatch.setattr(part, "picture", lambda figure, kind: drawn[kind](figure, kind))
    effort = replace(tiny, cost_factors=(1.0, 2.0))
    analysis = analyse(SearchTask(n_locations=2, drift=4.0), COSTS, tmp_path, preset=effort)
    for name in NAMES:
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    html = (tmp_path / "report.html").read_text()
    places = [html.index(f'id="figure-{name}"') for name in NAMES]
    assert places == sorted(places)
    assert analysis.numbers["solved"]
    data = analysis.sections["strategies"]
    assert (data["excess"] >= -1e-12).all()  # no strategy beats the optimum
    assert float(data["excess"].sel(strategy="fixed time")) > 0.1 * analysis.numbers["optimal_risk"]
    cost = analysis.sections["cost"]["risk"].sel(strategy="optimal")
    assert float(cost[0]) == pytest.approx(analysis.numbers["optimal_risk"], rel=1e-9)
    assert float(cost[0]) < float(cost[1]) < 2 * float(cost[0])  # concave in the cost of time
    boundary = analysis.sections["boundary"]["boundary"]
    assert np.isfinite(boundary.sel(strategy="optimal")).all()


@pytest.mark.usefixtures("undrawn")
def test_one_seed_one_result_and_killed_runs_continue(tiny, tmp_path, monkeypatch):
    whole, other, cut = (tmp_path / name for name in ("whole", "other", "cut"))
    first = analyse(TASK, COSTS, whole, preset=tiny, seed=4)
    analyse(TASK, COSTS, other, preset=tiny, seed=5)
    kept = {name for name in files(whole) if name.endswith(".nc")}
    assert files(whole)["strategies.nc"] != files(other)["strategies.nc"]
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
    assert {name: files(cut)[name] for name in kept} == {name: files(whole)[name] for name in kept}
    numbers = [
        json.loads((folder / "report.json").read_text())["numbers"] for folder in (whole, cut)
    ]
    assert json.dumps(numbers[0]) == json.dumps(numbers[1])
    assert first.numbers == again.numbers


def test_bad_arguments_write_nothing(tmp_path):
    with pytest.raises(InputError) as caught:
        analyse("task", 0.2, tmp_path / "new", seed=-1)
    assert len(caught.value.lines) == 3
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("undrawn")
def test_milliseconds_for_seconds_are_named_wherever_the_result_is_shown(tiny, tmp_path):
    task = SearchTask(n_locations=1, drift=4.0, dt=10.0)
    analysis = analyse(task, Costs(time=0.2), tmp_path, name="mine", preset=tiny)
    words = "One look of 10 s costs 2, and answering at once risks only 0.5; dt is in seconds"
    plain, shown = analysis.as_dict(), str(analysis)
    assert shown.startswith("mine: strategies on common trials")
    assert all(row["label"] in shown for row in plain["strategies"])
    assert analysis.report == plain["report"]
    assert analysis.report in shown
    assert words in plain["notes"][0]
    assert words in shown
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
    given = read_task_and_costs(path, time=(0.1, 0.4), false_alarm=2.0)[1]
    assert given == Costs(time=(0.1, 0.4), miss=3.0, false_alarm=2.0)
    # The file may leave out what is given.
    for text, miss in (("[costs]\nmiss = 3.0\n", 3.0), ("", 1.0)):
        assert read_task_and_costs(task_file(text), time=(0.3,))[1] == Costs(0.3, miss=miss)


@pytest.mark.parametrize(
    ("text", "given", "words"),
    [
        ("[costs]\nmis = 3.0\n", {"time": (0.3,)}, r"task.toml:5: Costs.mis: .* did you mean miss"),
        ("costs = 3\n", {"time": (0.3,)}, "expected a table, got 3"),
        ("", {"miss": 2.0}, r"costs.time: expected a cost of time .* --time-cost"),
    ],
)
def test_faults_of_costs_are_told(task_file, text, given, words):
    with pytest.raises(InputError, match=words):
        read_task_and_costs(task_file(text), **given)
