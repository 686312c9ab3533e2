"""Ratios against enumeration by hand; the footnote's bias shrinks as blanks become visible."""

import math

import numpy as np
import pytest

import popout as po
from popout.paper.claims import lossless


def test_enumeration_by_hand():
    task = po.MixtureSearchTask.independent(1, [10], [0, 20], {0: -1.0, 10: 1.0, 20: 2.0})
    order = [task.orientations.index(v) for v in (0, 10, 20)]
    L = np.array([[0.3, -1.2, 0.7]])
    by_name = [L[0, k] for k in order]
    expected = by_name[1] - math.log((math.exp(by_name[0]) + math.exp(by_name[2])) / 2)
    assert lossless.enumerated(task, L) == pytest.approx(expected, abs=1e-12)


def test_visible_blanks_leave_less_bias_and_fewer_errors(computed):
    data, _ = computed("scene-bias")
    hidden, visible = (data.isel(visibility=k) for k in (0, -1))
    assert float(visible["rms"]) < float(hidden["rms"])
    assert float(visible["error_rate"]) < float(hidden["error_rate"])
    assert (data["more_errors"] >= 0).all()
