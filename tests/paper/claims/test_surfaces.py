"""The claims of `surfaces`: on data where they hold, and where they do not."""

import pytest

from popout.paper.claims import surfaces

from .fabricated import SIDES, follows, names_in, outwards, put, rt

SCALED = [
    put("strategies-2d", "spread_at_time", 0.1, statistic="scaled S"),
    put("strategies-2d", "step_sd", 0.5),
    put("strategies-2d", "count", 1e6),
]

# For each claim: changes on which it holds, and changes on which it does not hold.
CASES = {
    "surfaces-differ": (
        [outwards(s, side, 1.0) for s in ("SPRT", "Hardmax") for side in SIDES],
        [],
    ),
    "sprt-conservative": (
        [outwards("SPRT", side, 1.0) for side in SIDES] + [rt("SPRT", k, 1.1) for k in SIDES],
        [outwards("SPRT", side, -1.0) for side in SIDES] + [rt("SPRT", k, 0.9) for k in SIDES],
    ),
    "hardmax-fast-absent-slow-present": (
        [
            outwards("Hardmax", "absent", -1.0),
            outwards("Hardmax", "present", 1.0),
            rt("Hardmax", "absent", 0.9),
            rt("Hardmax", "present", 1.1),
        ],
        [
            outwards("Hardmax", "absent", 1.0),
            outwards("Hardmax", "present", -1.0),
            rt("Hardmax", "absent", 1.1),
            rt("Hardmax", "present", 0.9),
        ],
    ),
    "s-widely-spread": (
        SCALED,
        [
            *SCALED,
            put("strategies-2d", "standard_deviation", 0.05, statistic="S"),
            put("strategies-2d", "spread_at_time", 0.05, statistic="S"),
        ],
    ),
    "no-time-varying-threshold": (
        [put("time-varying", "regret", 0.01)],
        [put("time-varying", "regret", -0.01)],
    ),
    "time-varying-still-loses": (
        [put("time-varying", "regret", 0.01)],
        [put("time-varying", "gain", 0.01), put("time-varying", "regret", -0.01)],
    ),
    "easy-tasks-rarely-ambiguous": (
        [put("decisions", "both_positive", 0.2, drift=2.0)],
        [put("decisions", "both_positive", 0.2, drift=12.0)],
    ),
}


def test_every_claim_has_its_cases():
    assert set(CASES) == names_in(surfaces)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(getattr(surfaces, name.replace("-", "_")), *CASES[name])
