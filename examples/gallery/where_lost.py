"""Where a strategy loses its risk.

SPRT against the optimum at two locations: how much is lost in each state of the evidence, by
waiting too long or by answering too soon.
"""

import matplotlib.pyplot as plt

import popout as po

task = po.SearchTask(n_locations=2, drift=4.0)
costs = po.Costs(time=0.2)
pair = po.thresholds(4.0, costs)
lost = po.regret(po.solve(task, costs), po.SPRT.for_task(task, pair.lower, pair.upper))

lost.plot()
plt.show()
