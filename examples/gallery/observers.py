"""A file of trials, before any model.

Mean response times over set size with their standard errors, for two invented observers.
"""

import matplotlib.pyplot as plt

import popout as po

trials = po.read_trials("examples/people/two_observers.csv")

trials.describe().plot()
plt.show()
