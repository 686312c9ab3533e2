r"""The trials of one participant: a list that follows from the design and a number alone.

Within a block every set size comes equally often (as far as the number of trials allows; what is
left over goes to set sizes at random), and within a set size the share of displays with a target is
the design's. Targets take every place, and every target orientation, equally often. Order, places,
and orientations of distractors are random. Attention checks come in between, at random: one bar
alone, which needs no search.

**Orders of blocks.** Of n blocks that count, participant k (from 0) has order k mod n of a balanced
Latin square (Williams, 1949): row r is :math:`(r + s_j) \bmod n` with
:math:`s = 0, 1, n - 1, 2, n - 2, \dots`; for odd n its mirror image follows, 2 n orders in all.
Every block stands in every place equally often, and comes right after every other equally often.
Practice stays where it is. Keys change after a whole round of orders: neither hides the other.

Only raw uniform numbers of the generator are used, whose sequence NumPy keeps: the same
participant gets the same list after any upgrade.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from popout.experiment.design import Block, ExperimentDesign
from popout.noise.seeds import Purpose, fresh_seed

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Item:
    """A bar.

    Attributes
    ----------
    place : int
        Which place of the layout, from 0.
    x, y : float
        Right and up from the centre, in degrees of visual angle.
    orientation : float
        Degrees clockwise from upright.
    contrast : float
    """

    place: int
    x: float
    y: float
    orientation: float
    contrast: float

    def as_dict(self) -> dict[str, Any]:
        """Return the bar as the page draws it."""
        return {**asdict(self), "x": round(self.x, 4), "y": round(self.y, 4)}


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """A trial that a participant is to do.

    Attributes
    ----------
    index, block : int
        From 0.
    practice : bool
        Whether it does not count.
    items : tuple of Item
    target : int or None
        Which item; None where there is no target.
    is_check : bool
        Whether it shows that somebody looks, and does not count.
    """

    index: int
    block: int
    practice: bool
    items: tuple[Item, ...]
    target: int | None
    is_check: bool = False

    @property
    def present(self) -> bool:
        """Whether there is a target."""
        return self.target is not None

    @property
    def set_size(self) -> int:
        """How many items there are."""
        return len(self.items)

    def as_dict(self) -> dict[str, Any]:
        """Return the trial as the page shows it."""
        shown = {"set_size": self.set_size, "present": self.present}
        return {**asdict(self), **shown, "items": [item.as_dict() for item in self.items]}


Display = tuple[tuple[Item, ...], int | None]
"""Items, and which of them is the target."""


class _Dice:
    """Random choices from raw uniform numbers."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.Generator(np.random.PCG64(seed))

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """Return the values in random order."""
        order = np.argsort(self._bits.random(len(values)), kind="stable")
        return [values[k] for k in order]

    def below(self, n: int) -> int:
        """Return an integer from 0 to n - 1."""
        return int(self._bits.random() * n)

    def between(self, low: float, high: float) -> float:
        """Return a number in a range."""
        return low + (high - low) * float(self._bits.random())

    def dealt(self, values: Sequence[T], n: int) -> list[T]:
        """Return n of the values in random order, each equally often as far as that goes."""
        rounds, left = divmod(n, len(values))
        return self.shuffled([*values] * rounds + self.shuffled(values)[:left])


def plan_trials(design: ExperimentDesign, number: int) -> tuple[PlannedTrial, ...]:
    """Return the trials of one participant.

    Parameters
    ----------
    design : ExperimentDesign
    number : int
        Of the participant, from 1.

    Examples
    --------
    >>> from popout.experiment import Block, ExperimentDesign, plan_trials
    >>> design = ExperimentDesign(
    ...     "Search", [3, 6], [0], [30], "I agree.", "We store.", "Search.", [Block("All", 8)]
    ... )
    >>> trials = plan_trials(design, number=1)
    >>> sorted((trial.set_size, trial.present) for trial in trials)[:4]
    [(3, False), (3, False), (3, True), (3, True)]
    >>> plan_trials(design, number=1) == trials, plan_trials(design, number=2) == trials
    (True, False)
    """
    dice = _Dice(fresh_seed(design.seed, Purpose.PARTICIPANTS, number))
    trials: list[PlannedTrial] = []
    for k in block_order(design, number):
        block = design.blocks[k]
        shown = [(*display, False) for display in _displays(design, block, dice)]
        shown += [(*display, True) for display in _checks(design, block, dice)]
        for items, target, is_check in dice.shuffled(shown):
            practice = block.practice or is_check
            trials.append(PlannedTrial(len(trials), k, practice, items, target, is_check))
    return tuple(trials)


