"""What is drawn is what was found; how it looks was judged by eye."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from popout.people.fitting.fit_pictures import (
    ENLARGED,
    FEWEST,
    draw_distributions,
    draw_fit,
    draw_quantiles,
    fit_caption,
    side_by_side,
)
from popout.people.fitting.observer_fits import FittedObservers


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
    compared, wasted = figure.axes  # no model has fitted guidance
    assert "0" in [text.get_text() for text in compared.texts]
    assert [each.title for each in side_by_side([*fits.observers.values()])] == [
        "AIC over the least",
        "time wasted in decisions",
    ]
    index = fits["ag"].judged.index
    assert wasted.lines[1].get_xdata()[0] == pytest.approx(index.wasted_ms)


def test_what_is_not_there_is_neither_drawn_nor_described(own, fits):
    cells = fits.data.describe().of("ag")
    ideal = replace(own, models=(replace(own.judged, index=None),))
    for fitted, panels, last in ((own, 6, "(f) AIC over"), (ideal, 4, "(c, d) Quantiles")):
        figure, caption = draw_fit(fitted, cells), fit_caption(fitted)
        assert len(figure.axes) == panels
        assert last in caption
        assert ("best that the observer" in caption) == (fitted is own)
    assert side_by_side([ideal]) == ()
    some = FittedObservers({"ag": ideal}, fits.data, "x", 0, 0.0)
    assert some.summary_rows()[0] == ["observer", "trials", "best", "log likelihood"]
    assert "Not fitted: a yardstick (ex-gaussian), guidance" in some.summary_note
    assert "wasted" not in some.summary_note
    for word in ("below yardstick", "index under"):
        assert word in fits.summary_rows()[0]


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
