"""Slopes: response times over set size.

A limited rate of information makes every item cost time. Dividing attention evenly costs most;
looking at the most likely item, one after the other, gives slopes twice as steep when there is no
target. All three observers stop at the same evidence.
"""

import matplotlib.pyplot as plt

import popout as po
from popout.drawing.style import class_look, look_of

sizes = (3, 6, 12, 18)
for attention in (po.Parallel, po.Guided, po.Serial):
    means = []
    for size in sizes:
        task = po.LimitedSearchTask(n_locations=size, information=60.0)
        policy, stop = attention.for_task(task), po.SPRT.for_task(task, -3.0, 3.0)
        trials = po.simulate(task, po.Observer(policy, stop), n_trials=4_000, seed=1)
        summary = trials.summary(po.Costs(time=0.1))
        means.append((summary.absent.mean_rt, summary.present.mean_rt))
    absent, present = zip(*means, strict=True)
    look, name = look_of(policy.label), attention.__name__.lower()
    for kind, seconds in (("absent", absent), ("present", present)):
        line = look.points(**class_look(kind), label=f"{name}, {kind}")
        plt.plot(sizes, [1e3 * each for each in seconds], **line)

plt.xticks(sizes)
plt.xlabel("set size")
plt.ylabel("mean response time (ms)")
plt.legend()
plt.show()
