"""A deadline closes the boundary.

Whoever must answer within 0.3 s accepts less and less evidence as time runs out.
"""

import matplotlib.pyplot as plt

import popout as po

task = po.SearchTask(n_locations=2, drift=4.0)
hurried = po.solve_deadline(task, po.Costs(time=0.2), deadline=0.3)

hurried.plot()
plt.show()
