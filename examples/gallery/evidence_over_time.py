"""How much a display tells, over time.

The log likelihood ratio of presence, median and spread, for displays with and without a target.
Six items whose distractors share an orientation that changes from trial to trial: the observer
has to find out which.
"""

import matplotlib.pyplot as plt

import popout as po

task = po.MixtureSearchTask.tied(
    6, targets=[0], distractors=[30, 60], observation={0: 4, 30: 0, 60: -4}
)
figure, (display, evidence) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
task.plot(display)
po.Evidence(task).plot(evidence, seconds=0.5)
plt.show()
