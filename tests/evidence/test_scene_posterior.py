"""The posterior of the exact scene, against enumeration of every display."""

from itertools import combinations, product

import numpy as np
import pytest

from popout.evidence import Evidence
from popout.task import SceneSearchTask

TASK = SceneSearchTask.from_sets(
    4,
    [10],
    [0, 20],
    [1, 3],
    {0: -2, 10: 3, 20: 1, "blank": 0},
    count_prior=[0.4, 0.6],
    location_prior=[0.4, 0.3, 0.2, 0.1],
    distractor_prior=[0.7, 0.3],
    prior=0.35,
)


def enumerated(task, L):
    """Return weights of presence, of the target's place, of set sizes and of what is where."""
    M, K = L.shape
    blank = task.orientations.index("blank")
    item, target = np.asarray(task.item_prior), np.asarray(task.target_prior)
    presence, place = np.zeros(2), np.zeros(M)
    size, shown = np.zeros((2, len(task.counts))), np.zeros((M, K))

    def add(weight, present, j, law):
        """Add all displays in which each location shows what its law says."""
        for display in product(*(np.flatnonzero(law[at]) for at in range(M))):
            w = weight * np.prod([law[at][k] * np.exp(L[at, k]) for at, k in enumerate(display)])
            presence[present] += w
            size[present, j] += w
            for at, k in enumerate(display):
                shown[at, k] += w
            if present:
                place[where] += w

    for j, (n, p_count) in enumerate(zip(task.counts, task.count_prior, strict=True)):
        nothing = np.eye(K)[blank]
        subsets = list(combinations(range(M), n))
        for chosen in subsets:
            law = [item if at in chosen else nothing for at in range(M)]
            add((1 - task.prior) * p_count / len(subsets), 0, j, law)
        for where in range(M):
            others = [at for at in range(M) if at != where]
            subsets_left = list(combinations(others, n - 1))
            for chosen in subsets_left:
                law = [
                    target if at == where else item if at in chosen else nothing for at in range(M)
                ]
                weight = task.prior * task.location_prior[where] * p_count / len(subsets_left)
                add(weight, 1, j, law)
    return presence, place, size, shown


@pytest.mark.parametrize("seed", range(3))
def test_every_marginal_is_that_of_enumeration(seed):
    evidence = Evidence(TASK)
    L = np.random.default_rng(seed).normal(0.0, 2.0, (4, len(TASK.orientations)))
    found = evidence.posterior(L)
    presence, place, size, shown = enumerated(TASK, L)
    total = presence.sum()
    assert found.presence == pytest.approx(presence[1] / total)
    assert found.absence == pytest.approx(presence[0] / total)
    np.testing.assert_allclose(found.location, place / presence[1])
    np.testing.assert_allclose(found.mixture_given_absent, size[0] / presence[0])
    np.testing.assert_allclose(found.mixture_given_present, size[1] / presence[1])
    np.testing.assert_allclose(found.orientation, shown / total)
    odds = np.log(presence[1] / presence[0]) - TASK.log_prior_odds
    assert found.log_likelihood_ratio == pytest.approx(odds)
    # The control: the mixture of set sizes that the paper takes in its place is another posterior.
    mixture = Evidence(TASK.as_mixture()).posterior(L)
    assert abs(float(mixture.presence - found.presence)) > 1e-3


def test_displays_that_are_nearly_certain_neither_overflow_nor_vanish():
    evidence = Evidence(TASK)
    L = np.zeros((4, len(TASK.orientations)))
    L[1, TASK.orientations.index(10)] = 800.0
    L[0, TASK.orientations.index("blank")] = 900.0
    found = evidence.posterior(L)
    assert found.presence == pytest.approx(1.0)
    assert found.location[1] == pytest.approx(1.0)
    np.testing.assert_allclose(found.orientation.sum(axis=-1), 1.0)
