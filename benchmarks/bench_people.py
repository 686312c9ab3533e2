"""People: a fit of two-choice trials, beside PyDDM's of the same model in the same run.

    python benchmarks/bench_people.py --pyddm /path/to/python

With one item every kind of attention is the Wiener process between two boundaries, which PyDDM
fits too. Both get the same trials and the same six parameters (rate, two thresholds, mean and
standard deviation of non-decision time, lapses), and search from nowhere in particular: popout from
its usual starts, PyDDM by differential evolution, its default. The log likelihoods are
in the same units, densities per second, each on the grid of its package; the second column holds
all of them on ours. PyDDM is imported from the environment of the Python that
`--pyddm` names, from this one if it is here, or left out.

The last lines are times that need no PyDDM: one evaluation of the likelihood of each model of
search, four set sizes and 4,000 trials. Processor time throughout.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pandas as pd

from popout.people.fitting.synthetic import Design, synthetic_observer, typical_values
from popout.people.models.model import Model, TrialLikelihood
from popout.people.models.search_models import MODELS, SearchModel, Stopping, models
from popout.people.passages.passage_tables import PassageTables
from popout.policies.stopping import Action

LONGEST = 3.0
TRUTH = {"information": 9.0, "lower": 2.5, "upper": 3.0, "lapse": 0.01}
TRUTH |= {"residual_mean": 0.35, "residual_sd": 0.06}
FIXED = {"capacity": 0.0, "variability": 0.0, "lower_slope": 0.0, "upper_slope": 0.0}
FIXED |= {"residual_constant": 0.6, "absent_extra": 0.0}


class TwoChoices(Model):
    """The observer of one item: a model of search with all else fixed."""

    name, label, longest = "two-choices", "two choices", LONGEST
    search = SearchModel(Stopping.FREE, float("inf"), longest=LONGEST)  # exact tables
    parameters = tuple(each for each in search.parameters if each.name in TRUTH)
    starts = tuple({name: start[name] for name in TRUTH} for start in search.starts)

    def likelihood(self, responses, tables=None):
        """Return the likelihood of some trials."""
        return OneItem(self, responses, tables)

    def log_densities(self, values, responses, tables=None):
        """Return the log density of each trial."""
        return self.likelihood(responses, tables).log_densities(values)


class OneItem(TrialLikelihood):
    """Its likelihood, with the trials looked up once."""

    def __init__(self, model, responses, tables):
        super().__init__(model, responses, tables)
        self.inner = model.search.likelihood(responses, tables)

    def log_densities(self, values):
        """Return the log density of each trial."""
        return self.inner.log_densities({**values, **FIXED})


def milliseconds(function, repeats=200):
    """Return the processor time of a call."""
    function()
    began = time.process_time()
    for _ in range(repeats):
        function()
    return 1e3 * (time.process_time() - began) / repeats


def ours(trials, tables):
    """Return our fit in the words of pyddm_two_choices.py."""
    model = TwoChoices()
    began, processor = time.perf_counter(), time.process_time()
    fitted = model.fit(trials, tables)
    processor = time.process_time() - processor
    return {
        "log_likelihood": fitted.log_likelihood,
        "evaluations": fitted.n_evaluations,
        "wall": time.perf_counter() - began,
        "processor": processor,
        "values": dict(fitted.estimates),
    }


def theirs(python, trials):
    """Return PyDDM's fit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trials.csv"
        table = {"rt": trials.rt, "present": trials.present.astype(int)}
        table["said"] = (trials.response == Action.PRESENT).astype(int)
        pd.DataFrame(table).to_csv(path, index=False)
        script = Path(__file__).with_name("pyddm_two_choices.py")
        done = subprocess.run(
            [python, str(script), str(path), str(LONGEST)],
            check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""},
        )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


def two_choices(python, n_trials):
    """Print both fits and their ratio."""
    tables = PassageTables([1])
    trials = synthetic_observer(TwoChoices(), TRUTH, Design((1,), n_trials // 2), tables, seed=1)
    likelihood = TwoChoices().likelihood(trials, tables)
    tables.decision_times((float("inf"),))
    rows = {"popout": ours(trials, tables)}
    if python:
        rows["PyDDM"] = theirs(python, trials)
        rows["PyDDM"]["name"] = f"PyDDM {rows['PyDDM']['version']}"
    print(f"{n_trials} trials of two choices, six parameters\n")
    print(f"{'':>14} {'log lik.':>9} {'by popout':>9} {'evals':>6} {'CPU s':>7} {'ms/eval':>8}  "
          + "  ".join(f"{name:>13}" for name in TRUTH))  # fmt: skip
    print(f"{'truth':>14} {'':9} {likelihood.total(TRUTH):9.2f} {'':24} "
          + "  ".join(f"{value:13.4g}" for value in TRUTH.values()))  # fmt: skip
    for name, row in rows.items():
        values = "  ".join(f"{row['values'][each]:13.4g}" for each in TRUTH)
        print(f"{row.get('name', name):>14} {row['log_likelihood']:9.2f} "
              f"{likelihood.total(row['values']):9.2f} {row['evaluations']:6d} "
              f"{row['processor']:7.1f} {1e3 * row['processor'] / row['evaluations']:8.2f}  "
              f"{values}")  # fmt: skip
    if python:
        mine, other = rows["popout"], rows["PyDDM"]
        ratios = (other[each] / mine[each] for each in ("processor", "evaluations"))
        print("\nPyDDM's fit takes {:.1f} times the time of popout's, in {:.1f} times as many "
              "evaluations.".format(*ratios))  # fmt: skip
    else:
        print("\nPyDDM is not here: name a Python that has it with --pyddm")


def evaluations(n_paths):
    """Print how long one evaluation of each model of search takes."""
    design = Design((3, 6, 12, 18), 500)
    tables = PassageTables(design.set_sizes, n_paths)
    print(f"\n{design.n_trials} trials of search, set sizes 3, 6, 12, 18")
    for model in models([name for name in MODELS if "guided" not in name or ":" in name]):
        values = typical_values(model)
        trials = synthetic_observer(model, values, design, tables)
        likelihood = model.likelihood(trials, tables)
        each = milliseconds(lambda likelihood=likelihood, values=values: likelihood.total(values))
        print(f"{model.name:>16} {each:6.2f} ms an evaluation")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pyddm", metavar="PYTHON", help="a Python that has PyDDM")
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--paths", type=int, default=10_000, help="of the tables of search")
    given = parser.parse_args()
    own = sys.executable if importlib.util.find_spec("pyddm") else None
    two_choices(given.pyddm or own, given.trials)
    evaluations(given.paths)


if __name__ == "__main__":
    main()
