"""What every observation law shares, on the smallest law there can be."""

import math

import numpy as np
import pytest

from popout.task import Field, InputError, Noise, Observation, Stored, required
from popout.task.kinds import Each, Number


@pytest.fixture
def law():
    class Coins(Observation):
        """Heads or tails, one coin for each orientation."""

        kind = "coins"
        noise = Noise.UNIFORM
        heads: Stored[tuple[float, ...]] = required(
            Field(Each(Number(above=0.0, below=1.0), "probabilities"), "P(heads).", "give some")
        )

        @property
        def rows(self):
            return tuple((p,) for p in self.heads)

        def linear(self):
            p = np.asarray(self.rows)
            return np.log(p / (1 - p)), -np.log(1 - p)[:, 0]

        def increments(self, noise, orientation, dt):
            return (noise < np.asarray(self.rows)[orientation][:, None]).astype(float)

    yield Coins
    del Observation.kinds["coins"]


def test_a_law_is_known_by_its_kind_as_soon_as_it_is_defined(law):
    assert Observation.kinds["coins"] is law
    assert law((0.2, 0.7)).as_dict() == {"kind": "coins", "heads": [0.2, 0.7]}
    assert law.schema()["properties"]["kind"] == {"const": "coins"}


def test_sizes_follow_from_the_rows(law):
    coins = law((0.2, 0.5, 0.7))
    assert (coins.n_orientations, coins.n_channels, coins.is_scalar) == (3, 1, False)


def test_a_law_has_no_equivalent_search_unless_it_says_so(law):
    assert law.why_no_search
    assert math.isnan(law((0.2, 0.7)).separation(0, 1))


def test_its_parameters_are_checked(law):
    with pytest.raises(InputError, match=r"Coins.heads\[1\]: expected .* below 1, got 1.5"):
        law((0.2, 1.5))


def test_a_law_without_its_functions_is_none():
    class Unfinished(Observation):
        """Nothing here."""

    with pytest.raises(TypeError, match="abstract"):
        Unfinished()
