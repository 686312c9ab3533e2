"""The whole check of a design."""

import json
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from popout.drawing.plain import plain
from popout.experiment import Block, plan_trials
from popout.experiment.check import check_design, draw_samples, draw_trial
from popout.experiment.design import load_design

from .designs import make_design


def test_it_says_what_the_command_promises(tmp_path, monkeypatch):
    monkeypatch.setenv("POPOUT_CACHE", str(tmp_path / "cache"))
    uneven = make_design(blocks=[Block("Main", 13)], set_sizes=[2, 4, 6])
    checked = check_design(uneven, tmp_path / "new", n_trials=4000)
    said = json.loads(json.dumps(plain(checked.as_dict())))
    assert (said["trials"], said["practice"], said["imbalance"]) == (13, 0, 1)
    assert {*said["expected_se"]} == {"drift", "time_cost", "non_decision_time"}
    assert min(said["expected_se"].values()) > 0
    assert (tmp_path / "new" / "displays.png").read_bytes()[:4] == b"\x89PNG"
    assert "about" in str(checked.card().text(80))


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
