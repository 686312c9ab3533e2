r"""Displays of a task, how well they can be read, and whether the posterior means what it says.

Displays and observations are drawn from the task and read with the ideal observer's posterior
p = P(C=1 | X) (Equation 1, Equation 2, Equation 3 with the prior of presence). After a
fixed time the best answer is "present" if p > 1/2. It is right with probability max(p, 1 - p), so
the observer's mean confidence estimates its accuracy too, and the two must agree.

More sharply, the posterior is calibrated: among the displays with p in any bin B, the share that
holds a target equals the mean p. Each display is a draw of a Bernoulli variable of probability p,
so the share of n_B displays has the standard error

    se_B = sqrt( sum_{i in B} p_i (1 - p_i) ) / n_B,      z_B = (share - mean p) / se_B.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, with_error
from popout.evidence import Evidence
from popout.progress import Progress
from popout.task import Faults, Task

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHUNK_NUMBERS = 4_000_000  # numbers drawn at a time, 32 MB of them

MOST_STEPS = 10**6


@dataclass(frozen=True, eq=False)
class Reliability(HasCard):
    """What `reliability` found.

    Parameters
    ----------
    over_time : DataFrame
        A row for each `time` (s): mean posterior of presence on displays with a target
        (`presence_if_present`) and without (`presence_if_absent`), `accuracy` of the best answer
        and its standard error `accuracy_se`, mean `confidence` max(p, 1-p), and the share of the
        targets whose most probable location is the true one (`location_accuracy`).
    calibration : DataFrame
        A row for each bin of the posterior at the last time, from `low` to `high`, that is not
        empty: number of `trials`, mean posterior `predicted`, share of displays with a target
        `observed`, its standard error `se` under the posterior, and `z`.

    Examples
    --------
    >>> import popout as po
    >>> task = po.SearchTask(n_locations=2, drift=4.0)
    >>> found = po.reliability(task, seconds=0.2, n_trials=2000, seed=1)
    >>> bool(found.over_time["accuracy"].iloc[-1] > 0.8)
    True
    >>> bool((abs(found.calibration["z"]) < 4).all())  # it is as often right as it says
    True
    """

    over_time: pd.DataFrame
    calibration: pd.DataFrame

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the calibration: share of displays with a target against the posterior.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.
        """
        from popout.analysis.comparison_pictures import draw_calibration

        return draw_calibration(self, ax)

    def __repr__(self) -> str:
        """Return one line; the tables would fill the page."""
        last = self.over_time.iloc[-1]
        accuracy = with_error(last["accuracy"], last["accuracy_se"])
        return f"Reliability(accuracy {accuracy} after {last['time']:g} s)"

    def as_dict(self) -> dict[str, Any]:
        """Return the rows of both tables."""
        tables = {"over_time": self.over_time, "calibration": self.calibration}
        return {name: plain(table.to_dict("records")) for name, table in tables.items()}

    def card(self) -> Card:
        """Return what is shown of it."""
        rows = [
            (
                f"{row['time']:g}",
                with_error(row["accuracy"], row["accuracy_se"]),
                *(f"{row[name]:.4f}" for name in ("confidence", "location_accuracy")),
            )
            for _, row in self.over_time.iterrows()
        ]
        z = self.calibration["z"].abs().max()
        return Card(
            "How well the display can be read",
            headings=["time (s)", "accuracy", "mean confidence", "target found"],
            rows=rows,
            note=f"calibration: {len(self.calibration)} bins, largest deviation {z:.2g} "
            "standard errors",
        )


