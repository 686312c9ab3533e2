import math

import numpy as np
import pytest

from popout.strategies import ASPRT
from popout.task import InputError, SearchTask


def test_extension_reduces_to_a_single_location_asymptotically():
    # All other locations ruled out: the tests are those of discrimination at that location.
    lower, upper = (-4.0, -2.0, -3.0), (5.0, 1.5, 2.5)
    strategy = ASPRT.for_task(SearchTask(drift=(8.0, 3.0, 5.0)), lower, upper)
    for location in range(3):
        Z = np.full(3, -1e4)
        for tau, which in ((lower, 0), (upper, 1)):
            Z[location] = tau[location] + math.log(3)
            assert strategy.margins(Z, 0.0)[which] == pytest.approx(0.0, abs=1e-12)


def test_factors_need_thresholds_of_one_sign():
    with pytest.raises(InputError, match="the same sign"):
        ASPRT.for_task(SearchTask(drift=(8.0, 3.0)), (-2.0, 0.1), (2.0, 2.0))
