"""Posteriors of displays against plain sums over every display there is."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.special import logsumexp

from popout.certificate.unknown_paths import MixtureProblem
from popout.certificate.unknown_posterior import after, posteriors
from popout.task import Costs, MixtureSearchTask, SceneSearchTask

DRIFTS = {0: 4.0, 30: 1.0, 60: -4.0, "blank": -6.0}
TASKS = {
    "independent": MixtureSearchTask.independent(
        3, [0], [30, 60], {k: DRIFTS[k] for k in (0, 30, 60)}
    ),
    "tied": MixtureSearchTask.tied(3, [0], [30, 60], {k: DRIFTS[k] for k in (0, 30, 60)}),
    "scene": SceneSearchTask.from_sets(
        3, [0], [30, 60], [1, 2], DRIFTS, location_prior=[0.5, 0.3, 0.2]
    ),
}


def displays(task):
    """Yield the kind, the target's place (None: absent), orientations and probability of each."""
    law, M, K = task.displays(), task.n_locations, len(task.target_prior)
    places = [(None, 1 - task.prior)]
    places += [(place, task.prior * p) for place, p in enumerate(law.location)]
    if law.counts:
        kinds = enumerate(zip(law.counts, law.count_prior, strict=True))
    else:
        kinds = enumerate(zip(law.mixtures, law.mixture_prior, strict=True))
    for (kind, (what, p_kind)), (place, p_place) in product(kinds, places):
        for shown in product(range(K), repeat=M):
            others = [m for m in range(M) if m != place]
            p = p_kind * p_place
            if place is not None:
                p *= law.target[shown[place]]
            if law.counts:
                free = what - (place is not None)
                subsets = list(combinations(others, free))
                items = tuple(m for m in others if shown[m] != law.blank)
                p *= subsets.count(items) / len(subsets)
                p *= np.prod([law.mixtures[0][shown[m]] for m in items])
            else:
                p *= np.prod([what[shown[m]] for m in others])
            yield kind, place, shown, p


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_odds_and_kinds_are_sums_over_all_displays(task):
    problem = MixtureProblem(task, Costs(time=1.0))
    chance = np.random.default_rng(1)
    M, K, J = task.n_locations, len(task.target_prior), len(problem.kinds.prior)
    ell = chance.random((5, M, K))
    _, alpha, odds, S = posteriors(ell, problem.kinds, problem.statistics(None).n_rows)
    for p in range(5):
        absent, present = np.zeros(J), np.zeros((J, M))
        for kind, place, shown, probability in displays(task):
            joint = probability * np.prod(ell[p, np.arange(M), shown])
            if place is None:
                absent[kind] += joint
            else:
                present[kind, place] += joint
        assert np.allclose(alpha[p], absent / absent.sum(), rtol=1e-12)
        assert np.allclose(odds[p], present.sum(axis=0) / absent.sum(), rtol=1e-12)
        like = problem.kinds.marginal[:, None] * ell[p]
        target = problem.kinds.target * ell[p]
        far = np.einsum("jmk,kt,mt->jm", like, problem.kinds.apart, target)
        tells = far / like.sum(axis=2) / target.sum(axis=1)
        everything = absent.sum() + present.sum()
        without, given = absent @ tells.mean(axis=1), (present * tells).sum()
        mean = (without + given) / everything
        ratio = given / present.sum() / (without / absent.sum())
        assert np.allclose(S[-2:, p], np.log([mean, ratio]), rtol=1e-10)


@pytest.mark.filterwarnings("error")
def test_statistics_are_finite_whatever_the_odds():
    """At log odds of some hundred, exp of four times as much would overflow."""
    kinds = MixtureProblem(TASKS["independent"], Costs(time=1.0)).kinds
    ell = np.full((2, 3, 3), 1.0)
    like_target = kinds.target > 0
    ell[0, 1, ~like_target], ell[1, :, like_target] = 1e-150, 1e-200
    _, _, odds, S = posteriors(ell, kinds, len(kinds.scales) + 2)
    assert 300 < S[0, 0] < 400
    assert S[0, 1] < -400
    for row, scale in enumerate(kinds.scales):
        expected = logsumexp(scale * np.log(odds), axis=1) / scale
        np.testing.assert_allclose(S[row], expected, rtol=1e-12)
    assert np.isfinite(S).all()


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_step_leads_to_the_posteriors_of_the_new_likelihoods(task):
    kinds = MixtureProblem(task, Costs(time=1.0)).kinds
    chance = np.random.default_rng(2)
    P, Q, M, K, n_rows = 4, 3, task.n_locations, len(task.target_prior), len(kinds.scales) + 2
    ell, factors = chance.uniform(0.1, 1.0, (P, M, K)), chance.uniform(0.5, 2.0, (Q, M, K))
    proposal = chance.normal(size=(P, Q))

    A, alpha, odds, _ = posteriors(ell, kinds, n_rows)
    weight, S = after(ell, factors, kinds, (A, alpha, odds), proposal, n_rows)
    for q in range(Q):
        new_A, _, new_odds, new_S = posteriors(ell * factors[q], kinds, n_rows)
        np.testing.assert_allclose(S[:, q::Q], new_S)
        likelihood = (alpha * new_A / A).sum(axis=1)
        ratio = likelihood * (1 + new_odds.sum(axis=1)) / (1 + odds.sum(axis=1))
        np.testing.assert_allclose(weight[:, q], ratio * np.exp(-proposal[:, q]))
