r"""One axis of the grid: its nodes, and the target-absent law of a step as a matrix on them.

At a distractor one step moves :math:`Z_l` by :math:`N(-\sigma^2/2, \sigma^2)` (`popout.evidence`
owns the law). Its density is a symmetric Gaussian, tilted:

.. math:: k(\delta) = e^{-\sigma^2/8}\, G_\sigma(\delta)\, e^{-\delta/2},

so on nodes of spacing h the weights are :math:`k_n \propto T_n e^{-nh/2}` with symmetric
:math:`T_n`. One scalar then makes two moments exact at once, :math:`\sum k_n = 1` and
:math:`\sum k_n e^{nh} = 1`: constants and :math:`e^{Z}` (both martingales under target-absent) pass
through a step unchanged, to rounding.

**The weights.** :math:`T_n` has the Fourier symbol :math:`\exp(-(\sigma/h)^2 \Lambda(\omega))`,
where :math:`\Lambda` is :math:`\omega^2/2` written as a series in :math:`c = 1 - \cos\omega`,

.. math:: \omega^2/2 = \sum_{k \ge 1} \frac{(2c)^k}{k^2 \binom{2k}{k}},

cut after `ORDER` terms. For :math:`h \lesssim \sigma` this is the Gaussian sampled on the nodes
(the trapezoid rule, spectrally accurate); for :math:`h > \sigma`, where sampling would fail, it is
a finite-difference scheme of order 2 `ORDER`. Every term of the series is positive, so no frequency
grows.

**The ends.** Far below, the value function is :math:`A + B e^{z}` (the location is ruled out; what
is left is proportional to its odds). Mass that steps below the lowest node is returned with that
shape, matched at two nodes, so the axis can end a few units below the lower threshold. Above, the
observer has said "present", or named this place, and the value is constant: mass beyond the highest
node is put on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ORDER = 6
SAMPLED = 2.5  # sd in units of the spacing from which aliasing is below rounding
TAIL_SPAN = 0.7  # distance in Z over which the shape A + B exp(z) of the lower end is matched


@dataclass(frozen=True)
class Axis:
    """Equally spaced nodes of one location's log likelihood ratio.

    Attributes
    ----------
    lower : float
        The lowest node.
    spacing : float
        Distance h between nodes.
    n : int
        Number of nodes.
    sd : float
        Standard deviation of one step of evidence.

    Examples
    --------
    >>> axis = Axis.covering(-1.0, 0.7, spacing=0.5, sd=0.8)
    >>> axis.nodes
    array([-1. , -0.5,  0. ,  0.5,  1. ])
    """

    lower: float
    spacing: float
    n: int
    sd: float

    @classmethod
    def covering(
        cls, lower: float, upper: float, *, spacing: float, sd: float, room: int = 0
    ) -> Axis:
        """Cover ``[lower, upper]`` and `room` more nodes above, with zero on a node."""
        below = math.ceil(-lower / spacing - 1e-9)
        above = math.ceil((upper + room * spacing) / spacing - 1e-9)
        return cls(-below * spacing, spacing, below + above + 1, sd)

    def finer(self, times: int) -> Axis:
        """Divide every cell into `times` cells."""
        return Axis(self.lower, self.spacing / times, (self.n - 1) * times + 1, self.sd)

    @property
    def nodes(self) -> NDArray[np.float64]:
        """The nodes, shape (n,)."""
        first = round(self.lower / self.spacing)
        if math.isclose(first * self.spacing, self.lower, rel_tol=1e-12, abs_tol=1e-12):
            return np.asarray(self.spacing * (first + np.arange(self.n)), dtype=np.float64)
        return np.asarray(self.lower + self.spacing * np.arange(self.n), dtype=np.float64)

    @property
    def upper(self) -> float:
        """The highest node."""
        return float(self.nodes[-1])


def step_weights(sd: float, spacing: float) -> NDArray[np.float64]:
    """Return the weights ``k_n`` of a step of n nodes, n = -N..N, shape (2N + 1,).

    Examples
    --------
    >>> weights = step_weights(sd=0.8, spacing=0.5)
    >>> n = np.arange(weights.size) - weights.size // 2
    >>> float(weights.sum()), float((weights * np.exp(0.5 * n)).sum())
    (1.0, 1.0)
    """
    # The tilt by exp(-n h / 2) moves the bulk down by sd**2 / 2; 8.5 sd beyond it nothing is left.
    reach = math.ceil((8.5 * sd + 0.5 * sd**2) / spacing) + 4 * ORDER
    if sd > SAMPLED * spacing:  # the series has converged: this is the sampled Gaussian
        n = np.arange(-reach, reach + 1)
        weights = np.exp(-0.5 * ((spacing * n + 0.5 * sd**2) / sd) ** 2)
        return np.asarray(weights / weights.sum())
    size = 1 << math.ceil(math.log2(4 * reach))
    c = 1.0 - np.cos(2.0 * np.pi * np.arange(size) / size)
    series = sum((2.0 * c) ** k / (k * k * math.comb(2 * k, k)) for k in range(1, ORDER + 1))
    n = np.arange(-reach, reach + 1)
    T = np.fft.ifft(np.exp(-((sd / spacing) ** 2) * series)).real[n]
    T[np.abs(T) < 1e-15 * T[reach]] = 0.0  # rounding of the transform; the tilt would magnify it
    weights = 0.5 * (T + T[::-1]) * np.exp(-0.5 * spacing * n)
    return np.asarray(weights / weights.sum())


def step_matrix(axis: Axis) -> NDArray[np.float64]:
    """Return K of shape (n, n): ``(K @ V)[i]`` is E_0[V(Z')] one step after node i.

    Examples
    --------
    >>> axis = Axis.covering(-8.0, 6.0, spacing=0.5, sd=0.8)
    >>> K = step_matrix(axis)
    >>> bool(np.allclose(K @ np.ones(axis.n), 1.0, atol=1e-13))
    True
    """
    n, z = axis.n, axis.nodes
    weights = step_weights(axis.sd, axis.spacing)
    reach = weights.size // 2
    # Columns of the extended matrix are the nodes -reach .. n - 1 + reach.
    column = np.arange(n + 2 * reach) - reach
    offset = column[None, :] - np.arange(n)[:, None] + reach
    inside = (offset >= 0) & (offset < weights.size)
    extended = np.where(inside, weights[np.clip(offset, 0, weights.size - 1)], 0.0)
    K = extended[:, reach : reach + n].copy()
    K[:, -1] += extended[:, reach + n :].sum(axis=1)
    second = min(n - 1, max(1, round(TAIL_SPAN / axis.spacing)))
    # exp(z - z_0) for the virtual nodes below, relative to its rise up to the second match point.
    share = np.expm1(axis.spacing * column[:reach]) / math.expm1(z[second] - z[0])
    K[:, 0] += extended[:, :reach] @ (1.0 - share)
    K[:, second] += extended[:, :reach] @ share
    return K


def interpolation_matrix(
    axis: Axis, z: NDArray[np.float64], points: int = 4
) -> NDArray[np.float64]:
    """Return P of shape (len(z), n): Lagrange interpolation from the nodes to `z`.

    Parameters
    ----------
    axis : Axis
    z : ndarray
        Points outside the axis take the value at its end.
    points : int
        Nodes used for each; the default of 4 is cubic.

    Examples
    --------
    >>> axis = Axis.covering(-2.0, 2.0, spacing=0.5, sd=0.8)
    >>> z = np.array([-0.3, 1.1])
    >>> interpolation_matrix(axis, z) @ axis.nodes**3
    array([-0.027,  1.331])
    """
    first, weights = interpolation_weights(axis, z, points)
    P = np.zeros((z.size, axis.n))
    for a, weight in enumerate(weights):
        P[np.arange(z.size), first + a] = weight
    return P


def interpolation_weights(
    axis: Axis, z: NDArray[np.float64], points: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the same as the first node of each point, and the weights of it and those that follow.

    Returns
    -------
    first : ndarray of int64, shape (len(z),)
    weights : ndarray of shape (points, len(z))
    """
    position = np.clip((z - axis.nodes[0]) / axis.spacing, 0.0, axis.n - 1.0)
    first = np.floor(position).astype(np.int64) - (points // 2 - 1)
    base = np.clip(first, 0, max(axis.n - points, 0))
    weights = np.ones((min(points, axis.n), z.size))
    for a, weight in enumerate(weights):
        for b in range(len(weights)):
            if b != a:
                weight *= (position - base - b) / (a - b)
    return base, weights
