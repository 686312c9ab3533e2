"""A small sweep."""

import pytest

from popout.analysis.sweep import Sweep

BASE = {"kind": "search", "n_locations": 2, "drift": 4.0}


@pytest.fixture
def make():
    """Return a function that makes a quick sweep; keywords replace its parts."""

    def sweep(axes=None, costs=None, **settings):
        base = {key: settings.pop(key) for key in ("kind", "drift") if key in settings}
        quick = {"result": "simulated", "strategy": "sprt", "n_trials": 1000, **settings}
        # Thresholds that are given need not be solved.
        if quick["strategy"] == "sprt":
            quick.setdefault("parameters", {"tau_minus": -2.0, "tau_plus": 2.0})
        axes = axes or {"n_locations": [2, 3], "drift": [4.0, 6.0, 8.0]}
        return Sweep({**BASE, **base}, costs or {"time": 0.2}, axes, **quick)

    return sweep
