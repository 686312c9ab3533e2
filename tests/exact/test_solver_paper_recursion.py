"""The solver against the paper's own recursion: risk, and the whole value function.

The reference is solved at several spacings. Its error falls as h**2 with a factor, and a sign, that
depend on how the boundary lies between the nodes; the largest difference between the finest and any
coarser solution is taken as the error of the finest.
"""

import numpy as np
import pytest
from paper_recursion import paper_risk

import popout as po

ONE_SPACINGS = (0.1, 0.08, 0.05, 0.04)
TWO_SPACINGS = (0.25, 0.2, 0.125, 0.1)
ERRORS = {"miss": 2.0, "false_alarm": 0.7}


def case(drifts, absent, present, **more):
    return {"drifts": drifts, "time_absent": absent, "time_present": present, **more}


LAST = case((5.0, 5.0), 0.5, 1.2, prior=0.6, **ERRORS)
CASES = [
    (case((4.0,), 0.2, 0.2), ONE_SPACINGS),
    (case((6.0,), 0.2, 0.6, miss=2.0, false_alarm=0.5, prior=0.3), ONE_SPACINGS),
    (case((4.0, 4.0), 0.5, 0.5), TWO_SPACINGS),
    (case((6.0, 4.0), 0.8, 0.8, prior=0.4, location_prior=(0.3, 0.7)), TWO_SPACINGS),
    (LAST, TWO_SPACINGS),
]


def posed(case):
    task = {name: case[name] for name in ("prior", "location_prior") if name in case}
    costs = {name: case[name] for name in ERRORS if name in case}
    time = case["time_absent"], case["time_present"]
    return po.SearchTask(drift=case["drifts"], **task), po.Costs(time=time, **costs)


@pytest.mark.parametrize(("case", "spacings"), CASES)
def test_risk_and_value_function_follow_the_paper(solve_on, case, spacings):
    solved = [paper_risk(**case, spacing=h) for h in spacings]
    fine, coarse = solved[-1], solved[1]  # one with half the spacing of the other
    own_error = max(abs(fine[2] - other[2]) for other in solved[:-1])
    assert own_error < 3e-4 * fine[2]  # else the comparison would say little

    task, costs = posed(case)
    solution = po.solve(task, costs, rtol=1e-5)
    assert abs(solution.risk - fine[2]) <= own_error + solution.risk_error

    # The same nodes as the coarse reference, so that nothing is interpolated.
    nodes = coarse[0]
    value = solve_on(task, costs, nodes).risk
    np.testing.assert_allclose(value.coords[value.dims[0]], nodes, atol=1e-12)
    every_other = (slice(None, None, 2),) * len(case["drifts"])
    R = fine[1][every_other]
    allowed = np.abs(R - coarse[1]).max()
    # Close to the ends of the grid either side treats what lies beyond in its own way.
    inner = (slice(15, -15),) * len(case["drifts"])
    np.testing.assert_allclose(value.values[inner], R[inner], rtol=0, atol=allowed)


@pytest.fixture(scope="module")
def solved_last():
    return [paper_risk(**LAST, spacing=h)[2] for h in TWO_SPACINGS]


@pytest.mark.parametrize(
    "wrong",
    [
        {"time_absent": 1.2, "time_present": 0.5},
        {"miss": 0.7, "false_alarm": 2.0},
        {"prior": 0.59},
        {"drifts": (5.0, 4.95)},
    ],
)
def test_a_slightly_different_problem_is_told_apart(solved_last, wrong):
    own_error = max(abs(solved_last[-1] - other) for other in solved_last[:-1])
    solution = po.solve(*posed(LAST | wrong), rtol=1e-5)
    assert abs(solution.risk - solved_last[-1]) > own_error + solution.risk_error
