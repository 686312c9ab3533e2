"""From local log likelihood ratios to that of presence."""

import pytest

from popout.evidence import log_likelihood_ratio_search
from popout.task import InputError


def test_search_ratio_is_finite_and_says_what_it_wants():
    S = log_likelihood_ratio_search([[1e4, -1e4], [-1e4, -1e4]], [1.0, 0.0])
    assert S.tolist() == [1e4, -1e4]
    with pytest.raises(InputError, match="location_prior: expected 2 probabilities"):
        log_likelihood_ratio_search([0.0, 0.0], [0.5, 0.3, 0.2])
    with pytest.raises(InputError, match="Z: expected an array"):
        log_likelihood_ratio_search(3.0)
