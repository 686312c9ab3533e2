"""Lists: how many, whether all differ, and where in them a fault is."""

from popout.task.kinds import Each, Integer, Number, OneOrEach, Rows


def test_faults_name_the_member(check):
    _, faults = check(Each(Integer(1), "some"), [1, 0, -1])
    assert [fault.path for fault in faults] == [("x", 1), ("x", 2)]
    _, (fault,) = check(Rows(Number(above=0.0)), [[1.0, 2.0], [3.0, -4.0]])
    assert fault.path == ("x", 1, 1)


def test_how_many_and_whether_all_differ(check):
    kind = Each(Integer(0), "two or three different ones", distinct=True, least=2, most=3)
    assert check(kind, [1, 2]) == ((1, 2), [])
    for wrong in ([1], [1, 1], [1, 2, 3, 4], None):
        assert [fault.expected for fault in check(kind, wrong)[1]] == [kind.expected]


def test_equal_ones_are_stored_as_one(check):
    kind = OneOrEach(Number(), "one for each", over="n")
    assert check(kind, [2, 2, 2], n=3) == (2.0, [])
    assert check(kind, [2, 3], n=2) == ((2.0, 3.0), [])
    assert check(kind, [2, 3], n=3)[1][0].expected == "one for each"


def test_a_single_number_stands_for_a_row(check):
    assert check(Rows(Number(), flat=True), [1, 2]) == ((1.0, 2.0), [])
    assert check(Rows(Number()), [1, 2])[1]
