r"""What approximations cost: the log likelihood ratio of one task held against that of another.

**Scene complexity.** The paper treats a display of M_d items as draws from a mixture with item
probability M_d / M and notes that the ratio is then biased, "conservative", and that the bias is
negligible because blanks are told apart at once (footnote to "Unknown scene complexity"). Here both
ratios are computed on the same observations, drawn from the world with exactly M_d items.

The limit of perfectly visible blanks is known in closed form. The observer then sees how many
items n there are, and only the ratios t_l / d_l of the items matter:

    exact    S = log (M / n) sum_{l in items} pi_l t_l / d_l,
    paper    S = log (sum_j Q_j M / n_j) sum_{l in items} pi_l t_l / d_l,
             Q_j proportional to P(n_j) (n_j / M)^n (1 - n_j / M)^(M - n),

so the bias tends to log(n sum_j Q_j / n_j), whatever the observations. It is zero if the set size
is known and not otherwise: seeing n items does not rule out the other mixtures, whose number of
items varies. Easy blanks make the bias a constant, they do not make it vanish.

**Quadrature.** With distractors of any orientation of a range, :math:`P(X \mid C)` is an integral
over their common orientation (tied) or, at each location, over its own (independent).
`MixtureSearchTask.continuous` replaces it by a sum over nodes. `quadrature_error` holds the log
likelihood ratio with few nodes against that with more, on the same observations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlog1py, xlogy

from popout.evidence.beliefs import Evidence
from popout.evidence.logspace import gain_control, log_or_minus_inf, logsumexp
from popout.task import Faults, Task

Array = NDArray[np.float64]
CHUNK = 10_000  # trials held in memory at a time


@dataclass(frozen=True)
class Mean:
    """A sample mean and its standard error."""

    value: float
    se: float

    def __str__(self) -> str:
        """Write the mean with its standard error."""
        return f"{self.value:+.5f} +- {self.se:.5f}"


@dataclass(frozen=True)
class SceneBias:
    """The paper's log likelihood ratio minus the exact one, on the same observations.

    Parameters
    ----------
    absent, present : Mean
        Mean difference S_paper - S_exact of trials without and with a target, in nats.
    towards_zero : Mean
        Mean of (S_exact - S_paper) sign(S_exact): positive if the paper's ratio is conservative.
    rms : float
        Root mean square difference.
    information_lost : Mean
        Mean of log P_exact(C | X) - log P_paper(C | X) at the true class C, in nats per trial;
        what the bias costs an observer who is paid for calibrated beliefs.
    by_count : tuple of Mean
        Mean difference at each set size of the task.
    visible_blanks : tuple of float
        The difference at each set size in the limit of perfectly visible blanks.
    counts : tuple of int
        The set sizes.
    duration : float
        Viewing time in seconds.
    n_trials : int
        Number of trials.

    Examples
    --------
    >>> import popout as po
    >>> drift = {0: 4.0, 90: -4.0, "blank": -4.0}
    >>> task = po.SceneSearchTask.from_sets(4, [0], [90], [2, 4], drift)
    >>> bias = po.scene_complexity_bias(task, duration=0.1, n_trials=200, seed=1)
    >>> bias.counts, bias.n_trials, bias.rms > 0.0
    ((2, 4), 200, True)
    """

    absent: Mean
    present: Mean
    towards_zero: Mean
    rms: float
    information_lost: Mean
    by_count: tuple[Mean, ...]
    visible_blanks: tuple[float, ...]
    counts: tuple[int, ...]
    duration: float
    n_trials: int

    def __str__(self) -> str:
        """Write the bias as a small table."""
        lines = [
            f"S(paper) - S(exact) after {self.duration:g} s, {self.n_trials} trials, in nats",
            f"  target absent      {self.absent}",
            f"  target present     {self.present}",
            f"  towards zero       {self.towards_zero}",
            f"  root mean square    {self.rms:.5f}",
            f"  information lost   {self.information_lost}",
        ]
        for count, mean, limit in zip(self.counts, self.by_count, self.visible_blanks, strict=True):
            lines.append(f"  M_d = {count:<3d}          {mean}   (visible blanks: {limit:+.5f})")
        return "\n".join(lines)


def scene_complexity_bias(task: Task, n_trials: int, duration: float, seed: int) -> SceneBias:
    """Measure the bias of the paper's treatment of unknown scene complexity.

    Parameters
    ----------
    task : SceneSearchTask
    n_trials : int
        At least 2.
    duration : float
        Viewing time in seconds, rounded to whole steps of `task.dt`.
    seed : int

    Returns
    -------
    SceneBias

    Examples
    --------
    >>> from popout.evidence import scene_complexity_bias
    >>> from popout.task import SceneSearchTask
    >>> task = SceneSearchTask.from_sets(7, [0], [20], [1, 3], {20: -2, 0: 2, "blank": -8})
    >>> bias = scene_complexity_bias(task, n_trials=2000, duration=0.5, seed=1)
    >>> bias.rms > 0
    True
    """
    faults = Faults("scene_complexity_bias")
    counts = task.displays().counts
    if not counts:
        faults.add("task", "a SceneSearchTask", task, "blanks and set sizes make the bias")
        faults.raise_if_any()
    n = faults.integer("n_trials", n_trials, "a standard error needs two trials", at_least=2)
    seconds = faults.positive("duration", duration, "give the viewing time in seconds")
    n_steps = round(seconds / task.dt) if seconds > 0 else 1
    if n_steps < 1:
        faults.add("duration", f"at least one step of {task.dt} s", duration, "look longer")
    faults.raise_if_any()

    exact, paper = Evidence(task), Evidence(task.as_mixture())
    parts = []
    for first in range(0, n, CHUNK):
        sample = exact.sample(min(CHUNK, n - first), n_steps, seed, first_trial=first)
        S = exact.final(sample.increments)
        S_paper = paper.final(sample.increments)
        parts.append((S, S_paper, sample.present, sample.mixture))
    S, S_paper, present, mixture = (np.concatenate(part) for part in zip(*parts, strict=True))
    difference = S_paper - S
    return SceneBias(
        absent=_mean(difference[~present]),
        present=_mean(difference[present]),
        towards_zero=_mean(-difference * np.sign(S)),
        rms=float(np.sqrt(np.mean(difference**2))),
        information_lost=_mean(
            _log_belief(S + task.log_prior_odds, present)
            - _log_belief(S_paper + task.log_prior_odds, present)
        ),
        by_count=tuple(_mean(difference[mixture == j]) for j in range(len(counts))),
        visible_blanks=visible_blanks_bias(task),
        counts=counts,
        duration=n_steps * task.dt,
        n_trials=n,
    )


def visible_blanks_bias(task: Task) -> tuple[float, ...]:
    """Return the bias at each set size in the limit of perfectly visible blanks.

    Parameters
    ----------
    task : SceneSearchTask

    Returns
    -------
    tuple of float
        log(n sum_j Q_j / n_j) for each n of `task.counts`, in nats.

    Examples
    --------
    >>> from popout.evidence import visible_blanks_bias
    >>> from popout.task import SceneSearchTask
    >>> task = SceneSearchTask.from_sets(7, [0], [20], [1, 3], {20: -2, 0: 2, "blank": -8})
    >>> [round(bias, 4) for bias in visible_blanks_bias(task)]
    [-0.1496, 0.2744]
    """
    displays = task.displays()
    counts = np.asarray(displays.counts, dtype=float)
    m = task.n_locations
    log_prior = log_or_minus_inf(displays.count_prior)
    limits = []
    for n in counts:
        weight = log_prior + xlogy(n, counts / m) + xlog1py(m - n, -counts / m)
        limits.append(float(np.log(n) + logsumexp(gain_control(weight, 0) - np.log(counts), 0)))
    return tuple(limits)


def _mean(values: Array) -> Mean:
    """Return the mean and its standard error; NaN where there are too few values."""
    if values.size < 2:
        return Mean(float(np.mean(values)) if values.size else np.nan, np.nan)
    return Mean(float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(values.size)))


def _log_belief(log_odds: Array, present: NDArray[np.bool_]) -> Array:
    """Return log P(true class)."""
    return -np.logaddexp(0.0, np.where(present, -log_odds, log_odds))


def quadrature_error(
    task: Task, finer: Task, seconds: float, n_trials: int = 1000, seed: int = 1
) -> float:
    """Return the largest difference of S between two tasks over displays of the finer one.

    Parameters
    ----------
    task, finer : MixtureSearchTask
        The same distractors with few and with more nodes.
    seconds : float
        How long displays are observed; the error grows with it.
    n_trials : int
    seed : int

    Returns
    -------
    difference : float
        In nats.

    Examples
    --------
    >>> import math
    >>> from popout.evidence import quadrature_error
    >>> from popout.task import MixtureSearchTask
    >>> few, many = (
    ...     MixtureSearchTask.continuous(
    ...         3, [0], (20, 90), lambda a: 4 * math.cos(math.radians(2 * a)), nodes=nodes
    ...     )
    ...     for nodes in (16, 32)
    ... )
    >>> quadrature_error(few, many, 0.3) < 1e-5
    True
    """
    faults = Faults("quadrature_error")
    if (task.n_locations, task.dt) != (finer.n_locations, finer.dt):
        faults.add("finer", "the same task with more nodes", finer, "change the nodes alone")
    steps = round(faults.number("seconds", seconds, "give some tenths", above=0.0) / task.dt)
    faults.raise_if_any()
    both = Evidence(task), Evidence(finer)
    t = max(1, steps) * task.dt
    x = both[1].sample(n_trials, max(1, steps), seed).observations
    S, S_finer = (each.log_likelihood_ratio(each.log_likelihood(x, t)) for each in both)
    return float(np.abs(S - S_finer).max())
