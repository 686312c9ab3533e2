"""Speed against accuracy, at best.

Each point is the ideal observer for one cost of time: nobody with the same evidence can be both
faster and more accurate.
"""

import matplotlib.pyplot as plt

import popout as po
from popout.drawing.style import SHADES

for drift, colour in zip((2.0, 4.0, 8.0), SHADES, strict=False):
    task = po.SearchTask(n_locations=2, drift=drift)
    seconds, errors = [], []
    for time_cost in (0.1, 0.2, 0.5, 1.0, 2.0):
        costs = po.Costs(time=time_cost)
        best = po.solve(task, costs, rtol=1e-3)
        summary = po.simulate(task, best.strategy, n_trials=20_000, seed=1).summary(costs)
        both = (summary.absent, summary.present)
        seconds.append(sum(side.mean_rt for side in both) / 2)
        errors.append(100 * sum(side.error_rate for side in both) / 2)
    plt.semilogy(
        [1e3 * each for each in seconds], errors, "o-", color=colour, label=f"drift {drift:g}/s"
    )

plt.xlabel("mean response time (ms)")
plt.ylabel("errors (%)")
plt.legend()
plt.show()
