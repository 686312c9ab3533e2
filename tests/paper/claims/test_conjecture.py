"""The claims of `conjecture`: on data where they hold, and where they do not."""

import pytest

from popout.paper.claims import conjecture

from .fabricated import follows, names_in, outwards, put, unequal

# For each claim: changes on which it holds, and changes on which it does not hold.
CASES = {
    "one-location-is-sprt": ([], [put("decisions", "single_risk", 1.1, single="SPRT")]),
    "asymptotic-thresholds": ([], [put("larger-sets", "asymptote", 0.5)]),
    "prior-shifts-by-log-m": ([], [put("biased-prior", "shift_less_log_m", 0.5)]),
    "conjecture-matches": (
        [],
        [
            put("optimal-thresholds", "misfit_largest", 0.5),
            put("optimal-thresholds", "risk_fitted", 1.1),
            outwards("a-SPRT", "present", 1.0),
            put("strategies-2d", "risk", 1.1, strategy="a-SPRT"),
        ],
    ),
    "extension-matches": (
        [put("optimal-thresholds", "misfit_largest", 0.5, case=0)],
        [
            put("optimal-thresholds", "misfit_largest", 0.5, case=1),
            put("optimal-thresholds", "risk_fitted", 1.1, case=1),
        ],
    ),
    "conjecture-larger-sets": (
        [put("larger-sets", "largest", 1.0, set_size=2)],
        [put("larger-sets", "largest", 1.0), put("larger-sets", "excess", 0.01)],
    ),
    "conjecture-certified": (
        [put("certified-sets", "gap", 0.0005)],
        [put("certified-sets", "gap", 0.002)],
    ),
    "extension-elsewhere": ([], [unequal("a-SPRT", 1.0)]),
}


def test_every_claim_has_its_cases():
    assert set(CASES) == names_in(conjecture)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(getattr(conjecture, name.replace("-", "_")), *CASES[name])
