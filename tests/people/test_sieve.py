import numpy as np
import pytest

from popout.people.sieve import Sieve
from popout.task import Faults, InputError

NONE = np.zeros(20, bool)


def test_each_row_has_the_first_reason():
    sieve = Sieve(4)
    sieve.drop(np.array([1, 1, 0, 0], bool), "practice", on_purpose=True)
    sieve.drop(np.array([0, 1, 1, 0], bool), "no answer")
    sieve.drop(np.zeros(4, bool), "never")
    table = sieve.table(np.array(["b", "a", "a", "b"], dtype=object))
    assert table.loc["a"].to_dict() == {"practice": 1, "no answer": 1}
    assert table.loc["b"].to_dict() == {"practice": 1, "no answer": 0}
    assert sieve.kept.tolist() == [False, False, False, True]


@pytest.mark.parametrize(("lost", "refused"), [(5, False), (6, True)])
def test_most_trials_must_be_of_use(lost, refused):
    sieve = Sieve(20)
    sieve.drop(np.arange(20) >= 10, "practice", on_purpose=True)
    sieve.drop(np.arange(20) < lost, "no answer")
    if refused:
        with pytest.raises(InputError, match="6 of 10 that cannot be used: 6 no answer"):
            sieve.check_readable(NONE, Faults(""))
    else:
        sieve.check_readable(NONE, Faults(""))
        with pytest.raises(InputError, match="6 of 10 that cannot be used: 5 no answer, 1 no"):
            sieve.check_readable(np.arange(20) == 7, Faults(""))


def test_practice_alone_is_refused():
    sieve = Sieve(2)
    sieve.drop(np.ones(2, bool), "practice", on_purpose=True)
    with pytest.raises(InputError, match="no practice"):
        sieve.check_readable(NONE[:2], Faults(""))
