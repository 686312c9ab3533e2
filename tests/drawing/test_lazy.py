"""matplotlib is loaded where something is drawn, and nowhere else."""

import subprocess
import sys

SHOW = """
import sys
import popout as po
task, costs = po.SearchTask(n_locations=1, drift=4.0), po.Costs(time=0.2)
solution = po.solve(task, costs, rtol=1e-2)
trials = po.simulate(task, solution.strategy, n_trials=10, seed=1, threads=1)
for shown in (task, costs, solution, solution.strategy, trials, trials.summary(costs)):
    assert str(shown) and shown._repr_html_()
print("matplotlib" in sys.modules)
from matplotlib.figure import Figure
solution.plot(Figure().subplots())
print("matplotlib" in sys.modules, "matplotlib.pyplot" in sys.modules)
"""


def test_text_and_html_load_no_matplotlib_and_given_axes_no_pyplot():
    done = subprocess.run([sys.executable, "-c", SHOW], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False"]
