r"""What a model predicts: the density of both answers over time, in every cell of a design.

A cell is a set size and a class (target absent or present). All else is read off the densities
:math:`f(r, t)` in the middles of small steps of time, and the probability of no answer, which
together make 1: error rates are masses among answers, means and quantiles those of
the correct answers (or of the wrong ones), and slopes are least-squares lines of mean correct
response times over set size, in ms per item, as search studies report them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from popout.drawing.representation import Card, HasCard
from popout.people.models.situation import FIELDS, USUAL, Situation
from popout.policies.stopping import Action
from popout.simulation.responses import Responses

if TYPE_CHECKING:
    from popout.people.models.model import Model
    from popout.people.passages.passage_tables import PassageTables

Array = NDArray[np.float64]
QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
ANSWERS = (Action.ABSENT, Action.PRESENT)
STEP = 0.005  # s between the times of a prediction


@dataclass(frozen=True, eq=False)
class Prediction(HasCard):
    """Predicted answers and response times.

    Attributes
    ----------
    set_sizes : tuple of int
    times : ndarray of shape (T,)
        Seconds, equally spaced: middles of steps.
    density : ndarray of shape (n_sizes, 2, 2, T)
        In 1/s, by set size, class (0 absent, 1 present) and answer (0 "absent", 1 "present").
    no_answer : ndarray of shape (n_sizes, 2)
        Probability that none comes by the time limit.
    situation : Situation
        What is at stake, and the time limit.
    """

    set_sizes: tuple[int, ...]
    times: Array
    density: Array
    no_answer: Array
    situation: Situation = USUAL

    @classmethod
    def of(
        cls,
        model: Model,
        values: Mapping[str, float],
        set_sizes: Sequence[int],
        tables: PassageTables | None = None,
        situation: Situation = USUAL,
    ) -> Prediction:
        """Evaluate a model on a grid of times."""
        end = min(model.longest, situation.deadline)
        n_times = max(2, round((end - model.fastest) / STEP))
        step = (end - model.fastest) / n_times
        times = model.fastest + step * np.arange(0.5, n_times, dtype=np.float64)
        size, present, answer, t = np.broadcast_arrays(
            np.asarray(set_sizes).reshape(-1, 1, 1, 1),
            np.array([-1, 0]).reshape(1, 2, 1, 1),
            np.array(ANSWERS).reshape(1, 1, 2, 1),
            times,
        )
        grid = _trials(answer.ravel(), t.ravel(), present.ravel(), size.ravel(), situation)
        density = np.exp(model.log_densities(values, grid, tables)).reshape(size.shape)
        none = np.zeros(size.shape[:2])
        if np.isfinite(situation.deadline):
            target, sizes = (each[:, :, 0, 0].ravel() for each in (present, size))
            waits, limits = np.full(none.size, Action.WAIT), np.full(none.size, situation.deadline)
            grid = _trials(waits, limits, target, sizes, situation)
            none = np.exp(model.log_densities(values, grid, tables)).reshape(none.shape)
        return cls(tuple(int(M) for M in set_sizes), times, density, none, situation)

    @classmethod
    def mixed(cls, parts: Mapping[Prediction, float]) -> Prediction:
        """Return what trials in several situations look like together, with weights.

        Their steps begin at one time and are equally long, up to rounding; the last end differs.
        """
        longest = max(parts, key=lambda part: len(part.times))
        density, none = np.zeros_like(longest.density), np.zeros_like(longest.no_answer)
        for part, weight in parts.items():
            share = weight / sum(parts.values())
            density[..., : len(part.times)] += share * part.density
            none += share * part.no_answer
        return cls(longest.set_sizes, longest.times, density, none, longest.situation)

    @property
    def step(self) -> float:
        """Seconds between two times."""
        return float(self.times[1] - self.times[0])

    @cached_property
    def masses(self) -> Array:
        """Return the probability of each answer, shape (n_sizes, 2, 2)."""
        return np.asarray(self.density.sum(axis=-1) * self.step)

    @property
    def error_rate(self) -> Array:
        """Return false alarms and misses among the answers, shape (n_sizes, 2)."""
        wrong = np.stack([self.masses[:, 0, 1], self.masses[:, 1, 0]], axis=1)
        return np.asarray(wrong / self.masses.sum(axis=-1))

    def _of_answers(self, correct: bool) -> Array:
        """Return the densities of the correct or the wrong answers, shape (n_sizes, 2, T)."""
        right, wrong = (0, 1) if correct else (1, 0)
        return np.stack([self.density[:, 0, right], self.density[:, 1, wrong]], axis=1)

    def mean_rt(self, correct: bool = True) -> Array:
        """Return mean response times of correct (or wrong) answers in s, shape (n_sizes, 2)."""
        density = self._of_answers(correct)
        return np.asarray((density * self.times).sum(-1) / density.sum(-1))

    def quantiles(self, levels: Sequence[float] = QUANTILES, correct: bool = True) -> Array:
        """Return quantiles of response times in s, shape (n_sizes, 2, n_levels)."""
        density = self._of_answers(correct)
        rising = np.cumsum(density, axis=-1)
        rising = (rising - 0.5 * density) / rising[..., -1:]
        quantiles = np.empty((*rising.shape[:-1], len(levels)))
        for cell in np.ndindex(rising.shape[:-1]):
            quantiles[cell] = np.interp(levels, rising[cell], self.times)
        return quantiles

    @property
    def slopes(self) -> Array:
        """Return ms per item of mean correct response times: absent, present; nan for one size."""
        if len(self.set_sizes) < 2:
            return np.full(2, np.nan)
        return np.asarray(1e3 * np.polyfit(self.set_sizes, self.mean_rt(), 1)[0])

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each cell: error rate, mean and quantiles of correct answers."""
        rows = []
        quantiles = self.quantiles()
        for i, M in enumerate(self.set_sizes):
            for present in (0, 1):
                row: dict[str, Any] = {"set_size": M, "present": bool(present)}
                row["error_rate"] = self.error_rate[i, present]
                row["no_answer"] = self.no_answer[i, present]
                row["mean_rt"] = self.mean_rt()[i, present]
                each = zip(QUANTILES, quantiles[i, present], strict=True)
                rows.append({**row, **{f"rt_{100 * q:.0f}": value for q, value in each}})
        return pd.DataFrame(rows)

    def card(self) -> Card:
        """Return error rates, means and slopes."""
        absent, present = self.slopes
        facts = [("slopes", f"absent {absent:.1f}, present {present:.1f} ms/item")]
        rows = [
            [M, *(f"{100 * e:.1f}" for e in errors), *(f"{1e3 * t:.0f}" for t in means)]
            for M, errors, means in zip(
                self.set_sizes, self.error_rate, self.mean_rt(), strict=True
            )
        ]
        headings = ["items", "false alarms (%)", "misses (%)", "absent (ms)", "present (ms)"]
        return Card("Predicted answers and times", facts, headings, rows)

    def draw(self, cells: Sequence[tuple[int, bool, int]], seed: int) -> Responses:
        """Draw the trials of a synthetic observer.

        Parameters
        ----------
        cells : sequence of (set size, present, number of trials)
        seed : int

        Returns
        -------
        responses : Responses
            With columns ``set_size`` and ``block`` (ten of equal size) and those of the situation,
            in random order.
        """
        random = np.random.default_rng(seed)
        parts = []
        for M, present, n in cells:
            cell = self.set_sizes.index(M), int(present)
            mass = np.append(self.density[cell].ravel() * self.step, self.no_answer[cell])
            where = random.choice(mass.size, size=n, p=mass / mass.sum())
            answer, at = np.divmod(where, len(self.times))
            rt = self.times[at] + (random.random(n) - 0.5) * self.step
            rt = np.where(answer == len(ANSWERS), self.situation.deadline, rt)
            said = np.array((*ANSWERS, Action.WAIT))[answer]
            parts.append((said, rt, np.full(n, int(present) - 1), np.full(n, M)))
        said, rt, target, sizes = (np.concatenate(each) for each in zip(*parts, strict=True))
        order = random.permutation(len(rt))
        block = np.arange(len(order)) * 10 // len(order)
        trials = _trials(said, rt, target, sizes, self.situation)
        trials = trials.where(order)
        return replace(trials, columns={**trials.columns, "block": block})


def _trials(
    said: NDArray[Any],
    rt: Array,
    target: NDArray[Any],
    sizes: NDArray[Any],
    situation: Situation,
) -> Responses:
    """Return trials in one situation."""
    columns = {name: np.full(len(rt), getattr(situation, name)) for name in FIELDS}
    columns["set_size"] = sizes
    return Responses(said, rt, target, situation.prior, columns=columns)