def block_order(design: ExperimentDesign, number: int) -> list[int]:
    """Return the blocks of a participant, in the order in which they come.

    Examples
    --------
    >>> from popout.experiment import Block, ExperimentDesign
    >>> blocks = [Block("Practice", 4, practice=True), *(Block(name, 8) for name in "ABCD")]
    >>> texts = ("I agree.", "We store.", "Search.")
    >>> design = ExperimentDesign(
    ...     "Search", [3], [0], [30], *texts, blocks, block_order="balanced"
    ... )
    >>> [block_order(design, number) for number in (1, 2, 5)]
    [[0, 1, 2, 4, 3], [0, 2, 3, 1, 4], [0, 1, 2, 4, 3]]
    """
    order = list(range(len(design.blocks)))
    if design.block_order == "fixed":
        return order
    counted = [k for k in order if not design.blocks[k].practice]
    n = len(counted)
    r = (number - 1) % _n_orders(design)
    shifts = [(j + 1) // 2 if j % 2 else (n - j // 2) % n for j in range(n)]
    row = [(r + shift) % n for shift in shifts]
    moved = iter([counted[k] for k in (row if r < n else reversed(row))])
    return [k if design.blocks[k].practice else next(moved) for k in order]


def _n_orders(design: ExperimentDesign) -> int:
    n = sum(not block.practice for block in design.blocks)
    return 1 if design.block_order == "fixed" else 2 * n if n % 2 and n > 1 else n


def keys_of(design: ExperimentDesign, number: int | None = None) -> dict[str, str]:
    """Return the keys of a participant; without a number those that the design names."""
    keys = {"present": design.present_key, "absent": design.absent_key}
    if design.swap_keys and number is not None and (number - 1) // _n_orders(design) % 2:
        return {"present": keys["absent"], "absent": keys["present"]}
    return keys


def _checks(design: ExperimentDesign, block: Block, dice: _Dice) -> list[Display]:
    """Return displays of one bar alone where it is seen best; every second bar is the target."""
    contrasts = design.contrasts(block)
    places = [k for k, contrast in enumerate(contrasts) if contrast == max(contrasts)]
    displays: list[Display] = []
    for k in range(block.checks):
        tilts: tuple[float, ...] = design.of_block(block, "targets" if k % 2 else "distractors")
        place, tilt = places[dice.below(len(places))], tilts[dice.below(len(tilts))]
        item = Item(place, *design.layout.positions[place], tilt, contrasts[place])
        displays.append(((item,), 0 if k % 2 else None))
    return displays


def _displays(design: ExperimentDesign, block: Block, dice: _Dice) -> list[Display]:
    """Return the displays of a block, in no particular order."""
    sizes: tuple[int, ...] = design.of_block(block, "set_sizes")
    counts = {size: 0 for size in sizes}
    for size in dice.dealt(sizes, block.trials):
        counts[size] += 1
    displays = []
    for size, n in counts.items():
        n_present = _rounded(n * design.of_block(block, "prior"), dice)
        places = dice.dealt(range(design.layout.n_places), n_present)
        tilts = dice.dealt(design.of_block(block, "targets"), n_present)
        for place, tilt in zip(places, tilts, strict=True):
            displays.append(_display(design, block, dice, size, (place, tilt)))
        displays += [_display(design, block, dice, size, None) for _ in range(n - n_present)]
    return displays


def _rounded(number: float, dice: _Dice) -> int:
    """Round at random, so that the mean is right."""
    whole = int(number + 1e-9)
    return whole + (dice.between(0.0, 1.0) < number - whole - 1e-9)


def _display(
    design: ExperimentDesign, block: Block, dice: _Dice, size: int, target: tuple[int, float] | None
) -> Display:
    layout, contrasts = design.layout, design.contrasts(block)
    distractors: tuple[float, ...] = design.of_block(block, "distractors")
    all_alike = distractors[dice.below(len(distractors))]
    is_tied: bool = design.of_block(block, "tied")
    places = _places(design, dice, size, None if target is None else target[0])
    items = []
    for place in places:
        orientation = all_alike if is_tied else distractors[dice.below(len(distractors))]
        if target is not None and place == target[0]:
            orientation = target[1]
        x, y = layout.positions[place]
        shift: float = getattr(layout, "jitter", 0.0)
        if shift:
            x, y = (at + dice.between(-shift, shift) for at in (x, y))
        items.append(Item(place, x, y, orientation, contrasts[place]))
    return tuple(items), None if target is None else places.index(target[0])


def _places(design: ExperimentDesign, dice: _Dice, size: int, target: int | None) -> list[int]:
    """Return the places of a display, among them that of the target."""
    layout = design.layout
    first = dice.below(layout.n_places) if target is None else target
    stride = layout.strides(size)
    if stride is not None:
        return sorted((first + stride * k) % layout.n_places for k in range(size))
    others = [place for place in range(layout.n_places) if place != first]
    return sorted([first, *dice.shuffled(others)[: size - 1]])
