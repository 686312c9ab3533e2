"""Boundaries: symmetric for equal locations; a preface only where nothing is solved."""

import numpy as np

from popout.reports.sections import when_to_stop


def test_cuts_of_equal_locations_are_symmetric(sections):
    data = sections("boundary")
    Z = data["boundary"].sel(strategy="SPRT").isel(level=0).to_numpy()
    np.testing.assert_allclose(Z, Z[:, ::-1, ::-1], atol=1e-6)
    assert not any(when_to_stop.preface(data))
    unsolved = data.assign_attrs(why_not="Too many locations.")
    assert when_to_stop.preface(unsolved) == ("Too many locations.",)
