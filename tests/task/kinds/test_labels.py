"""Orientations: degrees or the blank, none twice."""

import pytest

from popout.task.kinds import BLANK, Labels, as_label


def test_labels_are_stored_as_floats(check):
    assert check(Labels(), [0, BLANK, 20]) == ((0.0, BLANK, 20.0), [])


@pytest.mark.parametrize("value", [[20, 20.0], [], "blank", ["empty"], [float("nan")], None])
def test_labels_refuse(check, value):
    assert len(check(Labels(), value)[1]) == 1


def test_what_is_no_orientation():
    assert [as_label(item) for item in ("tilted", float("inf"), None, 30)] == [None] * 3 + [30.0]
