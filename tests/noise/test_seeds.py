"""Seeds: every purpose has noise of its own, and each serves what it is for."""

import re
from collections import Counter
from pathlib import Path

import numpy as np

import popout
from popout.noise.seeds import Purpose, fresh_seed, spread

SERVES = {
    "TUNED_RISK": ["analysis/tune"],
    "COMPARISON": ["analysis/compare", "paper/claims/conjecture_regime"],
    "TUNING": [
        "analysis/simulate_by_name",
        *["analysis/sweep/point"] * 2,
        "experiment/rivals",
        "web/explorer/making",
    ],
    "SWEEP_SCORE": ["analysis/sweep/point"],
    "RISK_FIGURE": [
        *["paper/figures/homogeneous_risk"] * 2,
        "paper/claims/conjecture_regime",
        "paper/claims/unequal_risks",
    ],
    "STORED_PATHS": ["paper/claims/time_varying"],
    "LARGER_SETS": ["paper/claims/larger_sets"],
    "CERTIFICATE_LEARNING": ["analysis/certify"] * 3,
    "CERTIFICATE_PILOT": ["analysis/certify"],
    "CERTIFICATE_BOUND": ["analysis/certify"],
    "REACHED_THRESHOLDS": ["analysis/thresholds"],
    "STUDY_TUNING": [
        *["reports/contest"] * 2,
        "reports/sections/looking_and_stopping",
        "reports/study",
    ],
    "STUDY_SCORE": [*["reports/contest"] * 3, "paper/figures/fixation_durations"],
    "STUDY_REGRET": ["reports/contest"],
    "FIRST_PASSAGES": ["people/passages/first_passages"],
    "MODEL_FIT": ["people/fitting/maximum_likelihood"],
    "POSTERIOR": ["people/fitting/frontier", "people/fitting/model_posterior"],
    "SYNTHETIC_OBSERVER": ["people/fitting/synthetic", *["people/fitting/recovery"] * 2],
    "POPULATION": ["people/fitting/population"],
    "PRECISION": ["experiment/rivals"],
    "PREDICTION": ["people/prediction/parameter_draws"],
    "PARTICIPANTS": ["experiment/trials"],
}
"""Where each purpose is named; what is learned or tuned on one is scored on another."""


def test_purposes_and_chunks_give_different_seeds():
    seeds = [fresh_seed(seed, purpose) for seed in range(20) for purpose in Purpose]
    seeds += [
        fresh_seed(seed, Purpose.STUDY_REGRET, chunk) for seed in range(20) for chunk in (1, 2)
    ]
    assert len(set(seeds)) == len(seeds)
    assert len(set(seeds) & set(range(20))) == 0


def test_words_are_those_of_seed_sequence():
    # Stored results depend on it: NumPy promises that these never change.
    expected = np.random.SeedSequence(5).generate_state(4, np.uint64)
    np.testing.assert_array_equal(spread(5, n_words=4), expected)
    assert fresh_seed(1, Purpose.COMPARISON) == spread(1, 2)[0] == 15529898885419721899


def test_neighbouring_seeds_differ_in_half_of_their_bits():
    words = np.array([spread(seed)[0] for seed in range(400)])
    flipped = np.array([int(word).bit_count() for word in words[1:] ^ words[:-1]])
    # A sum of 64 fair coins has a standard deviation of 4.
    assert abs(flipped.mean() - 32) < 4 * 4 / np.sqrt(len(flipped))


def test_every_purpose_is_named_where_it_serves():
    """No result shows whether it was scored on the trials it was tuned on, so the list is kept."""
    source, used = Path(popout.__file__).parent, []
    for path in source.rglob("*.py"):
        if path.name != "seeds.py":
            module = path.relative_to(source).with_suffix("").as_posix()
            used += [(name, module) for name in re.findall(r"Purpose\.([A-Z_]+)", path.read_text())]
    assert Counter(used) == Counter((name, at) for name, places in SERVES.items() for at in places)
    assert set(SERVES) == set(Purpose.__members__)
