"""Posteriors of mixtures and of exact scenes against all worlds."""

import math
from dataclasses import replace
from decimal import Decimal, getcontext, localcontext
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from popout.evidence import Evidence
from popout.task import (
    DiscriminationTask,
    GaussianWalk,
    MixtureSearchTask,
    PoissonSpikes,
    SceneSearchTask,
    SearchTask,
)

DIGITS = 50
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
getcontext().prec = DIGITS


# -- the oracle -------------------------------------------------------------------------------


def subsets_of(places, size):
    return list(combinations(places, size))


def scene_worlds(task):
    """Yield (C, l_T, index of the set size, orientations, prior probability)."""
    places = range(task.n_locations)
    types = range(len(task.orientations))
    blank = task.orientations.index("blank")
    for j, count in enumerate(task.counts):
        p_count = Decimal(task.count_prior[j])
        cases = [(0, None, Decimal(1 - task.prior), places, count)]
        for target in places:
            p = Decimal(task.prior) * Decimal(task.location_prior[target])
            cases.append((1, target, p, [i for i in places if i != target], count - 1))
        for present, target, p, free, size in cases:
            chosen = subsets_of(free, size)
            for subset in chosen:
                carriers = list(subset) if target is None else [target, *subset]
                for labels in product(types, repeat=len(carriers)):
                    weight = p * p_count / len(chosen)
                    display = [blank] * task.n_locations
                    for place, label in zip(carriers, labels, strict=True):
                        prior = task.target_prior if place == target else task.item_prior
                        weight *= Decimal(prior[label])
                        display[place] = label
                    yield present, target, j, display, weight


def mixture_worlds(task):
    """Yield (C, l_T, index of the mixture, orientations, prior probability)."""
    if isinstance(task, SearchTask):
        locations, targets, mixtures, mixture_prior = task.location_prior, (0, 1), ((1, 0),), (1,)
    elif isinstance(task, DiscriminationTask):
        locations, targets = (1,), task.target_prior
        mixtures, mixture_prior = (task.distractor_prior,), (1,)
    else:
        locations, targets = task.location_prior, task.target_prior
        mixtures, mixture_prior = task.mixtures, task.mixture_prior
    for display in product(range(len(targets)), repeat=len(locations)):
        for j, phi in enumerate(mixtures):
            for target in [None, *range(len(locations))]:
                weight = Decimal(mixture_prior[j])
                if target is None:
                    weight *= Decimal(1 - task.prior)
                else:
                    weight *= Decimal(task.prior) * Decimal(locations[target])
                for place, label in enumerate(display):
                    weight *= Decimal((targets if place == target else phi)[label])
                yield int(target is not None), target, j, display, weight


def density(task, place, label, x, t):
    """Return P(x at time t | orientation) of one location with all of its constants."""
    t = Decimal(t)
    if isinstance(task, SearchTask):
        rows, x = [[-task.drifts[place]], [task.drifts[place]]], [x]
    elif isinstance(task.observation, PoissonSpikes):
        p = Decimal(1)
        for rate, n in zip(task.observation.rate[label], x, strict=True):
            mean = Decimal(rate) * t
            p *= (-mean).exp() * mean ** int(n) / math.factorial(int(n))
        return p
    else:
        scalar = not isinstance(task.observation.drift[0], tuple)
        rows = [[mu] for mu in task.observation.drift] if scalar else task.observation.drift
        x = [x] if scalar else x
    p = Decimal(1)
    for mu, value in zip(rows[label], x, strict=True):
        error = Decimal(float(value)) - Decimal(mu) * t
        p *= (-error * error / (2 * t)).exp() / (2 * PI * t).sqrt()
    return p


