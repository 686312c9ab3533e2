"""The loop over grids, on levels that cost nothing."""

import math

import pytest

import popout as po
from popout.exact.refinement import (
    RANGE_STEP,
    Level,
    MemoryLimitError,
    Refinement,
    refine_shares,
    settle_range,
    spacing_error,
)

FACTORS = [2.0**-k for k in range(8)]


class Toy:
    """Risks 1 + factor**4 + exp(-margin); remembers what was asked for."""

    def __init__(self, **iteration):
        self.asked = []
        self.iteration = iteration

    def __call__(self, factor, margin, name):
        self.asked.append((name, factor, margin))
        risk = 1.0 + factor**4 + math.exp(-margin)
        return Level(factor, (9,), 9, risk, 0.0, **self.iteration)


def test_range_first_then_levels_until_the_error_is_small():
    toy = Toy()
    found = Refinement(FACTORS, 2.0, margin=3.0).run(toy, rtol=1e-3)
    names = [name for name, _, _ in toy.asked]
    ranges = names.count("range")
    assert names == ["range"] * ranges + [f"level {k}" for k in range(1, len(found.levels))]
    margins = [margin for _, _, margin in toy.asked]
    assert margins[:ranges] == [3.0 + k * RANGE_STEP for k in range(ranges)]
    assert set(margins[ranges:]) == {margins[ranges - 1]}
    assert abs(found.risk - 1.0) <= found.risk_error <= 1e-3 * found.risk
    assert found.risk_error == sum(found.errors.values())
    settled = margins[ranges - 1]
    cut = math.exp(RANGE_STEP - settled) - math.exp(-settled)
    assert found.errors["range"] == pytest.approx(cut)


def test_the_first_level_may_be_solved_once_more_and_the_range_be_known():
    toy = Toy()
    Refinement(FACTORS, 2.0, margin=9.0, repeats_first=True).run(toy, rtol=1e-2)
    assert [name for name, _, _ in toy.asked][1:3] == ["range", "level 0"]
    toy = Toy()
    found = Refinement(FACTORS, 2.0, margin=9.0, settles_range=False).run(toy, rtol=1e-2)
    assert toy.asked[0] == ("level 0", 1.0, 9.0)
    assert found.errors["range"] == 0.0


@pytest.mark.parametrize("trusted", [1, 3])
def test_early_levels_are_not_trusted(trusted):
    found = Refinement(FACTORS, 2.0, margin=30.0, trusted=trusted).run(Toy(), rtol=0.99)
    assert len(found.levels) == max(trusted, 2) + 1  # the first two differ by too much


def test_an_iteration_that_stalls_is_not_a_result():
    with pytest.raises(po.NotConvergedError, match="after 8 levels"):
        Refinement(FACTORS, 2.0, margin=9.0).run(Toy(converged=False), rtol=1e-2)
    with pytest.raises(po.NotConvergedError, match="above the tolerance") as fault:
        Refinement(FACTORS, 2.0, margin=9.0).run(Toy(iteration_error=0.5), rtol=1e-2)
    assert len(fault.value.levels) == 8


def test_memory_refused_at_once_or_on_the_way():
    def refusing(factor, margin, name):
        if factor < smallest:
            raise MemoryLimitError("no room")
        return Toy()(factor, margin, name)

    smallest = 2.0
    with pytest.raises(MemoryLimitError):
        Refinement(FACTORS, 2.0, margin=9.0).run(refusing, rtol=1e-6)
    smallest = 0.2
    with pytest.raises(po.NotConvergedError, match="memory ran out: no room") as fault:
        Refinement(FACTORS, 2.0, margin=9.0).run(refusing, rtol=1e-6)
    assert [level.factor for level in fault.value.levels] == [1.0, 0.5, 0.25]


def test_the_error_of_the_spacing_sees_two_levels_back():
    assert spacing_error([1.0], 2.0) == math.inf
    assert spacing_error([1.1, 1.0], 2.0) == pytest.approx(0.2)
    # The last change is small by chance; that before was not.
    assert spacing_error([1.8, 1.0 + 1e-9, 1.0], 2.0) == pytest.approx(2 * 0.8 / 8)


def test_the_range_is_settled_when_the_risk_stands_still():
    margin, error = settle_range(lambda lower: 1.0 + math.exp(-lower), 2.0, rtol=1e-3)
    assert error <= 0.4e-3 * (1.0 + math.exp(-margin))
    assert math.exp(-(margin - RANGE_STEP)) - math.exp(-margin) == pytest.approx(error)


def test_shares_get_finer_until_their_error_is_small_too():
    """Half as many parts change the risk by 0.04 / q: 0.01 is too much, 0.005 is not."""
    asked = []

    def solve_on(factor, q, name):
        asked.append((factor, q, name))
        return Level(factor, (9,), 9, 1.0, 0.0, iteration_error=0.001)

    found = refine_shares(
        solve_on, lambda last, q: 0.04 / q, lambda q: 4.0 / q, 0.5, 2, rtol=1e-2, range_error=0.002
    )
    assert [q for _, q, _ in asked] == [4, 4, 4, 8]
    assert [factor for factor, _, _ in asked] == pytest.approx([0.5 / 1.4**k for k in range(4)])
    assert found.errors == {"spacing": 0.0, "range": 0.002, "shares": 0.005, "iteration": 0.001}
    assert found.risk_error == pytest.approx(0.008)
    # One location has nothing to share, and a spacing that the smallest share allows.
    refine_shares(solve_on, lambda last, q: 0.0, lambda q: 0.3 / q, 0.5, 1, 1e-2, 0.0)
    assert asked[-3][:2] == (0.3, 1)
    with pytest.raises(po.NotConvergedError, match="after 14 levels"):
        refine_shares(solve_on, lambda last, q: 1.0, lambda q: 1.0, 0.5, 2, 1e-2, 0.0)
