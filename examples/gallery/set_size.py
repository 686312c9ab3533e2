"""Slopes: response times over set size.

A limited rate of information makes every item cost time. Dividing attention evenly costs most;
looking at the most likely item, one after the other, gives slopes twice as steep when there is no
target. All three observers stop at the same evidence.
"""

import matplotlib.pyplot as plt

import popout as po

sizes = (3, 6, 12, 18)
for attention, colour in ((po.Parallel, "C0"), (po.Guided, "C1"), (po.Serial, "C2")):
    means = []
    for size in sizes:
        task = po.LimitedSearchTask(n_locations=size, information=60.0)
        policy, stop = attention.for_task(task), po.SPRT.for_task(task, -3.0, 3.0)
        trials = po.simulate_joint(task, policy, stop, n_trials=4_000, seed=1)
        summary = trials.summary(po.Costs(time=0.1))
        means.append((summary.absent.mean_rt, summary.present.mean_rt))
    absent, present = zip(*means, strict=True)
    plt.plot(sizes, absent, "o-", color=colour, label=f"{attention.__name__.lower()}, absent")
    plt.plot(sizes, present, "o--", color=colour, label=f"{attention.__name__.lower()}, present")

plt.xticks(sizes)
plt.xlabel("set size")
plt.ylabel("mean response time (s)")
plt.legend()
plt.show()