def enumerate_worlds(task, likelihood):
    """Return every posterior of `Posterior`, from likelihood[place][label]."""
    worlds = list((scene_worlds if isinstance(task, SceneSearchTask) else mixture_worlds)(task))
    joint = []
    for present, target, j, display, weight in worlds:
        for place, label in enumerate(display):
            weight *= likelihood[place][label]
        joint.append((present, target, j, display, weight))
    total = {c: sum(w[-1] for w in joint if w[0] == c) for c in (0, 1)}
    evidence = total[0] + total[1]
    n_places, n_labels = len(likelihood), len(likelihood[0])
    n_mixtures = max(world[2] for world in joint) + 1

    def mass(test, norm):
        return float(sum((w[-1] for w in joint if test(w)), Decimal(0)) / norm)

    odds = Decimal(task.prior) / Decimal(1 - task.prior)
    return {
        "log_likelihood_ratio": float((total[1] / total[0] / odds).ln()),
        "presence": float(total[1] / evidence),
        "absence": float(total[0] / evidence),
        "location": [mass(lambda w, i=i: w[1] == i, total[1]) for i in range(n_places)],
        "target_at": [mass(lambda w, i=i: w[1] == i, evidence) for i in range(n_places)],
        "target_type": [
            mass(lambda w, k=k: w[0] == 1 and w[3][w[1]] == k, total[1]) for k in range(n_labels)
        ],
        "mixture_given_absent": [
            mass(lambda w, j=j: w[0] == 0 and w[2] == j, total[0]) for j in range(n_mixtures)
        ],
        "mixture_given_present": [
            mass(lambda w, j=j: w[0] == 1 and w[2] == j, total[1]) for j in range(n_mixtures)
        ],
        "mixture": [mass(lambda w, j=j: w[2] == j, evidence) for j in range(n_mixtures)],
        "orientation": [
            [mass(lambda w, i=i, k=k: w[3][i] == k, evidence) for k in range(n_labels)]
            for i in range(n_places)
        ],
    }


def compare(posterior, expected):
    """Assert 1e-10 relative to each probability, so that small ones are right too."""
    for name, value in expected.items():
        absolute = 1e-10 if name == "log_likelihood_ratio" else 1e-300
        np.testing.assert_allclose(
            getattr(posterior, name), value, rtol=1e-10, atol=absolute, err_msg=name
        )


def agree(task, x, t):
    """Assert that src and the oracle agree to 1e-10 on the observations x at time t."""
    evidence = Evidence(task)
    L = evidence.log_likelihood(x, t)
    n_places, n_labels = L.shape
    with localcontext(prec=DIGITS):
        likelihood = [
            [density(task, i, k, x[i], t) for k in range(n_labels)] for i in range(n_places)
        ]
        expected = enumerate_worlds(task, likelihood)
    posterior = evidence.posterior(L)
    compare(posterior, expected)
    S = expected["log_likelihood_ratio"]
    assert float(evidence.log_likelihood_ratio(L)) == pytest.approx(S, rel=1e-10, abs=1e-10)
    steps = np.asarray(x, dtype=float)[None]
    at_t = Evidence(replace(task, dt=t))
    assert float(at_t.final(steps)) == pytest.approx(S, rel=1e-10, abs=1e-10)


# -- random small tasks of every kind -----------------------------------------------------------


def numbers(low, high):
    return st.floats(low, high, allow_nan=False, allow_subnormal=False).map(lambda v: round(v, 3))


@st.composite
def distributions(draw, n):
    """Distributions over n values, often with zeros."""
    weights = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any))
    return [w / sum(weights) for w in weights]


@st.composite
def observations(draw, n_orientations):
    kind = draw(st.sampled_from(["scalar", "vector", "poisson"]))
    if kind == "scalar":
        row = st.lists(numbers(-5, 5), min_size=n_orientations, max_size=n_orientations)
        return GaussianWalk(draw(row))
    n_channels = draw(st.integers(1, 3))
    cell = numbers(-5, 5) if kind == "vector" else numbers(0.1, 30)
    row = st.lists(cell, min_size=n_channels, max_size=n_channels)
    matrix = draw(st.lists(row, min_size=n_orientations, max_size=n_orientations))
    return GaussianWalk(matrix) if kind == "vector" else PoissonSpikes(matrix)


presence = st.floats(0.02, 0.98).map(lambda p: round(p, 3))


@st.composite
def search_tasks(draw):
    n = draw(st.integers(1, 4))
    drift = draw(st.one_of(numbers(0.1, 6), st.lists(numbers(0.1, 6), min_size=n, max_size=n)))
    return SearchTask(n, drift, prior=draw(presence), location_prior=draw(distributions(n)))


@st.composite
def discrimination_tasks(draw):
    n = draw(st.integers(1, 5))
    return DiscriminationTask(
        orientations=range(n),
        observation=draw(observations(n)),
        target_prior=draw(distributions(n)),
        distractor_prior=draw(distributions(n)),
        prior=draw(presence),
    )


