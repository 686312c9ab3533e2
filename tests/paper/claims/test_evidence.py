"""The claims of `evidence`: on data where they hold, and where they do not."""

import pytest

from popout.paper.claims import evidence

from .fabricated import follows, names_in, put

# For each claim: changes on which it holds, and changes on which it does not hold.
CASES = {
    "evidence-lossless": ([], [put("lossless", "largest_difference", 1.0)]),
    "scene-bias-conservative": (
        [put("scene-bias", "towards_zero", 1.0)],
        [put("scene-bias", "towards_zero", -1.0)],
    ),
    "scene-bias-negligible": (
        [],
        [put("scene-bias", name, 1.0) for name in ("rms", "information_lost", "more_errors")],
    ),
}


def test_every_claim_has_its_cases():
    assert set(CASES) == names_in(evidence)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(getattr(evidence, name.replace("-", "_")), *CASES[name])
