"""How much work a question is said to be: what takes a moment from what takes minutes."""

import time

import pytest

from popout.web.explorer.desk import Limits
from popout.web.explorer.questions import QUESTIONS

SEARCH = {"kind": "search", "n_locations": 2, "drift": 4.0}
LIMITED = {"kind": "limited-search", "n_locations": 2, "information": 32.0}
LINE = {
    "kind": "gaze-search",
    "items": [[0, 0], [1, 0], [2, 0]],
    "information": 32.0,
    "falloff": 0.8,
}
PAGE = {"trials": 10_000, "tune_trials": 2_000}


def asked(name, task=SEARCH, time_cost=0.2, **settings):
    body = {"task": task, "costs": {"time": time_cost}, **settings}
    return QUESTIONS[name].model_validate(body)


@pytest.mark.parametrize("strategy", ["optimal", "sprt", "a-sprt", "sprt-opt", "hardmax"])
def test_what_the_page_asks_first_is_small(strategy):
    """Boundary, times and examples of two items, and of eight where that is no optimum."""
    sizes = (2,) if strategy == "optimal" else (2, 8)
    for n in sizes:
        task = {**SEARCH, "n_locations": n}
        assert asked("simulate", task, strategy=strategy, **PAGE).work <= Limits.small
        own = asked("example-trials", task, strategy=strategy, tune_trials=2_000)
        assert own.work <= Limits.small


def test_whatever_makes_work_is_counted():
    few = asked("simulate", strategy="sprt", **PAGE)
    for more in (
        asked("simulate", strategy="sprt", **{**PAGE, "trials": 100_000}),
        asked("simulate", strategy="sprt", **{**PAGE, "tune_trials": 100_000}),
        asked("simulate", {**SEARCH, "n_locations": 32}, strategy="sprt", **PAGE),
        asked("simulate", {**SEARCH, "dt": 1e-4}, strategy="sprt", **PAGE),
        asked("simulate", {**SEARCH, "drift": 0.4}, 0.02, strategy="sprt", **PAGE),
        asked("simulate", strategy="sprt-opt", **PAGE),
        asked("slopes", strategy="sprt", locations=[2, 4, 8], **PAGE),
        asked("frontier", strategy="sprt", **PAGE),
    ):
        assert more.work > 1.5 * few.work
    exact = asked("boundary", strategy="optimal")
    assert asked("boundary", strategy="optimal", rtol=1e-4).work > 10 * exact.work
    assert asked("boundary", LIMITED, attention="optimal").work > exact.work
    assert asked("slopes", LIMITED, attention="guided", **PAGE).work > 0
    # A task that cannot be resized says so in its answer, not here.
    assert asked("slopes", {"kind": "search", "drift": [8, 3]}, locations=[4, 8]).work == 0


def lattice(n):
    """A display of n by n items."""
    return {**LINE, "items": [[i, j] for i in range(n) for j in range(n)]}


def test_what_the_page_asks_of_gazes_is_small_and_whatever_makes_it_more_is_counted():
    for attention in ("optimal", "ideal"):
        exact = asked("simulate", LINE, attention=attention, strategy="optimal", **PAGE)
        assert exact.work <= Limits.small
    assert asked("solve", LINE, attention="elm").work <= Limits.small
    tuned = {"strategy": "sprt-opt", **PAGE}
    few = asked("simulate", lattice(4), attention="elm", **tuned).work
    assert few <= Limits.small
    assert asked("simulate", lattice(4), attention="ideal", **tuned).work > 3 * few
    assert asked("simulate", lattice(8), attention="elm", **tuned).work > 3 * few
    blind = {**lattice(4), "falloff": 0.2}
    assert asked("simulate", blind, 0.001, attention="elm", **tuned).work > 2 * few
    free = {**LINE, "fixation": "free", "saccade": 0.03}
    assert asked("solve", free).work > 5 * asked("solve", LINE).work
    more = {**LINE, "gazes": [[k / 4, 0] for k in range(9)]}
    assert asked("solve", more).work > 2 * asked("solve", LINE).work
    for too_much in (
        asked("solve", lattice(3)),
        asked("simulate", lattice(8), attention="ideal", **{**tuned, "tune_trials": 200_000}),
        asked("frontier", lattice(8), attention="ideal", **tuned),
        asked("solve", {**lattice(2), "gazes": [[k / 8, 0] for k in range(64)]}, rtol=1e-3),
    ):
        assert too_much.work > Limits.most


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("slopes", {"locations": [2, 8, 64], "strategy": "sprt-opt", "tune_trials": 200_000}),
        ("frontier", {"points": 25, "rtol": 1e-6, "strategy": "optimal"}),
        ("simulate", {"trials": 1_000_000, "strategy": "sprt"}),
    ],
)
def test_the_heaviest_questions_are_too_much(name, settings):
    task = {**SEARCH, "n_locations": 3, "drift": 0.2, "dt": 1e-4}
    assert asked(name, task, 0.01, **settings).work > Limits.most


def test_a_large_display_is_refused_before_anything_is_made_of_it():
    many = [[k % 40, k // 40] for k in range(1000)]
    start = time.process_time()
    for task in ({**LINE, "items": many}, {**LINE, "gazes": many}, {**LINE, "falloff": many}):
        with pytest.raises(ValueError, match="at most 64"):
            asked("simulate", task, **PAGE)
    assert time.process_time() - start < 0.5


def test_estimating_takes_no_time():
    question = asked("slopes", strategy="a-sprt", locations=[2, 4, 8, 12, 16, 24, 32, 64], **PAGE)
    start = time.process_time()
    for _ in range(20):
        assert question.work > 0
    assert time.process_time() - start < 1.0
