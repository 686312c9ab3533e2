"""Compiled or on arrays, a boundary adds the same."""

from itertools import pairwise

import numpy as np
import pytest

from popout.exact.array_kinks import ArrayCells, boundary_on
from popout.exact.axis import Axis
from popout.exact.backend import get_backend
from popout.exact.grid import Grid, Group
from popout.exact.kinks import CrossedCells

GROUPS = {"one": [1], "pair": [2], "three": [3], "apart": [1, 1], "two and one": [2, 1, 1]}


def grid_of(sizes, backend="numpy"):
    ends = np.cumsum([0, *sizes])
    groups = [
        Group(Axis.covering(-3.0, 3.0, spacing=0.6 + 0.05 * k, sd=1.0), tuple(range(a, b)), 1.0 + k)
        for k, (a, b) in enumerate(pairwise(ends))
    ]
    return Grid(groups, get_backend(backend))


@pytest.fixture(params=GROUPS.values(), ids=GROUPS)
def grid(request):
    return grid_of(request.param)


def level_and_jump(grid):
    Z = grid.states()
    level = np.log(np.exp(Z).sum(axis=-1)) - 1.1
    return level, 0.3 + np.sin(Z).sum(axis=-1)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("kept", [False, True])
def test_both_ways_agree(grid, aligned, kept):
    level, D = level_and_jump(grid)
    keep = np.asarray(grid.odds) < np.quantile(grid.odds, 0.8) if kept else None
    one, two = (
        kind(grid, level < 0, keep).kinks(level, aligned).correction(D)
        for kind in (ArrayCells, CrossedCells)
    )
    assert np.abs(one).max() > 1e-3
    np.testing.assert_allclose(two, one, rtol=0, atol=1e-13)


def test_sides_may_be_given(grid):
    """Nodes within rounding of the boundary are counted on the side where they were."""
    level, _ = level_and_jump(grid)
    inside = level < 0.02
    one, two = (
        kind(grid, inside).kinks(level).correction(level) for kind in (ArrayCells, CrossedCells)
    )
    np.testing.assert_allclose(two, one, rtol=0, atol=1e-13)


def test_no_boundary_adds_nothing(grid):
    level, D = level_and_jump(grid)
    assert CrossedCells(grid, level < 100.0).kinks(level - 100.0).correction(D) is None


def test_each_back_end_has_its_own():
    level = np.ones(1)
    assert isinstance(boundary_on(grid_of([1]), level < 0), CrossedCells)
    strict = grid_of([1], "array_api_strict")
    assert isinstance(boundary_on(strict, strict.odds < 0), ArrayCells)
