"""Where the eyes go, and how long they rest.

The optimum of three items with free durations: what each gaze is worth before any evidence, and the
scanpath of a trial. The larger a disc, the longer the fixation.
"""

import matplotlib.pyplot as plt

import popout as po

items = [(0, 0), (1.2, 0), (0.6, 1.04)]
task = po.GazeTask(
    items, [*items, (0.6, 0.35)], information=20.0, falloff=0.6, fixation="free", step=0.02,
    saccade=0.04,
)  # fmt: skip
best = po.solve(task, po.Costs(time=0.2), rtol=0.01)
trials = po.simulate(task, best.observer, 200, seed=1)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
best.attention.plot_next(task, ax=left)
trials.plot_scanpath(int(trials.fixations.number.argmax()), right)
figure.tight_layout()
plt.show()
