"""The noise: the right generator, the right transform, and no structure that tests can see."""

import math

import numpy as np
import pytest
from scipy import stats

from popout.noise.streams import NormalStreams, stream_keys

MASK = (1 << 64) - 1


def plain_stream(seed, trial, n):
    """xoroshiro128++, SplitMix64 seeding and Box-Muller in plain Python integers and libm."""

    def mix(x):
        x &= MASK
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
        return x ^ (x >> 31)

    def rotate(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    keys = [int(k) for k in np.random.SeedSequence(seed).generate_state(4, np.uint64)]
    a, b = (mix(key + 0x9E3779B97F4A7C15 * (trial + 1)) for key in keys[:2])

    def word():
        nonlocal a, b
        result = (rotate((a + b) & MASK, 17) + a) & MASK
        b ^= a
        a, b = rotate(a, 49) ^ b ^ ((b << 21) & MASK), rotate(b, 28)
        return result

    normals = []
    while len(normals) < n:
        first, second = word(), word()
        radius = math.sqrt(-2.0 * math.log1p(-(first >> 12) / 2**52))
        angle = (second >> 12) / 2**52 * math.pi / 2
        normals.append((-1) ** (second & 1) * radius * math.cos(angle))
        normals.append((-1) ** (second >> 1 & 1) * radius * math.sin(angle))
    return normals[:n]


@pytest.mark.parametrize("seed", [0, 1, 2**40 + 3, 10**30])
@pytest.mark.parametrize("trial", [0, 5, 10**9])
def test_the_stream_is_that_of_the_plain_reference(seed, trial):
    noise = NormalStreams(seed, np.array([trial])).next(52)[0]
    np.testing.assert_allclose(noise, plain_stream(seed, trial, 52), rtol=1e-13, atol=1e-14)


def test_a_stream_does_not_depend_on_its_company_or_length():
    trials = np.array([3, 1000, 7, 12, 5_000_000_000])
    together = NormalStreams(9, trials).next(34)
    for row, trial in zip(together, trials, strict=True):
        alone = NormalStreams(9, np.array([trial])).next(20)[0]
        np.testing.assert_array_equal(row[:20], alone)


def test_seeds_and_trials_give_different_streams():
    first = [tuple(NormalStreams(s, np.arange(50)).next(2)[:, 0]) for s in range(20)]
    assert len({x for row in first for x in row}) == 1000


def test_keys_of_a_seed_are_distinct():
    assert len(set(stream_keys(0).tolist())) == 4


@pytest.fixture(scope="module")
def block():
    """2e6 normals, trials by number."""
    return NormalStreams(2024, np.arange(20_000)).next(100)


def moment_scores(x):
    """Deviation of the first eight moments from the normal's, in standard errors."""
    n = x.size
    scores = []
    for k in range(1, 9):
        expected = 0.0 if k % 2 else float(math.prod(range(1, k, 2)))
        variance = float(math.prod(range(1, 2 * k, 2))) - expected**2
        scores.append((np.mean(x**k) - expected) / math.sqrt(variance / n))
    return np.array(scores)


def test_moments(block):
    assert np.abs(moment_scores(block.ravel())).max() < 4


def test_moments_would_see_a_wrong_variance(block):
    assert np.abs(moment_scores(1.004 * block.ravel())).max() > 4


def test_kolmogorov_smirnov_overall_and_at_single_steps(block):
    assert stats.kstest(block.ravel(), "norm").pvalue > 1e-4
    for column in (0, 1, 2, 50, 99):
        assert stats.kstest(block[:, column], "norm").pvalue > 1e-4


def test_kolmogorov_smirnov_would_see_a_shift(block):
    assert stats.kstest(block.ravel() + 0.003, "norm").pvalue < 1e-4


def test_tails(block):
    """Counts beyond 3, 3.5 and 4 standard deviations, on either side."""
    x = block.ravel()
    for side in (x, -x):
        for limit in (3.0, 3.5, 4.0):
            expected = stats.norm.sf(limit) * x.size
            assert abs((side > limit).sum() - expected) < 4 * math.sqrt(expected)


def correlation_score(x, y):
    return float(np.mean(x * y) * math.sqrt(x.size))


@pytest.mark.parametrize("lag", [1, 2, 3, 8, 49])
def test_no_correlation_between_steps(block, lag):
    assert abs(correlation_score(block[:, lag:], block[:, :-lag])) < 4
    assert abs(correlation_score(block[:, lag:] ** 2 - 1, block[:, :-lag] ** 2 - 1)) < 4 * 2


@pytest.mark.parametrize("lag", [1, 2, 32, 64, 4096])
def test_no_correlation_between_trials(block, lag):
    assert abs(correlation_score(block[lag:], block[:-lag])) < 4
    assert abs(correlation_score(block[lag:] ** 2 - 1, block[:-lag] ** 2 - 1)) < 4 * 2


def test_correlation_would_see_a_shared_component(block):
    mixed = block + 0.06 * np.roll(block, 1, axis=1)
    assert abs(correlation_score(mixed[:, 1:], mixed[:, :-1])) > 4


def test_no_correlation_between_neighbouring_seeds():
    first, second = (NormalStreams(s, np.arange(5000)).next(40) for s in (0, 1))
    assert abs(correlation_score(first, second)) < 4


def test_the_two_members_of_a_pair_are_independent(block):
    """Joint distribution on a 8 x 8 grid of equal probabilities; chi-squared."""
    cells = np.minimum((stats.norm.cdf(block) * 8).astype(int), 7)
    for first, second in ((cells[:, 0::2], cells[:, 1::2]), (cells[:, 1:-1:2], cells[:, 2::2])):
        counts = np.bincount((8 * first + second).ravel(), minlength=64)
        assert stats.chisquare(counts).pvalue > 1e-4
