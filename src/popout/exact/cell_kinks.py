r"""A boundary within one cell: where it lies, and what it adds at the four nearest nodes (`kinks`).

The two formulas, `cubic` and `moments`, take arrays as well as numbers; `root` and `corrections`
are compiled, for one cell at a time.
"""

from __future__ import annotations

from typing import Any

from popout.noise.elementary import compiled

LAGRANGE = [  # coefficients of 1, t, t^2, t^3 of the Lagrange polynomials of -1, 0, 1, 2
    [0.0, -1.0 / 3.0, 1.0 / 2.0, -1.0 / 6.0],
    [1.0, -1.0 / 2.0, -1.0, 1.0 / 2.0],
    [0.0, 1.0, 1.0 / 2.0, -1.0 / 2.0],
    [0.0, -1.0 / 6.0, 0.0, 1.0 / 6.0],
]
SLACK = 0.25  # how far outside its cell, in nodes, a boundary with fixed sides may be looked for
NEWTON = 3  # steps from the secant to the root


def moments(t: Any, d: Any, d1: Any, d2: Any, d3: Any) -> tuple[Any, Any, Any, Any]:
    """Return what the Lagrange coefficients of the nodes are multiplied with, for jumps at t.

    The Lagrange polynomials of the nodes and their derivatives are polynomials in t. Collecting
    powers, C_a = sum_j (coefficients of row a)_j * g_j, with g_j made of the jumps d of V and its
    derivatives times the Bernoulli polynomials of 1 - t. On arrays, or compiled, on numbers.
    """
    u = 1.0 - t
    v = u * (u - 1.0)
    b0 = u - 0.5
    b1 = (v + 1.0 / 6.0) / 2.0
    b2 = v * b0 / 6.0
    b3 = (v * v - 1.0 / 30.0) / 24.0
    e0 = b0 * d + b1 * d1 + b2 * d2 + b3 * d3
    e1 = b1 * d + 2.0 * b2 * d1 + 3.0 * b3 * d2
    e2 = b2 * d + 3.0 * b3 * d1
    e3 = b3 * d
    t2 = t * t
    return (
        e0,
        e0 * t + e1,
        e0 * t2 + 2.0 * e1 * t + 2.0 * e2,
        e0 * t2 * t + 3.0 * e1 * t2 + 6.0 * e2 * t + 6.0 * e3,
    )


def cubic(before: Any, here: Any, after: Any, beyond: Any, t: Any) -> tuple[Any, Any, Any, Any]:
    """Return value and derivatives at t of the cubic through the nodes -1, 0, 1, 2."""
    c1 = after - here
    c2 = (c1 - here + before) / 2.0
    c3 = (beyond - before - 3.0 * c1) / 6.0
    value = here + t * (c1 + (t - 1.0) * (c2 + (t + 1.0) * c3))
    slope = c1 + (2.0 * t - 1.0) * c2 + (3.0 * t * t - 1.0) * c3
    return value, slope, 2.0 * c2 + 6.0 * t * c3, 6.0 * c3


compiled_cubic, _moments = compiled(cubic), compiled(moments)


@compiled
def root(f: Any, newton: int) -> float:
    """Return where the cubic through the nodes -1, 0, 1, 2 vanishes in, or close to, [0, 1]."""
    rise = f[2] - f[1]
    t = 0.0 if rise == 0.0 else -f[1] / rise
    t = min(max(t, -SLACK), 1.0 + SLACK)
    for _ in range(newton):
        value, slope, _, _ = compiled_cubic(f[0], f[1], f[2], f[3], t)
        if slope != 0.0:
            t = min(max(t - value / slope, -SLACK), 1.0 + SLACK)
    return t


@compiled
def corrections(f: Any, t: float) -> Any:
    """Return what a jump of f, given at the nodes -1, 0, 1, 2, adds to V there if it lies at t."""
    d, d1, d2, d3 = compiled_cubic(f[0], f[1], f[2], f[3], t)
    g0, g1, g2, g3 = _moments(t, d, d1, d2, d3)
    return (
        -g1 / 3.0 + g2 / 2.0 - g3 / 6.0,
        g0 - g1 / 2.0 - g2 + g3 / 2.0,
        g1 + g2 / 2.0 - g3 / 2.0,
        -g1 / 6.0 + g3 / 6.0,
    )
