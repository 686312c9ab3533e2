"""Policies as pictures: the drawn boundary is where the decision changes, shares where it waits."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import popout as po
from popout.policies.looking import Guided, Serial
from popout.policies.plane_pictures import FAR
from popout.policies.stopping import SPRT
from popout.task import LimitedSearchTask

TWO = po.SearchTask(n_locations=2, drift=4.0)
THREE = po.SearchTask(drift=(8.0, 4.0, 2.0))
STRATEGIES = [
    po.SPRT.for_task(TWO, -4.5, 4.5),
    po.Hardmax.for_task(TWO, -2.0, 3.0),
    po.ASPRT.for_task(THREE, (-4.7, -4.5, -3.5), (4.7, 4.5, 3.5)),
    po.TimeVaryingSPRT((0.0, 0.5), (-3.0, -1.0), (3.0, 1.0), offset=(0.7, 0.7)),
]


def lines(ax):
    """Return the vertices of the drawn boundaries."""
    found = [c for c in ax.collections if not c.get_fill()]
    return [path.vertices for c in found for path in c.get_paths() if len(path.vertices)]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.label)
@pytest.mark.parametrize("t", [0.0, 0.3])
def test_the_lines_are_where_the_decision_changes(strategy, t):
    M = strategy.n_locations
    plane = (M - 1, 0)
    ax = strategy.plot(Figure().subplots(), plane=plane, t=t)
    curves = lines(ax)
    assert len(curves) == 2  # one for each answer
    for points in curves:
        actions = set()
        for nudge in (-0.1, 0.1):
            Z = np.full((len(points), M), -FAR)
            Z[:, plane] = points + nudge
            actions |= set(strategy.decide(Z, t).tolist())
        assert int(po.Action.WAIT) in actions
        assert len(actions) == 2


def test_one_location_is_drawn_over_time():
    strategy = po.TimeVaryingSPRT((0.0, 1.0), (-3.0, -0.5), (3.0, 0.5), offset=(0.2,))
    ax = strategy.plot(Figure().subplots())
    assert ax.get_xlabel() == "time (s)"
    upper = max(lines(ax), key=lambda points: points[:, 1].mean())
    expected = 0.2 + np.interp(upper[:, 0], (0.0, 1.0), (3.0, 0.5))
    assert np.abs(upper[:, 1] - expected).max() < 0.02


def test_a_new_figure_is_made_where_none_is_given():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    ax = STRATEGIES[0].plot()
    assert len(plt.get_fignums()) == len(before) + 1
    plt.close(ax.figure)


@pytest.mark.parametrize("plane", [(0, 0), (0, 2), (-1, 0)])
def test_planes_that_are_none(plane):
    with pytest.raises(po.InputError, match="plane"):
        STRATEGIES[0].plot(Figure().subplots(), plane=plane)


def test_cards_name_the_rule():
    text = str(STRATEGIES[1])
    assert text.splitlines()[0] == "Hardmax"
    assert "once S_minus <= -2.0000" in text
    assert "the largest" in text
    assert "c_plus" in str(STRATEGIES[2])
    assert "c_plus" not in text  # all factors are one
    assert "0.5" in str(STRATEGIES[3])


TASK = LimitedSearchTask(n_locations=3, information=30.0)


def test_the_share_is_drawn_where_the_observer_waits():
    stop = SPRT.for_task(TASK.with_shares(), -2.0, 2.0)
    ax = Serial.for_task(TASK).plot(Figure().subplots(), strategy=stop)
    shown = ax.collections[0].get_array()
    assert set(np.unique(shown.compressed())) == {0.0, 1.0}
    assert shown.mask.any()
    assert ax.get_title() == "serial, others ruled out"


def test_without_a_strategy_it_is_drawn_everywhere():
    ax = Guided.for_task(TASK, 0.0).plot(Figure().subplots(), plane=(1, 2))
    shown = np.ma.filled(ax.collections[0].get_array(), np.nan)
    assert (shown == 0.5).all()
    assert ax.get_xlabel() == "$Z_{2}$ (nats)"
