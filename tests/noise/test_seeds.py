"""Seeds: every purpose has noise of its own."""

import numpy as np

from popout.noise.seeds import Purpose, fresh_seed, spread


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
