"""The claims of `uncertainty`: on data where they hold, and where they do not."""

import pytest

from popout.paper.claims import uncertainty

from .fabricated import follows, names_in, put

TABLE = "uncertainty"
KIND = "kind of distractor"
LATE, EARLY = "tied distractors, once inferred", "tied distractors, not inferred yet"
CASES = {
    "uncertainty-has-a-price": (
        [put(TABLE, "risk_unknown", 1.2, unknown=KIND), put(TABLE, "risk_unknown_se", 0.002)],
        [
            put(TABLE, "risk_unknown", 0.9, unknown=KIND),
            put(TABLE, "risk_unknown", 1.1, unknown="set size"),
        ],
    ),
    "discrimination-one-dimensional": ([], [put(TABLE, "step_difference", 4.0)]),
    "reduces-to-homogeneous-search": ([], [put(TABLE, "step_difference", 4.0, state=LATE)]),
    "not-reduced-before": ([put(TABLE, "step_difference", 4.0, state=EARLY)], []),
}


def test_every_claim_has_its_cases():
    assert set(CASES) == names_in(uncertainty)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(getattr(uncertainty, name.replace("-", "_")), *CASES[name])
