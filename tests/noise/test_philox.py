"""The generator gives the published answers."""

import numpy as np
import pytest

from popout.noise.philox import choose, invert, philox4x32


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [  # known answers published with Random123
        ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_gives_the_published_answers(counter, key, expected):
    words = philox4x32(*(np.uint64(word) for word in (*counter, *key)))
    assert tuple(int(word) for word in words) == expected


def test_the_first_outcome_whose_cumulative_probability_exceeds_u():
    cdf = np.array([0.0, 0.25, 0.25, 1.0, 1.0])
    assert [choose(cdf, u) for u in (0.0, 0.2, 0.25, 0.99)] == [1, 1, 3, 3]


def test_each_place_has_the_table_of_its_index():
    rng = np.random.default_rng(1)
    u, index = rng.random((20, 3, 2, 2)), rng.integers(0, 2, (20, 2))
    cdf = np.cumsum(rng.dirichlet(np.ones(5), (2, 2)), axis=-1)
    cdf[..., -1] = 1.0
    out = u.copy()
    invert(out, index, cdf)
    for (n, t, i, c), value in np.ndenumerate(u):
        assert out[n, t, i, c] == np.searchsorted(cdf[index[n, i], c], value, side="right")
