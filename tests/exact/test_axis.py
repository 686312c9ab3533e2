"""One axis: the law of a step on its nodes, against the Gaussian's closed forms."""

import numpy as np
import pytest

from popout.exact.axis import Axis, interpolation_matrix, step_matrix, step_weights

# Spacing far below, near and above the standard deviation of a step.
PAIRS = [(0.8, 0.1), (0.8, 0.5), (0.8, 0.8), (0.3, 0.4), (0.1, 0.3), (2.0, 0.4), (3.0, 1.2)]


def reach(sd, h):
    """How far one step goes: the Gaussian, or the stencil where nodes are further apart."""
    return 0.5 * sd**2 + max(9.0 * sd, 30.0 * h)


@pytest.mark.parametrize(("sd", "h"), PAIRS)
def test_constants_and_exponentials_pass_unchanged(sd, h):
    axis = Axis.covering(-6.0, 20.0 + reach(sd, h), spacing=h, sd=sd)
    K, z = step_matrix(axis), axis.nodes
    np.testing.assert_allclose(K @ np.ones(axis.n), 1.0, rtol=0, atol=1e-12)
    # exp(z) lives on high nodes: its own law drifts up by sd**2 / 2, so look well below the end.
    low = z < 20.0
    np.testing.assert_allclose((K @ np.exp(z))[low], np.exp(z[low]), rtol=1e-10)


@pytest.mark.parametrize(("sd", "h"), [*PAIRS, (4.0, 0.1), (4.8, 0.1), (5.65, 0.3)])
def test_mean_and_variance_of_a_step(sd, h):
    weights = step_weights(sd, h)
    step = h * (np.arange(weights.size) - weights.size // 2)
    mean = (weights * step).sum()
    assert abs(mean + 0.5 * sd**2) < 1e-6 * sd**2
    assert abs((weights * (step - mean) ** 2).sum() - sd**2) < 1e-5 * sd**2


def smooth_error(sd, h, k=1.0):
    """Largest error of E_0[cos(k Z')], whose closed form is the Gaussian's Fourier transform."""
    far = 10.0 + reach(sd, h)
    axis = Axis.covering(-far, far, spacing=h, sd=sd)
    z = axis.nodes
    inner = np.abs(z) < 10.0
    exact = np.cos(k * (z - 0.5 * sd**2)) * np.exp(-0.5 * (k * sd) ** 2)
    return np.abs(step_matrix(axis) @ np.cos(k * z) - exact)[inner].max()


@pytest.mark.parametrize(
    ("sd", "h"), [(0.8, 0.1), (0.8, 0.4), (2.0, 0.25), (0.3, 0.15), (0.1, 0.25)]
)
def test_smooth_functions_are_integrated_to_rounding(sd, h):
    assert smooth_error(sd, h) < 1e-9


def test_order_of_accuracy_when_nodes_are_further_apart_than_a_step():
    errors = [smooth_error(0.1, h, k=2.0) for h in (0.8, 0.4)]
    assert errors[1] > 1e-11  # above rounding
    order = np.log2(errors[0] / errors[1])
    assert 11.0 < order < 13.0  # twice ORDER


def test_the_lower_end_keeps_the_shape_of_a_location_ruled_out():
    short = Axis.covering(-3.0, 12.0, spacing=0.3, sd=0.8)
    V = 0.4 + 0.2 * np.exp(short.nodes)
    rows = short.nodes < 4.0
    np.testing.assert_allclose((step_matrix(short) @ V)[rows], V[rows], rtol=1e-10)


def test_the_upper_end_holds_its_value():
    axis = Axis.covering(-8.0, 3.0, spacing=0.25, sd=0.8)
    wide = Axis.covering(-8.0, 12.0, spacing=0.25, sd=0.8)
    V = np.minimum(axis.nodes, 1.0)
    np.testing.assert_allclose(
        (step_matrix(axis) @ V)[8:],
        (step_matrix(wide) @ np.minimum(wide.nodes, 1.0))[8 : axis.n],
        atol=1e-12,
    )


def test_zero_is_a_node_and_the_range_is_covered():
    axis = Axis.covering(-4.1, 3.3, spacing=0.3, sd=0.5)
    assert 0.0 in axis.nodes
    assert axis.nodes[0] <= -4.1
    assert axis.upper >= 3.3
    np.testing.assert_allclose(np.diff(axis.nodes), 0.3)


def test_cubic_interpolation_is_of_fourth_order_and_flat_outside():
    x = np.linspace(-3.9, 3.9, 101)
    errors = []
    for h in (0.4, 0.2, 0.1):
        axis = Axis.covering(-4.0, 4.0, spacing=h, sd=1.0)
        errors.append(np.abs(interpolation_matrix(axis, x) @ np.sin(axis.nodes) - np.sin(x)).max())
        ends = interpolation_matrix(axis, np.array([-9.0, 9.0])) @ np.sin(axis.nodes)
        np.testing.assert_allclose(ends, np.sin([-4.0, 4.0]), atol=1e-12)
    order = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(order, 4.0, atol=0.4)