def reliability(
    task: Task,
    n_trials: int,
    seconds: float,
    seed: int,
    *,
    n_times: int = 5,
    n_bins: int = 10,
    progress: Progress | None = None,
) -> Reliability:
    """Draw displays from a task, read them, and report accuracy and calibration.

    Parameters
    ----------
    task : SearchTask, DiscriminationTask, MixtureSearchTask or SceneSearchTask
    n_trials : int
        Number of displays.
    seconds : float
        How long each is observed; at least `task.dt`.
    seed : int
        Seed of the displays and the noise.
    n_times : int
        Number of times at which the evidence is read, evenly spaced up to `seconds`. Fewer if
        there are fewer steps.
    n_bins : int
        Number of equal bins of the posterior.
    progress : callable, optional
        Called with the share of the displays that are read.

    Returns
    -------
    Reliability

    Raises
    ------
    InputError
        If a number is out of range; every fault at once.

    Examples
    --------
    >>> from popout.analysis.reliability import reliability
    >>> from popout.task import SearchTask
    >>> found = reliability(SearchTask(n_locations=4, drift=3.0), 2000, seconds=0.5, seed=1)
    >>> found.over_time["accuracy"].is_monotonic_increasing
    True
    """
    faults = Faults("reliability")
    faults.integer("n_trials", n_trials, "say how many displays to draw", at_least=1)
    faults.integer("n_times", n_times, "say how often to read the evidence", at_least=1)
    faults.integer("n_bins", n_bins, "say how many bins to count in", at_least=1)
    faults.number(
        "seconds",
        seconds,
        f"observe for at least one step of dt = {task.dt:g} s",
        expected=f"a number of seconds from dt to {MOST_STEPS} times dt",
        above=task.dt / 2,
        below=MOST_STEPS * task.dt,
    )
    faults.raise_if_any()
    n_steps = max(1, round(seconds / task.dt))
    steps = np.unique(np.linspace(0, n_steps, min(n_times, n_steps) + 1).round().astype(int)[1:])
    evidence = Evidence(task)
    presence = np.empty((len(steps), n_trials))  # of the target, by its posterior
    located = np.empty((len(steps), n_trials), dtype=np.bool_)
    present = np.empty(n_trials, dtype=np.bool_)
    # Chunk by chunk, so that memory does not grow with observation time.
    chunk = max(1, CHUNK_NUMBERS // (int(steps[-1]) * int(np.prod(evidence.observation_shape))))
    for first in range(0, n_trials, chunk):
        n = min(chunk, n_trials - first)
        part = slice(first, first + n)
        sample = evidence.sample(n, int(steps[-1]), seed, first_trial=first)
        present[part] = sample.present
        x = np.cumsum(sample.increments, axis=1)
        for row, step in enumerate(steps):
            posterior = evidence.posterior(evidence.log_likelihood(x[:, step - 1], step * task.dt))
            presence[row, part] = posterior.presence
            located[row, part] = np.argmax(posterior.location, axis=-1) == sample.location
        if progress is not None:
            progress((first + n) / n_trials, "")
    accuracy = np.mean((presence > 0.5) == present, axis=1)
    over_time = {
        "time": steps * task.dt,
        "presence_if_present": _mean(presence[:, present]),
        "presence_if_absent": _mean(presence[:, ~present]),
        "accuracy": accuracy,
        "accuracy_se": np.sqrt(accuracy * (1.0 - accuracy) / present.size),
        "confidence": np.mean(np.maximum(presence, 1.0 - presence), axis=1),
        "location_accuracy": _mean(located[:, present]),
    }
    calibration = calibration_table(presence[-1], present, n_bins)
    return Reliability(pd.DataFrame(over_time), calibration)


def _mean(values: NDArray[np.float64] | NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the mean over trials; NaN where no trial was drawn."""
    if values.shape[1] == 0:
        return np.full(values.shape[0], np.nan)
    return np.asarray(np.mean(values, axis=1))


def calibration_table(
    presence: NDArray[np.float64], present: NDArray[np.bool_], n_bins: int = 10
) -> pd.DataFrame:
    """Compare probabilities of presence with what was there, bin by bin.

    Parameters
    ----------
    presence : ndarray of float, shape (n,)
        Stated probability of a target on each display.
    present : ndarray of bool, shape (n,)
        Whether there was one.
    n_bins : int
        Number of equal bins of the probability.

    Returns
    -------
    DataFrame
        The columns of `Reliability.calibration`; empty bins are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from popout.analysis.reliability import calibration_table
    >>> stated = np.array([0.2, 0.2, 0.2, 0.2, 0.2, 0.8])
    >>> there = np.array([False, False, False, False, True, True])
    >>> calibration_table(stated, there, n_bins=2)[["trials", "predicted", "observed"]]
       trials  predicted  observed
    0       5        0.2       0.2
    1       1        0.8       1.0
    """
    bins = np.minimum((presence * n_bins).astype(int), n_bins - 1)
    trials = np.bincount(bins, minlength=n_bins)
    full = trials > 0
    n = trials[full]
    predicted = np.bincount(bins, presence, n_bins)[full] / n
    observed = np.bincount(bins, present, n_bins)[full] / n
    se = np.sqrt(np.bincount(bins, presence * (1.0 - presence), n_bins)[full]) / n
    with np.errstate(invalid="ignore", divide="ignore"):  # certain displays have no error
        z = np.where(observed == predicted, 0.0, (observed - predicted) / se)
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    columns = {"low": edges[:-1][full], "high": edges[1:][full], "trials": n}
    return pd.DataFrame({**columns, "predicted": predicted, "observed": observed, "se": se, "z": z})


def example_displays(
    task: Task, n: int, seed: int, condition: str, *, drawn: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return displays that differ in mixture or set size, or else in the target, where they can.

    Parameters
    ----------
    task : Task
    n : int
        How many are returned.
    seed : int
    condition : {"absent", "present"}
    drawn : int
        How many there are to choose from.

    Returns
    -------
    tilt : ndarray of shape (n, M)
        In degrees; NaN is a blank location.
    target : ndarray of shape (n,)
        Location of the target, or -1.

    Examples
    --------
    >>> from popout.task import MixtureSearchTask
    >>> task = MixtureSearchTask.tied(3, [0], [30, 60], {0: 4, 30: 1, 60: -1})
    >>> tilt, target = example_displays(task, 2, 1, "absent", drawn=50)
    >>> np.unique(tilt), target
    (array([30., 60.]), array([-1, -1]))
    """
    task = task.as_observed
    sample = Evidence(task).sample(drawn, 0, seed, condition)
    shown = np.where(sample.location < 0, -1, sample.orientation[range(drawn), sample.location])
    firsts = [np.sort(np.unique(what, return_index=True)[1]) for what in (sample.mixture, shown)]
    chosen = list(dict.fromkeys([*firsts[0], *firsts[1], *range(drawn)]))[:n]
    return np.asarray(task.tilts)[sample.orientation[chosen]], sample.location[chosen]
