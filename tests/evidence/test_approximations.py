"""What approximations cost: scenes as mixtures, ranges as nodes."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad

from popout.evidence import Evidence, quadrature_error, scene_complexity_bias, visible_blanks_bias
from popout.task import GaussianWalk, InputError, MixtureSearchTask, SceneSearchTask, SearchTask


def scene(blank_contrast, counts=(1, 3), **rest):
    """Items and blanks differ by `blank_contrast` in a channel of its own."""
    b = blank_contrast
    walk = GaussianWalk([[-2, b], [0, -b], [2, b]])
    return SceneSearchTask.from_sets(7, [0], [20], counts, walk, **rest)


def test_both_treatments_see_the_same_observations():
    task = scene(3.0)
    sample = Evidence(task).sample(3000, 50, seed=1)
    difference = Evidence(task.as_mixture()).final(sample.increments) - Evidence(task).final(
        sample.increments
    )
    bias = scene_complexity_bias(task, n_trials=3000, duration=0.5, seed=1)
    assert bias.absent.value == pytest.approx(difference[~sample.present].mean(), rel=1e-12)
    present = difference[sample.present]
    assert bias.present.se == pytest.approx(present.std(ddof=1) / math.sqrt(present.size))
    assert bias.rms == pytest.approx(np.sqrt(np.mean(difference**2)))


def test_visible_blanks_leave_the_bias_of_the_closed_form():
    """The footnote calls the bias negligible when blanks are seen at once. It is not zero."""
    limit = visible_blanks_bias(scene(40.0))
    for n, value in zip((1, 3), limit, strict=True):  # n items seen; mixtures 1/7 and 3/7
        q1 = (1 / 7) ** n * (6 / 7) ** (7 - n)
        q3 = (3 / 7) ** n * (4 / 7) ** (7 - n)
        assert value == pytest.approx(math.log(n * (q1 + q3 / 3) / (q1 + q3)), rel=1e-12)
        assert abs(value) > 0.1
    bias = scene_complexity_bias(scene(40.0), n_trials=400, duration=0.5, seed=2)
    for mean, expected in zip(bias.by_count, limit, strict=True):
        assert mean.value == pytest.approx(expected, abs=1e-9)
        assert mean.se < 1e-9  # a constant, whatever was observed


def test_bias_vanishes_with_visible_blanks_if_the_set_size_is_known():
    assert visible_blanks_bias(scene(40.0, counts=(3,))) == pytest.approx((0.0,), abs=1e-14)
    hard, easy = (
        scene_complexity_bias(scene(b, counts=(3,)), n_trials=2000, duration=0.5, seed=2)
        for b in (0.0, 40.0)
    )
    assert hard.rms > 0.1
    assert easy.rms < 1e-9


def test_paper_treatment_loses_information_and_is_conservative_when_blanks_are_hard():
    bias = scene_complexity_bias(scene(0.0), n_trials=20_000, duration=0.5, seed=3)
    assert bias.towards_zero.value > 5 * bias.towards_zero.se
    assert bias.information_lost.value > 5 * bias.information_lost.se


def test_the_table_can_be_printed():
    text = str(scene_complexity_bias(scene(3.0), n_trials=500, duration=0.2, seed=3))
    assert "S(paper) - S(exact) after 0.2 s, 500 trials" in text
    assert "M_d = 3" in text


def test_a_class_that_never_occurs_has_no_standard_error():
    rare = replace(scene(3.0), prior=1e-12)
    bias = scene_complexity_bias(rare, n_trials=10, duration=0.1, seed=3)
    assert math.isnan(bias.present.value)


def test_faulty_requests_are_reported_together():
    with pytest.raises(InputError) as caught:
        scene_complexity_bias(scene(1.0), n_trials=1, duration=1e-9, seed=3)
    assert "n_trials" in str(caught.value)
    assert "duration" in str(caught.value)
    with pytest.raises(InputError, match="expected a SceneSearchTask"):
        scene_complexity_bias(SearchTask(2, 1.0), n_trials=10, duration=1.0, seed=3)


BETWEEN, PLACES = (15.0, 90.0), (0.5, 0.3, 0.2)


def drift(angle):
    return 4.0 * math.cos(math.radians(2 * angle))


def density(angle):
    return math.exp(-angle / 30.0)


def task(nodes, tied):
    return MixtureSearchTask.continuous(
        3,
        [0],
        BETWEEN,
        drift,
        density=density,
        tied=tied,
        nodes=nodes,
        location_prior=(0.5, 0.3, 0.2),
    )


def likelihood(x, t, angle):
    return math.exp(drift(angle) * x - drift(angle) ** 2 * t / 2)


def integral(f):
    whole = quad(density, *BETWEEN)[0]
    return quad(lambda angle: f(angle) * density(angle) / whole, *BETWEEN, epsabs=1e-13)[0]


def reference(x, t, tied):
    """S of one display; the integral over a common orientation, or one for each place."""

    def together(values):
        return integral(lambda angle: math.prod(likelihood(v, t, angle) for v in values))

    def apart(values):
        return math.prod(together([v]) for v in values)

    distractors, present = together if tied else apart, 0.0
    for place, there in enumerate(PLACES):
        others = [each for k, each in enumerate(x) if k != place]
        present += there * likelihood(x[place], t, 0) * distractors(others)
    return math.log(present / distractors(x))


@pytest.mark.parametrize("tied", [True, False])
def test_the_ratio_is_that_of_the_integral(tied):
    evidence, t = Evidence(task(24, tied)), 0.3
    x = evidence.sample(12, 30, seed=3).observations
    S = evidence.log_likelihood_ratio(evidence.log_likelihood(x, t))
    expected = [reference(np.ravel(each).tolist(), t, tied) for each in x]
    np.testing.assert_allclose(S, expected, atol=1e-9)
    coarse = Evidence(task(2, tied))  # the negative control
    S = coarse.log_likelihood_ratio(coarse.log_likelihood(x, t))
    assert np.abs(S - expected).max() > 1e-3


def test_the_error_falls_faster_than_any_power():
    errors = [quadrature_error(task(n, True), task(32, True), 0.3, 200) for n in (4, 8, 16)]
    assert errors[0] > 30 * errors[1]
    assert errors[1] > 1e3 * errors[2]


def test_bad_ranges_and_other_tasks_are_refused():
    with pytest.raises(InputError, match="two angles"):
        MixtureSearchTask.continuous(3, [0], (90, 20), drift)
    with pytest.raises(InputError, match="nodes"):
        MixtureSearchTask.continuous(3, [0], (20, 90), drift, nodes=1)
    with pytest.raises(InputError, match="same task"):
        quadrature_error(task(2, True), MixtureSearchTask.continuous(2, [0], BETWEEN, drift), 0.3)
