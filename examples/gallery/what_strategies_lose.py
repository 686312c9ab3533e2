"""What simpler strategies lose.

An easy and a hard location, drifts 8 and 3 per second: the excess over the lowest possible risk
of five strategies on common trials, each tuned first.
"""

import matplotlib.pyplot as plt

import popout as po

task = po.SearchTask(drift=(8.0, 3.0))
rivals = [po.ASPRT, po.SPRTOpt, po.SPRT, po.Hardmax, po.HardmaxPerLocation]
table = po.compare(task, po.Costs(time=0.2), rivals, n_trials=20_000, tune_trials=5_000)

table.plot(show="excess")
plt.show()
