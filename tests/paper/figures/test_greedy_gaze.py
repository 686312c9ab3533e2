"""Greedy rules for gaze: excesses, first fixations and paths, against solutions of their own."""

import numpy as np
import pytest

import popout as po
from popout.paper.figures import greedy_gaze


def test_risks_are_those_of_the_task_in_other_units(data):
    """Spacing over e0, information of a fixation and its cost are all that matters."""
    task = po.GazeTask(
        [(3.0, 0.0), (0.0, 0.0), (6.0, 0.0)], information=20.0, falloff=3.0, fixation=0.4,
        saccade=0.1,
    )  # fmt: skip
    costs = po.Costs(time=0.01 / 0.5)
    for rule, policy in (("optimal", None), ("MAP", po.MAP), ("ELM", po.ELM)):
        point = data.sel(display="line", information=8.0, spacing=1.0, rule=rule).isel(
            fixation_cost=0
        )
        exact = po.solve(task, costs, 5e-3, attention=policy)
        error = float(point["risk_error"]) + exact.risk_error
        assert float(point["risk"]) == pytest.approx(exact.risk, abs=error)


def test_excess_is_above_nothing_and_worst_where_map_begins_at_an_end(data):
    excess, error = greedy_gaze.excess_of(data)
    assert (excess > -error).all()
    ends, _ = greedy_gaze.end_first_excess(data)
    assert float(ends.max()) > 10.0 > 2 * float(excess.sel(rule="MAP").max())


def test_first_fixations_are_told_by_their_distance_from_the_middle(data):
    away = greedy_gaze.first_from_centre(data).sel(display="line")
    path = data["path"].sel(display="line").isel(fixation=0)
    assert ((away == 0) == (path == 0)).all()
    assert set(np.unique(away)) <= {0.0, 1.0}
    # With items close together everybody begins in the middle of the line.
    assert (away.sel(spacing=1.0) == 0).all()


def test_paths_end_with_an_answer(data):
    path = data["path"].to_numpy()
    ended = path < 0
    assert (np.diff(ended.astype(int), axis=-1) >= 0).all()
    assert ended[..., -1].all()
    assert not ended[..., 0].any()
