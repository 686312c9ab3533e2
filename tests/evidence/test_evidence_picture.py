"""Evidence as a picture: the drawn medians are those of the law of Z at one location."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import popout as po


def test_medians_and_bands_follow_the_law_of_one_location():
    """One location: S is Z, of mean +-2 mu^2 t and variance 4 mu^2 t."""
    drift, n = 3.0, 4000
    evidence = po.Evidence(po.SearchTask(n_locations=1, drift=drift))
    ax = evidence.plot(Figure().subplots(), seconds=0.4, n_trials=n, seed=1)
    sd = 2 * drift * np.sqrt(0.4)
    for line, sign in zip(ax.lines[:2], (1, -1), strict=True):
        t, median = line.get_data()
        assert t[-1] == pytest.approx(0.4)
        assert median[0] == 0.0
        # The median of n normal numbers has a standard error of 1.25 sd / sqrt(n).
        assert abs(median[-1] - sign * 2 * drift**2 * 0.4) < 4 * 1.25 * sd / np.sqrt(n)
        assert abs(median[-1] + sign * 2 * drift**2 * 0.4) > sd  # the other class is far away
    top = ax.collections[0].get_paths()[0].vertices[:, 1].max()
    assert top == pytest.approx(2 * drift**2 * 0.4 + 1.2816 * sd, rel=0.03)


def test_every_kind_of_task_can_be_drawn():
    tied = po.MixtureSearchTask.tied(4, [10], [0, 20], {0: -4, 10: 4, 20: 0})
    ax = po.Evidence(tied).plot(Figure().subplots(), seconds=0.1, n_trials=50)
    present, absent = (line.get_ydata()[-1] for line in ax.lines[:2])
    assert present > absent


def test_no_time_no_picture():
    with pytest.raises(po.InputError, match="seconds"):
        po.Evidence(po.SearchTask(n_locations=1, drift=4.0)).plot(seconds=0.0)


def test_a_sample_fits_a_line():
    task = po.SearchTask(n_locations=3, drift=4.0)
    sample = po.Evidence(task).sample(40, 5, seed=1, condition="present")
    assert repr(sample) == "Sample(40 displays of 3 locations, 40 with a target, 5 steps of 0.01 s)"
