"""Boundaries: symmetric for equal locations; a preface only where nothing is solved."""

import numpy as np

from popout.study.sections import boundary


def test_cuts_of_equal_locations_are_symmetric(sections):
    data = sections("boundary")
    Z = data["boundary"].sel(strategy="SPRT").isel(level=0).to_numpy()
    np.testing.assert_allclose(Z, Z[:, ::-1, ::-1], atol=1e-6)
    assert not any(boundary.preface(data))
    unsolved = data.assign_attrs(why_not="Too many locations.")
    assert boundary.preface(unsolved) == ("Too many locations.",)
