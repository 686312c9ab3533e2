"""The noise of looks."""

import numpy as np

from popout.noise.streams import NormalStreams, stream_keys
from popout.simulation.look_noise import FIRST, fill_looks, first_looks, next_look

KEYS = stream_keys(7)


def looks_at(location, trial, n, M=3):
    counts, spare = np.zeros(M, np.int64), np.zeros(M)
    s0, s1 = np.zeros(M, np.uint64), np.zeros(M, np.uint64)
    return [next_look(KEYS, trial, location, counts, s0, s1, spare) for _ in range(n)]


def test_the_first_location_has_the_stream_of_the_trial():
    known = NormalStreams(7, np.array([5])).next(10)[0, :9]
    assert looks_at(0, 5, 9) == known.tolist()


def test_a_look_depends_on_nothing_but_its_number():
    counts, spare, out = np.zeros((2, 2), np.int64), np.zeros((2, 2)), np.empty((2, 2))
    s0, s1 = np.zeros((2, 2), np.uint64), np.zeros((2, 2), np.uint64)
    seen = []
    for shares in ([[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.0, 1.0]], [[0.2, 0.8], [1.0, 0.0]]):
        fill_looks(KEYS, np.array([3, 4]), np.array(shares), counts, s0, s1, spare, out)
        seen.append(out.copy())
    assert counts.tolist() == [[2, 2], [2, 2]]
    assert [seen[0][0, 0], seen[2][0, 0]] == looks_at(0, 3, 2)
    assert [seen[1][0, 1], seen[2][0, 1]] == looks_at(1, 3, 2)
    assert [seen[0][1, 1], seen[1][1, 1]] == looks_at(1, 4, 2)
    assert seen[1][0, 0] == 0.0


def test_first_looks_are_the_same_and_leave_the_streams_ready():
    M, lanes = 70, 64
    s0, s1 = np.ones(2 * lanes, np.uint64), np.ones(2 * lanes, np.uint64)
    pairs = np.zeros((2, FIRST // 2, 2 * lanes))
    first_looks(KEYS, 11, M, s0, s1, pairs)
    for location in (0, 5, 66):
        expected = looks_at(location, 11, FIRST + 2, M)
        found = [
            pairs[location // lanes, n // 2, (n % 2) * lanes + location % lanes]
            for n in range(FIRST)
        ]
        counts, spare = np.full(M, FIRST, np.int64), np.zeros(M)
        found += [next_look(KEYS, 11, location, counts, s0, s1, spare) for _ in range(2)]
        assert found == expected


def test_locations_are_independent():
    normals = np.array([[looks_at(place, trial, 4) for place in range(3)] for trial in range(3000)])
    flat = normals.reshape(3000, -1)
    correlation = np.corrcoef(flat.T) - np.eye(12)
    assert np.abs(correlation).max() < 4.0 / np.sqrt(3000)
    assert np.abs(flat.mean(axis=0)).max() < 4.0 / np.sqrt(3000)


def test_no_look_shares_its_noise_with_another():
    """Over trials, locations and looks together: reused noise makes standard errors too small."""
    normals = [looks_at(place, trial, 6, M=8) for trial in range(60) for place in range(8)]
    assert len(np.unique(normals)) == 60 * 8 * 6
