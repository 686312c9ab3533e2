"""The claims of `asymptotics`: on data where they hold, and where they do not."""

import pytest

from popout.paper.claims import asymptotics

from .fabricated import follows, names_in, put

TABLE = "asymptotics"
CASES = {
    "sprt-asymptotically-optimal": (
        [put(TABLE, "excess", [0.3, 0.2, 0.05])],
        [put(TABLE, "excess", [0.2, 0.3, 0.4])],
    ),
    "approximations-of-methods": (
        [put(TABLE, "threshold_off", 0.05)],
        [put(TABLE, "rt_off", 20.0), put(TABLE, "threshold_off", 0.3)],
    ),
}


def test_every_claim_has_its_cases():
    assert set(CASES) == names_in(asymptotics)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(getattr(asymptotics, name.replace("-", "_")), *CASES[name])
