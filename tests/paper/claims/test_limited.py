"""The claims of `limited`: on data where they hold, and where they do not."""

import pytest

from popout.paper.claims import limited

from .fabricated import follows, names_in, put

LOOK, SLOPES, WORTH = "where-to-look", "slopes-and-errors", "worth-a-look"
MISSES = put(SLOPES, "error_rate_present", 0.05, set_size=18)
ALARMS = put(SLOPES, "error_rate_absent", 0.05, set_size=18)
# For each claim: changes on which it holds, and changes on which it does not hold.
CASES = {
    "serial-close-to-optimal": ([], [put(LOOK, "risk", 1.2, attention="serial")]),
    "guided-close-to-optimal": ([], [put(LOOK, "risk", 1.2, attention="guided, g = 1")]),
    "serial-optimal-in-continuous-time": ([], [put(LOOK, "limit_risk", 1.01, limit="serial")]),
    "dividing-costs": ([put(LOOK, "risk", 1.3, attention="parallel")], []),
    "slopes-two-to-one": ([put(SLOPES, "rt_slope_absent", 2.2)], []),
    "parallel-slopes-one-to-one": ([], [put(SLOPES, "rt_slope_absent", 2.2)]),
    "misses-grow-alarms-do-not": ([MISSES], [ALARMS]),
    "parallel-errs-both-ways": ([MISSES, ALARMS], []),
    "worth-a-look-rule": (
        [
            put(WORTH, "boundary", -3.0, factor=[1.1, 2.0]),
            put(WORTH, "risk", 0.9, factor=2.0),
        ],
        [put(WORTH, "boundary", -3.0, factor=2.0), put(WORTH, "risk", 0.9, factor=0.9)],
    ),
}


def test_every_claim_has_its_cases():
    assert set(CASES) == names_in(limited)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(getattr(limited, name.replace("-", "_")), *CASES[name])
