"""The claims of `exactness`: on data where they hold, and where they do not."""

import pytest

from popout.paper.claims import exactness

from .fabricated import follows, names_in, put

TABLE = "conjecture-regime"
CASES = {
    "conjecture-exact": ([], [put(TABLE, "largest", 0.02)]),
    "conjecture-in-risk": (
        [put(TABLE, "excess", 0.0005)],
        [put(TABLE, "excess", 0.002), put(TABLE, "excess_change", 0.0005)],
    ),
    "conjecture-unequal-costs": ([], [put(TABLE, "skewed_excess", 0.002)]),
    "conjecture-where-looking-hardly-pays": (
        [put(TABLE, "rival_gain", -0.01)],
        [put(TABLE, "rival_gain", 0.002)],
    ),
}


def test_every_claim_has_its_cases():
    assert set(CASES) == names_in(exactness)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(getattr(exactness, name.replace("-", "_")), *CASES[name])
