"""Bounds carry their unit; a reason can be given for one use of them."""

from popout.paper.claims import bounds
from popout.paper.claims.bounds import Bound


def test_a_bound_can_be_mirrored_and_explained_anew():
    one = Bound(0.01, "nats", "small")
    assert -one == Bound(-0.01, "nats", "small")
    assert one.because("tiny") == Bound(0.01, "nats", "tiny")
    assert one.reason == "small"


def test_every_bound_in_words_is_positive_and_has_a_reason():
    named = [value for value in vars(bounds).values() if isinstance(value, Bound)]
    assert named
    for one in named:
        assert one.reason
        assert one is bounds.NOTHING or one.value > 0


def test_bounds_of_one_value_keep_their_own_reasons():
    risk, distance = bounds.NEGLIGIBLE, bounds.NOTICEABLE_NATS
    assert risk.value == distance.value
    assert "standard error of a risk" in risk.reason
    assert "odds" in distance.reason
