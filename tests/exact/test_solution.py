"""What a solution shows and returns: cards, dictionaries, lazily computed parts."""

import json

import pytest
from matplotlib.figure import Figure

import popout as po
from popout.drawing.plain import plain
from popout.exact.notes import mean_response_time

COSTS = po.Costs(time=0.2)


@pytest.fixture(scope="module")
def unequal():
    return po.solve(po.SearchTask(drift=(8.0, 3.0)), COSTS, rtol=1e-3)


def test_cards_show_value_and_error(unequal):
    found = po.evaluate(unequal.task, unequal.strategy, COSTS, rtol=1e-3)
    title, _, *rows = str(found).splitlines()
    assert float(title.split()[1]) == pytest.approx(found.risk, rel=1e-2)
    assert [row.split("  ")[1] for row in rows] == [
        "absent",
        "present",
        "present at Z1",
        "present at Z2",
    ]
    assert "+-" in title
    assert "±" in found._repr_html_()
    assert str(unequal).count("thresholds") == 2
    equal = po.solve(po.SearchTask(n_locations=2, drift=4.0), COSTS, rtol=1e-2)
    assert str(equal).count("thresholds") == 1
    assert "drift 8, 3 (1/s), dt = 0.01 s" in str(unequal)


@pytest.mark.parametrize(
    "task",
    [
        po.SearchTask(n_locations=2, drift=12.0),
        po.LimitedSearchTask(n_locations=2, information=300.0),
    ],
    ids=["rates", "shares"],
)
def test_showing_a_solution_computes_nothing(task):
    solution = po.solve(task, COSTS, rtol=1e-2)
    before = set(vars(solution))
    for shown in (repr(solution), str(solution), solution._repr_html_()):
        assert "risk" in shown
    assert set(vars(solution)) == before
    assert {"scales", "notes", "strategy"}.isdisjoint(before)


def test_the_scales_have_a_card_and_one_location_has_none(unequal):
    assert unequal.scales.plus.shown in str(unequal.scales)
    assert "a_plus" not in str(unequal)
    alone = po.solve(po.SearchTask(n_locations=1, drift=4.0), COSTS, rtol=1e-2)
    assert plain(alone.as_dict())["a_plus"] is None


def test_as_dict_has_what_is_promised_and_is_json(unequal):
    found = json.loads(json.dumps(plain(unequal.as_dict()), allow_nan=False))
    promised = {"risk", "risk_error", "converged", "grid", "seconds", "a_plus", "a_minus"}
    assert promised | {"thresholds", "misfit_plus", "misfit_minus", "iterations"} <= set(found)
    assert found["thresholds"][1]["upper"] == unequal.thresholds[1][1]
    assert found["grid"]["nodes"] == unequal.value_grid.grid.size


def test_a_location_that_never_holds_the_target_has_no_row():
    task = po.SearchTask(n_locations=2, drift=4.0, location_prior=(1.0, 0.0))
    found = po.evaluate(task, po.SPRT.for_task(task, -3.0, 3.0), COSTS, rtol=1e-3)
    assert "nan" not in str(found)
    solution = po.solve(task, COSTS, rtol=1e-3)
    assert "nan" not in str(solution)
    assert solution.plot(Figure().subplots()).get_xlabel() == "$Z$ (nats)"


def test_notes_are_in_the_dictionary(unequal):
    assert unequal.notes == ()
    coarse = po.solve(po.SearchTask(n_locations=2, drift=12.0), COSTS, rtol=1e-2)
    (note,) = coarse.notes
    assert note.startswith("The step of 10 ms is 31 % of the mean response time (32 ms)")
    assert coarse.as_dict()["notes"] == [note]


def test_no_response_time_is_computed_where_a_trial_has_many_looks():
    found = po.solve(po.SearchTask(n_locations=1, drift=4.0, dt=0.002), COSTS, rtol=1e-2)
    assert found.notes == ()
    assert "mean_rt" not in vars(found)


def test_notes_take_no_work_on_the_largest_grid(monkeypatch):
    """Asking for the notes of five locations took two minutes, for one about its step."""
    task = po.SearchTask(n_locations=3, drift=12.0)
    solution = po.solve(task, po.Costs(time=0.2), rtol=1e-3)
    sizes = []

    def measured(values):
        sizes.append(values.grid.size)
        return mean_response_time(values)

    monkeypatch.setattr("popout.exact.solution.mean_response_time", measured)
    (note,) = solution.notes
    assert max(sizes) < solution.value_grid.grid.size / 3
    assert f"({1e3 * solution.mean_rt:.2g} ms)" in note
