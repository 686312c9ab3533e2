"""Search with gaze: fields, faults, files, and what a fixation brings."""

import math

import pytest

import popout as po
from popout.task import GazeTask, InputError, SearchTask, task_from_toml, task_to_toml
from popout.task.look import Gazes

LINE = [(0, 0), (1, 0), (3, 0)]


def test_visibility_falls_with_the_distance_from_gaze():
    task = GazeTask(
        LINE, [(0, 0), (2, 0)], information=24.0, falloff=0.5, fixation=0.2, saccade=0.04
    )
    near, far = math.exp(-1 / 0.5), math.exp(-3 / 0.5)
    rows = task.look.visibility
    assert rows[0] == pytest.approx((1.0, near, far))
    assert rows[1] == pytest.approx((math.exp(-2 / 0.5), near, near))
    assert task.look == Gazes(pytest.approx(20.0), rows)
    assert (task.n_locations, task.n_gazes, task.dt) == (3, 2, pytest.approx(0.24))


def test_gaze_rests_at_the_items_unless_told_otherwise():
    assert GazeTask(LINE, information=20.0, falloff=1.0).places == tuple(LINE)


def test_a_table_is_read_between_its_rows_and_held_beyond():
    task = GazeTask(LINE, [(1, 0)], information=20.0, falloff=[(0, 0.8), (0.5, 0.8), (1.5, 0.4)])
    assert task.look.visibility == (pytest.approx((0.6, 0.8, 0.4)),)


def test_equal_distances_are_equally_visible():
    """Square roots of sums differ in their last bits; symmetric displays must not."""
    square = [(0.1 * x, 0.1 * y) for x, y in ((1, 1), (4, 1), (4, 4), (1, 4))]
    rows = GazeTask(square, [(0.25, 0.25)], information=20.0, falloff=0.3).look.visibility
    assert len(set(rows[0])) == 1


def test_a_single_gaze_is_a_search():
    task = GazeTask(
        LINE[:2], [(0, 0)], information=25.0, falloff=lambda e: 1 - e / 2, fixation=0.16,
        saccade=0.09, prior=0.3, location_prior=(0.2, 0.8),
    )  # fmt: skip
    drifts = (4.0, 4.0 / 2**0.5)
    expected = SearchTask(drift=drifts, dt=0.25, prior=0.3, location_prior=(0.2, 0.8))
    assert task.search.drifts == pytest.approx(expected.drifts)
    assert task.search.location_prior == expected.location_prior
    assert task.why_no_search == ""
    assert task.observations == task.search.observations


def test_all_faults_at_once():
    with pytest.raises(InputError) as caught:
        GazeTask(
            [(0, 0), (0, 0), (2, "a")], [], information=-1.0, falloff=[(1, 0.3), (0.5, 2)],
            fixation=0.0, saccade=-1.0, prior=2.0, location_prior=(0.5, 0.5),
        )  # fmt: skip
    fields = {line.split(":")[0] for line in caught.value.lines}
    names = ("items[2]", "gazes", "information", "falloff", "fixation", "saccade", "prior")
    assert fields == {f"GazeTask.{name}" for name in (*names, "location_prior")}


def test_items_are_different_places():
    with pytest.raises(InputError, match=r"GazeTask.items: expected .* all different"):
        GazeTask([(0, 0), (0, 0)], information=20.0, falloff=1.0)


def test_free_durations_move_in_whole_steps():
    ways = [[0, 0.02, 0.04], [0.02, 0, 0.02], [0.04, 0.02, 0]]
    task = GazeTask(
        LINE, information=20.0, falloff=1.0, fixation="free", step=0.02, saccade=ways, start=2
    )
    assert task.look == Gazes(20.0, task.look.visibility, ((0, 1, 2), (1, 0, 1), (2, 1, 0)), 2)
    assert task.dt == 0.02
    assert task_from_toml(task_to_toml(task)) == task
    assert "as long as the observer likes" in " ".join(task.describe())
    assert "0.02 to 0.04 s" in str(task.card())
    middle = GazeTask(LINE, information=20.0, falloff=1.0, fixation="free")
    assert (middle.look.start, middle.dt, middle.look.moves[0]) == (1, 0.01, (0, 3, 3))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"fixation": "often"}, r'fixation: .* or "free" if the observer chooses'),
        ({"step": 0.02}, r"step: expected none where fixations are fixed"),
        ({"start": 1}, r"start: expected none where fixations are fixed"),
        ({"saccade": [[0] * 3] * 3}, r"saccade: expected a number where fixations are fixed"),
        ({"fixation": "free", "saccade": 0.033}, r"saccade: expected whole steps of 0.01 s"),
        ({"fixation": "free", "saccade": [[0, 1], [1, 0]]}, r"a matrix of shape \(3, 3\)"),
        ({"fixation": "free", "saccade": [[1.0] * 3] * 3}, r"with a zero diagonal"),
        ({"fixation": "free", "saccade": [[0, -1, 1], [1, 0, 1], [1, 1, 0]]}, r"saccade\[0\]"),
        ({"fixation": "free", "start": 3}, r"start: expected one of the 3 gazes"),
    ],
)
def test_faults_of_durations(fields, message):
    with pytest.raises(InputError, match=message):
        GazeTask(LINE, information=20.0, falloff=1.0, **fields)


def test_an_item_that_no_gaze_sees_is_refused():
    with pytest.raises(InputError, match=r"items\[2\]: expected an item that some gaze can see"):
        GazeTask(LINE, [(0, 0)], information=20.0, falloff=[(0, 1), (1, 1), (2, 0)])


