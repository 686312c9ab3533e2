"""Strategies as cards and pictures: the drawn boundary is where the decision changes."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import popout as po
from popout.policies.stopping.region_picture import FAR

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


def test_a_strategy_of_ones_own_has_a_card():
    class Coin(po.Strategy):
        label = "a <coin>"

        def decide(self, Z, t):
            return np.full(np.shape(Z)[:-1], po.Action.PRESENT, dtype=np.int8)

    assert str(Coin()).startswith("a <coin>")
    assert "a &lt;coin&gt;" in Coin()._repr_html_()
