r"""Models of people that differ by their stopping rule, told apart by places of unequal visibility.

The observer of the paper: information is taken in everywhere at once, at a rate
:math:`\mu^2 v_l^2` at a place with visibility v, whatever the others do (`information` is
:math:`8\mu^2`, the rate of eight places of visibility 1; it varies between trials by a lognormal
factor). A rule (`popout.people.passages.stopping_rules`) says when to answer.

**Thresholds** are free for either answer. They may differ between kinds of display, as somebody may
be more careful where less is seen: where displays differ in :math:`\log \sum_l v_l^2` they are
linear in it, quoted in the middle of its range, and `lower_change` is by how much "absent" differs
from the least to the most visible displays. What tells rules apart is thus not how careful an
observer is here and there, but what happens within a kind of display: how slow and how wrong
answers are to targets at bright and at faint places, beside those to no target. With places that
are seen alike the rule `sprt` is ``free-parallel`` with a capacity of 1.

Non-decision time and lapses are those of `SearchModel`. The density of an answer in a cell, which
is a layout and the visibility of the target's place, is that of `search_density`, with answers by
interpolation of the logarithms of their probabilities in the tables. A trial whose place is not
known is a mixture of the displays that the model was made for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from popout.people.fitting.fitted_model import FittedModel
from popout.people.fitting.maximum_likelihood import fit_model
from popout.people.models.layouts import LAYOUT, VISIBILITY, Display, displays_of, layout_words
from popout.people.models.model import Model, ModelParameter, set_sizes_of
from popout.people.models.search_density import Decision, Residual, search_density
from popout.people.models.search_models import RATE, REFERENCE, RESIDUAL, THRESHOLDS, CellLikelihood
from popout.people.models.situation import situations_of
from popout.people.passages.decision_times import AnsweredTimes
from popout.people.passages.first_passages import LEAST, MOST, PassageTable
from popout.people.passages.passage_tables import PassageTables
from popout.people.passages.rule_passages import kinds_of
from popout.people.passages.stopping_rules import RULES, StoppingRule
from popout.progress import Progress
from popout.simulation.responses import Responses
from popout.task import Faults
from popout.task.faults import did_you_mean

Array = NDArray[np.float64]
PREFIX = "rule:"
RULE_MODELS = tuple(PREFIX + name for name in RULES)
"""Names of the models, as on the command line."""
CHANGE = "its change from the least to the most visible displays"
_NAME = re.compile(r"rule:([\w-]+?)(?::(\d*\.?\d+)/(\d*\.?\d+))?")


def is_rule(name: str) -> bool:
    """Whether a name is meant to be that of a stopping rule."""
    return name.startswith(PREFIX)


def rules_named(names: Sequence[str]) -> tuple[StoppingRule, ...]:
    """Return stopping rules by the names of their models.

    Examples
    --------
    >>> [rule.name for rule in rules_named(["rule:sprt", "rule:a-sprt:2.2/0.7"])]
    ['sprt', 'a-sprt:2.2/0.7']
    >>> rules_named(["rule:hardmaxx"])
    Traceback (most recent call last):
    ...
    popout.task.faults.InputError: models: expected a rule such as rule:sprt, or
    rule:a-sprt:2.2/0.7 with scales of your own, lower and upper, got 'rule:hardmaxx'; did you mean
    rule:hardmax?
    """
    faults, made = Faults(""), []
    for name in names:
        parts = _NAME.fullmatch(name)
        rule = RULES.get(parts[1]) if parts else None
        if rule is None or parts is None or (parts[2] and rule.scales):
            expected = "a rule such as rule:sprt, or rule:a-sprt:2.2/0.7 with scales of your own, "
            remedy = did_you_mean(name, RULE_MODELS, f"choose from {', '.join(RULE_MODELS)}")
            faults.add("models", f"{expected}lower and upper", name, remedy)
        elif parts[2]:
            given = parts[2], parts[3]
            label = f"{rule.label}, a = {given[0]}, {given[1]}"
            scales = float(given[0]), float(given[1])
            made.append(replace(rule, name=name.removeprefix(PREFIX), label=label, scales=scales))
        else:
            made.append(rule)
    faults.raise_if_any()
    return tuple(made)


@dataclass(frozen=True)
class RuleModel(Model):
    """An observer who sees all places at once and stops by a rule.

    Parameters
    ----------
    rule : StoppingRule
    displays : tuple of (Display, int)
        Kinds of display, and how many trials had them.
    longest, fastest : float
        Response times in s between which answers were kept.

    Examples
    --------
    >>> seen = {"set_size": np.array([2, 2]), "layout": np.array(["1 0.3"] * 2, object)}
    >>> trials = Responses(
    ...     np.array([1, 2]), np.array([0.6, 0.7]), np.array([-1, 0]),
    ...     columns={**seen, "visibility": np.array([np.nan, 0.3])},
    ... )
    >>> (model,) = rule_models(trials, ["rule:hardmax"])
    >>> model.label, [p.name for p in model.parameters[:4]]
    ('Hardmax', ['information', 'variability', 'lower', 'upper'])
    """

    rule: StoppingRule
    displays: tuple[tuple[Display, int], ...]
    longest: float = 5.0
    fastest: float = 0.0

    @property
    def name(self) -> str:  # type: ignore[override]
        """As on the command line."""
        return PREFIX + self.rule.name

    @property
    def label(self) -> str:  # type: ignore[override]
        """As in tables."""
        return self.rule.label

    @cached_property
    def parameters(self) -> tuple[ModelParameter, ...]:  # type: ignore[override]
        """Of information and thresholds, and all that is not deciding."""
        return (*self._deciding, *RESIDUAL)

    @cached_property
    def _deciding(self) -> tuple[ModelParameter, ...]:
        information, _, variability = RATE
        sees = replace(information, words="information rate at 8 places of visibility 1")
        lower, upper = (
            replace(THRESHOLDS[i], words=f"evidence for {answer}")
            for i, answer in ((0, "absent"), (2, "present"))
        )
        if not self._relative.any():
            return sees, variability, lower, upper
        changes = (
            ModelParameter(f"{each.name}_change", CHANGE, "nats", -6.0, 6.0)
            for each in (lower, upper)
        )
        return sees, variability, lower, upper, *changes

    @property
    def starts(self) -> tuple[Mapping[str, float], ...]:  # type: ignore[override]
        """Return a quick, an able, a careful and a slow search."""
        common = {"lapse": 0.003, "absent_extra": 0.03, "lower_change": 0.0, "upper_change": 0.0}
        common |= {"residual_mean": 0.35, "residual_sd": 0.06, "residual_constant": 0.6}
        common |= {"lower": 1.0, "upper": 2.0, "variability": 0.4}
        return (
            {**common, "information": 40.0},
            {**common, "information": 150.0, "upper": 3.0},
            {**common, "information": 150.0, "lower": 3.0, "upper": 5.0},
            {**common, "information": 20.0, "lower": 2.0, "upper": 4.0, "variability": 0.1},
        )

    @cached_property
    def layouts(self) -> tuple[tuple[float, ...], ...]:
        """Layouts that occur."""
        return tuple(dict.fromkeys(display.layout for display, _ in self.displays))

    @cached_property
    def cells(self) -> tuple[Display, ...]:
        """Kinds of display for which densities are computed, in the order of the tables."""
        return tuple(Display(each, v) for each in self.layouts for v in (0.0, *kinds_of(each)))

    @cached_property
    def _relative(self) -> Array:
        """Where each cell lies between the least visible displays, -1/2, and the most, 1/2."""
        seen = np.log([np.square(cell.layout).sum() for cell in self.cells])
        middle = 0.5 * (seen.min() + seen.max())
        return np.asarray((seen - middle) / max(float(np.ptp(seen)), 1e-6))

    @cached_property
    def _rates(self) -> Array:
        """Rate of the axis of the tables, for each cell, at an information of 1."""
        best_least = [cell.layout[0] * cell.layout[-1] * len(cell.layout) for cell in self.cells]
        return np.array(best_least) / REFERENCE

    def tables(
        self, tables: PassageTables, progress: Progress | None = None
    ) -> list[list[PassageTable]]:
        """Return the table of each cell, made if need be."""
        own = [Display(each, 0.0).relative for each in self.layouts]
        return [[table] for v in own for table in tables.rule_passages(self.rule, v, progress)]

    def decision(self, values: Mapping[str, float]) -> Decision:
        """Return levels and rates of each cell."""
        return _decision(self, tuple(values[each.name] for each in self._deciding))

    def fit(
        self,
        responses: Responses,
        tables: PassageTables | None = None,
        seed: int = 1,
        progress: Progress | None = None,
        known: dict[str, FittedModel] | None = None,
    ) -> FittedModel:
        """Fit by maximum likelihood; see `Model.fit`."""
        quick = float(np.quantile(responses.rt, 0.05)) if len(responses) else 0.35
        starts = tuple({**start, "residual_mean": quick} for start in self.starts)
        return fit_model(self, responses, tables, seed, progress, starts)

    def likelihood(
        self, responses: Responses, tables: PassageTables | None = None
    ) -> RuleLikelihood:
        """Return the likelihood of some trials, ready to be evaluated many times."""
        tables = tables or PassageTables(np.unique(set_sizes_of(responses)).tolist())
        return RuleLikelihood(self, responses, tables)

    def log_densities(
        self, values: Mapping[str, float], responses: Responses, tables: PassageTables | None = None
    ) -> Array:
        """Return the log density of each trial in 1/s; see `Model`."""
        if LAYOUT in responses.columns:
            return self.likelihood(responses, tables).log_densities(values)
        whole, total = Counter[tuple[int, bool]](), np.full(len(responses), -np.inf)
        for (layout, visibility), n in self.displays:
            whole[len(layout), visibility > 0] += n
        sizes = set_sizes_of(responses)
        for (layout, visibility), n in self.displays:
            cell = len(layout), visibility > 0
            here = np.flatnonzero((sizes == cell[0]) & (responses.present == cell[1]))
            some = responses.where(here)
            words = np.full(len(some), layout_words(layout), dtype=object)
            seen = {LAYOUT: words, VISIBILITY: np.full(len(some), visibility or np.nan)}
            placed = replace(some, columns={**some.columns, **seen})
            own = self.likelihood(placed, tables).log_densities(values) + np.log(n / whole[cell])
            total[here] = np.logaddexp(total[here], own)
        return total


@lru_cache(maxsize=64)
def _decision(model: RuleModel, given: tuple[float, ...]) -> Decision:
    """Return a decision, the same object for the same parameters; see `search_density`."""
    values = dict(zip([each.name for each in model._deciding], given, strict=True))
    levels = [
        np.clip(values[f] + values.get(f"{f}_change", 0.0) * model._relative, LEAST, MOST)
        for f in ("lower", "upper")
    ]
    rate = values["information"] * model._rates
    return Decision(levels[0], levels[1], rate, np.ones(1), values["variability"])


def rule_models(
    trials: Responses,
    names: Sequence[str] = RULE_MODELS,
    longest: float = 5.0,
    fastest: float = 0.0,
) -> tuple[RuleModel, ...]:
    """Return models of the stopping rules for the displays of some trials, by name.

    Parameters
    ----------
    trials : Responses
        With columns ``layout`` and ``visibility`` (`popout.people.models.layouts`).
    names : sequence of str
        ``rule:a-sprt``, ``rule:sprt``, ``rule:hardmax-per-location``, ``rule:hardmax``; a-SPRT has
        its scales by a law, or as given, ``rule:a-sprt:2.2/0.7``.
    longest, fastest : float
        Response times in s between which answers were kept.
    """
    displays = tuple(sorted(Counter(displays_of(trials)).items()))
    return tuple(RuleModel(rule, displays, longest, fastest) for rule in rules_named(names))


class RuleLikelihood(CellLikelihood):
    """The likelihood of trials under a `RuleModel`.

    Parameters
    ----------
    model : RuleModel
    responses : Responses
    tables : PassageTables
    """

    model: RuleModel

    def __init__(self, model: RuleModel, responses: Responses, tables: PassageTables) -> None:
        number = {cell: i for i, cell in enumerate(model.cells)}
        shown = displays_of(responses)
        faults = Faults("Responses")
        if unknown := [cell for cell in dict.fromkeys(shown) if cell not in number]:
            expected = "layouts that the model was made for"
            got = layout_words(unknown[0].layout)
            faults.add(LAYOUT, expected, got, "make the model with rule_models of all trials")
        if any(np.isfinite(each.period) for each in situations_of(responses)[0]):
            remedy = "fit models with ideal or free thresholds"
            faults.add("period", "displays that last", "reshuffled ones", remedy)
        faults.raise_if_any()
        super().__init__(
            model, responses, tables, np.array([number[cell] for cell in shown], np.int64)
        )
        self._cells = model.tables(tables)
        self._times = AnsweredTimes(self._cells)

    def decided(self, values: Mapping[str, float], part: int | None = None) -> Array:
        """Return the density of decided answers; see `CellLikelihood`."""
        times = self._times if part is None else AnsweredTimes(self._cells, part)
        decision = self.model.decision(values)
        residual = Residual(*(values[each.name] for each in RESIDUAL))
        answers = times.answers(decision.tau_minus, decision.tau_plus)
        return search_density(times, decision, residual, self.end, answers)[:, 0]
