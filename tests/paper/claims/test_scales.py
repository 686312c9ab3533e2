"""The claims of `scales`: on data where they hold, and where they do not."""

import pytest

from popout.paper.claims import scales

from .fabricated import follows, names_in, put

# For each claim: changes on which it holds, and changes on which it does not hold.
CASES = {
    "reference-location-arbitrary": (
        [],
        [put("scales", "scale_times_tau", 1.1, order="locations exchanged")],
    ),
    "printed-scales": (
        [put("scales", "scale", 2.0, pair="printed")],
        [put("scales", "scale", 4.61, pair="printed", side="absent")],
    ),
    "printed-scales-in-decades": (
        [put("scales", "scale", 2.303, pair="printed")],
        [put("scales", "scale", 2.0, pair="printed")],
    ),
    "printed-scales-suffice": (
        [],
        [put("scales", "excess", 0.01, pair=pair) for pair in ("printed", "printed, in decades")],
    ),
    "one-pair-for-all-costs": ([], [put("scales", "excess", 0.01, pair="one for all costs")]),
    "scales-around-one": (
        [
            put("larger-sets", "scale", 1.6, side="absent"),
            put("larger-sets", "scale", 0.7, side="present"),
        ],
        [
            put("larger-sets", "scale", 0.7, side="absent"),
            put("larger-sets", "scale", 1.6, side="present"),
        ],
    ),
    "scales-same-for-all-sets": ([], [put("larger-sets", "scale", 2.0, set_size=3)]),
}


def test_every_claim_has_its_cases():
    assert set(CASES) == names_in(scales)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(getattr(scales, name.replace("-", "_")), *CASES[name])
