"""When to stop: the optimum and three simpler rules.

Two locations with the evidence for each on an axis. The ideal observer answers in the coloured
regions and waits elsewhere. SPRT adds the two up, Hardmax watches the stronger one alone; a-SPRT,
the paper's conjecture, has nearly the same boundary as the optimum.
"""

import matplotlib.pyplot as plt

import popout as po

task = po.SearchTask(n_locations=2, drift=4.0)
costs = po.Costs(time=0.2)
solution = po.solve(task, costs)
pair = po.thresholds(4.0, costs)

figure, axes = plt.subplots(2, 2, figsize=(7, 6.4), layout="constrained")
solution.plot(axes[0, 0])
axes[0, 0].set_title("optimal")
for ax, recipe in zip(axes.flat[1:], (po.ASPRT, po.SPRT, po.Hardmax), strict=True):
    strategy = recipe.for_task(task, pair.lower, pair.upper)
    strategy.plot(ax)
    ax.set_title(strategy.label)
plt.show()
