r"""Paths of a search task on a GPU, with their conditional expectations.

The same as `search`, written in PyTorch: a block holds more trials, because a device is quick only
where there is much to do at once. Every 64 trials share the points of their conditional
expectations, as a block of `search` does; errors are taken between blocks here as there.

Noise comes from the device's own generator, so that a seed gives the same numbers on the same kind
of device only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.certificate.draws import BITS, sobol_points
from popout.certificate.expectation import RIDGE, ROWS
from popout.certificate.net import NetValue, import_torch
from popout.certificate.problem import Array
from popout.certificate.search import SearchProblem, decide_everywhere
from popout.certificate.statistics import FEWEST, LogSumExps
from popout.policies.stopping import Strategy

GROUP = 64
"""Trials that share the points of a conditional expectation."""
LARGEST_EXPONENT = 600.0


@dataclass(frozen=True, eq=False)
class DeviceProblem(SearchProblem):
    """A `SearchTask` and its costs, whose trials live on a device.

    Parameters
    ----------
    device : str
        As PyTorch calls it.
    """

    device: str = "cuda"

    block_size = 1024

    def __post_init__(self) -> None:
        """Load the device's linear algebra once, here: threads that do so together fail."""
        super().__post_init__()
        torch = import_torch()
        torch.linalg.cholesky_ex(torch.eye(1, dtype=torch.float64, device=self.device))

    def block(
        self, seed: int, number: int, statistics: LogSumExps, log2_points: int
    ) -> DeviceBlock:
        """Return a block of trials at their start."""
        return DeviceBlock(self, seed, number, statistics, log2_points)


