"""The claims of `dynamic_programming`: on data where they hold, and where they do not."""

import pytest

from popout.paper.claims import Verdict, dynamic_programming

from .fabricated import changed, follows, names_in, put

# For each claim: changes on which it holds, and changes on which it does not hold.
CASES = {
    "boundaries-constant-in-time": (
        [],
        [
            put("horizon", "boundary_sum", 1.0, remaining=15.0),
            put("horizon", "stationary_boundary_sum", 2.0),
        ],
    ),
    "horizon-sufficient": (
        [put("horizon", "stationary_boundary_sum", 9.0)],
        [
            put("horizon", "boundary_sum", 1.0, remaining=5.0),
            put("horizon", "risk", 2.0, remaining=15.0),
        ],
    ),
    "grid-sufficient": (
        [],
        [
            put("paper-grid", "risk", 1.1, bins=2000),
            put("paper-grid", "distance", 0.5, bins=2000),
        ],
    ),
    "grid-most-economic": (
        [
            put("paper-grid", "risk", 1.1, bins=1000),
            put("paper-grid", "risk_range", 1.1, end=5.0),
        ],
        [],
    ),
    "dynamic-programming-scaling": (
        [put("larger-sets", "nodes", 50.0, set_size=3)],
        None,  # a run always solves some size: what is not solved cannot fail
    ),
}


def test_every_claim_has_its_cases():
    assert set(CASES) == names_in(dynamic_programming)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(getattr(dynamic_programming, name.replace("-", "_")), *CASES[name])


def test_solving_four_locations_speaks_against_the_limit_of_three():
    data = changed([put("larger-sets", "nodes", 50.0, set_size=3)])
    more = {"larger-sets": data["larger-sets"].assign_coords(set_size=[3, 4])}
    claim = dynamic_programming.dynamic_programming_scaling.examine(more)
    assert claim.verdict is Verdict.IN_PART
