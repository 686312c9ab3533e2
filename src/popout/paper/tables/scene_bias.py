r"""The footnote's bias: scene complexity as a mixture, for blanks of growing visibility.

The paper treats a display of :math:`M_d` items out of M places as draws from a mixture (footnote to
"Unknown scene complexity"). `popout.scene_complexity_bias` compares its log likelihood ratio with
the exact one on the same observations. Here: its example (M = 7, one or three items), with drifts
of +-b per second in a channel that tells items from blanks, and half a second of viewing. Beside
the bias stands what it does to decisions at a fixed viewing time: the error rate of an observer who
believes the exact ratio, and how much more often one who believes the paper's ratio errs.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from scipy.special import expit

from popout.evidence import Evidence, scene_complexity_bias, visible_blanks_bias
from popout.paper.preset import Preset
from popout.progress import Progress
from popout.task import GaussianWalk, SceneSearchTask

TITLE = "The bias of scene complexity treated as a mixture"
EFFORT = 4.0

VISIBILITY = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
COUNTS = (1, 3)
SECONDS = 0.5
CHUNK = 10_000


def scene(visibility: float) -> SceneSearchTask:
    """Return the paper's example with blanks of this visibility."""
    b = visibility
    walk = GaussianWalk([[-2, b], [0, -b], [2, b]])
    return SceneSearchTask.from_sets(7, [0], [20], list(COUNTS), walk)


def compute(preset: Preset, seed: int, progress: Progress) -> xr.Dataset:
    """Return biases, information lost and error rates with their standard errors."""
    n = 2 * preset.decision_trials
    names = ("rms", "towards_zero", "information_lost", "error_rate", "more_errors")
    table = {name: np.empty(len(VISIBILITY)) for name in names}
    se = {name: np.empty(len(VISIBILITY)) for name in names[1:]}
    by_count = np.empty((len(VISIBILITY), len(COUNTS)))
    for k, b in enumerate(VISIBILITY):
        progress(k / len(VISIBILITY), f"visibility {b:g}")
        task = scene(b)
        bias = scene_complexity_bias(task, n_trials=n, duration=SECONDS, seed=seed)
        table["rms"][k] = bias.rms
        by_count[k] = [mean.value for mean in bias.by_count]
        for name in ("towards_zero", "information_lost"):
            mean = getattr(bias, name)
            table[name][k], se[name][k] = mean.value, mean.se
        wrong, more = _errors(task, n, seed)
        for name, values in (("error_rate", wrong), ("more_errors", more)):
            table[name][k], se[name][k] = values.mean(), values.std(ddof=1) / np.sqrt(n)
    nats = {"units": "nats"}
    axis = ("visibility",)
    return xr.Dataset(
        {
            **{name: (axis, v, {} if "error" in name else nats) for name, v in table.items()},
            **{f"{name}_se": (axis, v) for name, v in se.items()},
            "bias": ((*axis, "items"), by_count, nats),
            "bias_visible": (("items",), list(visible_blanks_bias(scene(VISIBILITY[-1]))), nats),
        },
        coords={
            "visibility": ("visibility", list(VISIBILITY), {"units": "1/s"}),
            "items": ("items", list(COUNTS)),
        },
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
