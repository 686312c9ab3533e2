"""Lists of trials: the same for one participant, balanced, and as the design says."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from popout.experiment import Block, plan_trials
from popout.experiment.layout import Grid, Ring
from popout.experiment.trials import keys_of

from .designs import make_design


def test_a_list_follows_from_the_number_alone():
    design = make_design()
    assert plan_trials(design, 3) == plan_trials(design, 3)
    assert plan_trials(design, 3) != plan_trials(design, 4)


def test_the_list_of_a_participant_never_changes():
    """Those who are in the middle of a session go on with the same list after an upgrade."""
    first = [(trial.set_size, trial.target) for trial in plan_trials(make_design(), 1)][:6]
    assert first == [(2, None), (4, None), (4, 3), (2, 0), (4, 3), (2, 0)]


@pytest.mark.parametrize("prior", [0.5, 0.25])
def test_conditions_are_balanced_within_a_block(prior):
    blocks = [Block("Main", 96, prior=None if prior == 0.5 else prior)]
    design = make_design(blocks=blocks, set_sizes=[2, 4, 6], prior=0.5)
    trials = plan_trials(design, 1)
    counts = Counter((trial.set_size, trial.present) for trial in trials)
    expected = {True: 32 * prior, False: 32 * (1 - prior)}
    assert counts == {(n, p): expected[p] for n in (2, 4, 6) for p in (True, False)}
    assert [trial.index for trial in trials] == list(range(96))


def test_targets_take_every_place_equally_often():
    design = make_design(blocks=[Block("Main", 96)], set_sizes=[4], layout=Ring(places=12))
    places = Counter(
        trial.items[trial.target].place for trial in plan_trials(design, 1) if trial.present
    )
    assert places == {place: 4 for place in range(12)}


def test_one_target_and_the_right_distractors():
    design = make_design(distractors=[30, 60], tied=False, blocks=[Block("Main", 60)])
    mixed = 0
    for trial in plan_trials(design, 1):
        tilts = [item.orientation for item in trial.items]
        assert tilts.count(0.0) == trial.present
        assert len({item.place for item in trial.items}) == trial.set_size
        if trial.present:
            assert trial.items[trial.target].orientation == 0.0
        mixed += len(set(tilts) - {0.0}) > 1
    assert mixed > 10


def test_tied_distractors_are_alike():
    design = make_design(distractors=[30, 60], tied=True, blocks=[Block("Main", 60)])
    kinds = Counter()
    for trial in plan_trials(design, 1):
        others = {item.orientation for item in trial.items} - {0.0}
        assert len(others) == 1
        kinds.update(others)
    assert set(kinds) == {30.0, 60.0}


def test_contrast_goes_with_the_place():
    contrast = [1.0, 0.5, 0.25, 0.125]
    design = make_design(layout=Ring(places=4), set_sizes=[2, 4], contrast=contrast)
    for trial in plan_trials(design, 2):
        assert all(item.contrast == contrast[item.place] for item in trial.items)


def test_jitter_moves_bars_within_its_bound():
    grid = Grid(jitter=0.3)
    design = make_design(layout=grid, blocks=[Block("Main", 40)])
    moved = [
        np.subtract((item.x, item.y), grid.positions[item.place])
        for trial in plan_trials(design, 1)
        for item in trial.items
    ]
    assert np.abs(moved).max() <= 0.3
    assert np.std(moved) == pytest.approx(0.3 / np.sqrt(3), rel=0.15)


def test_what_cannot_be_even_is_fair_on_average():
    """Ten trials over three set sizes: one has four, and it is not always the same one."""
    design = make_design(set_sizes=[1, 2, 3], blocks=[Block("Main", 10)])
    most = Counter(
        Counter(trial.set_size for trial in plan_trials(design, number)).most_common(1)[0]
        for number in range(1, 40)
    )
    assert {n for _, n in most} == {4}
    assert {size for size, _ in most} == {1, 2, 3}


def orders_of(n, participants, **fields):
    """Return the counted blocks of some participants, in order, with the key for present."""
    practice = Block("Practice", 4, practice=True)
    blocks = [practice, *(Block(str(k), 4) for k in range(n)), practice]
    design = make_design(blocks=blocks, swap_keys=True, **fields)
    for number in range(1, participants + 1):
        order = list(dict.fromkeys(trial.block for trial in plan_trials(design, number)))
        assert (order[0], order[-1]) == (0, n + 1)  # practice stays where it is
        yield tuple(order[1:-1]), keys_of(design, number)["present"]


@pytest.mark.parametrize(("n", "orders"), [(1, 1), (2, 2), (3, 6), (4, 4), (5, 10), (6, 6)])
def test_orders_of_blocks_and_keys_are_balanced(n, orders):
    """Counted one by one: places, neighbours, and keys within each order."""
    met = list(orders_of(n, 2 * orders, block_order="balanced"))
    assert len({*met}) == 2 * orders
    assert len({order for order, _ in met}) == orders
    times = 2 * orders // n
    places = Counter(pair for order, _ in met for pair in enumerate(order))
    assert places == {(at, block): times for at in range(n) for block in range(1, n + 1)}
    neighbours = Counter(pair for order, _ in met for pair in pairwise(order))
    apart = {(a, b) for a in range(1, n + 1) for b in range(1, n + 1) if a != b}
    assert neighbours == (dict.fromkeys(apart, 2 * orders // n) if n > 1 else {})
    # The control: without it everybody meets one order, and only keys change.
    fixed = list(orders_of(n, 4))
    assert fixed == [(tuple(range(1, n + 1)), key) for key in ("j", "f", "j", "f")]


def test_attention_checks_are_one_bar_where_it_is_seen_best():
    contrast = [1.0, 0.2] * 6
    block = Block("Main", 12, checks=6, contrast=contrast)
    design = make_design(blocks=[block], layout=Ring(places=12))
    trials = plan_trials(design, 1)
    checks = [trial for trial in trials if trial.is_check]
    assert (len(trials), len(checks), design.n_trials) == (18, 6, 18)
    assert [trial.index for trial in trials] == list(range(18))
    assert sum(trial.present for trial in checks) == 3
    for trial in checks:
        (bar,) = trial.items
        assert (bar.contrast, bar.orientation) == (1.0, 0.0 if trial.present else 30.0)
        assert trial.practice
    assert not any(trial.practice for trial in trials if not trial.is_check)
    assert {trial.index for trial in checks} != {*range(12, 18)}  # they come in between
