"""Symmetric tensors stored once per multiset, against plain enumeration and einsum."""

import itertools

import numpy as np
import pytest

from popout.exact.multisets import Multisets, contract

SIZES = [(5, 1), (6, 2), (4, 3), (3, 4), (2, 5)]


def colexicographic(n, k):
    """Sorted multisets of k out of n nodes, ordered by largest element first."""
    every = itertools.combinations_with_replacement(range(n), k)
    return sorted(every, key=lambda s: s[::-1])


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_order_members_and_rank(n, m):
    sets = Multisets(n, m)
    for k in range(1, m + 1):
        expected = colexicographic(n, k)
        assert sets.size(k) == len(expected)
        assert [tuple(s) for s in sets.members(k).tolist()] == expected
        np.testing.assert_array_equal(sets.rank(np.array(expected)), np.arange(len(expected)))
        for largest in range(n):
            assert sets.prefix(k, largest) == sum(s[-1] <= largest for s in expected)


@pytest.mark.parametrize(("n", "m"), SIZES)
@pytest.mark.parametrize("by", [-2, -1, 1, 2])
def test_shift(n, m, by):
    sets = Multisets(n, m)
    members = colexicographic(n, m)
    number = {s: r for r, s in enumerate(members)}
    S = len(members)
    node, flat = sets.shift(by)
    for slot, (r, s) in itertools.product(range(m), enumerate(members)):
        target = s[slot] + by
        moved = list(s)
        moved[slot] = min(max(target, 0), n - 1)
        assert node[slot * S + r] == number[tuple(sorted(moved))]
        if not 0 <= target < n:
            assert flat[slot * S + r] == m * S
            continue
        new_slot, new_rank = divmod(int(flat[slot * S + r]), S)
        assert new_rank == number[tuple(sorted(moved))]
        # The element itself, or an equal one, sits in that slot; the others are the same as before.
        assert members[new_rank][new_slot] == target
        others = list(members[new_rank])
        others.pop(new_slot)
        assert others == [x for j, x in enumerate(s) if j != slot]


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_dense_index(n, m):
    number = {s: r for r, s in enumerate(colexicographic(n, m))}
    index = Multisets(n, m).dense_index()
    assert index.shape == (n,) * m
    for place in itertools.product(range(n), repeat=m):
        assert index[place] == number[tuple(sorted(place))]


@pytest.mark.parametrize(("n", "m"), SIZES)
@pytest.mark.parametrize("block_bytes", [1, 1 << 28])
@pytest.mark.parametrize("n_target", [None, 3])
def test_contract_equals_einsum(n, m, block_bytes, n_target):
    rng = np.random.default_rng(n * 10 + m)
    source, target = Multisets(n, m), Multisets(n_target or n, m)
    rest = 3
    stored = rng.normal(size=(source.size(), rest))
    matrix = rng.normal(size=(target.n, n))
    dense = stored[source.dense_index()]  # (n, ..., n, rest)
    for axis in range(m):
        dense = np.moveaxis(
            np.einsum("ij,j...->i...", matrix, np.moveaxis(dense, axis, 0)), 0, axis
        )
    found = contract(matrix, stored, source, target, block_bytes)
    assert found.shape == (target.size(), rest)
    np.testing.assert_allclose(found[target.dense_index()], dense, rtol=0, atol=1e-12)
