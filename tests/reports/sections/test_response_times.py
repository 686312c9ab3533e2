"""Response times: every answer is counted once."""

from types import SimpleNamespace

import numpy as np
import pytest

import popout as po
from popout.reports.sections import response_times


def test_answers_add_up_to_trials(sections):
    data = sections("response-times")
    assert (data["answers"].sum("answer") == data["trials"]).all()  # none is undecided
    assert (data["count"].sum("bin") <= data["answers"]).all()
    quantile = data["quantile"].diff("probability")
    assert bool((quantile.isnull() | (quantile >= 0)).all())
    (table,) = response_times.tables(data)
    assert len(table.columns) == 2 + data.sizes["probability"]


def test_fixations_are_drawn_where_they_end():
    """Steps of 0.23 s: no bar begins and no curve rises where nobody has answered."""
    task = po.GazeTask([(0, 0), (1, 0)], information=20.0, falloff=0.8)
    trials = po.simulate(task, po.Observer(po.ELM, po.SPRT.for_task(task, -2.9, 2.9)), 500, seed=1)
    contest = SimpleNamespace(entries=[SimpleNamespace(name="ELM", trials=trials)])
    study = SimpleNamespace(task=task, contest=lambda progress: contest)
    data = response_times.compute(study, lambda share, words: None)
    figure = response_times.draw(data)
    bars = figure.axes[0].patches[0].get_data()
    assert bars.edges[np.flatnonzero(bars.values)[0]] == pytest.approx(trials.rt.min())
    curve = figure.axes[2].lines[0]
    assert curve.get_drawstyle() == "steps-post"
    t, share = np.asarray(curve.get_xdata()), np.asarray(curve.get_ydata())
    assert t[np.flatnonzero(share)[0]] == pytest.approx(trials.rt.min())
    quantile = data["quantile"].to_numpy()
    times = quantile[np.isfinite(quantile)] / task.dt
    assert (np.abs(2 * times - np.rint(2 * times)) < 1e-9).all()  # or the middle of two
