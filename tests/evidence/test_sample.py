"""Samples are what the task says, and depend on (seed, trial) alone."""

from dataclasses import replace

import numba
import numpy as np
import pytest
from scipy.stats import chi2, kstest, norm, poisson

from popout.evidence import Condition, Evidence
from popout.task import (
    DiscriminationTask,
    InputError,
    MixtureSearchTask,
    PoissonSpikes,
    SceneSearchTask,
    SearchTask,
)

FIELDS = ("increments", "present", "location", "mixture", "orientation")


def same(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in FIELDS)


def test_noise_is_standard_normal_and_uncorrelated():
    task = SearchTask(2, 1.0, dt=1.0)
    n = 50_000
    z = Evidence(task).sample(n, 2, seed=8, condition="absent").increments + 1.0
    assert kstest(z.ravel(), norm.cdf).pvalue > 1e-4
    columns = z.reshape(n, -1)
    correlation = np.corrcoef(columns, rowvar=False)[np.triu_indices(4, 1)]
    across = np.mean(z[1:] * z[:-1], axis=0)
    assert np.max(np.abs(correlation)) < 4.5 / np.sqrt(n)
    assert np.max(np.abs(across)) < 4.5 / np.sqrt(n)
    assert np.mean(z**4) == pytest.approx(3.0, abs=4.5 * np.sqrt(96 / z.size))


@pytest.mark.parametrize("rate", [0.3, 40.0, 3000.0])
def test_counts_are_poisson(rate):
    task = DiscriminationTask([0, 1], PoissonSpikes([[rate], [rate]]), [0, 1], [1, 0], dt=0.1)
    n = 50_000
    counts = Evidence(task).sample(n, 1, seed=8).increments.ravel().astype(int)
    mean = rate * 0.1
    inner = poisson.ppf([0.01, 0.99], mean).astype(int)
    cells = np.clip(counts, *inner) - inner[0]
    p = poisson.pmf(np.arange(inner[0], inner[1] + 1), mean)
    p[0] = poisson.cdf(inner[0], mean)
    p[-1] = poisson.sf(inner[1] - 1, mean)
    seen = np.bincount(cells, minlength=p.size)
    assert chi2.sf(np.sum((seen - n * p) ** 2 / (n * p)), p.size - 1) > 1e-4


def test_counts_beyond_a_table_are_refused():
    task = DiscriminationTask([0, 1], PoissonSpikes([[1e9], [1e9]]), [0, 1], [1, 0], dt=0.1)
    with pytest.raises(InputError, match="shorten dt"):
        Evidence(task).sample(1, 1, seed=1)


# -- the displays -----------------------------------------------------------------------------


def within(seen, p, n):
    """Whether frequencies lie within 4.5 standard errors of probabilities."""
    return np.all(np.abs(seen - np.asarray(p)) <= 4.5 * np.sqrt(np.asarray(p) * 1.0 / n) + 1e-12)


def test_displays_follow_the_priors(task):
    n = 40_000
    sample = Evidence(task).sample(n, 0, seed=12)
    assert within(sample.present.mean(), task.prior, n)
    assert np.array_equal(sample.present, sample.location >= 0)
    n_present = np.count_nonzero(sample.present)
    where = np.bincount(sample.location[sample.present], minlength=task.n_locations) / n_present
    assert within(where, task.location_prior, n_present)
    prior = getattr(task, "mixture_prior", getattr(task, "count_prior", (1.0,)))
    assert within(np.bincount(sample.mixture, minlength=len(prior)) / n, prior, n)
    kinds = sample.orientation[sample.present, sample.location[sample.present]]
    target_prior = getattr(task, "target_prior", (0, 1))
    seen = np.bincount(kinds, minlength=len(target_prior)) / n_present
    assert within(seen, target_prior, n_present)


def test_distractors_follow_their_mixture(designs):
    task = designs["general"]
    sample = Evidence(task).sample(40_000, 0, seed=12)
    elsewhere = np.arange(3) != sample.location[:, None]
    for j, phi in enumerate(task.mixtures):
        labels = sample.orientation[elsewhere & (sample.mixture == j)[:, None]]
        assert within(np.bincount(labels, minlength=3) / labels.size, phi, labels.size)


