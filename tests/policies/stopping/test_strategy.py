import numpy as np

from popout.policies.stopping import SPRT, Strategy
from popout.task import SearchTask


def test_a_users_strategy_is_one_method():
    class Coin(Strategy):
        def decide(self, Z, t):
            return np.where(np.asarray(Z)[..., 0] > 0, 2, 0).astype(np.int8)

    assert Coin().n_locations is None
    assert Coin().label == "Coin"
    assert Coin().parameters == {}
    assert Coin().scaled_test(np.zeros(1)) is None
    assert str(Coin()).splitlines()[0] == "Coin"
    assert Coin().decide(np.ones((4, 2)), 0.0).tolist() == [2, 2, 2, 2]


def test_a_label_of_the_class_or_of_the_object_is_what_tables_show():
    class Coin(Strategy):
        label = "coin"

        def decide(self, Z, t):
            return np.zeros(np.shape(Z)[:-1], dtype=np.int8)

    assert Coin().label == "coin"
    made = SPRT.for_task(SearchTask(n_locations=2, drift=4.0), -2.0, 2.0)
    assert made.label == "SPRT"
    typed = {"lower": -2.0, "upper": 2.0, "a_minus": 1.0, "a_plus": 1.0}
    assert made.as_dict() == {"strategy": "sprt", "parameters": typed}
    assert made.numbers == {"tau_minus": -2.0, "tau_plus": 2.0, "a_minus": 1.0, "a_plus": 1.0}
