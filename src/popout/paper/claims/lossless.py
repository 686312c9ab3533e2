r"""Claims about evidence: ratios that lose nothing, and the footnote on scene complexity.

**`lossless`.** The log likelihood ratios of the paper against enumeration of everything that may be
hidden.

A ratio that loses nothing equals :math:`\log P(X \mid C=1) / P(X \mid C=0)` computed by brute
force: a sum over target location, distractor mixture and every assignment of orientations (Methods,
"Bayesian inference"). This is done for discrimination (Equation 1), homogeneous search (Equation
2) and search with independent and with tied distractors, two kinds of target each (Equations
3, 4, 5), on random displays and on random log
likelihoods that no display would give.

**`scene-bias`.** The footnote's bias: scene complexity as a mixture, for blanks of growing
visibility.

The paper treats a display of :math:`M_d` items out of M places as draws from a mixture (footnote to
"Unknown scene complexity"). `popout.scene_complexity_bias` compares its log likelihood ratio with
the exact one on the same observations. Here: its example (M = 7, one or three items), with drifts
of +-b per second in a channel that tells items from blanks, and half a second of viewing. Beside
the bias stands what it does to decisions at a fixed viewing time: the error rate of an observer who
believes the exact ratio, and how much more often one who believes the paper's ratio errs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import expit

from popout.evidence import Evidence, scene_complexity_bias, visible_blanks_bias
from popout.paper.claims.bounds import NEGLIGIBLE, NEGLIGIBLE_NATS, ROUNDING, Bound
from popout.paper.claims.claim import Check, Claims
from popout.paper.claims.measure import above, below, each, stored, with_se
from popout.paper.preset import PaperPart, Preset
from popout.progress import Progress
from popout.reports.cells import NATS, PER_SECOND, Variables, over
from popout.task import GaussianWalk, MixtureSearchTask, SceneSearchTask

Array = NDArray[np.float64]
DRIFTS: dict[float | str, float | Sequence[float]] = {0: -3.0, 10: -1.0, 20: 1.0, 30: 3.0}
CASES = {
    "discrimination": MixtureSearchTask.independent(1, [10, 30], [0, 20], DRIFTS),
    "homogeneous": MixtureSearchTask.independent(4, [30], [0], {0: -3.0, 30: 3.0}),
    "independent distractors": MixtureSearchTask.independent(4, [10, 30], [0, 20], DRIFTS),
    "tied distractors": MixtureSearchTask.tied(4, [10, 30], [0, 20], DRIFTS),
}
DISPLAYS = 100
SPREAD = 5.0


def compute_lossless(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return the largest difference of each ratio from enumeration."""
    rng = np.random.default_rng(seed)

    def cell(name: str) -> Variables:
        task = CASES[name]
        evidence = Evidence(task)
        sample = evidence.sample(DISPLAYS, 30, seed)
        seen = evidence.log_likelihood(sample.observations, t=30 * task.dt)
        L = np.concatenate([seen, SPREAD * rng.normal(size=seen.shape)])
        S = evidence.log_likelihood_ratio(L)
        away = (abs(float(s) - enumerated(task, display)) for s, display in zip(S, L, strict=True))
        return {"largest_difference": ((), max(away), NATS)}

    table = over({"case": CASES}, cell, progress)
    return xr.Dataset(table, coords={"case": list(CASES)}, attrs={"displays": 2 * DISPLAYS})


def enumerated(task: MixtureSearchTask, L: Array) -> float:
    """Return S of one display by summing over everything hidden.

    Parameters
    ----------
    task : MixtureSearchTask
    L : ndarray of shape (M, K)
        Log likelihood of each orientation at each location.
    """
    M, K = L.shape
    shown = np.array(list(product(range(K), repeat=M)))
    likelihood = np.exp(L[np.arange(M), shown].sum(axis=1))
    target = np.asarray(task.target_prior)
    absent = present = 0.0
    for weight, mixture in zip(task.mixture_prior, np.asarray(task.mixtures), strict=True):
        absent += weight * float(likelihood @ mixture[shown].prod(axis=1))
        for place, there in enumerate(task.location_prior):
            law = mixture[shown]
            law[:, place] = target[shown[:, place]]
            present += weight * there * float(likelihood @ law.prod(axis=1))
    return float(np.log(present / absent))


LOSSLESS = PaperPart("lossless", "Log likelihood ratios against enumeration", compute_lossless, 1.0)

VISIBILITY = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
COUNTS = (1, 3)
SECONDS = 0.5
CHUNK = 10_000


def scene(visibility: float) -> SceneSearchTask:
    """Return the paper's example with blanks of this visibility."""
    b = visibility
    walk = GaussianWalk([[-2, b], [0, -b], [2, b]])
    return SceneSearchTask.from_sets(7, [0], [20], list(COUNTS), walk)


