"""The network as a value function, where PyTorch is installed."""

import sys

import pytest

from popout.analysis.certify import certify
from popout.certificate import Effort
from popout.certificate.net import NetEffort
from popout.exact import solve
from popout.policies.stopping import ASPRT
from popout.task import Costs, InputError, SearchTask

TASK, COSTS = SearchTask(n_locations=2, drift=5.0), Costs(time=1.0)
QUICK = Effort(first_blocks=16, later_blocks=6, passes=1, log2_points=6, shape=(16, 8))
SETTINGS = {
    "strategy": ASPRT.for_task(TASK, -2.9, 2.9, a_minus=1.6, a_plus=0.7),
    "method": "net",
    "effort": QUICK,
    "most_trials": 1024,
}


def test_a_tiny_net_gives_valid_bounds():
    pytest.importorskip("torch", reason="the net needs PyTorch")
    exact = solve(TASK, COSTS, 1e-4)
    found = certify(TASK, COSTS, net=NetEffort(width=24, depth=2, steps=400, batch=512), **SETTINGS)
    assert found.method == "net"
    assert found.lower <= exact.risk + exact.risk_error + 3 * found.lower_se
    assert found.upper >= exact.risk - exact.risk_error - 3 * found.upper_se
    assert found.gap < 0.02


def test_without_torch_the_message_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match="pip install popout\\[torch\\]"):
        certify(TASK, COSTS, **SETTINGS)
