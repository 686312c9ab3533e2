"""Regret and tuned strategies as cards and pictures."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

import popout as po

TASK, COSTS = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)


@pytest.fixture(scope="module")
def lost():
    solution = po.solve(TASK, COSTS, rtol=1e-3)
    return po.regret(solution, po.SPRT.for_task(TASK, -3.0, 3.0), n_trials=2000)


def test_the_map_is_drawn_the_right_way_round(lost):
    turned = replace(lost, map=lost.map.copy())
    turned.map[:] = 0.0
    turned.map.loc[{"z1": 3.25, "z2": -5.25}] = 1e-4  # Z1 runs to the right
    ax = turned.plot(Figure().subplots())
    mesh = ax.collections[0]
    corners, values = mesh.get_coordinates(), mesh.get_array()
    row, column = np.argwhere(~np.ma.getmaskarray(values))[0]
    middle = corners[row : row + 2, column : column + 2].mean(axis=(0, 1))
    assert middle.tolist() == pytest.approx([3.25, -5.25])
    assert (~np.ma.getmaskarray(values)).sum() == 1


def test_all_of_the_regret_is_on_the_map_or_outside(lost):
    mesh = lost.plot(Figure().subplots()).collections[0]
    assert mesh.get_array().sum() == pytest.approx(float(lost.map.sum()))


def test_without_a_map_there_is_a_card(lost):
    with pytest.raises(po.InputError, match="two locations"):
        replace(lost, map=None).plot()
    html = lost._repr_html_()
    assert "lost by waiting" in html
    assert "2000 trials" in html
    assert len(repr(lost)) < 80
