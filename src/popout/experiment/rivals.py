r"""How many trials tell a-SPRT from other stopping rules, from answers and response times by place.

The experimenter knows what was shown, *x*: no target, or a target at a place that is seen so well.
A rule *r* gives an answer within a bin of time the probability :math:`p_r(y \mid x)`. If people
follow *r* (a-SPRT), a trial speaks against the rule *s* with

.. math:: D(r, s) = \sum_x P(x) \sum_y p_r(y \mid x) \log\frac{p_r(y \mid x)}{p_s(y \mid x)}

nats on average (Kullback and Leibler), and *n* trials with :math:`n D` give or take
:math:`\sqrt{n V}`, V being the variance of the logarithm. The number of trials after which the log
likelihood ratio exceeds `EVIDENCE` with probability `CERTAINTY` is found by drawing whole
experiments, near the solution of :math:`nD - 1.645 \sqrt{nV} =` `EVIDENCE`.

**All but the rule is known**: drift, costs and non-decision time are those of the expected
observer, and each rule has the thresholds it would have under these costs. A share `LAPSES` of
answers is a guess at any time or none at all, so that no single trial decides; times count in bins,
which can only lose information.

**What a fit would leave free** (`free=True`): the rival may have a drift, a non-decision time and a
caution of its own for either answer (factors on its lower and upper thresholds, the same in every
block), chosen so that it comes closest to a-SPRT, by the simplex of Nelder and Mead on common
noise; what is left, or is there without any change, is measured on fresh trials. A better choice
may exist: the number of trials is then larger still.

**Bias.** With estimated probabilities, :math:`\sum \hat p \log(\hat p / \hat q)` is too large even
for identical rules. Here the ratio is estimated on some trials and averaged over others,

.. math:: E\Bigl[\sum p' \log\frac{\hat p}{\hat q}\Bigr] = D(p, \hat q) - D(p, \hat p),

where the two errors cancel to first order (each is about half the number of bins over the number of
trials), the more so as all rules face the same displays and noise. `PAIRS` independent pairs of
samples give the mean and its standard error. The ratio from which experiments are drawn is brought
to this mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import ndtr

from popout.analysis.making import Workshop
from popout.drawing.representation import Card, HasCard, with_error
from popout.experiment.design import ExperimentDesign
from popout.experiment.observer import cells_of, task_of
from popout.noise.seeds import Purpose, fresh_seed
from popout.policies.stopping import Action, ScaledSPRT
from popout.progress import Progress, stretch
from popout.simulation import Trials, simulate
from popout.task import Costs, Faults, SearchTask

Array = NDArray[np.float64]
EVIDENCE, CERTAINTY, QUANTILE = 3.0, 0.95, 1.645
"""Log likelihood ratio that is called enough, how surely it is to be reached, in deviations."""
BIN, LAPSES = 0.05, 0.01
PAIRS, EXPERIMENTS, TUNE_TRIALS = 5, 1000, 10_000
SEARCH_TRIALS, SEARCHES = 6_000, 200
"""Trials of a candidate, and candidates, in the search for the closest rival."""
KNOWN = "all parameters known; a fit that leaves them free needs more"
FREE = "the rival's drift, caution and non-decision time chosen to come closest"
MOST_TRIALS = 10_000_000


@dataclass(frozen=True)
class Rivals(HasCard):
    """How well a design tells stopping rules from a-SPRT, if that is what people follow.

    Attributes
    ----------
    against : tuple of dict
        For each other ``rule``: ``nats`` that a trial says against it, expected, and their standard
        error ``nats_se``; ``trials`` needed, infinite where `nats` is not above twice its error.
    counted : int
        Trials of one participant that count.
    free : bool
        Whether rivals have parameters of their own.
    """

    against: tuple[dict[str, Any], ...]
    counted: int
    free: bool = False

    def card(self) -> Card:
        """Return what is shown of it."""
        facts = []
        for row in self.against:
            nats, known = with_error(row["nats"], row["nats_se"]), math.isfinite(row["trials"])
            needed = f"{row['trials']} trials" if known else "cannot be told apart"
            facts.append((f"a-SPRT or {row['rule']}?", f"{needed} ({nats} nats each)"))
        enough = f"log likelihood ratio above {EVIDENCE:g} with probability {CERTAINTY:g}"
        note = f"Trials: {enough}, {FREE if self.free else KNOWN}."
        return Card("Trials that tell stopping rules apart", facts, note=note)


def tell_apart(
    design: ExperimentDesign,
    n_trials: int = 40_000,
    free: bool = False,
    progress: Progress | None = None,
) -> Rivals:
    """Find how many trials tell other stopping rules from a-SPRT.

    Parameters
    ----------
    design : ExperimentDesign
        In which one target and one distractor orientation give each place a rate of its own.
    n_trials : int
        Simulated for each rule and kind of display.
    free : bool
        Whether rivals may have parameters of their own. Takes minutes.
    progress : callable, optional

    Examples
    --------
    >>> from popout.experiment import Block, ExperimentDesign
    >>> from popout.experiment.layout import Ring
    >>> texts = ("I agree.", "We store.", "Search.")
    >>> design = ExperimentDesign(
    ...     "Search", [2], [0], [90], *texts, [Block("All", 40)], contrast=[1.0, 0.3],
    ...     layout=Ring(places=2)
    ... )
    >>> rivals = tell_apart(design, n_trials=4000)
    >>> len(rivals.against), rivals.counted
    (4, 40)
    """
    check_rates(design)
    faults = Faults("tell_apart")
    n_trials = faults.integer("n_trials", n_trials, "some 40000 are enough", at_least=4000)
    faults.raise_if_any()
    displays = _Displays(design, n_trials)
    rng, search, score = (fresh_seed(design.seed, Purpose.PRECISION, k) for k in (2, 3, 4))
    dice, (ideal, *others), rows = np.random.default_rng(rng), displays.rules[0], []
    p = displays.binned(ideal, score)
    for k, rule in enumerate(others):
        stretch(progress, 0.2, 1.0)(k / len(others), rule)
        moves = [AS_IT_IS, displays.closest(ideal, rule, search)] if free else [AS_IT_IS]
        q = min((displays.binned(rule, score, moved) for moved in moves), key=partial(_mean, p))
        rows.append({"rule": rule, **compared(p, q, dice)})
    return Rivals(tuple(rows), round(sum(cell.n for cell in cells_of(design))), free)


def check_rates(design: ExperimentDesign) -> None:
    """Refuse a design in which a place has no rate of its own."""
    faults = Faults("")
    if any(task_of(design, cell.block, cell.set_size).search is None for cell in cells_of(design)):
        expected = "one target and one distractor orientation in every block that counts"
        remedy = "leave rivals out: rules that test every place need a rate for each"
        faults.add("rivals", expected, design.title, remedy)
    faults.raise_if_any()


@dataclass(frozen=True)
class Moved:
    """How a rival differs from what its rule would be: factors, and a shift in seconds."""

    drift: float = 1.0
    lower: float = 1.0
    upper: float = 1.0
    later: float = 0.0


AS_IT_IS = Moved()


class _Displays:
    """The kinds of display of a design, and what every rule does with them."""

    def __init__(self, design: ExperimentDesign, n_trials: int) -> None:
        self.design, self.n_trials = design, n_trials
        self.shares: dict[tuple[SearchTask, Costs], float] = {}
        cells = list(cells_of(design))
        total = sum(cell.n for cell in cells)
        for cell in cells:
            task = task_of(design, cell.block, cell.set_size)
            assert isinstance(task, SearchTask)
            key = task, design.of_block(cell.block, "costs")
            self.shares[key] = self.shares.get(key, 0.0) + cell.n / total
        self.rules = [dict(rules_for(*key, design.seed)) for key in self.shares]

    def binned(self, name: str, seed: int, moved: Moved = AS_IT_IS, n: int | None = None) -> Array:
        """Return the probabilities of what is shown and answered, shape (2 * PAIRS, bins)."""
        parts = []
        for ((task, _), share), rules in zip(self.shares.items(), self.rules, strict=True):
            rule, drifts = rules[name], [moved.drift * mu for mu in task.drifts]
            tau_minus, tau_plus = moved.lower * rule.tau_minus, moved.upper * rule.tau_plus
            own = replace(rule, tau_minus=tau_minus, tau_plus=tau_plus)
            seen = SearchTask(drift=drifts, dt=task.dt, prior=task.prior)
            trials = simulate(seen, own, n or self.n_trials, seed)
            parts.append(share * binned(self.design, trials, moved.later))
        return np.concatenate(parts, axis=1)

    def closest(self, rule: str, rival: str, seed: int) -> Moved:
        """Return how a rival comes closest to a rule, on a few trials of common noise."""
        few = min(self.n_trials, SEARCH_TRIALS)
        p = self.binned(rule, seed, n=few)

        def at(u: Array) -> Moved:
            drift, lower, upper = map(math.exp, u[:3])
            return Moved(drift, lower, upper, float(u[3]))

        def nats(u: Array) -> float:
            return _mean(p, self.binned(rival, seed, at(u), few))

        corners = np.vstack([np.zeros(4), np.diag([0.2, 0.3, 0.3, 0.05])])
        options: Any = {"initial_simplex": corners, "maxfev": SEARCHES}
        options |= {"xatol": 0.01, "fatol": 1e-4}
        return at(minimize(nats, np.zeros(4), method="Nelder-Mead", options=options).x)


def rules_for(task: SearchTask, costs: Costs, seed: int) -> Iterator[tuple[str, ScaledSPRT]]:
    """Yield the rules of the paper for a task, tuned where something is free.

    Hardmax has two readings where places differ: a pair of thresholds for each, or one pair, that
    of the place that is seen best.
    """
    workshop = Workshop(task, costs, n_trials=TUNE_TRIALS, seed=fresh_seed(seed, Purpose.TUNING))
    for name in ("a-sprt", "sprt-opt", "sprt", "hardmax-per-location", "hardmax"):
        strategy = workshop.make(name).strategy
        assert isinstance(strategy, ScaledSPRT)
        yield strategy.label, strategy


def binned(design: ExperimentDesign, trials: Trials, later: float = 0.0) -> Array:
    """Return the probabilities of what was shown and answered, by sample, shape (2 * PAIRS, bins).

    Displays have their known probabilities: only the answers are estimated. Those of each kind are
    in bins of time, "absent" then "present"; the last bin is that of no answer in time. The
    non-decision time is longer by `later` seconds.
    """
    observer, limit = design.observer, design.timing.time_limit
    task = trials.task
    edges = np.append(np.arange(math.ceil(limit / BIN)) * BIN, limit)
    # Motor noise may put an answer before the display; it counts in the first bin.
    edges[0] = -math.inf
    times = np.arange(trials.steps.max() + 1) * task.dt + observer.non_decision_time + later
    away = (edges[None, :] - times[:, None]) / observer.non_decision_sd
    spread = np.diff(ndtr(away), axis=1)
    rates = np.asarray(task.local_drifts)
    kinds = [(trials.target < 0, 1.0 - task.prior)]
    for rate in np.unique(rates):
        share = float(np.asarray(task.location_prior)[rates == rate].sum())
        kinds.append((np.append(rates == rate, False)[trials.target], task.prior * share))
    sample = np.arange(len(trials)) % (2 * PAIRS)
    parts = []
    for shown, share in kinds:
        total = np.bincount(sample[shown], minlength=2 * PAIRS)[:, None]
        answers = []
        for action in (Action.ABSENT, Action.PRESENT):
            chosen = shown & (trials.response == action)
            counts = np.zeros((2 * PAIRS, len(times)))
            np.add.at(counts, (sample[chosen], trials.steps[chosen]), 1.0)
            answers.append(counts @ spread / np.maximum(total, 1))
        both = np.concatenate(answers, axis=1)
        late = np.maximum(1.0 - both.sum(axis=1, keepdims=True), 0.0)
        answered = np.append(both, late, axis=1)
        parts.append(share * ((1.0 - LAPSES) * answered + LAPSES / answered.shape[1]))
    return np.concatenate(parts, axis=1)


def compared(p: Array, q: Array, rng: np.random.Generator) -> dict[str, float]:
    """Return nats per trial with their standard error, and the trials needed.

    Parameters
    ----------
    p, q : ndarray of shape (2 * PAIRS, bins)
        Estimates from samples: probabilities under the rule that people follow, and the rival's.
    rng : Generator
        Of the simulated experiments.
    """
    means = _nats(p, q)
    nats, se = float(means.mean()), float(means.std(ddof=1) / math.sqrt(len(means)))
    trials = math.inf
    if nats > 2 * se:
        whole = p.mean(axis=0)
        ratio = np.log(whole / q.mean(axis=0))
        # Noise makes the rules look further apart: of close ones the mean of the ratio goes with
        # the square of the difference, its spread with the difference itself.
        apart = float(whole @ ratio)
        trials = trials_needed(whole, nats + math.sqrt(nats / apart) * (ratio - apart), rng)
    return {"nats": nats, "nats_se": se, "trials": trials}


def _nats(p: Array, q: Array) -> Array:
    """Return independent estimates: the ratio of one sample is averaged over another, each way."""
    swapped = np.arange(len(p)).reshape(-1, 2)[:, ::-1].ravel()
    return np.asarray((p[swapped] * np.log(p / q)).sum(axis=1).reshape(-1, 2).mean(axis=1))


def _mean(p: Array, q: Array) -> float:
    return float(_nats(p, q).mean())


def trials_needed(p: Array, ratio: Array, rng: np.random.Generator) -> float:
    """Return after how many trials the evidence is enough; infinite if that takes millions.

    Parameters
    ----------
    p : ndarray of shape (bins,)
        Probabilities of what a trial shows.
    ratio : ndarray of shape (bins,)
        Log likelihood ratio of it.
    rng : Generator

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([0.9, 0.1])
    >>> trials_needed(p, np.log(p / p[::-1]), np.random.default_rng(1)) < 10
    True
    """
    mean, square = float(p @ ratio), float(p @ ratio**2)
    sd = math.sqrt(max(square - mean**2, 0.0))
    root = (QUANTILE * sd + math.sqrt((QUANTILE * sd) ** 2 + 4 * mean * EVIDENCE)) / (2 * mean)
    guess = root**2
    if guess > MOST_TRIALS:
        return math.inf

    def is_enough(n: int) -> bool:
        experiments = rng.multinomial(n, p / p.sum(), EXPERIMENTS)
        return float((experiments @ ratio > EVIDENCE).mean()) >= CERTAINTY

    low, high = max(1, int(guess / 2)), math.ceil(guess)
    while not is_enough(high):
        low, high = high, math.ceil(1.3 * high)
    while high - low > max(1, 0.02 * high):
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