def test_scenes_carry_exactly_their_items_on_uniform_subsets():
    task = SceneSearchTask.from_sets(
        4, [0], [20], [1, 3], {20: -1, "blank": 0, 0: 1}, location_prior=[0.7, 0.1, 0.1, 0.1]
    )
    n = 40_000
    sample = Evidence(task).sample(n, 0, seed=3)
    items = sample.orientation != task.orientations.index("blank")
    assert np.array_equal(items.sum(axis=1), np.array(task.counts)[sample.mixture])
    code = items @ [1, 2, 4, 8]
    absent3 = code[~sample.present & (sample.mixture == 1)]
    triples = [7, 11, 13, 14]
    seen = np.bincount(absent3, minlength=16)[triples] / absent3.size
    assert within(seen, [0.25] * 4, absent3.size)
    at_0 = code[(sample.location == 0) & (sample.mixture == 1)]
    seen = np.bincount(at_0, minlength=16)[[7, 11, 13]] / at_0.size
    assert within(seen, [1 / 3] * 3, at_0.size)
    targets = sample.orientation == task.orientations.index(0.0)
    assert np.array_equal(targets.sum(axis=1), sample.present.astype(int))


# -- reproducibility --------------------------------------------------------------------------


def test_threads_and_chunks_do_not_matter(task):
    evidence = Evidence(task)
    whole = evidence.sample(60, 5, seed=9)
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = evidence.sample(60, 5, seed=9)
        S = evidence.trajectory(alone.increments)
    finally:
        numba.set_num_threads(threads)
    assert same(whole, alone)
    assert np.array_equal(S, evidence.trajectory(whole.increments))
    parts = [evidence.sample(n, 5, 9, first_trial=f) for f, n in ((0, 13), (13, 47))]
    for name in FIELDS:
        glued = np.concatenate([getattr(part, name) for part in parts])
        assert np.array_equal(glued, getattr(whole, name))


def test_longer_trials_begin_like_shorter_ones(task):
    short, long = (Evidence(task).sample(10, n, seed=9) for n in (3, 8))
    assert np.array_equal(short.increments, long.increments[:, :3])


def test_seeds_and_trials_differ(task):
    evidence = Evidence(task)
    one, other = evidence.sample(50, 2, seed=9), evidence.sample(50, 2, seed=10)
    assert not np.array_equal(one.increments, other.increments)
    huge = evidence.sample(2, 2, seed=2**64 - 1, first_trial=2**40)
    assert np.all(np.isfinite(huge.increments))


def test_conditions_are_kept():
    evidence = Evidence(SearchTask(3, 2.0))
    assert np.all(evidence.sample(20, 1, 1, condition=Condition.PRESENT).present)
    assert not np.any(evidence.sample(20, 1, 1, condition="absent").present)
    at_2 = evidence.sample(20, 1, 1, condition=2)
    assert np.all(at_2.location == 2)
    # The same noise under every condition: only the target's mean moves.
    absent = evidence.sample(20, 1, 1, condition="absent")
    moved = at_2.increments - absent.increments
    np.testing.assert_allclose(moved, np.broadcast_to([0, 0, 4.0 * 0.01], moved.shape), atol=1e-15)


def test_faulty_requests_are_reported_together():
    evidence = Evidence(SearchTask(3, 2.0))
    with pytest.raises(InputError) as caught:
        evidence.sample(0, -1, seed=-5, condition=3, first_trial=1.5)
    message = str(caught.value)
    for field in ("n_trials", "n_steps", "seed", "condition", "first_trial"):
        assert f"sample.{field}: expected" in message
    with pytest.raises(InputError, match="condition: expected prior, present, absent"):
        evidence.sample(1, 1, seed=1, condition="both")


def test_a_scene_conditioned_on_presence_keeps_its_prior_of_location(designs):
    task = replace(designs["exact scene"], prior=0.01)
    sample = Evidence(task).sample(20_000, 0, seed=4, condition="present")
    seen = np.bincount(sample.location, minlength=5) / 20_000
    assert within(seen, task.location_prior, 20_000)


def test_locations_may_observe_in_their_own_ways():
    """Two laws in one display: each location gets what its own law makes of its own noise."""

    class TwoLaws(MixtureSearchTask):
        """Spikes at the first location, more of them at the others."""

        @property
        def observations(self):
            fast = PoissonSpikes([[80.0], [160.0]])
            return (self.observation, *[fast] * (self.n_locations - 1))

    slow = PoissonSpikes([[20.0], [40.0]])
    plain = MixtureSearchTask(3, [0, 90], slow, [0, 1], [[1, 0]])
    mixed = TwoLaws(3, [0, 90], slow, [0, 1], [[1, 0]])
    one, other = (Evidence(task).sample(2000, 10, 4).increments for task in (plain, mixed))
    assert np.array_equal(one[:, :, 0], other[:, :, 0])
    assert other[:, :, 1:].mean() / one[:, :, 1:].mean() == pytest.approx(4.0, rel=0.05)
