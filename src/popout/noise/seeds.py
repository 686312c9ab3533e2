"""Seeds of independent noise.

One seed of the user's serves several purposes: a strategy is tuned on some trials and scored on
others, or the score would be biased by what the tuning has fitted. Every purpose has its number
here, so that no two can share noise by accident. NumPy's ``SeedSequence`` spreads seeds, so that
neighbouring ones have nothing in common.
"""

from __future__ import annotations

from enum import IntEnum, unique

import numpy as np
from numpy.typing import NDArray


@unique
class Purpose(IntEnum):
    """What a seed is for.

    Those that are drawn in chunks take the numbers that follow, one for each chunk. Late chunks of
    `STORED_PATHS` reach the numbers of `LARGER_SETS`; they share no noise, because the one seeds
    NumPy's generator and the other the streams of `popout.simulation`.
    """

    TUNED_RISK = 1  # the risk of what `tune` has found
    COMPARISON = 2  # the trials of `compare`
    TUNING = 3  # a strategy made by name, before it is simulated
    SWEEP_SCORE = 4  # a tuned strategy at a point of a sweep
    RISK_FIGURE = 5  # the strategies of the figure on risks
    STORED_PATHS = 7  # paths of the table on time-varying thresholds, in chunks; NumPy's generator
    LARGER_SETS = 11  # trials of the table on larger sets, in chunks
    CERTIFICATE_LEARNING = 2001  # trials from which a value function is learned
    CERTIFICATE_PILOT = 2002  # trials that choose between strategies
    CERTIFICATE_BOUND = 2003  # trials behind the bounds
    REACHED_THRESHOLDS = 2004  # paths on which thresholds on S are first tried
    STUDY_TUNING = 1001
    STUDY_SCORE = 1002
    STUDY_REGRET = 1003
    FIRST_PASSAGES = 3001  # walks behind the likelihood of people
    MODEL_FIT = 3002  # starts of a search for the best parameters
    POSTERIOR = 3003  # walkers of a sampler
    SYNTHETIC_OBSERVER = 3004  # trials drawn from a model, one chunk for each observer
    POPULATION = 40_001  # draws of a population over observers, one chunk for each chain
    PRECISION = 50_001  # trials behind what a design will tell: two halves, then rival rules
    PREDICTION = 60_001  # parameters of an observer behind the intervals of a prediction
    PARTICIPANTS = 100_001  # displays of an experiment, one chunk for each participant


def fresh_seed(seed: int, purpose: Purpose, chunk: int = 0) -> int:
    """Return a seed whose noise is independent of that of `seed` and of every other purpose.

    Parameters
    ----------
    seed : int
    purpose : Purpose
    chunk : int
        Number of the chunk, from 0, where trials are drawn in several.

    Examples
    --------
    >>> seeds = [fresh_seed(seed, purpose) for seed in (0, 1) for purpose in Purpose]
    >>> len(set(seeds)) == len(seeds)
    True
    """
    return int(spread(seed, purpose + chunk)[0])


def spread(*numbers: int, n_words: int = 1) -> NDArray[np.uint64]:
    """Return words of 64 random bits that depend on all of the numbers.

    Parameters
    ----------
    *numbers : int
        Not negative.
    n_words : int

    Examples
    --------
    >>> len(set(spread(0, n_words=4)) | set(spread(1, n_words=4)))
    8
    """
    return np.random.SeedSequence(numbers).generate_state(n_words, np.uint64).astype(np.uint64)