@st.composite
def mixture_tasks(draw):
    m, k, j = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    return MixtureSearchTask(
        n_locations=m,
        orientations=[10 * i for i in range(k)],
        observation=draw(observations(k)),
        target_prior=draw(distributions(k)),
        mixtures=[draw(distributions(k)) for _ in range(j)],
        mixture_prior=draw(distributions(j)),
        location_prior=draw(distributions(m)),
        prior=draw(presence),
    )


@st.composite
def scene_tasks(draw):
    m, k = draw(st.integers(1, 4)), draw(st.integers(1, 2))
    counts = draw(st.lists(st.integers(1, m), min_size=1, max_size=3, unique=True))
    return SceneSearchTask(
        n_locations=m,
        orientations=["blank", *range(k)],
        observation=draw(observations(k + 1)),
        target_prior=[0, *draw(distributions(k))],
        item_prior=[0, *draw(distributions(k))],
        counts=counts,
        count_prior=draw(distributions(len(counts))),
        location_prior=draw(distributions(m)),
        prior=draw(presence),
    )


@st.composite
def trials(draw, tasks):
    """A task, the observations of one trial and its time."""
    task = draw(tasks)
    shape = Evidence(task).observation_shape
    counts = isinstance(getattr(task, "observation", None), PoissonSpikes)
    cell = st.integers(0, 9) if counts else numbers(-3, 3)
    size = math.prod(shape)
    x = draw(st.lists(cell, min_size=size, max_size=size))
    return task, np.asarray(x).reshape(shape).tolist(), draw(numbers(0.01, 2))


KINDS = [search_tasks, discrimination_tasks, mixture_tasks, scene_tasks]


@pytest.mark.parametrize("tasks", KINDS, ids=lambda tasks: tasks.__name__)
@settings(max_examples=80, deadline=None)
@given(st.data())
def test_every_posterior_is_that_of_all_worlds(tasks, data):
    agree(*data.draw(trials(tasks())))


@settings(max_examples=80, deadline=None)
@given(st.one_of(mixture_tasks(), scene_tasks(), search_tasks()), st.data())
def test_log_likelihoods_of_ten_thousand_stay_finite_and_exact(task, data):
    """Zero weights and log likelihoods of +-1e4 at once."""
    evidence = Evidence(task)
    shape = evidence.log_likelihood(np.zeros(evidence.observation_shape), 0.0).shape
    size = math.prod(shape)
    # far apart, near one another, and around the switch from products to logarithms
    cell = st.sampled_from([-1e4, -9990.0, -700.0, -230.0, 0.0, 3.0, 230.5, 800.0, 9995.0, 1e4])
    L = np.reshape(data.draw(st.lists(cell, min_size=size, max_size=size)), shape)
    posterior = evidence.posterior(L)
    with localcontext(prec=DIGITS):
        expected = enumerate_worlds(task, [[Decimal(v).exp() for v in row] for row in L.tolist()])
    compare(posterior, expected)
    S = expected["log_likelihood_ratio"]
    assert float(evidence.log_likelihood_ratio(L)) == pytest.approx(S, rel=1e-12, abs=1e-10)
    assert np.all(np.isfinite(evidence.local_llr(L)))


def test_the_oracle_notices_a_small_error():
    """Negative control: one part in 1e8 in one mixture weight is seen."""
    walk = GaussianWalk([-2.0, 0.5, 2.0])
    args = (3, [0, 10, 20], walk, [0.2, 0.3, 0.5])
    task = MixtureSearchTask(*args, [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]])
    wrong = MixtureSearchTask(*args, [[0.5 + 1e-8, 0.25 - 1e-8, 0.25], [0.25, 0.5, 0.25]])
    x, t = [0.3, -0.2, 0.9], 0.5
    agree(task, x, t)
    likelihood = [[density(wrong, i, k, x[i], t) for k in range(3)] for i in range(3)]
    S = enumerate_worlds(wrong, likelihood)["log_likelihood_ratio"]
    evidence = Evidence(task)
    got = float(evidence.log_likelihood_ratio(evidence.log_likelihood(x, t)))
    assert abs(got - S) > 1e-10