def compute_scene_bias(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return biases, information lost and error rates with their standard errors."""
    n = 2 * preset.decision_trials

    def cell(visibility: float) -> Variables:
        task = scene(visibility)
        bias = scene_complexity_bias(task, n_trials=n, duration=SECONDS, seed=seed)
        means = {name: getattr(bias, name) for name in ("towards_zero", "information_lost")}
        wrong, more = _errors(task, n, seed)
        errors = {"error_rate": wrong, "more_errors": more}
        return {
            "rms": ((), bias.rms, NATS),
            **{name: ((), mean.value, NATS) for name, mean in means.items()},
            **{name: values.mean() for name, values in errors.items()},
            **{f"{name}_se": mean.se for name, mean in means.items()},
            **{f"{name}_se": v.std(ddof=1) / np.sqrt(n) for name, v in errors.items()},
            "bias": (("items",), [mean.value for mean in bias.by_count], NATS),
        }

    return xr.Dataset(
        {
            **over({"visibility": VISIBILITY}, cell, progress),
            "bias_visible": (("items",), list(visible_blanks_bias(scene(VISIBILITY[-1]))), NATS),
        },
        coords={"visibility": ("visibility", list(VISIBILITY), PER_SECOND), "items": list(COUNTS)},
        attrs={"trials": n, "seconds": SECONDS},
    )


def _errors(
    task: SceneSearchTask, n: int, seed: int
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
    """Return each trial's expected error under the exact ratio, and what the paper's adds.

    Expected given the observations: the exact posterior P of presence makes the better answer wrong
    with probability min(P, 1 - P), and the other answer adds abs(2 P - 1).
    """
    exact, paper = Evidence(task), Evidence(task.as_mixture())
    parts = []
    for first in range(0, n, CHUNK):
        size = min(CHUNK, n - first)
        sample = exact.sample(size, round(SECONDS / task.dt), seed, first_trial=first)
        right, theirs = (
            evidence.final(sample.increments) + task.log_prior_odds for evidence in (exact, paper)
        )
        P = expit(right)
        more = np.where((right > 0) != (theirs > 0), np.abs(2 * P - 1), 0.0)
        parts.append(np.array([np.minimum(P, 1 - P), more]))
    wrong, more = np.concatenate(parts, axis=1)
    return wrong, more


SCENE_BIAS = PaperPart(
    "scene-bias", "The bias of scene complexity treated as a mixture", compute_scene_bias, 4.0
)

FOOTNOTE = "Results, Search with unknown scene complexity, footnote"


CLAIMS = Claims(data=(SCENE_BIAS,), where=FOOTNOTE)


@CLAIMS.add(
    "The log likelihood ratios of discrimination, homogeneous and heterogeneous search lose no "
    "information: they are the exact ratio of the two likelihoods.",
    data=(LOSSLESS,),
    where="Results, Optimal evidence accumulation; Equations 1 to 5",
    rule="Each ratio equals enumeration over target location, mixture and orientations up to "
    "rounding.",
    quote="lossless evidence accumulation",
)
def evidence_lossless(lossless: xr.Dataset) -> Iterator[Check]:
    """Check each ratio against enumeration."""
    for case, ratio in each(lossless, "case"):
        what = f"{case}: largest difference from enumeration"
        yield below(what, ratio["largest_difference"], ROUNDING)


@CLAIMS.add(
    "Treating unknown scene complexity as a mixture of set sizes gives a conservative log "
    "likelihood ratio, one that lies nearer to zero.",
    rule="The mean shift towards zero is positive, however visible the blanks are.",
    quote="leading to conservative estimates of the log likelihood ratio",
)
def scene_bias_conservative(scene_bias: xr.Dataset) -> Iterator[Check]:
    """Check the shift towards zero at every visibility of the blanks."""
    for b, bias in each(scene_bias, "visibility"):
        yield above(
            f"blanks told apart at ±{b:g}/s: mean shift of the ratio towards zero",
            stored(bias, "towards_zero"),
            Bound(0.0, "nats", "the sign alone is claimed"),
        )


@CLAIMS.add(
    "When blanks are told apart at once the consequence of that bias is negligible.",
    rule="With the most visible blanks, the bias, the information it loses and the errors it adds "
    "are all below the bounds for negligible.",
    quote="the consequence of the bias is negligible",
)
def scene_bias_negligible(scene_bias: xr.Dataset) -> Iterator[Check]:
    """Check the bias and its consequences where blanks are told apart fastest."""
    most_visible = scene_bias.isel(visibility=-1)
    seen = f"blanks told apart at ±{float(most_visible['visibility']):g}/s"
    rms = float(most_visible["rms"])
    what = f"{seen}: root mean square bias of the log likelihood ratio"
    yield below(what, with_se(rms, rms / np.sqrt(2 * scene_bias.attrs["trials"])), NEGLIGIBLE_NATS)
    yield below(
        f"{seen}: information lost about the target's presence",
        stored(most_visible, "information_lost"),
        NEGLIGIBLE_NATS.because("one part in 70 of a bit"),
    )
    share = 100 / float(most_visible["error_rate"])
    yield below(
        f"{seen}: errors added, of all errors after {scene_bias.attrs['seconds']:g} s",
        stored(most_visible, "more_errors", share),
        NEGLIGIBLE.because("the same bound as for risks"),
    )