@pytest.mark.parametrize(
    ("function", "got"),
    [
        (lambda e: 1 / e, "ZeroDivisionError: float division by zero at 0"),
        (lambda e: float("nan") if e else 1.0, "nan at 1"),
        (lambda e: -0.1, "-0.1 at 0"),
        (lambda e: 1.5, "1.5 at 0"),
        (lambda e: "far", "far at 0"),
    ],
)
def test_a_function_that_gives_no_visibility_is_shown_with_what_it_said(function, got):
    with pytest.raises(InputError, match=f"a function with values from 0 to 1, got '{got}'"):
        GazeTask([(0, 0), (1, 0)], information=20.0, falloff=function)


@pytest.mark.parametrize("falloff", [0.8, [(0, 1), (2, 0.25)], lambda e: 1 / (1 + e)])
def test_files_keep_what_a_fixation_brings(falloff):
    for gazes in ([(0, 0), (2, 1)], [(0.5, 1)]):  # on items, and on none
        task = GazeTask(LINE, gazes, information=20.0, falloff=falloff, prior=0.2)
        read = task_from_toml(task_to_toml(task))
        assert read.look == task.look
        assert (read.prior, read.dt, read.items) == (task.prior, task.dt, task.items)


@pytest.mark.parametrize("table", [[(5, 0.5), (6, 0.4)], [(0, 1), (2, 0.3), (1, 0.5)], []])
def test_a_table_of_visibility_rises_from_the_point_of_gaze_on(table):
    with pytest.raises(InputError, match="expected eccentricities that rise from 0 on"):
        GazeTask(LINE, information=20.0, falloff=table)


@pytest.mark.parametrize(
    "use",
    [
        po.Evidence,
        lambda task: po.llr_step(task),
        lambda task: po.solve_deadline(task, po.Costs(time=0.2), 1.0),
        lambda task: po.continuous_time(task, po.Costs(time=0.2)),
    ],
)
def test_whoever_does_not_know_gaze_says_so(use):
    task = GazeTask(LINE, information=20.0, falloff=1.0)
    with pytest.raises(InputError, match=r"gaze|GazeTask"):
        use(task)


TABLE = [[1.0, 0.4, 0.0], [0.2, 1.0, 0.3]]


def test_a_table_says_what_each_gaze_sees():
    task = GazeTask(LINE, [(0, 0), (2, 0)], information=20.0, visibility=TABLE)
    assert task.look.visibility == ((1.0, 0.4, 0.0), (0.2, 1.0, 0.3))
    assert task.look.best == (1.0, 1.0, 0.3)
    assert task_from_toml(task_to_toml(task)) == task
    assert "a table for 2 gazes and 3 items" in " ".join(task.describe())
    falling = GazeTask(LINE, information=20.0, falloff=0.8)
    same = GazeTask(LINE, information=20.0, visibility=falling.look.visibility)
    assert same.look == falling.look
    assert same != falling


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, r"^GazeTask\.falloff: expected falloff or visibility, got 'neither'.*$"),
        ({"falloff": 1.0, "visibility": TABLE}, "got 'both'"),
        ({"falloff": -1.0}, r"^GazeTask\.falloff: expected a positive number, got -1.0.*$"),
        ({"visibility": TABLE}, r"visibility: expected a matrix of shape \(3, 3\).*`gazes`"),
        ({"visibility": [[1, 1], [1]]}, r"a matrix of shape \(3, 3\)"),
        ({"visibility": [[1, 1, 2]] * 3}, r"visibility\[0\]\[2\]: expected a number from 0 to 1"),
        ({"visibility": [[1, 0, 1]] * 3}, r"items\[1\]: expected an item that some gaze can see"),
    ],
)
def test_faults_of_what_is_seen(fields, message):
    with pytest.raises(InputError, match=message):
        GazeTask(LINE, information=20.0, **fields)


def test_a_group_shares_the_information_of_one_gaze():
    task = GazeTask.of_groups(
        LINE, [(0, 1), (2,), (0, 1, 2)], information=24.0, step=0.1, prior=0.3
    )
    third = 1 / 3
    assert task.look.visibility == ((0.5, 0.5, 0.0), (0.0, 0.0, 1.0), (third, third, third))
    assert task.look.information == pytest.approx(24.0)
    assert task.gazes == ((0.5, 0.0), (3.0, 0.0), (pytest.approx(4 / 3), 0.0))
    assert (task.dt, task.prior) == (0.1, 0.3)
    assert all(sum(row) == pytest.approx(1.0) for row in task.look.visibility)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([(0, 1)], r"GazeTask\.items\[2\]: expected an item that some gaze can see"),
        ([(0, 3)], r"of_groups\.groups\[0\]\[1\]: expected an integer from 0 to 2, got 3"),
        ([(0, 1, 1), (2,)], r"groups\[0\]: expected items, each of them once"),
        ([], r"groups: expected one group or more"),
    ],
)
def test_faults_of_groups(groups, message):
    with pytest.raises(InputError, match=message):
        GazeTask.of_groups(LINE, groups, information=20.0, step=0.1)


def test_words_and_picture():
    task = GazeTask(LINE, information=20.0, falloff=[(0, 1), (2, 0.25)])
    assert "1 at 0 and 0.25 at 2 degrees from gaze" in str(task.card())
    assert "exp(-e / 0.8)" in GazeTask(LINE, information=20.0, falloff=0.8).describe()[1]
    assert "as a function says" in str(GazeTask(LINE, information=2.0, falloff=lambda e: 1).card())
    assert task.plot().get_title() == "A display of 3 locations"
