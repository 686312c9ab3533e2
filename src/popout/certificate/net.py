r"""A value function learned by a small network: an extra, for the sharpest bounds.

The network reads log-sum-exps of the evidence at eight scales, standardised, and predicts the
logarithm of the cost of waiting over a smooth stand-in for the cost of the better answer,
:math:`\tilde g = c_{miss} c_{fa} \sigma(S) \sigma(-S) / (c_{miss} \sigma(S) + c_{fa} \sigma(-S))`;
it is fitted to the same observed costs of waiting as the splines of `mesh`, by least squares in
risk. As there, a cell of the mesh that training has not met is not trusted.

It needs PyTorch (``pip install popout[torch]``), on the processor or a GPU.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from popout.certificate.mesh import MeshValue
from popout.certificate.problem import Array, Prices
from popout.progress import Progress
from popout.task import InputError

CUT = 6.0
"""Standard deviations at which an input is cut off."""


@dataclass(frozen=True)
class NetEffort:
    """Size and training of the network.

    Parameters
    ----------
    width, depth : int
        Units of a hidden layer, and hidden layers.
    steps, batch : int
        Steps of the optimiser and states in each.
    rate : float
        Largest learning rate; it falls to zero along a cosine.
    device : str
        ``"cpu"``, ``"cuda"``, ...
    """

    width: int = 128
    depth: int = 3
    steps: int = 3000
    batch: int = 4096
    rate: float = 2e-3
    device: str = "cpu"

    @property
    def on_device(self) -> bool:
        """Whether paths live on a device; the network then learns in every pass."""
        return not self.device.startswith("cpu")


@dataclass(frozen=True, eq=False)
class NetValue:
    """A trained network as a `popout.certificate.problem.Value`."""

    statistics: Any
    prices: Prices
    net: Any
    centre: Array
    width: Array
    met: MeshValue
    device: str

    def advantage(self, S: Array) -> Array:
        """Return the advantage of waiting, shape (n,)."""
        torch = import_torch()
        gain = self.gain(torch.as_tensor(np.ascontiguousarray(S)).to(self.device))
        return np.asarray(gain.cpu().numpy())

    def gain(self, S: Any) -> Any:
        """Return the same from a tensor of statistics, on its device."""
        torch = import_torch()
        out = torch.zeros(S.shape[1], dtype=torch.float64, device=S.device)
        where = torch.nonzero(self._met(S))[:, 0]
        if len(where):
            S = S[:, where]
            x = ((S - self._tensors["centre"]) / self._tensors["width"]).clamp(-CUT, CUT)
            with torch.no_grad():
                ratio = self.net(x.T.to(torch.float32))[:, 0].to(torch.float64)
            present = torch.sigmoid(S[0])
            miss, false_alarm = self.prices.miss * present, self.prices.false_alarm * (1 - present)
            more = self.prices.step_present - self.prices.step_absent
            step = self.prices.step_absent + more * present
            smooth = miss * false_alarm / (miss + false_alarm)
            q = torch.maximum(smooth * ratio.exp(), step)
            out[where] = torch.minimum(miss, false_alarm) - q
        return out

    @cached_property
    def _tensors(self) -> dict[str, Any]:
        torch, mesh = import_torch(), self.met.mesh
        arrays = {
            "centre": self.centre[:, None],
            "width": self.width[:, None],
            "rows": mesh.coordinates[:2],
            "origin": mesh.origin[:2, None],
            "per_unit": mesh.per_unit[:2, None],
            "cells": np.array(mesh.shape, dtype=np.float64)[:, None] - 3.0,
            "trusted": self.met.trusted,
        }
        return {name: torch.as_tensor(x.copy()).to(self.device) for name, x in arrays.items()}

    def _met(self, S: Any) -> Any:
        """Return whether training has met states like these: their cell of the mesh is trusted."""
        own = self._tensors
        place = (own["rows"] @ S - own["origin"]) * own["per_unit"]
        inside = ((place >= 0.0) & (place < own["cells"])).all(dim=0)
        cell = place.clamp(min=0.0).minimum(own["cells"] - 1.0).long()
        return inside & own["trusted"][cell[0] * self.met.mesh.shape[1] + cell[1]]


def fit_net(
    data: Sequence[tuple[Array, Array]],
    met: MeshValue,
    effort: NetEffort,
    seed: int,
    progress: Progress | None = None,
) -> NetValue:
    """Train a network on observed costs of waiting.

    Parameters
    ----------
    data : sequence of (ndarray of shape (J, n), ndarray of shape (n,))
    met : MeshValue
        Fitted to the same trials: says which states training has met.
    effort : NetEffort
    seed : int
    progress : Progress, optional
    """
    torch = import_torch()
    S = np.concatenate([S for S, _ in data], axis=1)
    q = np.concatenate([q for _, q in data])
    keep = met.knows(S)
    S, q = S[:, keep], q[keep]
    centre, width = S.mean(axis=1), S.std(axis=1) + 1e-9
    torch.manual_seed(seed % (1 << 63))
    layers: list[Any] = []
    size = len(S)
    for _ in range(effort.depth):
        layers += [torch.nn.Linear(size, effort.width), torch.nn.SiLU()]
        size = effort.width
    net = torch.nn.Sequential(*layers, torch.nn.Linear(size, 1)).to(effort.device)
    inputs = torch.as_tensor(_inputs(S, centre, width)).to(effort.device)
    scale = torch.as_tensor(_smooth_stop(met.prices, S[0]).astype(np.float32)).to(effort.device)
    wanted = torch.as_tensor(q.astype(np.float32)).to(effort.device)
    optimiser = torch.optim.Adam(net.parameters(), lr=effort.rate)
    chance = np.random.default_rng(seed)
    for step in range(effort.steps):
        if progress is not None and step % 100 == 0:
            progress(step / effort.steps, "training the network")
        for group in optimiser.param_groups:
            group["lr"] = effort.rate * 0.5 * (1.0 + math.cos(math.pi * step / effort.steps))
        batch = torch.as_tensor(chance.integers(0, len(q), effort.batch)).to(effort.device)
        found = scale[batch] * torch.exp(net(inputs[batch])[:, 0].clamp(max=5.0))
        loss = ((found - wanted[batch]) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return NetValue(met.statistics, met.prices, net, centre, width, met, effort.device)


def _inputs(S: Array, centre: Array, width: Array) -> Any:
    x = (S - centre[:, None]) / width[:, None]
    return np.ascontiguousarray(np.clip(x, -CUT, CUT).T.astype(np.float32))


def _smooth_stop(prices: Prices, log_odds: Array) -> Array:
    absent, present = prices.miss * expit(log_odds), prices.false_alarm * expit(-log_odds)
    return np.asarray(absent * present / (absent + present))


def import_torch() -> Any:
    """Return PyTorch, or say what to do where it is missing."""
    try:
        import torch
    except ImportError:
        remedy = "pip install popout[torch], or choose regression"
        raise InputError(
            f"certify.method: expected PyTorch for a net, got none; {remedy}"
        ) from None
    torch.set_num_threads(1)  # paths are shared out among threads already
    return torch
