"""The claims of `unequal_risks`: on data where they hold, and where they do not."""

import pytest

from popout.paper.claims import unequal_risks

from .fabricated import EQUAL, HARDMAXES, SIDES, follows, names_in, put, risk, unequal

RIVALS = ["SPRT-opt", *HARDMAXES]

# For each claim: changes on which it holds, and changes on which it does not hold.
CASES = {
    "existing-models-suboptimal": (
        [risk(s, 0.01) for s in EQUAL[1:]] + [unequal(s, 0.01) for s in RIVALS],
        [],
    ),
    "unequal-drifts-suboptimal": (
        [unequal(s, 0.01) for s in RIVALS],
        [unequal(s, 1.0, time_cost=1.0) for s in RIVALS],
    ),
    "losses-noticeable-unequal-drifts": (
        [unequal(s, 1.0) for s in RIVALS],
        [unequal(s, 0.01) for s in RIVALS],
    ),
    "worse-with-heterogeneity": (
        [unequal(s, 1.0, drifts=1) for s in RIVALS],
        [unequal(s, 1.0, drifts=0) for s in RIVALS],
    ),
    "hardmax-equal-tradeoff": (
        [put("unequal-drift-risk", "error_rate", 0.5, strategy="SPRT-opt", condition="hard")],
        [
            put("unequal-drift-risk", name, value, strategy=strategy, condition="hard")
            for name, value in (("error_rate", 0.5), ("mean_rt", 2.0))
            for strategy in HARDMAXES
        ],
    ),
    "others-sacrifice-hard-location": (
        [
            put("unequal-drift-risk", "error_rate", 0.5, condition="hard"),
            *(put("unequal-drift-risk", "mean_rt", 2.0, strategy=s) for s in HARDMAXES),
        ],
        [put("unequal-drift-risk", "error_rate", 0.5, condition="easy")],
    ),
    "sprt-opt-similar-to-optimum": (
        [],
        [
            put("unequal-drift-risk", "mean_rt", 2.0, strategy="SPRT-opt"),
            put("unequal-drift-risk", "error_rate", 0.5, strategy="SPRT-opt"),
            *(put("homogeneous-risk", f"optimal_mean_rt_{kind}", 2.0) for kind in SIDES),
            *(put("homogeneous-risk", f"optimal_error_rate_{kind}", 0.5) for kind in SIDES),
        ],
    ),
    "hardmax-suboptimal-almost-everywhere": (
        [risk("Hardmax", 0.01), *(unequal(s, 0.01) for s in HARDMAXES)],
        [risk("Hardmax", 1.0, set_size=2), *(unequal(s, 1.0, drifts=0) for s in HARDMAXES)],
    ),
}


def test_every_claim_has_its_cases():
    assert set(CASES) == names_in(unequal_risks)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(getattr(unequal_risks, name.replace("-", "_")), *CASES[name])
