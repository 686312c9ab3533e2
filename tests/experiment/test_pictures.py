"""Sample displays: one of each condition, bars where they belong."""

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from popout.experiment import plan_trials
from popout.experiment.pictures import draw_samples, draw_trial
from popout.experiment.reading import load_design

from .designs import make_design

EXAMPLES = Path(__file__).parents[2] / "examples" / "experiments"


def test_every_condition_of_every_kind_of_block_is_drawn():
    figure = draw_samples(load_design(EXAMPLES / "tied_distractors.toml"))
    titles = [ax.get_title() for ax in figure.axes]
    wanted = [f"{n} items, {said}" for n in (4, 8) for said in ("target", "no target")]
    assert titles == wanted * 2  # mixed, alike


def test_bars_stand_where_the_trial_says():
    design = make_design()
    trial = plan_trials(design, 1)[0]
    ax = Figure().subplots()
    draw_trial(ax, design, trial)
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert len(bars) == trial.set_size
    for bar, item in zip(bars, trial.items, strict=True):
        centre = (bar.get_transform() - ax.transData).transform((0.5, 0.5))
        assert abs(centre - (item.x, item.y)).max() < 1e-6
