"""The claims of `risks`: on data where they hold, and where they do not."""

import pytest

from popout.paper.claims import risks

from .fabricated import SIDES, follows, names_in, put, risk

# For each claim: changes on which it holds, and changes on which it does not hold.
CASES = {
    "risk-order-equal-drifts": (
        [risk("SPRT-opt", 1.0), risk("SPRT", 2.0), risk("Hardmax", 3.0)],
        [risk("a-SPRT", 3.0), risk("SPRT-opt", 2.0), risk("SPRT", 1.0), risk("Hardmax", 0.0)],
    ),
    "hardmax-and-sprt-highly-suboptimal": (
        [risk("SPRT", 2.0, set_size=8), risk("Hardmax", 2.0, set_size=8)],
        [risk("SPRT", 0.5), risk("Hardmax", 0.5)],
    ),
    "losses-noticeable-equal-drifts": (
        [risk(s, 0.5, set_size=8) for s in ("SPRT-opt", "SPRT", "Hardmax")],
        [risk(s, 0.05) for s in ("SPRT-opt", "SPRT", "Hardmax")],
    ),
    "hardmax-suboptimal-in-all-cases": (
        [risk("Hardmax", 0.01)],
        [risk("Hardmax", 0.5), risk("Hardmax", 0.0, set_size=2)],
    ),
    "sprt-suboptimal-at-high-cost": (
        [risk("SPRT", 0.01, time_cost=1.0)],
        [risk("SPRT", 0.5, time_cost=0.2)],
    ),
    "sprt-opt-close-at-low-cost": (
        [risk("SPRT-opt", 0.5, time_cost=1.0)],
        [risk("SPRT-opt", 0.5, time_cost=0.2)],
    ),
    "sprt-opt-worse-at-high-cost": (
        [risk("SPRT-opt", 0.5, time_cost=1.0)],
        [risk("SPRT-opt", 0.5, time_cost=0.2)],
    ),
    "sprt-opt-slightly-worse": ([risk("SPRT-opt", 0.5)], [risk("SPRT-opt", 2.0)]),
    "sprt-opt-similar-to-a-sprt": (
        [],
        [
            put("homogeneous-risk", f"{what}_{kind}", 2.0, strategy="SPRT-opt")
            for what in ("mean_rt", "error_rate")
            for kind in SIDES
        ],
    ),
}


def test_every_claim_has_its_cases():
    assert set(CASES) == names_in(risks)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(getattr(risks, name.replace("-", "_")), *CASES[name])
