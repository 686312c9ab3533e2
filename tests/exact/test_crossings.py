"""Zeros between nodes: exact for cubics, one for each change of sign, line by line."""

import numpy as np
import pytest

from popout.exact.crossings import cell_roots, crossings, line_crossings


def test_zeros_of_a_cubic_are_exact():
    z = np.linspace(-2.0, 2.0, 9)
    roots = (-1.3, 0.1, 1.7)
    np.testing.assert_allclose(crossings(z, np.poly1d(roots, r=True)(z)), roots, atol=1e-12)


def test_fourth_order_for_smooth_functions():
    errors = []
    levels = np.linspace(0.1, 0.7, 50)  # the error depends on where in a cell the zero lies
    for n in (20, 80):
        z = np.linspace(0.0, 4.0, n + 1)
        roots, _ = line_crossings(z, np.exp(-z)[:, None] - levels)
        errors.append(np.abs(roots + np.log(levels)).max())
    assert errors[1] < errors[0] / 4**3.7


def test_no_change_of_sign_and_the_cells_at_the_ends():
    z = np.linspace(0.0, 1.0, 5)
    assert crossings(z, np.ones(5)).size == 0
    np.testing.assert_allclose(crossings(z, z - 0.01), 0.01, atol=1e-12)
    np.testing.assert_allclose(crossings(z, z - 0.99), 0.99, atol=1e-12)


def test_lines_keep_their_order():
    z = np.linspace(0.0, 10.0, 101)
    f = np.stack([np.sin(z), np.ones_like(z), np.cos(z)], axis=1)
    roots, lines = line_crossings(z, f)
    assert lines.tolist() == [0, 0, 0, 2, 2, 2]
    expected = np.pi * np.array([1, 2, 3, 0.5, 1.5, 2.5])
    np.testing.assert_allclose(roots, expected, atol=1e-4)


@pytest.mark.parametrize("cell", [0, 1, 2])
def test_the_root_lies_in_the_named_cell(cell):
    window = np.array([[0.0, 1.0, 2.0, 3.0]]) - (cell + 0.25)
    assert cell_roots(window, cell) == pytest.approx(cell + 0.25)