class DeviceBlock:
    """Trials that walk together, see `popout.certificate.search.SearchBlock`."""

    def __init__(
        self,
        problem: DeviceProblem,
        seed: int,
        number: int,
        statistics: LogSumExps,
        log2_points: int,
    ) -> None:
        torch = import_torch()
        self.problem, self.statistics, self.number = problem, statistics, number
        P, M = problem.block_size, len(problem.sd)
        chance = np.random.default_rng([seed, number])
        targets = problem.targets(chance.random(), P)
        mean = np.repeat(problem.mean_absent[:, None], P, axis=1)
        present = np.flatnonzero(targets >= 0)
        mean[targets[present], present] = problem.mean_present[targets[present]]
        self._noise, self._shifts = (
            torch.Generator(problem.device).manual_seed(int(key))
            for key in chance.integers(0, 1 << 62, 2)
        )
        self._mean, self._sd, self._absent = (
            self._on_device(x) for x in (mean.T, problem.sd, problem.mean_absent)
        )
        self._slope, self._shift, self._scale = (
            self._on_device(x) for x in (statistics.slope, statistics.shift, statistics.scale)
        )
        self._points = torch.as_tensor(np.array(sobol_points(M, log2_points - 1))).to(
            problem.device
        )
        self._Z = torch.zeros((P, M), dtype=torch.float64, device=problem.device)
        self.k = 0
        self._look()

    def _on_device(self, x: Array) -> Any:
        return import_torch().as_tensor(np.ascontiguousarray(x)).to(self.problem.device)

    def _exponentials(self, Z: Any) -> Any:
        """Return the terms of the sums, shape (J, ..., M), for Z of shape (..., M)."""
        ahead = (slice(None), *(None,) * (Z.ndim - 1), slice(None))
        exponent = self._slope[ahead] * Z + self._shift[ahead]
        return exponent.clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT).exp()

    def _look(self) -> None:
        sums = self._exponentials(self._Z).sum(dim=-1)
        self.S = ((sums + FEWEST).log() / self._scale[:, None]).cpu().numpy()

    def advance(self) -> None:
        """Give every trial one more step of evidence."""
        torch = import_torch()
        noise = torch.empty_like(self._Z).normal_(generator=self._noise)
        self._Z += self._mean + self._sd * noise
        self.k += 1
        self._look()

    def decide(self, strategy: Strategy, trials: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return what a strategy does in some trials now."""
        where = import_torch().as_tensor(trials).to(self.problem.device)
        return decide_everywhere(self.problem, strategy, self._Z[where].cpu().numpy(), self.k)

    def expected(self, value: NetValue, trials: NDArray[np.int64]) -> Array:
        """Return an unbiased estimate of the expected value after one more step."""
        torch, prices = import_torch(), self.problem.prices
        n = len(trials)
        groups = -(-n // GROUP)
        padded = np.resize(trials, groups * GROUP)
        Z = self._Z[torch.as_tensor(padded).to(self.problem.device)].reshape(groups, GROUP, -1)
        normals = self._normals(groups)  # (groups, M, K)
        e = self._exponentials(Z)  # (J, groups, GROUP, M)
        steps = self._absent[:, None] + self._sd[:, None] * normals
        factors = (self._slope[:, None, :, None] * steps).exp()
        sums = torch.matmul(e, factors) + FEWEST  # (J, groups, GROUP, K)
        S = sums.log() / self._scale[:, None, None, None]
        gain = value.gain(S.reshape(len(S), -1)).clamp(min=0.0).reshape(sums.shape[1:])
        W = sums[0]
        V = (prices.miss * W).clamp(max=prices.false_alarm) - (1.0 + W) * gain
        toward = (self._slope[:ROWS, None, None, :] * self._sd * e[:ROWS]).permute(1, 2, 0, 3)
        means = _corrected_means(V, normals, toward) / (1.0 + e[0].sum(dim=-1))
        return np.asarray(means.reshape(-1)[:n].cpu().numpy())

    def _normals(self, groups: int) -> Any:
        """Return shifted points as normals, shape (groups, M, K); each half has its own shift."""
        torch = import_torch()
        M, half = self._points.shape
        where = {"generator": self._shifts, "device": self.problem.device}
        mask = torch.randint(0, 1 << BITS, (groups, M, 2, 1), **where)
        below = 1.0 - torch.rand((groups, 1, 2, 1), dtype=torch.float64, **where)
        points = (self._points[:, None, :] ^ mask) + below
        uniforms = points * (2.0**-BITS * (1.0 - 1e-15))
        return torch.special.ndtri(uniforms).reshape(groups, M, 2 * half)


def _corrected_means(V: Any, normals: Any, toward: Any) -> Any:
    """Return means over the points, see `popout.certificate.expectation`.

    Parameters
    ----------
    V : Tensor of shape (groups, GROUP, K)
    normals : Tensor of shape (groups, M, K)
    toward : Tensor of shape (groups, GROUP, ROWS, M)
    """
    torch = import_torch()
    omega = toward / (toward.square().sum(dim=-1, keepdim=True) + 1e-300).sqrt()
    xi = torch.einsum("gpim,gmk->gpik", omega, normals)
    overlap = torch.einsum("gpim,gpjm->gpij", omega, omega)
    i, j = torch.triu_indices(ROWS, ROWS, device=V.device)
    products = xi[:, :, i] * xi[:, :, j] - overlap[:, :, i, j, None]
    z = xi[:, :, :1]
    third, fourth = z * (z.square() - 3.0), z.square() * (z.square() - 6.0) + 3.0
    x = torch.cat([xi, products, third, fourth], dim=2)  # (groups, GROUP, C, K)
    half = x.shape[3] // 2
    x = x.reshape(*x.shape[:3], 2, half).transpose(2, 3)  # (groups, GROUP, 2, C, half)
    y = V.reshape(*V.shape[:2], 2, half)
    mean_x, mean_V = x.mean(dim=-1), y.mean(dim=-1)
    away = x - mean_x[..., None]
    A = torch.matmul(away, away.transpose(-1, -2)) / half
    A += torch.diag_embed(RIDGE * torch.diagonal(A, dim1=-2, dim2=-1) + 1e-12)
    right = torch.matmul(away, y[..., None]) / half
    factor, _ = torch.linalg.cholesky_ex(A)
    beta = torch.cholesky_solve(right, factor)[..., 0].flip(2)  # fitted on the other half
    beta = torch.nan_to_num(beta, nan=0.0, posinf=0.0, neginf=0.0)
    return (mean_V - (beta * mean_x).sum(dim=-1)).mean(dim=-1)
