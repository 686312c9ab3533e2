"""The claims of `dynamic_programming`: on data where they hold, and where they do not."""

import pytest

from popout.paper.claims import Verdict, dynamic_programming

from .fabricated import base, follows, names_in, put

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
    "dynamic-programming-scaling": ([], None),  # the grid is the paper's, whatever was computed
    "adaptive-grid-goes-further": ([], None),  # sizes that are solved are coordinates, see below
}


def test_every_claim_has_its_cases():
    assert set(CASES) == names_in(dynamic_programming)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_the_data(name):
    follows(getattr(dynamic_programming, name.replace("-", "_")), *CASES[name])


def test_solving_four_locations_goes_further_and_three_do_not():
    for sizes, verdict in (([2, 3, 4], Verdict.HOLDS), ([1, 2, 3], Verdict.FAILS)):
        data = {"larger-sets": base()["larger-sets"].assign_coords(set_size=sizes)}
        claim = dynamic_programming.adaptive_grid_goes_further.examine(data)
        assert claim.verdict is verdict


def test_the_standard_procedure_is_judged_by_the_papers_grid_alone():
    assert dynamic_programming.dynamic_programming_scaling.needs == ("paper-grid",)
