"""How well calibrated the posterior is.

Among all moments at which the ideal observer holds a target to be 80 % likely, there should be
one on 80 % of the displays.
"""

import matplotlib.pyplot as plt

import popout as po

task = po.SearchTask(n_locations=4, drift=3.0)

po.reliability(task, seconds=0.5, n_trials=20_000, seed=1).plot()
plt.show()
