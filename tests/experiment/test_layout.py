"""Places: where they are, and that bars do not overlap."""

import math
from itertools import pairwise

import pytest

from popout.experiment.layout import Grid, Ring
from popout.task import InputError


def test_a_ring_has_equal_distances():
    ring = Ring(radius=5.0, places=8)
    assert ring.n_places == 8
    assert [math.hypot(*place) for place in ring.positions] == pytest.approx([5.0] * 8)
    around = [*ring.positions, ring.positions[0]]
    apart = [math.dist(a, b) for a, b in pairwise(around)]
    assert apart == pytest.approx([2 * 5.0 * math.sin(math.pi / 8)] * 8)


def test_a_ring_goes_clockwise_from_the_top():
    (x, y), second = Ring(places=4).positions[:2]
    assert x > 0
    assert y > 0
    assert second == pytest.approx((x, -y))


def test_a_grid_is_centred_and_begins_at_the_top_left():
    grid = Grid(columns=3, rows=2, spacing=2.0)
    assert grid.positions[0] == (-2.0, 1.0)
    assert grid.positions[-1] == (2.0, -1.0)
    assert sum(x for x, _ in grid.positions) == sum(y for _, y in grid.positions) == 0


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        (Ring, {"places": 64, "radius": 2.0}),
        (Ring, {"bar_width": 2.0}),
        (Ring, {"bar": 0.5}),
        (Grid, {"spacing": 1.0}),
        (Grid, {"jitter": 0.5}),
        (Grid, {"columns": 16, "rows": 16}),
    ],
)
def test_what_cannot_be_drawn_is_refused(make, fields):
    with pytest.raises(InputError):
        make(**fields)


def test_strides_keep_neighbours_equally_far_apart():
    assert Ring(places=12).strides(4) == 3
    assert Ring(places=12).strides(5) is None
    assert Grid().strides(4) is None
