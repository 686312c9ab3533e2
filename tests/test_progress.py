"""How far a piece of work is: parts of a whole, unknown shares, nobody to tell."""

import math

import pytest

from popout.progress import UNKNOWN, stretch


@pytest.fixture
def heard():
    return []


@pytest.fixture
def whole(heard):
    return lambda share, words: heard.append((share, words))


def test_parts_of_parts_end_where_the_next_begins(heard, whole):
    for k in range(2):
        half = stretch(whole, k / 2, (k + 1) / 2, f"half {k}")
        for j in range(2):
            quarter = stretch(half, j / 2, (j + 1) / 2, f"part {j}")
            quarter(0.0, "")
            quarter(1.0, "done")
    shares = [share for share, _ in heard]
    assert shares == [0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0]
    assert heard[-1][1] == "half 1, part 1, done"
    assert heard[0][1] == "half 0, part 0"


def test_an_unknown_share_of_a_part_is_its_beginning(heard, whole):
    stretch(whole, 0.4, 0.6)(UNKNOWN, "searching")
    assert heard == [(0.4, "searching")]


def test_a_part_of_unknown_extent_stays_unknown(heard, whole):
    stretch(whole, UNKNOWN, UNKNOWN, "levels")(0.5, "iteration 3")
    ((share, words),) = heard
    assert math.isnan(share)
    assert words == "levels, iteration 3"
