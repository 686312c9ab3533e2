"""Response times at eight locations.

50,000 trials by class and answer, of tuned a-SPRT, the best strategy that is known at eight
locations. The same seed gives the same trials to the last bit.
"""

import matplotlib.pyplot as plt

import popout as po

task = po.SearchTask(n_locations=8, drift=4.0)
trials = po.simulate(task, "a-sprt", n_trials=50_000, seed=1, costs=po.Costs(time=0.2))

trials.plot()
plt.show()
