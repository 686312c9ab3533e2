"""A task, costs and a deadline in which nothing equals anything else.

Swapped classes, ignored costs or a rounded deadline change nothing where the prior is even, errors
cost the same and locations are alike. Tests of numbers start from these; `symmetries` says what a
fixture of another test cannot show.
"""

import math

from popout.task import Costs, LimitedSearchTask, SearchTask

TASK = SearchTask(drift=(5.0, 3.0), prior=0.3, location_prior=(0.6, 0.4))
COSTS = Costs(time=(0.5, 0.3), miss=1.4, false_alarm=0.8)
LIMITED = LimitedSearchTask(
    n_locations=2, information=40.0, prior=0.3, location_prior=(0.6, 0.4), visibility=(1.0, 0.5)
)
DEADLINE = 0.294


def symmetries(task, costs, deadline=None):
    """Return what is equal in a fixture, in words; a test of numbers wants an empty list."""
    search = task.search
    equal = {
        "classes are equally likely": task.prior == 0.5,
        "locations are equally likely": len(set(task.location_prior)) == 1,
        "locations are equally visible": search is not None and len(set(search.drifts)) == 1,
        "errors cost the same": costs.miss == costs.false_alarm,
        "time costs the same in both classes": costs.time_absent == costs.time_present,
        "the deadline is a whole number of steps": deadline is not None
        and math.isclose(deadline / task.dt, round(deadline / task.dt)),
    }
    return [words for words, holds in equal.items() if holds]
