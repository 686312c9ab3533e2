"""Where to look, and when to stop.

With a limited rate of information the ideal observer looks at one location at a time, the more
likely one, and divides its attention only where both are about to be ruled out.
"""

import matplotlib.pyplot as plt

import popout as po

task = po.LimitedSearchTask(n_locations=2, information=32.0)
best = po.solve(task, po.Costs(time=0.2), rtol=1e-3)

best.plot()
plt.show()
