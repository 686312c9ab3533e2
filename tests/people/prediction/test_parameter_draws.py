"""Parameters that a fit leaves possible."""

from dataclasses import replace

import numpy as np
import pytest
from stored_fits import known_fit

from popout.people.fitting.fitted_model import Interval
from popout.people.models.model import position_of
from popout.people.prediction.parameter_draws import draw_parameters

N = 4000


def places(fitted, n=N):
    drawn = draw_parameters(fitted, n)
    names = [parameter.name for parameter in fitted.model.parameters]
    return names, np.array([position_of(fitted.model.parameters, each) for each in drawn])


def test_draws_have_the_spread_and_the_correlation_of_the_fit():
    fitted = known_fit(sd=0.02)
    covariance = fitted.covariance.copy()
    covariance[0, 1] = covariance[1, 0] = -0.8 * 0.02**2
    names, x = places(replace(fitted, covariance=covariance))
    assert x[:, :2].std(axis=0) == pytest.approx(0.02, rel=5 / np.sqrt(2 * N))
    assert np.corrcoef(x[:, 0], x[:, 1])[0, 1] == pytest.approx(-0.8, abs=5 * 0.36 / np.sqrt(N))
    assert abs(np.corrcoef(x[:, 2], x[:, 3])[0, 1]) < 5 / np.sqrt(N)
    centre = position_of(fitted.model.parameters, fitted.estimates)
    assert x[:, names.index("information")].mean() == pytest.approx(centre[0], abs=0.002)


def test_intervals_of_the_profile_count_where_they_are_lopsided():
    fitted = known_fit(sd=0.02)
    (rate,) = [p for p in fitted.model.parameters if p.name == "information"]
    middle = rate.to_unit(fitted.estimates["information"])
    wide = Interval(rate.from_unit(middle - 0.02), rate.from_unit(middle + 0.1))
    names, x = places(replace(fitted, errors={**fitted.errors, "information": wide}))
    low, high = np.quantile(x[:, names.index("information")], (0.025, 0.975))
    assert low == pytest.approx(middle - 0.02, abs=0.003)
    assert high == pytest.approx(middle + 0.1, abs=0.01)


def test_what_any_value_fits_is_drawn_from_everywhere():
    names, x = places(known_fit(capacity="any value fits"))
    capacity = x[:, names.index("capacity")]
    assert np.quantile(capacity, (0.1, 0.5, 0.9)) == pytest.approx([0.1, 0.5, 0.9], abs=0.03)


def test_at_the_edge_of_its_range_a_parameter_goes_one_way():
    fitted = known_fit("ideal-guided", given={"guidance": np.inf})
    covariance, k = fitted.covariance.copy(), 3
    assert fitted.model.parameters[k].name == "guidance"
    covariance[k] = covariance[:, k] = 0.0  # as the fit leaves it there
    errors = {**fitted.errors, "guidance": Interval(4.0, np.inf)}
    _, x = places(replace(fitted, covariance=covariance, errors=errors))
    assert np.quantile(x[:, k], 0.025) == pytest.approx(0.8, abs=0.02)
    assert (x[:, k] == 1.0).mean() == pytest.approx(0.5, abs=0.05)
