"""How well calibrated the posterior is.

Of all displays on which the ideal observer, after half a second, holds a target to be 80 %
likely, 80 % should have one.
"""

import matplotlib.pyplot as plt

import popout as po

task = po.SearchTask(n_locations=4, drift=3.0)

po.reliability(task, seconds=0.5, n_trials=20_000, seed=1).plot()
plt.show()
