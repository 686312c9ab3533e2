"""What is drawn is what was found; how it looks was judged by eye."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from popout.people.fitting.fit_pictures import (
    ENLARGED,
    FEWEST,
    draw_distributions,
    draw_quantiles,
)


@pytest.fixture(scope="module")
def own(fits):
    return fits["ag"]


def test_means_and_errors_over_the_model(own, fits):
    cells = fits.data.describe().of("ag")
    figure = own.plot()
    means = figure.axes[0]
    drawn = [line.get_ydata() for line in means.lines if line.get_linestyle() == "-"]
    np.testing.assert_allclose(drawn[0], own.best.prediction.mean_rt()[:, 0])
    assert [text.get_text() for text in figure.axes[5].get_yticklabels()].count("ex-gaussian") == 1
    (bars,) = means.containers[0].lines[2]
    ends = np.array([segment[:, 1] for segment in bars.get_segments()])
    absent = cells[cells["target"] == "absent"]
    np.testing.assert_allclose(np.ptp(ends, axis=1), 2 * absent["mean_rt_se"])
    assert figure.axes[3].get_ylim() == figure.axes[4].get_ylim()


def test_densities_are_drawn_for_every_cell(own):
    figure = draw_distributions(own)
    assert len(figure.axes) == 4
    assert len({ax.get_xlim() for ax in figure.axes}) == 1
    predicted = own.best.prediction
    upper, lower = figure.axes[0].lines[-3:-1]
    np.testing.assert_allclose(upper.get_ydata(), predicted.density[0, 0, 0])
    np.testing.assert_allclose(lower.get_ydata(), -ENLARGED * predicted.density[0, 0, 1])


def test_observers_side_by_side(fits):
    figure = fits.plot()
    compared, guidance, wasted = figure.axes
    assert "0" in [text.get_text() for text in compared.texts]
    assert "no model with fitted g" in [text.get_text() for text in guidance.texts]
    index = fits["ag"].judged.index
    assert wasted.lines[1].get_xdata()[0] == pytest.approx(index.wasted_ms)


def test_quantiles_stand_over_their_set_size(own):
    ax = draw_quantiles(own.best.prediction, own.trials, Figure().subplots(), (0.1, 0.9))
    trials = own.trials
    cell = (trials.columns["set_size"] == 4) & ~trials.present & trials.correct
    expected = np.quantile(trials.rt[cell], (0.1, 0.9))
    drawn = [line for line in ax.lines if line.get_linestyle() == "None"]
    assert any(
        (line.get_xdata() == 4).all() and np.allclose(line.get_ydata(), expected)
        for line in drawn
        if len(line.get_ydata()) == 2
    )
    assert ax.get_ylabel() == "response time (s)"
    errors = (trials.columns["set_size"] == 4) & ~trials.present & ~trials.correct
    assert errors.sum() < FEWEST  # no line of the model where there is nothing to compare with
    assert "--" not in {line.get_linestyle() for line in ax.lines}
