"""Spike counts: tuning curves, bounds, and what the law says."""

import math

import numpy as np
import pytest

from popout.task import InputError, PoissonSpikes


def test_tuning_curves_have_period_180_and_peak_at_their_preference():
    spikes = PoissonSpikes.tuned(
        [0, 45, 90, 180, "blank"], preferred=[0, 45], baseline=3, gain=10, concentration=2
    )
    rate = np.array(spikes.rate)
    assert rate[0, 0] == rate[1, 1] == 13.0
    np.testing.assert_allclose(rate[3], rate[0])
    np.testing.assert_allclose(rate[2, 0], 3 + 10 * math.exp(-4))
    np.testing.assert_allclose(rate[1, 0], 3 + 10 * math.exp(-2))
    assert rate[4].tolist() == [3.0, 3.0]


def test_a_rate_beyond_meaning_is_told_the_bound():
    with pytest.raises(InputError, match=r"expected a positive number below 1e\+10, got 1000"):
        PoissonSpikes([[1e12], [2.0]])


@pytest.mark.parametrize("rate", [[[1, 0], [1, 2]], [1, 2], None, [[1.0, 1e300]]])
def test_faulty_rates_are_refused(rate):
    with pytest.raises(InputError):
        PoissonSpikes(rate)


def test_tuning_needs_a_baseline():
    with pytest.raises(InputError, match="baseline"):
        PoissonSpikes.tuned([0], [0], baseline=0, gain=1, concentration=1)


def test_counts_are_the_quantiles_of_their_distribution():
    """With mean 1, P(0) = P(1) = 0.3679 and P(2) = 0.1839."""
    u = np.array([0.0, 0.36, 0.37, 0.73, 0.74, 0.91]).reshape(1, 6, 1, 1)
    counts = PoissonSpikes([[10.0]]).increments(u, np.zeros((1, 1), dtype=int), 0.1)
    assert counts.ravel().tolist() == [0, 0, 1, 1, 2, 2]


def test_spikes_have_no_equivalent_search_and_say_why():
    assert math.isnan(PoissonSpikes([[1.0], [2.0]]).separation(0, 1))
    assert "spike counts" in PoissonSpikes.why_no_search
