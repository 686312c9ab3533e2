import pytest
from matplotlib.figure import Figure

from popout.people.reading.reader import read_trials
from popout.people.reading.trial_pictures import draw_errors

from ..lookalikes import trials


@pytest.mark.parametrize("observers", [("ag",), ("ag", "km", "mz")])
def test_means_and_errors(observers):
    table = trials(observers=observers).rename(columns={"said": "response"})
    found = read_trials(table).describe()
    axes = Figure().subplots(1, 2)
    found.plot(axes[0])
    draw_errors(found, axes[1])
    thin = 0 if len(observers) == 1 else 2 * len(observers)
    for ax in axes:
        assert len(ax.containers) == 2
        assert len(ax.lines) - sum(len(one.lines[0:1]) for one in ax.containers) == thin
        assert [label.get_text() for label in ax.get_legend().get_texts()]


def test_the_legend_of_errors_is_clear_of_them():
    found = read_trials(trials().rename(columns={"said": "response"})).describe()
    ax = draw_errors(found, Figure().subplots())
    assert ax.get_ylim()[1] > 1.2 * ax.dataLim.y1
