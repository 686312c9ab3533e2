"""Response times of the optimum are slopes of its risk."""

import popout as po
from popout.paper.claims.surfaces import optimal_rt


def test_response_times_of_the_optimum_are_slopes_of_its_risk():
    task, costs = po.SearchTask(n_locations=2, drift=12.0), po.Costs(time=0.5)
    trials = po.simulate(task, po.solve(task, costs, 1e-5).strategy, 200_000, seed=2)
    summary = trials.summary(costs)
    for present, observed in ((False, summary.absent), (True, summary.present)):
        rt, error = optimal_rt(task, costs, present)
        assert abs(rt - observed.mean_rt) < 4 * observed.mean_rt_se + error
        assert error < observed.mean_rt_se  # else the comparison would say little
