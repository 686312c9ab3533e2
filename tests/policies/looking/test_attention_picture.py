"""Policies as pictures."""

import numpy as np
from matplotlib.figure import Figure

from popout.policies.looking import Guided, Serial
from popout.policies.stopping import SPRT
from popout.task import LimitedSearchTask

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
