"""Models of stopping rules against a plain simulation and the parallel observer."""

import numpy as np
import pytest

from popout.people.fitting.maximum_likelihood import maximum_near
from popout.people.models.layouts import displays_of, layout_words, seen_alike
from popout.people.models.rule_models import RULE_MODELS, rule_models, rules_named
from popout.people.models.search_models import models
from popout.people.passages.first_passages import LEVELS
from popout.people.passages.passage_tables import PassageTables
from popout.people.passages.stopping_rules import RULES
from popout.simulation.responses import Responses
from popout.task import InputError

from .. import plain_rules

UNEQUAL = (1.0, 1.0, 0.4)
LOWER, UPPER, RATE = 9, 14, 8.0  # levels of evidence, and squared drift at visibility 1
TRUE = {"information": 8.0 * RATE, "variability": 0.0, "lower": LEVELS[LOWER],
        "upper": LEVELS[UPPER], "residual_mean": 0.3, "residual_sd": 0.05,
        "residual_constant": 0.5, "absent_extra": 0.0, "lapse": 1e-4}  # fmt: skip


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return PassageTables([3], 10_000, folder=tmp_path_factory.mktemp("rules"), threads=1)


def people(name, n, seed, layout=UNEQUAL):
    """Simulate n trials without a target, and n / 2 with one at a bright and at a faint place."""
    random, parts = np.random.default_rng(seed), []
    lower, upper = RULES[name].sides(layout, LEVELS)
    tests = [[each[i] for each in side] for side, i in ((lower, LOWER), (upper, UPPER))]
    for target, k in ((-1, n), (0, n // 2), (2, n // 2)):
        said, u = plain_rules.answers(layout, tests, target, k, random)
        sigma = np.sqrt(np.log1p((0.05 / 0.15) ** 2))
        later = 0.15 + random.lognormal(np.log(0.15) - 0.5 * sigma**2, sigma, k)
        seen = np.nan if target < 0 else layout[target]
        parts.append((said + 1, u / RATE + later, np.full(k, target), np.full(k, seen)))
    said, rt, target, visibility = (np.concatenate(each) for each in zip(*parts, strict=True))
    columns = {"set_size": np.full(len(rt), len(layout)), "visibility": visibility}
    columns["layout"] = np.full(len(rt), layout_words(layout), dtype=object)
    return Responses(said, rt, np.minimum(target, 0), columns=columns)


def chances(likelihood, values, edges, part=None):
    """Probabilities of answer and bin of time in each kind of display, from the likelihood."""
    density = likelihood.decided(values, part) + values["lapse"] / (2 * likelihood.end)
    rising = np.cumsum(density, axis=-1) * 0.01
    return np.diff(rising[..., np.rint(np.array(edges) / 0.01).astype(int)], axis=-1)


def test_the_likelihood_is_that_of_a_plain_simulation(tables):
    trials = people("a-sprt", 2000, 5)
    (model,) = rule_models(trials, ["rule:a-sprt"], 20.0)
    edges = [0.0, 0.5, 0.7, 1.0, 20.0]
    likelihood = model.likelihood(trials, tables)
    expected = chances(likelihood, TRUE, edges)
    slower = chances(likelihood, {**TRUE, "information": 50.0}, edges)
    parts = [chances(likelihood, TRUE, edges, part) for part in range(4)]
    own_error = np.std(parts, axis=0, ddof=1) / 2.0
    z, other = [], []
    for cell, display in enumerate(model.cells):
        here = np.array([each == display for each in displays_of(trials)])
        for said in (0, 1):
            own = trials.rt[here & (trials.response == said + 1)]
            seen, n = np.histogram(own, edges)[0] / here.sum(), here.sum()
            for p, far in ((expected, z), (slower, other)):
                q = p[cell, said]
                error = np.hypot(np.sqrt(q * (1.0 - q) / n), own_error[cell, said])
                far.append((seen - q) / np.maximum(error, 1.0 / n))
    assert np.abs(z).max() < 4.0
    assert np.abs(other).max() > 6.0


def test_sprt_at_equal_places_is_the_free_parallel_observer(tables):
    (parallel,) = models(["free-parallel"])
    values = {**TRUE, "variability": 0.3, "capacity": 1.0, "lower_slope": 0.0, "upper_slope": 0.0}
    # Thresholds are quoted at eight items; slopes of zero make them those of three.
    trials = parallel.predict(values, (3,), tables).draw([(3, True, 300), (3, False, 300)], 1)
    (model,) = rule_models(trials, ["rule:sprt"])
    both = [each.likelihood(trials, tables) for each in (parallel, model)]
    error = np.hypot(*(each.errors_of_total(values)[0] for each in both))
    assert abs(both[0].total(values) - both[1].total(values)) < 4.0 * error
    (hardmax,) = rule_models(trials, ["rule:hardmax"])
    assert hardmax.likelihood(trials, tables).total(values) < both[0].total(values) - 10 * error


@pytest.mark.parametrize(("truth", "rival"), [("sprt", "a-sprt"), ("a-sprt", "hardmax"),
                                              ("hardmax", "sprt")])  # fmt: skip
def test_the_rule_comes_back(truth, rival, tables):
    trials = people(truth, 500, 11)
    made = rule_models(trials, [f"rule:{truth}", f"rule:{rival}"], 20.0)
    best = []
    for model in made:
        likelihood = model.likelihood(trials, tables)
        best.append(likelihood.total(maximum_near(likelihood, {**TRUE, "variability": 0.05})))
    assert best[0] > best[1] + 2.0


def test_a_place_may_never_hold_the_target(tables):
    trials = people("sprt", 60, 3)
    some = trials.where(np.array(trials.columns["visibility"]) != 0.4)
    (model,) = rule_models(some, ["rule:sprt"], 20.0)
    assert [cell.visibility for cell in model.cells] == [0.0, 1.0, 0.4]
    whole = model.likelihood(trials, tables).log_densities(TRUE)
    known = model.likelihood(some, tables).log_densities(TRUE)
    assert np.allclose(known, whole[np.array(trials.columns["visibility"]) != 0.4])


def test_where_places_are_not_known_displays_mix(tables):
    trials = people("hardmax", 40, 4)
    (model,) = rule_models(trials, ["rule:hardmax"], 20.0)
    one = trials.where([0])
    columns = {"set_size": np.array([3]), "layout": one.columns["layout"]}
    at = [Responses([2], [0.6], [0], columns={**columns, "visibility": np.array([v])})
          for v in (1.0, 0.4)]  # fmt: skip
    apart = [model.log_densities(TRUE, each, tables)[0] for each in at]
    unknown = Responses([2], [0.6], [0], columns={"set_size": np.array([3])})
    mixed = model.log_densities(TRUE, unknown, tables)[0]
    assert mixed == pytest.approx(np.logaddexp(*apart) - np.log(2.0))
    assert abs(apart[0] - apart[1]) > 0.1
    prediction = model.predict(TRUE, (3,), tables)
    assert prediction.masses.sum(axis=-1) == pytest.approx(1.0, abs=0.01)


def test_changes_are_free_only_where_displays_differ():
    trials = people("sprt", 20, 1)
    (alone,) = rule_models(trials, ["rule:sprt"])
    alike = seen_alike(trials)
    both = {k: np.concatenate([trials.columns[k], alike.columns[k]]) for k in trials.columns}
    twice = [np.concatenate([getattr(trials, k)] * 2) for k in ("response", "rt", "target")]
    (model,) = rule_models(Responses(*twice, columns=both), ["rule:sprt"])
    assert {p.name for p in model.parameters} - {p.name for p in alone.parameters} == {
        "lower_change", "upper_change"
    }  # fmt: skip


@pytest.mark.parametrize("name", ["rule:sprt:1/2", "rule:asprt", "rule:", "sprt"])
def test_bad_names_are_refused(name):
    with pytest.raises(InputError, match="expected a rule such as rule:sprt"):
        rules_named([name])


def test_names_lead_back_to_models():
    assert [f"rule:{each.name}" for each in rules_named(RULE_MODELS)] == [*RULE_MODELS]
    (own,) = rules_named(["rule:a-sprt:2.5/0.6"])
    assert (own.name, own.scales) == ("a-sprt:2.5/0.6", (2.5, 0.6))


@pytest.mark.parametrize(("column", "value", "match"), [
    ("layout", "1 1", "visibilities of 3 places"),
    ("layout", "1 1 0.01", "each from a twentieth"),
    ("visibility", 0.7, "that of a place of"),
])  # fmt: skip
def test_bad_layouts_are_refused(column, value, match):
    trials = people("sprt", 4, 1)
    trials.columns[column][-1] = value
    with pytest.raises(InputError, match=match):
        displays_of(trials)
